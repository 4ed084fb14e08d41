"""A method whose results are kept, with their objects."""
import functools


class Grid:
    def __init__(self, size):
        self.size = size

    @functools.lru_cache(maxsize=None)
    def row(self, n):
        return [n * i for i in range(self.size)]  # here: unbounded-caches


total = 0
for i in range(20000):
    total += sum(Grid(20).row(i))  # also: unbounded-caches
print(total)
