"""Short texts, of a few pieces each."""


def row(values):
    text = ""
    for value in values:
        text = text + str(value) + ";"  # here: string-append
    return text


print(sum(len(row(range(i, i + 120))) for i in range(100, 400)))
