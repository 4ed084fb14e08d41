line = ",".join(str(i * 1000) for i in range(50))
total = 0
for _ in range(4000):
    start = line.index(",") + 1
    total += int(line[start:line.index(",", start)])
print(total)
