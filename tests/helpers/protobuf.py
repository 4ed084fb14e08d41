"""Protocol buffers, decoded by hand."""


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def fields(data):
    """(number, value) of each field: an int or bytes."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        value, at = varint(data, at)
        if tag & 7 == 2:
            value, at = data[at:at + value], at + value
            assert len(value) > 0 or tag >> 3 in (1, 6), "an empty field"
        else:
            assert tag & 7 == 0, f"wire type {tag & 7}"
        yield tag >> 3, value


def packed(data):
    """The numbers of a packed field."""
    at, values = 0, []
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


def message(data):
    """A dict of lists."""
    found = {}
    for key, value in fields(data):
        found.setdefault(key, []).append(value)
    return found
