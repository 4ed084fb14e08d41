"""Pages, kept by their address."""
pages = {}


def fetch(address):
    if address in pages:
        return pages[address]
    page = f"<html>{address}</html>" * 20  # here: growing-table
    pages[address] = page  # here: growing-table
    return page


size = 0
for i in range(20000):
    size += len(fetch(f"/article/{i}"))  # here: growing-table
print(size)
