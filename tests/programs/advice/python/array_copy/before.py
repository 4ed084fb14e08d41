"""Parts of a list, copied to be summed."""
numbers = list(range(2000))
total = 0
for i in range(2000):
    total += sum(numbers[i:])  # here: list-copies
print(total)
