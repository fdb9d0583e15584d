"""A Qt 5 window with a list of 10,000 rows."""
import sys

from PyQt5.QtWidgets import QApplication, QListWidget, QMainWindow

app = QApplication(sys.argv)
view = QListWidget()
view.addItems([f"Row {i}" for i in range(10000)])
window = QMainWindow()
window.setWindowTitle("Long list")
window.setCentralWidget(view)
window.resize(400, 300)
window.show()
sys.exit(app.exec_())
