"""Lines split into fields that are all used: re.finditer would make more, a match for each."""
line = ",".join(str(i * 1000) for i in range(50))
total = 0
for _ in range(2000):
    for field in line.split(","):
        total += int(field)
    fields = line.split(",")
    total += int(fields[1]) + int(fields[2])
    first, second = "a,b".split(",")
    rest = line.split(",", 1)[1]
print(total)
