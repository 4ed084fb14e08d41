"""A message put together from bytes."""


def message(parts):
    body = b""
    for part in parts:
        body = body + part  # here: string-append
    return body


parts = [b"0123456789"] * 1500
print(len(message(parts)), len(message(parts)))
