"""Lists made of other lists, step by step."""


def work(n):
    numbers = list(range(n))  # here: list-copies
    total = 0
    for number in numbers:
        total += number
    return total


print(sum(work(1000) for _ in range(300)))
