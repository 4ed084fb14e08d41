import numpy as np

a = np.arange(20000.0)
b = np.ones(20000)
c = np.empty(20000)
d = np.empty(20000)


def formula():
    np.multiply(a, 2, out=c)
    np.multiply(b, 3, out=d)
    np.add(c, d, out=c)
    np.divide(a, 4, out=d)
    np.subtract(c, d, out=c)
    return c.sum()


print(sum(formula() for _ in range(200)))
