"""The windows of scene.py in groups of their own: a modal window of one group
leaves those of another alone."""
import scene
from gi.repository import Gtk

scene.new_group = Gtk.WindowGroup.new
scene.main()
