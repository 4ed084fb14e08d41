table = {i: i * i for i in range(1000)}
total = 0
for _ in range(300):
    for key in table:
        total += key
print(total)
