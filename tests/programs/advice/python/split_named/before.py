"""Lines split for their last field, by a name."""


def last(line):
    parts = line.rsplit(",")  # here: splits
    return int(parts[-1])


text = ",".join(str(i * 1000) for i in range(50))
print(sum(last(text) for _ in range(4000)))
