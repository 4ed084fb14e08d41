"""A formula on arrays: each operation makes an array for the next."""
import numpy as np

a = np.arange(200000.0)
b = np.ones(200000)


def formula():
    return (a * 2 + b * 3 - a / 4).sum()  # here: array-temporaries


print(sum(formula() for _ in range(20)))
