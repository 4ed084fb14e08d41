"""Results put together by + of lists."""


def collect(count):
    results = []
    for i in range(count):
        results = results + [i * i]  # here: list-append
    return results


print(len(collect(2000)))
