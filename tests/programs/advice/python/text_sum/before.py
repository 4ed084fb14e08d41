"""A text and two pieces are added: the first sum is no variable's."""


def rows(n):
    text = ""
    for i in range(n):
        text = text + "row " + str(i)  # here: string-append
    return text


print(len(rows(3000)))
