"""A Qt 5 list of 10,000 rows that is a window by itself. The row that is chosen
is written into the file argv[1]."""
import sys

from PyQt5.QtWidgets import QApplication, QListWidget


def chosen():
    with open(sys.argv[1], "w") as f:
        f.write(view.currentItem().text())


app = QApplication(sys.argv)
view = QListWidget()
view.setWindowTitle("Bare list")
view.addItems([f"Row {i}" for i in range(10000)])
view.itemSelectionChanged.connect(chosen)
view.resize(400, 300)
view.show()
sys.exit(app.exec_())
