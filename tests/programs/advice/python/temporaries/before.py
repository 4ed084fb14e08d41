"""A formula on arrays: each operation makes an array for the next."""
import numpy as np

a = np.arange(20000.0)
b = np.ones(20000)


def formula():
    return (a * 2 + b * 3 - a / 4).sum()  # here: array-temporaries


print(sum(formula() for _ in range(200)))
