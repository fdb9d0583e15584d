"""A GTK 3 window with a list of 10,000 rows."""
import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk

store = Gtk.ListStore(str, int)
for i in range(10000):
    store.append([f"Row {i}", i])
view = Gtk.TreeView(model=store)
for n, title in enumerate(["Name", "Number"]):
    view.append_column(Gtk.TreeViewColumn(title, Gtk.CellRendererText(), text=n))
scrolled = Gtk.ScrolledWindow()
scrolled.add(view)
window = Gtk.Window(title="Long list")
window.set_default_size(400, 300)
window.add(scrolled)
window.connect("destroy", Gtk.main_quit)
window.show_all()
Gtk.main()
