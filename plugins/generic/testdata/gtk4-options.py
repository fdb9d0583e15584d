"""A GTK 4 window with a check box and a drop-down. What they are set to is
written into the file argv[1]."""
import sys

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import Gtk

colours = ["red", "green", "blue"]


def changed(*_):
    with open(sys.argv[1], "w") as f:
        f.write(f"{check.get_active()} {colours[colour.get_selected()]}")


def activate(app):
    global check, colour
    check = Gtk.CheckButton(label="Send a copy")
    colour = Gtk.DropDown.new_from_strings(colours)
    check.connect("toggled", changed)
    colour.connect("notify::selected", changed)
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=12)
    box.append(Gtk.Label(label="Colour:", xalign=0))
    for widget in (colour, check):
        box.append(widget)
    window = Gtk.ApplicationWindow(application=app, title="Options", child=box)
    window.set_default_size(300, 200)
    window.present()


app = Gtk.Application(application_id="dev.oriel.test.options")
app.connect("activate", activate)
app.run([])
