"""Dicts merged into a new one for each call."""
defaults = {f"option {i}": i for i in range(50)}


def options(given):
    return {**defaults, **given}  # here: dict-copies


total = 0
for i in range(5000):
    total += options({"x": i})["x"]
print(total)
