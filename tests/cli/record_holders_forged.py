"""Snapshots whose ways were forged: each number that names the way before, and each count, is replaced in turn.  Reports say what is
left, or refuse the trace; none ends by a signal."""
import os
import re
import sys

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from recorded import HEAPTAP, check, compile_it, end, run  # noqa: E402

WAY = re.compile(rb"path\0(\d+)\t(\d+)\t(\d+)\t(\d+)\t(\d+)\t(\d+)\t")  # number, way before, stack, offset, blocks, bytes
MOST = 60
REPORTS = (["holders"], ["holders", "--json"], ["summary", "--json"], ["leaks"])


def forgeries(trace):
    """Of the same length, as records tell theirs: a way that is its own root, an unknown one before it, other blocks."""
    for way in list(WAY.finditer(trace))[:MOST]:
        number, before = way.group(1, 2)
        for part, text in ((2, number), (2, b"9" * len(before)), (1, before), (3, b"9" * len(way[3])), (5, b"9" * len(way[5])), (6, b"9" * len(way[6]))):
            if len(text) == len(way[part]) and text != way[part]:
                yield trace[:way.start(part)] + text + trace[way.end(part):]


compile_it("g++", "holders.cc", "held")
run(HEAPTAP, "record", "-q", "--holders", "-o", "x.ctf", "--", "./held")
with open("x.ctf", "rb") as file:
    sound = file.read()
tried, died = 0, []
for forged in forgeries(sound):
    with open("forged.ctf", "wb") as file:
        file.write(forged)
    tried += 1
    died += [f"{tried}: {report}" for report in REPORTS if run(HEAPTAP, *report, "forged.ctf").returncode not in (0, 1, 3)]
check(tried > 20 and not died, f"{'more than 20' if tried > 20 else tried} forged ways end no report", "\n".join(died[:10]))
end()
