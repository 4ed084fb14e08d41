names = [f"name {i}" for i in range(200)]
known = set(names)
count = 0
for i in range(3000):
    if f"name {i % 400}" in known:
        count += 1
print(count)
