"""Three million lists of an integer, kept until the end."""


def main(n):
    keep = []
    for i in range(n):
        keep.append([i])
    return len(keep)


main(3_000_000)
