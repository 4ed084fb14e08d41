from functools import lru_cache


@lru_cache(maxsize=100)
def describe(text):
    return text * 10


for i in range(60000):
    describe(f"number {i}")
print(60000)
