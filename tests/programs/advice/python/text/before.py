"""A text that is made piece by piece, while another name holds what was there."""


def lines(n):
    text = ""
    for i in range(n):
        before = text
        text += "a line\n"  # here: string-append
    return text, before


print(len(lines(2000)[0]))
