"""Many texts are made, and kept: each begins anew while the larger ones before it stay."""


def page(n):
    text = ""
    for i in range(n):
        text += "<b>" + str(i) + "</b>"  # here: string-append
    return text


pages = []
for size in range(300, 100, -1):
    pages.append(page(size))
print(sum(map(len, pages)))
