"""What is live, by line, as tracemalloc counts it: written to the file that is named, for comparison.

Nothing of it comes from a free list: tracemalloc moves what does to the line that reuses it."""
import json
import sys
import tracemalloc


class Node:
    __slots__ = ("value", "name", "previous")

    def __init__(self, value, previous):
        self.value = value * 1000 + 999
        self.name = "node " + str(value)
        self.previous = previous


def build(n):
    node, texts, odd = None, set(), bytearray()
    for i in range(n):
        node = Node(i, node)
        if i % 3 == 0:
            node = node.previous
        text = "%d, %d" % (i, i + 1)
        texts.add(text)
        odd += text.encode()
        if i % 7 == 0:
            texts.discard(text)
        if i % 5 == 0:
            texts.add(frozenset(range(i, i + i % 20)))
    return node, texts, odd


tracemalloc.start()
kept = build(2000)
snapshot = tracemalloc.take_snapshot()
tracemalloc.stop()
rows = {s.traceback[0].lineno: [s.count, s.size] for s in snapshot.statistics("lineno")
        if s.traceback[0].filename == __file__}
with open(sys.argv[1], "w") as out:
    json.dump(rows, out)
