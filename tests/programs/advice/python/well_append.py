"""A list that grows by append has no size to reserve."""
audit = []


def note(record):
    audit.append(record)


for _ in range(200000):
    note(None)
print(len(audit))
