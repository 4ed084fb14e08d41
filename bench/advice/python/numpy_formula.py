"""A formula over arrays."""
import numpy as np

a = np.arange(200000, dtype=float)
b = np.ones(200000)
total = 0.0
for _ in range(20):
    c = (a - b) * 2.0 + a / 3.0 - 1.0  # here: array-temporaries
    total += c[7]
print(total)
