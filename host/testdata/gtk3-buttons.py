"""A GTK 3 window with buttons that behave badly. It writes what was pressed to the
file that it is given."""
import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk

log = open(sys.argv[1], "a", buffering=1)
window = Gtk.Window(title="Buttons")
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
store = Gtk.ListStore(str)
view = Gtk.TreeView(model=store, headers_visible=False)
view.append_column(Gtk.TreeViewColumn("Item", Gtk.CellRendererText(), text=0))


def fill(button):
    log.write("Fill\n")

    def later():
        for i in range(5):
            store.append([f"Arrived {i}"])

    GLib.timeout_add(700, later)


def once(button):
    log.write("Once\n")
    button.set_sensitive(False)


for name, clicked in [("Fill", fill), ("Inert", lambda b: log.write("Inert\n")), ("Once", once)]:
    button = Gtk.Button(label=name)
    button.connect("clicked", clicked)
    box.pack_start(button, False, False, 0)
box.pack_start(view, True, True, 0)
window.add(box)
window.set_default_size(300, 300)
window.connect("destroy", Gtk.main_quit)
window.show_all()
Gtk.main()
