"""No cell of CSV begins a formula, whatever names there are, and every name reads back; numbers keep their sign."""
import csv
import io
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from make_trace import Writer  # noqa: E402
from tap import check, end  # noqa: E402

HEAPTAP = os.environ["HEAPTAP"]
NAMES = ["=HYPERLINK(1)", "+cmd|x", "-[View draw]", "@SUM(1)", "\t=tab", "\r=return", "\n=line", "a;=semicolon", 'a"-quote"', "\uff1dwide", "operator-", "a=b"]
ARGUMENTS = {"tree --callers": ["."], "tree --callees": ["."], "peek": ["."], "list": ["."], "check": ["--max-peak=1"], "dump": ["--format=csv"],
             "compare": [None], "compare --long": [None]}
FORMULA = re.compile(r"[=+@\-\t\r\uff1d\uff0b\uff0d\uff20]")


def heaptap(*words):
    return subprocess.run([HEAPTAP, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout.decode()


def is_number(text):
    return re.fullmatch(r"[-+]?[0-9][0-9.e+-]*", text)


def cells(text):
    """As they are, and as a spreadsheet takes them to be where a semicolon stands between cells."""
    for row in csv.reader(io.StringIO(text, newline="")):
        yield from row
    for line in text.split("\n"):
        yield from line.rstrip("\r").split(";")
        yield from next(csv.reader([line], delimiter=";"), [])


def name_of(text):
    return re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes.fromhex(m[1].decode()), text.encode()).decode(errors="replace")


def make(folder):
    writer = Writer(program=b"=prog")
    for i, name in enumerate(NAMES, 1):
        writer.locate(i, (name.encode(), b"=file.c", i))
        writer.allocate(40 + i, [i])
    writer.allocate(99, list(range(len(NAMES), 0, -1)))
    with open(folder + "/t.ctf", "wb") as file:
        file.write(writer.data())
    heaptap("file", "subsample", "-f", "2", folder + "/t.ctf", "-o", folder + "/half.ctf")
    heaptap("pprof", folder + "/t.ctf", "-o", folder + "/t.pb.gz")
    writer = Writer()
    writer.locate(1, (b"main", b"main.c", 1))
    writer.allocate(40, [1])
    with open(folder + "/one.ctf", "wb") as file:
        file.write(writer.data())


with tempfile.TemporaryDirectory() as root:
    make(root)
    commands = [line[2:19].strip() for line in heaptap("help", "all").splitlines() if line.startswith("  ")]
    tried = 0
    for command in commands:
        if command == "advice --try" or command.split()[0] in ("record", "memtracer", "fleet", "view", "agent"):
            continue
        if command != "dump" and "--csv" not in heaptap(*command.split(), "--help"):
            continue
        for file in ("t.ctf", "t.pb.gz"):
            more = [root + "/half.ctf" if word is None else word for word in ARGUMENTS.get(command, [])]
            text = heaptap(*command.split(), *([] if command == "dump" else ["--csv"]), f"{root}/{file}", *more)
            wrong = [cell for cell in cells(text) if FORMULA.match(cell) and not is_number(cell)]
            check(f"{command} {file}: no cell begins a formula", not wrong, wrong[:5])
            tried += bool(text)
    check("most of them have such an answer", tried > 30, tried)
    names = {row["function"] for row in csv.DictReader(io.StringIO(heaptap("hotspots", "--csv", "--top=0", root + "/t.ctf"), newline=""))}
    check("every name reads back", {name_of(name) for name in names} == set(NAMES), names)
    check("... of which those that are harmless are as they were", {"operator-", "a=b"} <= names, names)
    dumped = heaptap("dump", "--format=csv", root + "/t.ctf")
    check("dump: the caller begins the cell, and each function is escaped", '"a=b;operator-;\\xef\\xbc\\x9dwide;' in dumped and ";\\x3dHYPERLINK(1)" in dumped, dumped[-900:])
    rows = list(csv.DictReader(io.StringIO(heaptap("compare", "--long", "--csv", "--smallest=0", root + "/t.ctf", root + "/one.ctf"), newline="")))
    check("a change keeps its sign", any(is_number(cell or "") and cell.startswith("-") for row in rows for cell in row.values()), rows[:2])
end()
