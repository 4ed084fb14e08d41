#!/usr/bin/python3
"""A hostile trace and a hostile profile through every command and every format: no control byte of theirs
comes out, no line begins that is none, and names read back as they were.

    check_hostile.py HEAPTAP SOURCE"""
import csv
import gzip
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request

sys.argv[1:] = map(os.path.abspath, sys.argv[1:])
heaptap, source = sys.argv[1:3]
sys.path.insert(0, os.path.join(source, "tests/helpers"))
import add_holders  # noqa: E402
from make_trace import Writer  # noqa: E402
from protobuf_encode import field  # noqa: E402
from tap import check, end  # noqa: E402

# ---- What is hostile

ESCAPES = b"\x1b]0;owned\x07\x1b[31m"
NAMES = [
    b"main" + ESCAPES,
    b"line\nFAKE 100%\r\x7f\tend",
    b"c1\xc2\x9b31m\xc2\x85bidi\xe2\x80\xae\xe2\x81\xa6\xe2\x80\xa8",
    b"bad\xff\xc0\xaf\xed\xa0\x80;semi,\"quoted\\\" \\x41 <b>&amp;</b>",
    "café::größe".encode(),
]
FILE = b"dir\x1b[2J/fi\nle\xff\xc2\x9b.c"
UNIT = b"by\x1b\ntes"


def trace():
    writer = Writer(b"prog\x1b[1m\n", b"ho\x07st")
    for code, name in enumerate(NAMES):
        writer.locate(code + 1, (name, FILE, code + 1))
    for code in range(len(NAMES)):
        writer.allocate(9, list(range(1, code + 2)))
    stacks = [(list(range(code + 1, 0, -1)), 1, 72) for code in range(len(NAMES))]
    return writer.data() + add_holders.packet(add_holders.records(stacks, NAMES[2], FILE, NAMES[1]))


def profile():
    strings = [b""]

    def text(value):
        if value not in strings:
            strings.append(value)
        return strings.index(value)

    out = b"".join(field(1, field(1, text(name)) + field(2, text(unit)))
                   for name, unit in ((b"obj\x1bects", b"count"), (b"space\x1b\n", UNIT), (b"plain", b"bytes")))
    for number in range(len(NAMES)):
        labels = b"".join(field(3, field(1, text(b"key\x1b\n")) + field(2, text(value)))
                          for value in (b"value\x07\"\\", b"second\n\\"))
        labels += field(3, field(1, text(b"num\x1b")) + field(3, 7) + field(4, text(UNIT)))
        out += field(2, b"".join(field(1, i + 1) for i in range(number, -1, -1)) +
                     field(2, 10) + field(2, 4096) + field(2, 100 << number) + labels)
    out += field(3, field(1, 1) + field(2, 0x1000) + field(3, 0x9000) + field(5, text(b"/bin/pr\x1bog\n")) +
                 field(6, text(b"id\x1b")) + field(7, 1))
    for number, name in enumerate(NAMES, 1):
        out += field(4, field(1, number) + field(2, 1) + field(3, 0x1000 + number) +
                     field(4, field(1, number) + field(2, number)))
        out += field(5, field(1, number) + field(2, text(name)) + field(4, text(FILE)))
    out += field(13, text(b"comment\x1b\n")) + field(11, field(1, text(b"per\x1b")) + field(2, text(UNIT))) + field(12, 1)
    return gzip.compress(out + b"".join(field(6, string) for string in strings))


# ---- What may not come out

HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def complaint(data, form):
    """What is wrong with some output; "" for nothing."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return f"not UTF-8: {error}"
    found = HIDDEN.search(text.replace("\r\n", "\n") if form == "dump csv" else text)
    if found:
        return f"{found.group()!r} in {text[max(0, found.start() - 60):found.end() + 60]!r}"
    if "csv" in form:
        rows = list(csv.reader(io.StringIO(text)))
        return "" if len(set(map(len, rows))) <= 1 else f"rows of several lengths: {rows[:6]}"
    if "\nFAKE" in text:
        return f"a line that is none: {text[text.index('FAKE') - 80:][:160]!r}"
    if "\t" in text and form in ("text", "folded", "callgrind") and "\tend" in text:
        return "a tab of a name"
    return ""


def hidden_strings(value):
    """Those within a JSON value that the page would show as they are."""
    if isinstance(value, str):
        return [value] if HIDDEN.search(value) or "\n" in value else []
    return [text for part in (value.values() if isinstance(value, dict) else value if isinstance(value, list) else [])
            for text in hidden_strings(part)]


def parse(data, form):
    """JSON has to be whole."""
    if form == "json":
        json.loads(data)
    elif form == "json lines":
        for line in data.decode().split("\n"):
            if line:
                json.loads(line)


# ---- Every command

folder = tempfile.mkdtemp()
files = {"trace": os.path.join(folder, "t.ctf"), "profile": os.path.join(folder, "p.pb.gz")}
for kind, data in (("trace", trace()), ("profile", profile())):
    with open(files[kind], "wb") as file:
        file.write(data)
OUT = os.path.join(folder, "out")
REPORT = [("text", []), ("json", ["--json"]), ("csv", ["--csv"])]
TO_FILE = [("text", ["-o", OUT + ".ctf"]), ("json", ["--json", "-o", OUT + ".ctf"])]

# By command: the formats and their options; REPORT for reports that are not here.
COMMANDS = {
    "record": None, "memtracer": None, "view": None, "agent": None, "fleet store": None, "fleet services": None,  # below
    "agent --skill": None,  # prints a text of its own
    "advice --try": None,  # records a program: advice-try.sh
    "fleet regressions": None,  # of two versions in a store: tests/cli/store.sh
    "fleet serve": None,  # gets names by HTTP: tests/cli/serve.py
    "info": REPORT + [("text", ["--markdown"]), ("text", ["--format=memtrace"])],
    "view --output": [("html", ["-o", OUT])],
    "hotspots": REPORT + [("text", ["--format=memtrace"]), ("text", ["-g", "lines"]), ("text", ["--by=samples"])],
    "top": REPORT + [("text", ["-g", "lines"]), ("text", ["-g", "files"]), ("text", ["-g", "addresses"])],
    "tree": REPORT + [("text", ["--context"]), ("svg", ["--svg"]), ("svg", ["--svg", "-g", "lines"])], "traces": REPORT + [("text", ["--labels"]), ("json", ["--labels", "--json"])],
    "graph": REPORT[1:] + [("dot", []), ("dot", ["-g", "lines"]), ("svg", ["--svg"])],
    "flamegraph": [("folded", []), ("folded", ["--positions"]), ("svg", ["--svg"]), ("json", ["--json"]), ("csv", ["--csv"]), ("folded", ["--format=memtrace"])],
    "timeline": REPORT + [("svg", ["--svg"])],
    "check": [("text", ["--max-peak=1"]), ("json", ["--max-peak=1", "--json"])],
    "compare": REPORT,
    "compare --long": REPORT + [("svg", ["--flamegraph"])],
    "stats": [("text", []), ("json", ["--json"]), ("svg", ["--svg"])],
    "dump": [("text", []), ("dump csv", ["--format=csv"]), ("json lines", ["--json"])],
    "export": [("json", ["-f", "speedscope"]), ("callgrind", ["-f", "callgrind"]), ("json", ["-f", "dhat"]),
               ("json", ["-f", "heapprofile"]),
               ("folded", ["-f", "folded"])],
    "pprof": [("text", ["-o", OUT + ".pb.gz"])],
    "file convert": TO_FILE, "file subsample": [(form, ["-f", "2"] + options) for form, options in TO_FILE],
    "file symbolize": [("text", ["-o", OUT + ".ctf"])], "file strip": TO_FILE,
}
WORDS = {"tree --callers": ["."], "tree --callees": ["."], "peek": ["."], "list": ["."]}


def run(*arguments):
    words = arguments[0].replace(" --output", "").split()
    return subprocess.run([heaptap, *words, *arguments[1:]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          cwd=folder, env=dict(os.environ, LC_ALL="C.UTF-8", TERM="dumb"))


listed = [line[2:20].strip() for line in run("help all").stdout.decode().split("\n") if line.startswith("  ")]
for command in listed:  # reports have all forms, and most have no other
    if b"--markdown" in run(command, "--help").stdout:
        COMMANDS.setdefault(command, REPORT)
check("every command of `heaptap help all` is here", set(listed) == set(COMMANDS), set(listed) ^ set(COMMANDS))
for command in [name for name in listed if COMMANDS.get(name)]:
    ran = 0
    for kind, file in files.items():
        for form, options in COMMANDS[command]:
            operands = [file, file] if command in ("compare", "compare --long") else [file]
            done = run(command, *options, *operands, *WORDS.get(command, []))
            outputs = [(form, done.stdout), ("text", done.stderr)]
            if OUT in options:
                with open(OUT, "rb") as output:
                    outputs.append((form, output.read()))
            ran += done.returncode in (0, 1)
            wrong = "; ".join(filter(None, (complaint(data, shape) for shape, data in outputs)))
            name = " ".join([command, *options, kind]).replace(folder, "...")
            if done.returncode in (0, 1) and form.startswith("json"):
                try:
                    parse(done.stdout, form)
                except ValueError as error:
                    wrong += f"; {error}"
            check(name, not wrong, wrong)
    check(f"{command} reads one of them", ran > 0, done.stderr)

# ---- Commands of another kind: the server's answers, and names of programs and scripts

server = subprocess.Popen([heaptap, "view", "--no-browser", files["profile"]], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
address = server.stdout.readline().decode().strip()
wrong = ""
for path in ("api/about", "api/answer?report=tree", "api/answer?report=tree&form=columns&nodes=1000", "api/answer?report=top", "api/answer?report=graph"):
    for _ in range(500):
        try:
            with urllib.request.urlopen(address + path) as answer:
                data = answer.read()
            break
        except urllib.error.HTTPError as error:
            assert error.code == 503, error
    wrong += complaint(data, "json") + "; ".join(map(repr, hidden_strings(json.loads(data))))
for name in [node["function"] for node in json.loads(data)["nodes"]]:
    pattern = "^" + re.escape(re.split(r"\\x[0-9a-f]{2}", name)[0])  # no pattern has a byte that is not UTF-8
    with urllib.request.urlopen(address + "api/answer?report=peek&function=" + urllib.parse.quote(pattern)) as answer:
        found = sorted({node["function"] for node in json.load(answer)["nodes"]})
    wrong += "" if name in found else f"; {name} is answered by {found}"
server.send_signal(signal.SIGINT)
wrong += complaint(server.communicate()[1], "text")
check("view profile", not wrong, wrong)
questions = "".join(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                                "params": {"name": "ask", "arguments": {"file": file, "report": report}}}) + "\n"
                    for file in ("t.ctf", "p.pb.gz") for report in ("info", "top", "leaks"))
done = subprocess.run([heaptap, "agent"], input=questions.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder)
try:
    parse(done.stdout, "json lines")
    wrong = complaint(done.stderr, "text")
except ValueError as error:
    wrong = str(error)
check("agent", done.stdout.count(b"\n") == 6 and not wrong, (wrong, done.stdout.count(b"\n")))
for words in (["init", "s.db"], ["add", "s.db", files["profile"]], ["add", "--label", "a=b\x1b[1m\nFAKE", "s.db", files["profile"]], ["check", "s.db"]):
    done = run("fleet", "store", *words)
    wrong = complaint(done.stdout, "text") + complaint(done.stderr, "text")
    check(" ".join(["fleet", "store", *words]).replace(folder, "...").replace("\x1b", "").replace("\n", ""), done.returncode in (0, 2) and not wrong, done)
for report in ("info", "top", "tags", "fleet services"):
    for form, options in REPORT:
        done = run(report, *options, "store:s.db")
        wrong = complaint(done.stdout, form) + complaint(done.stderr, "text")
        check(" ".join([report, *options, "of a store"]), done.returncode == 0 and not wrong, (wrong, done))
for command in ("record", "memtracer"):
    program = os.path.join(folder.encode(), b"pro\x1b[31m\ngram\xff\x07.xyz")
    done = run(command, *([b"-o", OUT.encode() + b"x"] if command == "record" else []), program + b"2")
    wrong = complaint(done.stdout, "text") or complaint(done.stderr, "text")
    check(f"{command} of a program that is not there", done.returncode != 0 and done.stderr and not wrong, wrong)
    with open(program, "w") as script:
        script.write("#!/bin/sh\nexit 0\n")
    os.chmod(program, 0o755)
    done = run(command, *([b"-o", OUT.encode() + b"x"] if command == "record" else []), program)
    wrong = complaint(done.stdout, "text") or complaint(done.stderr, "text")
    check(f"{command} of a program with such a name", not wrong, wrong)
script = os.path.join(folder.encode(), b"scr\x1b[31m\nFAKE\xc2\x9b\xe2\x80\xae.py")
with open(script, "w") as file:
    file.write("kept = [bytearray(1000) for _ in range(1000)]\n")
for form, options in (("text", []), ("json", ["--json"])):
    done = run("memtracer", *options, script)
    wrong = complaint(done.stdout, form) or complaint(done.stderr, "text")
    check(f"memtracer of a script with such a name, {form}", not wrong, wrong)

# ---- Names read back as they were


def bytes_of(text):
    return re.sub(rb"\\x([0-9a-f]{2})", lambda match: bytes.fromhex(match.group(1).decode()), text.encode())


for kind, file in files.items():
    chosen = ["-s", "plain"] if kind == "profile" else []
    rows = list(csv.DictReader(io.StringIO(run("top", "--csv", *chosen, file).stdout.decode())))
    check(f"CSV's names read back, {kind}", sorted(bytes_of(row["function"]) for row in rows) == sorted(NAMES),
          [row["function"] for row in rows])
    rows = list(csv.DictReader(io.StringIO(run("top", "--csv", "-g", "lines", *chosen, file).stdout.decode())))
    check(f"CSV's files read back, {kind}", {bytes_of(row["file"]) for row in rows} == {FILE},
          [row["file"] for row in rows])
    rows = list(csv.DictReader(io.StringIO(run("traces", "--csv", *chosen, file).stdout.decode())))
    deepest = max((row["stack"] for row in rows), key=len)
    check(f"CSV's stacks read back, {kind}", list(map(bytes_of, deepest.split(";"))) == NAMES, deepest)
    lines = run("flamegraph", *chosen, file).stdout.decode().split("\n")[:-1]
    stacks = sorted(([bytes_of(name) for name in line.rsplit(" ", 1)[0].split(";")] for line in lines), key=len)
    check(f"folded stacks read back, {kind}", stacks == [NAMES[:n] for n in range(1, len(NAMES) + 1)], lines)
    folded = os.path.join(folder, "stacks.folded")
    with open(folded, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    check(f"... by heaptap, too, {kind}", sorted(run("flamegraph", folded).stdout.decode().split("\n")[:-1]) == sorted(lines), run("flamegraph", folded))
rows = list(csv.DictReader(io.StringIO(run("dump", "--format=csv", files["trace"]).stdout.decode())))
check("dump's stacks read back", [list(map(bytes_of, row["stack"].split(";"))) for row in rows] ==
      [NAMES[:n] for n in range(1, len(NAMES) + 1)], rows)
check("dump's files read back", {bytes_of(row["site_file"]) for row in rows} == {FILE}, rows)
end()
