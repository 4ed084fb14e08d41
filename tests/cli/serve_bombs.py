#!/usr/bin/python3
"""heaptap fleet serve and profiles of a few kB that are large where it hurts: deep stacks, wide trees, long and many names, labels, huge counts.
Each is stored within bounds or refused with a sentence, soon; those who send small ones wait for none of them.  Prints TAP."""
import gzip
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from pprof_profile import profile  # noqa: E402
from protobuf_encode import field, varint  # noqa: E402
from serving import HEAPTAP, Server, total  # noqa: E402
from tap import check, end  # noqa: E402

MILLION = 1000000
SLOW = 6 if os.environ.get("SANITIZED") else 1
HEAVY = 12 // SLOW
SOON = 5 * SLOW  # seconds, on a machine that does other things, too
folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)


def bomb(samples, strings=(), locations=1, lines=1, types=1):
    """Stacks, (frames, values, labels) each, of locations that all are the function `f`."""
    out = b"".join(field(1, field(1, 1) + field(2, 2)) for _ in range(types))
    out += b"".join(field(2, (field(1, frames) if frames else b"") + field(2, values) + labels) for frames, values, labels in samples)
    out += field(5, field(1, 1) + field(2, 3) + field(4, 4))
    out += b"".join(field(4, field(1, i + 1) + field(4, field(1, 1) + field(2, i + 1)) * lines) for i in range(locations))
    return out + b"".join(field(6, text) for text in [b"", b"alloc_space", b"bytes", b"f", b"a.c", *strings])


def numbers(count, first=1, step=1):
    return b"".join(varint(first + i * step) for i in range(count))


TEN = varint(10)
BOMBS = {
    # name: profile, status, part of the answer
    "a million equal frames": (bomb([(b"\1" * MILLION, TEN, b"")]), 200, "added"),
    "a million equal frames, each a field": (bomb([(b"", TEN, field(1, 1) * MILLION)]), 200, "added"),
    "a stack of 100000 places": (bomb([(numbers(100000), TEN, b"")], locations=100000), 200, "added"),
    "3000 stacks of 2000 places": (bomb([(numbers(2000, 1 + i), TEN, b"") for i in range(3000)], locations=5000), 422, "different frames"),
    "400000 callers of one place": (bomb([(numbers(2, 1, 1 + i), TEN, b"") for i in range(400000)], locations=400001), 422, "different frames"),
    "a place with a million inlined functions": (bomb([(b"\1", TEN, b"")], lines=MILLION), 422, "different frames"),
    "two million samples of nothing": (bomb([(b"", TEN, b"")] * (2 * MILLION)), 200, "added"),
    "a million labels of one sample": (bomb([(b"\1", TEN, field(3, field(1, 1) + field(2, 2)) * MILLION)]), 200, "added"),
    "eleven million labels": (bomb([(b"\1", TEN, field(3, b"") * (11 * MILLION))]), 422, "frames, values and labels"),
    "a thousand types of 20000 samples": (bomb([(b"\1", TEN * 1000, b"")] * 20000, types=1000), 422, "frames, values and labels"),
    "twelve million strings": (bomb([(b"\1", TEN, b"")], strings=[b""] * (12 * MILLION)), 422, "frames, values and labels"),
    "a name of 10 MB at 20 places": (bomb([(numbers(20), TEN, b"")], locations=20).replace(field(6, b"f"), field(6, b"f" * (10 << 20))), 422, "64 MB"),
    "huge counts": (bomb([(b"\1", varint(2 ** 63 - 1), b"")] * 4), 200, "added"),
}
packed = {name: gzip.compress(content) for name, (content, _, _) in BOMBS.items()}
small = (profile({("malloc", f"main{i}"): (10, 1000)}) for i in itertools.count()) # equal ones would be there before


def memory(server):
    lines = pathlib.Path(f"/proc/{server.process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:"))


server = Server("--store", "app.db", patience=60 * SLOW)


def post_small():
    """How long one takes to be stored."""
    begin = time.monotonic()
    got = server.post("/profiles?service=small", next(small))
    assert got == (200, "added\n"), got
    return time.monotonic() - begin


for name, (content, wanted, text) in BOMBS.items():
    result = []
    begin = time.monotonic()
    thread = threading.Thread(target=lambda: result.append(server.post("/profiles?service=bomb", packed[name])))
    thread.start()
    waits = []
    while thread.is_alive():
        waits.append(post_small())
    thread.join()
    status, said = result[0]
    took = time.monotonic() - begin
    check(f"{name}, {len(packed[name]) / 1000:.0f} kB: {wanted}, soon", (status, took < 4 * SOON) == (wanted, True) and text in said, (status, said, took))
    check("... and nobody waits for it", max(waits, default=0) < SOON / 2, (max(waits, default=0), len(waits)))
used = memory(server)
check("all of them in less than 1500 MB", used < 1500 * SLOW, used)

# ---- What is kept of a deep stack
done = subprocess.run([HEAPTAP, "top", "--json", "--node-fraction=0", "-n", "0", "store:app.db", "service=bomb"], capture_output=True, text=True, check=False)
check("top shows that there is more", done.returncode == 0 and "<deeper>" in done.stdout, done.stdout[:300] + done.stderr)
few = Server("--store", "few.db", "--max-depth", "8", "--max-nodes", "50")
stack = tuple(f"f{i}" for i in range(20))
check("--max-depth: a deeper stack is taken", few.post("/profiles?service=x", profile({stack: (1, 100)}))[0] == 200)
done = subprocess.run([HEAPTAP, "flamegraph", "-s", "alloc_space", "store:few.db"], capture_output=True, text=True, check=False)
check("... its outer and inner frames", done.stdout == "f19;f18;f17;<deeper>;f3;f2;f1;f0 100\n", done.stdout + done.stderr)
got = few.post("/profiles?service=x", profile({(f"a{i}", "main"): (1, 100) for i in range(60)}))
check("--max-nodes: a larger tree is refused", got[0] == 422 and "more than 50 different frames" in got[1], got)
got = few.post("/profiles?service=x", profile({tuple(f"g{k}" for k in range(8)): (1, 7)}))
check("... a stack of --max-depth stays as it is", got[0] == 200 and total("few.db", "service=x") is not None)
done = subprocess.run([HEAPTAP, "flamegraph", "-s", "alloc_space", "store:few.db"], capture_output=True, text=True, check=False)
check("... whole", "g7;g6;g5;g4;g3;g2;g1;g0 7\n" in done.stdout, done.stdout)
status, said = few.end()
check("it ends well", status == 0, said)

# ---- Senders of heavy ones
heavy = gzip.compress(bomb([(b"\1", TEN, b"")], strings=[b"x" * 1000] * 200000), 1)
threads = [threading.Thread(target=lambda: server.post("/profiles?service=heavy", heavy)) for _ in range(HEAVY)]
for thread in threads:
    thread.start()
waits = [post_small() for _ in range(20)]
check(f"while {HEAVY} profiles of 200 MB are read, one after the other, others do not wait", max(waits) < SOON / 2, waits)
for thread in threads:
    thread.join()
status, said = server.end()
check("the server ends well", status == 0, said)
end()
