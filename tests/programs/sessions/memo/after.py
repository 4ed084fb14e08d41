"""A service that answers requests, and remembers the last thousand answers."""
from functools import lru_cache


@lru_cache(maxsize=1000)
def answer(request):
    return f"{request}: " + "x" * 40


total = 0
for number in range(1000000):
    total += len(answer(f"/item/{number}"))
print(total)
