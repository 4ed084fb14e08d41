"""A text is a part of the literal that replaces it."""


def line(n):
    text = ""
    for i in range(n):
        text = f"{text}{i},"  # here: string-append
    return text


print(len(line(4000)))
