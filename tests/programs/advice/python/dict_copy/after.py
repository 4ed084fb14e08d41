defaults = {f"option {i}": i for i in range(50)}


def option(given, name):
    return given[name] if name in given else defaults[name]


total = 0
for i in range(5000):
    total += option({"x": i}, "x")
print(total)
