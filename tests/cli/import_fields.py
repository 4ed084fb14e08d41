#!/usr/bin/python3
"""Files of other profilers in which a field is missing, or is of another type: each is read, or refused with one sentence, by
every command alike.  Prints TAP."""
import copy
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from pprof_profile import profile  # noqa: E402
from protobuf import fields as pprof_fields  # noqa: E402
from protobuf_encode import field as put_field  # noqa: E402
from tap import check, end  # noqa: E402

HEAPTAP = os.environ["HEAPTAP"]
SHARE = 12 if os.environ.get("SANITIZED") else 3  # one variant of so many is tried; fuzzers try more
SCHEMA = "https://www.speedscope.app/file-format-schema.json"

FRAMES = {"frames": [{"name": "a", "file": "a.c", "line": 3, "col": 1}, {"name": "b"}]}
JSON = {
    "speedscope sampled": {"$schema": SCHEMA, "shared": FRAMES, "activeProfileIndex": 0, "profiles": [
        {"type": "sampled", "name": "x", "unit": "bytes", "startValue": 0, "endValue": 2, "samples": [[0, 1], [0]], "weights": [1, 2]}]},
    "speedscope evented": {"$schema": SCHEMA, "profiles": [
        {"type": "evented", "name": "x", "unit": "seconds", "events": [
            {"type": "O", "frame": 0, "at": 0}, {"type": "O", "frame": 1, "at": 1}, {"type": "C", "frame": 1, "at": 2},
            {"type": "C", "frame": 0, "at": 3}]}], "shared": FRAMES},
    "V8": {"head": {"callFrame": {"functionName": "(root)", "scriptId": "0", "url": "", "lineNumber": -1, "columnNumber": -1},
                    "selfSize": 0, "id": 1, "children": [
                        {"callFrame": {"functionName": "f", "scriptId": "9", "url": "file:///a.js", "lineNumber": 3, "columnNumber": 4},
                         "selfSize": 100, "id": 2, "children": []}]}, "samples": [{"size": 10, "nodeId": 2, "ordinal": 1}]},
    "DHAT": {"dhatFileVersion": 2, "mode": "heap", "verb": "Allocated", "bklt": True, "bkacc": True, "tu": "instrs", "Mtu": "Minstr",
             "cmd": "./a", "pid": 1, "te": 9, "tg": 5, "pps": [
                 {"tb": 10, "tbk": 1, "tl": 3, "mb": 10, "mbk": 1, "gb": 10, "gbk": 1, "eb": 0, "ebk": 0, "rb": 4, "wb": 5,
                  "acc": [-10, 1], "fs": [1, 2]}],
             "ftbl": ["[root]", "0x48417B4: malloc (in /usr/libexec/valgrind/vgpreload_dhat.so)", "0x109150: main (t.c:5)"]},
}
LINES = {
    "heaptrack": "v 10400 3\nX ./prog\nI 1000 5e27ec\ns 4 main\ns 3 a.c\ni 401000 1 1 2 a\nt 1 0\na 64 1\n+ 0\nc a\nR 3db\n- 0\n"
                 "S leak:x\n",
    "heaptrack raw": "v 10400 3\nX ./prog\nI 1000 5e27ec\nm 1 x 0 400000 2000\nm 1 -\nt 401000 0\n+ 64 1 abc\nc a\n- abc\n",
    "jemalloc": "heap_v2/524288\n  t*: 2: 16 [4: 32]\n  t0: 2: 16 [4: 32]\n@ 0x401000 0x402000\n  t*: 2: 16 [4: 32]\n\n"
                "MAPPED_LIBRARIES:\n00400000-00403000 r-xp 00001000 fe:00 1 /bin/x\n",
    "gperftools": "heap profile: 3: 1664 [5: 3664] @ heap_v2/524288\n2: 1536 [3: 2560] @ 0x401200 0x401100\n"
                  "MAPPED_LIBRARIES:\n00400000-00402000 r-xp 00001000 fe:00 1 /bin/x\n",
    "Go": "heap profile: 1: 8 [1: 8] @ heap/1048576\n1: 8 [1: 8] @ 0x4b3f0f 0x4b402a\n#  0x4b3f0e  main.inner+0x2e  /src/h.go:5\n",
    "goroutines": "goroutine profile: total 4\n4 @ 0x42d4f6 0x45ca05\n#  0x42d4f5  main.f+0x2e  /src/h.go:5\n",
    "contention": "--- contention:\ncycles/second=2596161993\nsampling period=1\n186336098 3276 @ 0x4b44c7 0x4b4479\n",
    "memtracer": "Memory Tracer. Recorded 2 allocations\n\nSource Location || Count || Size || Type || Live || Live Size\n"
                 "a.py:3 || 2 || 64 B || list || 1 || 32 B\n",
    "folded": "a;b 3\na;c 4.5\n",
}
WRONG_JSON = None, True, -1, 7, 1e300, 2 ** 63, "x", [[]], {}
WRONG_WORDS = "", "0", "-1", "ffffffffffffffff", "99999999999999999999", ":"
COMMANDS = ["top"], ["tree"], ["hotspots"], ["export", "-f", "speedscope", "-o", "/dev/null"]


