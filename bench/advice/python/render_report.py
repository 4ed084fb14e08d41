"""A report whose text is added to while it is also kept elsewhere."""


class Report:
    def __init__(self):
        self.text = ""

    def line(self, text):
        self.text += text + "\n"  # here: string-append


report = Report()
for i in range(3000):
    report.line(f"row {i}")
print(len(report.text))
