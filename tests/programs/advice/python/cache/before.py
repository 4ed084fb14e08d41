"""What was computed once is kept for ever."""
cache = {}


def describe(text):
    if text not in cache:
        cache[text + "?"] = text * 10  # here: growing-table


for i in range(60000):
    describe(f"number {i}")
print(len(cache))
