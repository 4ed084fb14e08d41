"""A document written and read: a program as programs are."""
import json

rows = [{"id": i, "name": f"name {i}", "tags": ["a", "b", str(i)], "value": i / 7} for i in range(30_000)]
for _ in range(6):
    text = json.dumps(rows)
    back = json.loads(text)
assert back == rows
