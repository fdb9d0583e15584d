"""A Qt 5 window with a list of 10,000 rows."""
import sys

from PyQt5.QtWidgets import QApplication, QListWidget

app = QApplication(sys.argv)
view = QListWidget()
view.setWindowTitle("Long list")
view.resize(400, 300)
view.addItems([f"Row {i}" for i in range(10000)])
view.show()
sys.exit(app.exec_())
