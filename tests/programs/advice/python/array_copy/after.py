from itertools import islice

numbers = list(range(2000))
total = 0
for i in range(2000):
    total += sum(islice(numbers, i, None))
print(total)
