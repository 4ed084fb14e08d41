"""A set that is made for each question."""
names = [f"name {i}" for i in range(200)]
count = 0
for i in range(3000):
    if f"name {i % 400}" in set(names):  # here: rebuilt-sets
        count += 1
print(count)
