"""A text that an attribute holds."""


class Page:
    def __init__(self):
        self.text = ""

    def add(self, number):
        self.text += "%d;" % number  # here: string-append


page = Page()
for i in range(4000):
    page.add(i)
print(len(page.text))
