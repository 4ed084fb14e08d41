"""Texts that a dict holds."""
logs = {"even": "", "odd": ""}
for i in range(6000):
    logs["odd" if i % 2 else "even"] += str(i) + "\n"  # here: string-append
print(*map(len, logs.values()))
