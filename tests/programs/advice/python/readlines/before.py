"""All lines of a file in a list, to be walked once."""
import tempfile

with tempfile.NamedTemporaryFile("w+") as file:
    for i in range(40000):
        file.write(f"line {i} with some more text behind it\n")
    file.flush()
    count = 0
    for turn in range(3):
        with open(file.name) as lines:
            for line in lines.readlines():  # here: whole-files
                count += "7 with" in line
print(count)
