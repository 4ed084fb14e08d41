"""A cache on a method, without a bound: it keeps each object and each result."""
from functools import lru_cache


class Shape:
    def __init__(self, n):
        self.n = n

    @lru_cache(maxsize=None)
    def name(self):
        return f"shape {self.n} " * 10  # here: unbounded-caches


total = 0
for i in range(20000):
    total += len(Shape(i).name())
print(total)
