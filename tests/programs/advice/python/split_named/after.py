def last(line):
    parts = line.rpartition(",")
    return int(parts[2])


text = ",".join(str(i * 1000) for i in range(50))
print(sum(last(text) for _ in range(4000)))
