"""Lines of a file that is read whole."""
import tempfile

with tempfile.NamedTemporaryFile("w+", suffix=".log") as log:
    for i in range(40000):
        log.write(f"{i} message {'error' if i % 9 == 0 else 'info'}\n")
    log.flush()
    errors = 0
    with open(log.name) as file:
        for line in file.readlines():  # here: whole-files
            errors += "error" in line
    print(errors)
