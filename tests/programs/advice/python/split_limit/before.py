"""Lines split for their first field."""
line = ",".join(str(i * 1000) for i in range(50))
total = 0
for _ in range(4000):
    total += int(line.split(",")[0])  # here: splits
print(total)
