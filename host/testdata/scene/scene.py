"""Windows and dialogs of GTK 3 on command. It reads commands from its standard
input, one a line, and writes what happens to the file that it is given: "hit A"
when the button of window A is clicked, "key A x" when A gets a key, "at A x y"
for where A's button is, "xid A n", "text A …", and "done" after each command.

  open NAME [owner=NAME|xid:N] [modal=1] [at=X,Y] [group=NAME] [password=1] …
  set NAME [modal=0|1] [owner=NAME] [visible=0|1] [minimized=1] [title=…]
  where, text NAME, menu NAME, close NAME, reset
"""
import os
import sys

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
gi.require_version("GdkX11", "3.0")
from gi.repository import Gdk, GdkX11, GLib, Gtk

windows = {}
new_group = None  # makes a group of windows, in the program that has some
groups = {}


def say(*words):
    log.write(" ".join(str(w) for w in words) + "\n")


class Scene:
    def __init__(self, name, opts):
        self.name = name
        self.win = Gtk.Window(title=name)
        self.win.set_default_size(220, 130)
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        self.button = Gtk.Button(label="Hit " + name)
        self.button.connect("clicked", lambda b: say("hit", name))
        label = Gtk.Label(label="Text")
        self.entry = Gtk.Entry()
        label.set_mnemonic_widget(self.entry)
        box.pack_start(self.button, True, True, 0)
        box.pack_start(label, False, False, 0)
        box.pack_start(self.entry, False, False, 0)
        if "loop" in opts:
            self.add_loop(box)
        if "quit" in opts:
            self.add_quit(box)
        if "secret" in opts:
            self.add_secrets(box, opts["secret"])
        if "ticks" in opts:
            self.add_ticks(box)
        self.win.add(box)
        self.win.connect("key-press-event", self.key)
        self.win.connect("delete-event", self.deleted)
        if opts.get("group"):
            group = groups.setdefault(opts["group"], new_group())
            group.add_window(self.win)
        if "modal" in opts or "owner" in opts:
            self.win.set_type_hint(Gdk.WindowTypeHint.DIALOG)
        self.apply(opts)
        box.show_all()
        if opts.get("visible") != "0":
            self.win.show()
        self.win.present()

    def add_loop(self, box):
        """A button that runs a dialog in a main loop of its own."""
        def run(button):
            dialog = Gtk.MessageDialog(transient_for=self.win, modal=True, text="Sure?", buttons=Gtk.ButtonsType.YES_NO)
            dialog.set_title("Loop")
            answer = dialog.run()
            say("answer", int(answer))
            dialog.destroy()
        button = Gtk.Button(label="Ask")
        button.connect("clicked", run)
        box.pack_start(button, False, False, 0)

    def add_quit(self, box):
        """A button that ends the program before the click is answered."""
        button = Gtk.Button(label="Quit")
        button.connect("clicked", lambda b: os._exit(0))
        box.pack_start(button, False, False, 0)

    def add_secrets(self, box, secret):
        """A password, whose text peek=1 shows, and a field that is secret without
        saying so."""
        self.password = Gtk.Entry(text=secret, visibility=False, input_purpose=Gtk.InputPurpose.PASSWORD)
        for text, entry in [("Passphrase", self.password), ("Recovery code", Gtk.Entry(text=secret))]:
            label = Gtk.Label(label=text)
            label.set_mnemonic_widget(entry)
            box.pack_start(label, False, False, 0)
            box.pack_start(entry, False, False, 0)

    def add_ticks(self, box):
        """A clock, progress in words and as a bar, a pulse, and something that blinks."""
        clock, count, bar = Gtk.Label(), Gtk.Label(), Gtk.ProgressBar()
        blink = Gtk.Label(label="REC")
        pulse = Gtk.ProgressBar()
        self.tick = 0

        def step():
            self.tick += 1
            clock.set_text(GLib.DateTime.new_now_local().format("%H:%M:%S"))
            count.set_text("Copied %d%%" % (self.tick % 98 + 1))
            bar.set_fraction((self.tick % 48 + 1) / 50)  # neither at its start nor at its end
            pulse.pulse()
            blink.set_opacity(self.tick % 2)
            if self.tick % 10 == 0:
                say("ticks", self.tick)
            return True

        for w in [clock, count, blink, bar, pulse]:
            box.pack_start(w, False, False, 0)
        step()
        GLib.timeout_add(200, step)

    def apply(self, opts):
        if "title" in opts:
            self.win.set_title(opts["title"])
        if "owner" in opts:
            self.own(opts["owner"])
        if "modal" in opts:
            self.win.set_modal(opts["modal"] == "1")
        if "peek" in opts:
            self.password.set_visibility(opts["peek"] == "1")
        if "at" in opts:
            self.win.move(*[int(n) for n in opts["at"].split(",")])
        if opts.get("minimized") == "1":
            self.win.iconify()
        if opts.get("visible") == "0":
            self.win.hide()
        if opts.get("visible") == "1":
            self.win.show()

    def own(self, owner):
        if not owner.startswith("xid:"):
            self.win.set_transient_for(windows[owner].win if owner else None)
            return
        self.win.realize()
        foreign = GdkX11.X11Window.foreign_new_for_display(Gdk.Display.get_default(), int(owner[4:]))
        self.win.get_window().set_transient_for(foreign)

    def key(self, win, event):
        say("key", self.name, Gdk.keyval_name(event.keyval))

    def deleted(self, win, event):
        say("deleted", self.name)
        del windows[self.name]

    def where(self):
        gdk = self.button.get_window()
        if gdk is None or not self.win.get_mapped():
            return
        _, x, y = gdk.get_origin()
        a = self.button.get_allocation()
        say("at", self.name, x + a.x + a.width // 2, y + a.y + a.height // 2)

    def menu(self):
        menu = Gtk.Menu()
        for text in ["First entry", "Second entry"]:
            item = Gtk.MenuItem(label=text)
            item.connect("activate", lambda i, t=text: say("chosen", t))
            menu.append(item)
        menu.show_all()
        menu.popup_at_widget(self.button, Gdk.Gravity.SOUTH_WEST, Gdk.Gravity.NORTH_WEST, None)
        self.open = menu


def command(line):
    words = [w.replace("%20", " ") for w in line.split()]
    if words[0] == "open":
        windows[words[1]] = Scene(words[1], dict(w.split("=", 1) for w in words[2:]))
    elif words[0] == "set":
        windows[words[1]].apply(dict(w.split("=", 1) for w in words[2:]))
    elif words[0] == "where":
        for s in windows.values():
            s.where()
    elif words[0] == "xid":
        say("xid", words[1], windows[words[1]].win.get_window().get_xid())
    elif words[0] == "text":
        say("text", words[1], windows[words[1]].entry.get_text())
    elif words[0] == "menu":
        windows[words[1]].menu()
    elif words[0] == "close":
        windows.pop(words[1]).win.destroy()
    elif words[0] == "reset":
        for s in reversed(list(windows.values())):
            s.win.destroy()
        windows.clear()
        groups.clear()
    # What was sent to the application before is dealt with by now.
    Gdk.Display.get_default().sync()
    while Gtk.events_pending():
        Gtk.main_iteration()
    say("done")


def main():
    global log
    log = open(sys.argv[1], "a", buffering=1)

    def ready(channel, condition):
        line = sys.stdin.readline()
        if not line:
            Gtk.main_quit()
            return False
        if line.strip():
            command(line)
        return True

    GLib.io_add_watch(0, GLib.PRIORITY_DEFAULT_IDLE, GLib.IO_IN | GLib.IO_HUP, ready)
    Gtk.main()


if __name__ == "__main__":
    main()
