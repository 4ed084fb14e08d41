"""A file of bytes, read whole to be looked at."""
import tempfile
import zlib

with tempfile.NamedTemporaryFile("w+b") as data:
    data.write(b"some bytes of a file " * 200000)
    data.flush()
    checksum = 0
    for _ in range(5):
        with open(data.name, "rb") as file:
            checksum ^= zlib.crc32(file.read())  # here: whole-files
    print(checksum)
