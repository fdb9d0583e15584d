"""A GTK 4 window with a list view of 10,000 rows."""
import gi

gi.require_version("Gtk", "4.0")
from gi.repository import Gtk


def activate(app):
    model = Gtk.StringList.new([f"Row {i}" for i in range(10000)])
    factory = Gtk.SignalListItemFactory()
    factory.connect("setup", lambda _, item: item.set_child(Gtk.Label(xalign=0)))
    factory.connect("bind", lambda _, item: item.get_child().set_text(item.get_item().get_string()))
    view = Gtk.ListView(model=Gtk.SingleSelection(model=model), factory=factory)
    window = Gtk.ApplicationWindow(application=app, title="Long list", child=Gtk.ScrolledWindow(child=view))
    window.set_default_size(400, 300)
    window.present()


app = Gtk.Application(application_id="dev.oriel.test.list")
app.connect("activate", activate)
app.run([])
