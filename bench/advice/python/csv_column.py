"""One column of each line."""
lines = [f"{i},name{i},{i * 3},last" for i in range(200)]
total = 0
for _ in range(100):
    for line in lines:
        total += int(line.split(",")[2])  # here: splits
print(total)
