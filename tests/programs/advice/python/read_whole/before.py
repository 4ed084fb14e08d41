"""A file that is read whole to be looked at line by line."""
import tempfile

with tempfile.NamedTemporaryFile("w+") as file:
    for i in range(40000):
        file.write(f"line {i} with some more text behind it\n")
    file.flush()
    count = 0
    for turn in range(3):
        with open(file.name) as lines:
            text = lines.read()  # here: whole-files
        for line in text.splitlines():  # here: splits
            count += "7 with" in line
print(count)
