"""A text that a variable of the module holds."""
text = ""


def add(number):
    global text
    text = text + str(number)  # here: string-append


for i in range(4000):
    add(i)
print(len(text))
