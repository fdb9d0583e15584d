"""A GTK3 window for the tests: gtk3.py table|tree|listbox|form ROWS."""
import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402


def table(n):
    store = Gtk.ListStore(str, int, bool)
    for i in range(n):
        store.append(["row %d" % i, i, i % 2 == 0])
    view = Gtk.TreeView(model=store)
    for column, title in enumerate(("Name", "Count")):
        view.append_column(Gtk.TreeViewColumn(title, Gtk.CellRendererText(), text=column))
    view.append_column(Gtk.TreeViewColumn("On", Gtk.CellRendererToggle(), active=2))
    return view


def tree(n):
    store = Gtk.TreeStore(str)
    for i in range(n // 10):
        parent = store.append(None, ["parent %d" % i])
        for j in range(9):
            store.append(parent, ["child %d.%d" % (i, j)])
    view = Gtk.TreeView(model=store)
    view.append_column(Gtk.TreeViewColumn("Node", Gtk.CellRendererText(), text=0))
    view.expand_row(Gtk.TreePath.new_from_string("0"), True)
    return view


def listbox(n):
    box = Gtk.ListBox()
    for i in range(n):
        box.add(Gtk.Label(label="row %d" % i))
    return box


def combo(*entries):
    box = Gtk.ComboBoxText()
    for text in entries:
        box.append_text(text)
    box.set_active(1)
    return box


def form(_):
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    box.add(combo("red", "green", "blue"))
    label = Gtk.Label(label="_Count", use_underline=True)
    spin = Gtk.SpinButton.new_with_range(0, 10, 1)
    label.set_mnemonic_widget(spin)
    secret = Gtk.Entry(text="hunter2")
    secret.set_visibility(False)
    notebook = Gtk.Notebook()
    for i in (1, 2):
        notebook.append_page(Gtk.Label(label="page %d" % i), Gtk.Label(label="Tab %d" % i))
    for w in (label, spin, Gtk.Switch(), Gtk.CheckButton(label="Check"), Gtk.Scale.new_with_range(0, 0, 100, 1), secret,
              Gtk.Entry(placeholder_text="type here"), notebook):
        box.add(w)
    return box


window = Gtk.Window(title="gtk3 " + sys.argv[1])
window.set_default_size(300, 400)
scroll = Gtk.ScrolledWindow()
scroll.add(globals()[sys.argv[1]](int(sys.argv[2])))
window.add(scroll)
window.connect("destroy", Gtk.main_quit)
window.show_all()
Gtk.main()
