"""A list sorted to take its first element."""
numbers = [i * 7919 % 10007 for i in range(5000)]
total = 0
for i in range(200):
    total += sorted(numbers)[i % 3]  # here: list-copies
print(total)
