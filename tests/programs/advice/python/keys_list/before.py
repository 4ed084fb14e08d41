"""A dict's keys, copied to be walked."""
table = {i: i * i for i in range(1000)}
total = 0
for _ in range(300):
    for key in list(table.keys()):  # here: list-copies
        total += key
print(total)
