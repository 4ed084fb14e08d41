"""Names looked up in a set that is made for each."""
names = [f"name{i}" for i in range(300)]


def is_known(name):
    return name in set(names)  # here: rebuilt-sets


print(sum(is_known(f"name{i}") for i in range(1000)))
