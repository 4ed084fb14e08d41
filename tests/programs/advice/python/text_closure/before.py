"""A text that an inner function makes longer."""


def collect(numbers):
    text = ""

    def add(number):
        nonlocal text
        text += str(number)  # here: string-append

    for number in numbers:
        add(number)
    return text


print(len(collect(range(4000))))
