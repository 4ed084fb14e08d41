"""Options merged for each call."""
DEFAULTS = {f"option{i}": i for i in range(20)}


def call(**given):
    options = dict(DEFAULTS)  # here: dict-copies
    options.update(given)
    return options["option3"]


print(sum(call(option3=i) for i in range(10000)))
