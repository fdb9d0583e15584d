"""A GTK4 window for the tests: gtk4.py listview|listbox|form ROWS."""
import sys

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import Gio, Gtk  # noqa: E402


def listview(n):
    factory = Gtk.SignalListItemFactory()
    factory.connect("setup", lambda _, item: item.set_child(Gtk.Label()))
    factory.connect("bind", lambda _, item: item.get_child().set_label(item.get_item().get_string()))
    model = Gtk.StringList.new(["row %d" % i for i in range(n)])
    return Gtk.ListView(model=Gtk.SingleSelection(model=model), factory=factory)


def listbox(n):
    box = Gtk.ListBox()
    for i in range(n):
        box.append(Gtk.Label(label="row %d" % i))
    return box


def form(_):
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    hidden = Gtk.Entry(text="hunter22")
    hidden.set_visibility(False)
    menu = Gio.Menu()
    menu.append("alpha", "win.close")
    menu.append("beta", "win.close")
    notebook = Gtk.Notebook()
    for i in (1, 2):
        notebook.append_page(Gtk.Label(label="page %d" % i), Gtk.Label(label="Tab %d" % i))
    for w in (Gtk.DropDown.new_from_strings(["red", "green", "blue"]), Gtk.Switch(halign=Gtk.Align.START), Gtk.CheckButton(label="Check"),
              Gtk.Scale.new_with_range(0, 0, 100, 1), Gtk.PasswordEntry(text="hunter2"), Gtk.Entry(placeholder_text="type here"), hidden, Gtk.Entry(text="two words ä"), Gtk.SpinButton.new_with_range(3, 10, 1),
              Gtk.SearchEntry(text="sought"),
              notebook, Gtk.MenuButton(label="Menu", menu_model=menu)):
        box.append(w)
    return box


def activate(app):
    window = Gtk.ApplicationWindow(application=app, title="gtk4 " + sys.argv[1])
    window.set_size_request(300, 400)
    window.set_default_size(300, 400)
    scroll = Gtk.ScrolledWindow(vexpand=True)
    scroll.set_child(globals()[sys.argv[1]](int(sys.argv[2])))
    window.set_child(scroll)
    window.present()


app = Gtk.Application(application_id="dev.oriel.test." + sys.argv[1])
app.connect("activate", activate)
app.run([])
