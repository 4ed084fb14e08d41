"""What Python reuses without asking its allocator, and what it never allocates: next to nothing comes of each line,
however often it runs."""


def main():
    x = 1.5
    for n in range(100):
        for m in range(100):
            y = x * n  # a float that was used before
            z = [m]  # a list that was used before
            t = (m, n, m)  # a tuple that was used before
            d = {}  # a dict that was used before
            i = m + 1  # a small int
            s = "a" "b"  # a constant
            c = chr(65 + m % 26)  # a string of one Latin-1 character
    return y, z, t, d, i, s, c


main()
