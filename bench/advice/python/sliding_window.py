"""Sums of windows, each a slice."""
values = list(range(5000))


def sums(values, size):
    return [sum(values[i:i + size]) for i in range(len(values) - size)]  # here: list-copies


print(max(sums(values, 200)))
