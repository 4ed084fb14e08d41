"""A cache of large results, whose function is long."""
from functools import lru_cache


@lru_cache(maxsize=None)
def expand(n):
    """Numbers from a place on."""
    low = n * 3
    high = low + 40
    middle = (low + high) // 2
    step = 1
    third = middle + step
    if third < 0:
        return []
    rows = [0] * 100  # here: unbounded-caches
    rows[third % 100] = high
    return rows


for i in range(60000):
    expand(i)
