"""Lists that are made to be given on, as parts of values or arguments: nothing could be walked in their place."""
import json


def weigh(items):
    return items[-1] + items[len(items) // 2]


total = 0
for i in range(600):
    total += len(json.loads(json.dumps({"a": list(range(200)), "i": i}))["a"])
    total += weigh(list(range(200)))
    total += len(json.dumps([list(range(100)), {"b": sorted((i, 2, 3))}]))
print(total)
