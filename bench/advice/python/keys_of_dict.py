"""Keys of a dict, copied to be walked."""
table = {i: i * 2 for i in range(500)}
total = 0
for _ in range(1000):
    for key in list(table.keys()):  # here: list-copies
        total += key
print(total)
