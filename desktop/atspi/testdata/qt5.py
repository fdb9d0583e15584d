"""A Qt 5 window with a tree, a list and a table; a file that appears as argv[1]
makes it change the second row of the tree."""
import os
import sys

from PyQt5.QtCore import QTimer
from PyQt5.QtWidgets import QApplication, QListWidget, QTableWidget, QTableWidgetItem, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

app = QApplication(sys.argv)
window = QWidget()
window.setWindowTitle("views")
box = QVBoxLayout(window)
tree = QTreeWidget()
tree.setHeaderLabels(["Name", "Size"])
for i in range(3):
    tree.addTopLevelItem(QTreeWidgetItem([f"file {i}", f"{i} kB"]))
rows = QListWidget()
rows.addItems(["x", "y", "z"])
table = QTableWidget(2, 2)
for i in range(4):
    table.setItem(i // 2, i % 2, QTableWidgetItem(f"cell {i}"))
for view in (tree, rows, table):
    box.addWidget(view)


def change():
    if os.path.exists(sys.argv[1]):
        tree.topLevelItem(1).setText(0, "other")


timer = QTimer()
timer.timeout.connect(change)
timer.start(50)
window.show()
sys.exit(app.exec_())
