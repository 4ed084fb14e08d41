"""Three million rounds of objects that end at once: two strings, an integer, an instance."""


class Point:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y


def main(n):
    text = "some text"
    for i in range(n):
        word = text + "!"
        point = Point(word, i)
    return point


main(3_000_000)
