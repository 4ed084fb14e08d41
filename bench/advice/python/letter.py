"""A page, put together part by part."""


class Page:
    def __init__(self):
        self.html = "<html>"

    def paragraph(self, text):
        self.html += "<p>" + text + "</p>\n"  # here: string-append


page = Page()
for i in range(1500):
    page.paragraph(f"Paragraph {i} has some words in it.")
print(len(page.html))
