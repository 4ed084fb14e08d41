"""A cache of small results, by large keys."""
from functools import cache


@cache
def length(text):
    return len(text) % 100


def main():
    total = 0
    for i in range(20000):
        total += length("key %1000d" % i)  # here: unbounded-caches
    print(total)


main()
