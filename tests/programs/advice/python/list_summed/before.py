"""A list that is made to be added up."""


def total(n):
    return sum([i * i for i in range(n)])  # here: list-consumed


print(sum(total(20000) for _ in range(10)))
