"""A dict's keys, copied to be walked, on a line whose other blocks are a library's."""
import json
table = {i: i * i for i in range(5000)}
total = 0
for _ in range(100):
    total += sum(len(json.dumps([key], indent=1)) for key in list(table.keys()) if key < 9)  # here: list-copies
print(total)
