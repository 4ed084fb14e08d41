"""A list that grows by +: each step copies all of it."""


def squares(n):
    result = []
    for i in range(n):
        result = result + [i * i]  # here: list-append
    return result


print(len(squares(1500)))
