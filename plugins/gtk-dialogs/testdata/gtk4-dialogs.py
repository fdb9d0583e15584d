"""Asks a question and then for a file, with GTK 4, and writes the answers to a file."""
import sys

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import Gio, Gtk  # noqa: E402

out = sys.argv[1]


def asked(dialog, response):
    with open(out, "w") as f:
        f.write(Gtk.ResponseType(response).value_nick)
    dialog.destroy()
    chooser = Gtk.FileChooserDialog(title="Store", transient_for=window, modal=True, action=Gtk.FileChooserAction.SAVE)
    chooser.add_button("_Cancel", Gtk.ResponseType.CANCEL)
    chooser.add_button("_Save", Gtk.ResponseType.ACCEPT)
    chooser.set_default_response(Gtk.ResponseType.ACCEPT)
    chooser.set_current_folder(Gio.File.new_for_path(sys.argv[2]))
    chooser.connect("response", chosen)
    chooser.show()


def chosen(chooser, response):
    with open(out, "w") as f:
        f.write(chooser.get_file().get_path() if response == Gtk.ResponseType.ACCEPT else "none")
    window.destroy()


def activate(app):
    global window
    window = Gtk.ApplicationWindow(application=app, title="Owner", default_width=300, default_height=200)
    window.show()
    dialog = Gtk.MessageDialog(transient_for=window, modal=True, message_type=Gtk.MessageType.WARNING, buttons=Gtk.ButtonsType.YES_NO,
                               text="Throw it away?", secondary_text="It cannot be brought back.")
    dialog.set_title("Well?")
    dialog.connect("response", asked)
    dialog.show()


app = Gtk.Application(application_id="org.example.Dialogs")
app.connect("activate", activate)
app.run(None)
