"""The same, with a limit."""
from functools import lru_cache


@lru_cache(maxsize=10)
def expand(n):
    """Numbers from a place on."""
    low = n * 3
    high = low + 40
    middle = (low + high) // 2
    step = 1
    third = middle + step
    if third < 0:
        return []
    rows = [0] * 100
    rows[third % 100] = high
    return rows


for i in range(60000):
    expand(i)