def places(value, path=()):
    """The path of each member and item within a value of JSON."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield path + (key,)
        yield from places(child, path + (key,))


def changed(value, path, wrong, leave_out=False):
    value = copy.deepcopy(value)
    at = value
    for key in path[:-1]:
        at = at[key]
    if leave_out:
        del at[path[-1]]
    else:
        at[path[-1]] = wrong
    return json.dumps(value).encode()


def json_variants(sample):
    for path in places(sample):
        yield changed(sample, path, None, True)
        for wrong in WRONG_JSON:
            yield changed(sample, path, wrong)


def line_variants(sample):
    for match in re.finditer(r"[^\s/:;\[\]=]+|[/:;\[\]=]|\n", sample):
        for wrong in WRONG_WORDS:
            yield (sample[:match.start()] + wrong + sample[match.end():]).encode()


MESSAGES = {(): (1, 2, 3, 4, 5, 11), (2,): (3,), (4,): (4,)}  # the fields of pprof's messages that are messages


def pprof_variants(data, path=()):
    """A field of the message, or of those within it, is left out, or of another type, or there twice."""
    fields = list(pprof_fields(data))
    for i, (key, value) in enumerate(fields):
        before = b"".join(put_field(*field) for field in fields[:i])
        after = b"".join(put_field(*field) for field in fields[i + 1:])
        yield before + after
        for wrong in (0, 2 ** 63, 7, b"", b"\x08", b"\xff" * 11, put_field(key, value) * 2):
            yield before + put_field(key, wrong) + after
        if key in MESSAGES.get(path, ()):
            for inner in pprof_variants(value, path + (key,)):
                yield before + put_field(key, inner) + after


def outcome(path, command):
    """What is wrong with how a command ended; None for nothing."""
    done = subprocess.run([HEAPTAP, *command, path], stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    said = done.stderr.decode(errors="replace").strip()
    if done.returncode not in (0, 1, 2, 3) or "Sanitizer" in said or "runtime error" in said:
        return f"{command[0]} ended by {done.returncode}: {said[-600:]}"
    return None if done.returncode == 0 or said else f"{command[0]}: {done.returncode} without a word"


def try_all(folder, name, sample, variants):
    """Each is tried by a command in turn, the unchanged one by all."""
    path = os.path.join(folder, name.replace(" ", "-"))
    with open(path, "wb") as file:
        file.write(sample)
    wrong = [outcome(path, command) for command in COMMANDS]
    status = subprocess.run([HEAPTAP, "top", path], capture_output=True, check=False).returncode
    check(f"{name}: the sample itself is read", status == 0 and not any(wrong), (status, wrong))

    def one(item):
        number, content = item
        mine = f"{path}.{number}"
        with open(mine, "wb") as file:
            file.write(content)
        said = outcome(mine, COMMANDS[number % len(COMMANDS)])
        if said is None:
            os.unlink(mine)
        return said and f"{said}\n{content[:300]!r}"

    variants = sorted(set(variants))[::SHARE]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [said for said in pool.map(one, enumerate(variants)) if said]
    check(f"{name}: {len(variants)} files with a field left out or of another type are read or refused",
          len(variants) > 2 and not found, f"{len(found)}:\n" + "\n".join(found[:5]))


with tempfile.TemporaryDirectory() as folder:
    closed = {"$schema": SCHEMA, "profiles": [{"type": "evented", "unit": "none", "events": [{"type": "O", "at": 0}, {"type": "C", "at": 1}]}]}
    with open(folder + "/closed", "w", encoding="utf-8") as file:
        json.dump(closed, file)
    for command in COMMANDS:
        check(f"speedscope's event without a frame is refused by {command[0]}",
              outcome(folder + "/closed", command) is None and b"an event has no frame" in
              subprocess.run([HEAPTAP, *command, folder + "/closed"], capture_output=True, check=False).stderr)
    for name, sample in JSON.items():
        try_all(folder, name, json.dumps(sample).encode(), json_variants(sample))
    for name, sample in LINES.items():
        try_all(folder, name, sample.encode(), line_variants(sample))
    stacks = profile({("a", "b"): (1, 100), ("c",): (2, 50)})
    try_all(folder, "pprof", stacks, pprof_variants(stacks))
end()
