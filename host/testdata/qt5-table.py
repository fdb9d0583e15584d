"""A Qt 5 window with a table of 10,000 rows."""
import sys

from PyQt5.QtWidgets import QApplication, QMainWindow, QTableWidget, QTableWidgetItem

app = QApplication(sys.argv)
view = QTableWidget(10000, 2)
view.setHorizontalHeaderLabels(["Name", "Number"])
for i in range(10000):
    view.setItem(i, 0, QTableWidgetItem(f"Row {i}"))
    view.setItem(i, 1, QTableWidgetItem(str(i)))
window = QMainWindow()
window.setWindowTitle("Long table")
window.setCentralWidget(view)
window.resize(400, 300)
window.show()
sys.exit(app.exec_())
