"""Questions about lists that are made for them."""
rows = [list(range(-50, 10)) for _ in range(100)]
found = 0
for _ in range(30):
    for row in rows:
        if any([cell > 5 for cell in row]):  # here: list-consumed
            found += 1
print(found)
