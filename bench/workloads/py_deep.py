"""Three million strings, made 500 calls deep."""


def down(n):
    if n:
        return down(n - 1)
    text = "some text"
    for _ in range(3_000_000):
        word = text + "!"
    return word


down(500)
