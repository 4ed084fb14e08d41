"""A number that is added up, of short texts that are made in two steps: nothing grows."""


def total(n):
    characters = 0
    for i in range(n):
        characters += len(f"/item/{i}")
    return characters


print(total(20000))
