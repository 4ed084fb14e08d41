"""A cache of small results, by large keys."""
from functools import cache


@cache
def length(text):
    return len(text) % 100


def main():
    total = 0
    for i in range(60000):
        total += length("key %300d" % i)  # here: unbounded-caches
    print(total)


main()
