#!/usr/bin/python3
"""How many questions a coding agent needs: a table for bench/RESULTS.md.

    bench/agents.py BUILD [--results FILE] [--show]

Each program of tests/programs/faults has one fault.  heaptap agent is asked to diagnose it, and where no cause of that answer names the line, the
reports after it.  A line counts that has to be changed, as a cause's own or as that of a caller; which of the two stands in the table.
With --results the section "Agents" of that file is replaced, else it is printed.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "tests" / "programs" / "faults"
OCAML = "ocamlfind ocamlopt -g -linkall -package heaptap.memtrace.auto -linkpkg ledgers.ml -o ledgers"
# Name, what the fault is, how it is built, what is run, the file of the line and a part of it; of those that would do.
FAULTS = [
    ("courier", "C, four files, an allocator of its own: a field that is never freed", "cc -g -O1 main.c parcel.c pool.c -o courier", ["./courier"],
     [("parcel.c", "parcel->note = get_text"), ("parcel.c", "put_back(parcel->to)")]),
    ("catalog", "C++: a getter that returns a copy", "c++ -g -O1 catalog.cpp -o catalog", ["./catalog"],
     [("catalog.cpp", "return shelves_.at(number)"), ("catalog.cpp", ": catalog.shelf(shelf)")]),
    ("graph", "C++: shared pointers in a circle", "c++ -g -O1 graph.cpp -o graph", ["./graph"],
     [("graph.cpp", "auto node = std::make_shared"), ("graph.cpp", "node->back = last")]),
    ("sensors", "Python: a table that keeps every key", None, ["/usr/bin/python3", "sensors.py"], [("sensors.py", "self.seen[key] =")]),
    ("ledgers", "OCaml: a list appended to its end", OCAML, ["./ledgers"], [("ledgers.ml", "(all @ lines)")]),
    ("report", "Lua: a text that grows by ..", None, ["lua5.4", "report.lua"], [("report.lua", "page = page ..")]),
    ("lexer", "C, three files: names copied before they are looked up, and lost", "cc -g -O1 main.c names.c -o lexer", ["./lexer"],
     [("names.c", "char *name = strdup(text)")]),
    ("chat", "C++: inboxes of people who have left", "c++ -std=c++17 -g -O1 chat.cpp -o chat", ["./chat"],
     [("chat.cpp", "inboxes_[person].put"), ("chat.cpp", "messages_.push_back")]),
    ("bakery", "Rust: a getter that clones", "rustc -g -O bakery.rs -o bakery", ["./bakery"],
     [("bakery.rs", ".clone()"), ("bakery.rs", "day.order(number)")]),
    ("mailer", "Python: listeners that are never taken off", None, ["/usr/bin/python3", "mailer.py"],
     [("mailer.py", "self.letters = ["), ("mailer.py", "post.listen(self.count)"), ("mailer.py", "Campaign(post, number)")]),
    ("planner", "OCaml: a table of results whose keys never come again", OCAML.replace("ledgers", "planner"), ["./planner"],
     [("planner.ml", "Hashtbl.add known")]),
    ("game", "Lua: a copy of the board for each move, all kept", None, ["lua5.4", "game.lua"],
     [("game.lua", "history[#history + 1] = copy(board)"), ("game.lua", "new[i] = of[i]")]),
]


class Client:
    def __init__(self, heaptap, folder, command):
        self.process = subprocess.Popen([heaptap, "agent", "--root", folder, "--allow-run", " ".join(command)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.calls = self.bytes = 0
        self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}})

    def ask(self, method, parameters):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())["result"]

    def call(self, tool, **arguments):
        text = self.ask("tools/call", {"name": tool, "arguments": arguments})["content"][0]["text"]
        self.calls += 1
        self.bytes += len(text.encode())
        return text


def lines_of(folder, places):
    """file:line of each."""
    for file, part in places:
        for number, line in enumerate((folder / file).read_text().splitlines(), 1):
            if part in line:
                yield f"{file}:{number}"


def found(text, lines):
    """Where the answer names one of the lines: "cause 1", "caller, cause 2", "row"; None for nowhere."""
    cause = 0
    for line in text.splitlines():
        begins = re.match(r"\| (\d)\. ", line)
        cause = int(begins[1]) if begins else cause
        if any(re.search(r"(?<![\w.])" + re.escape(place) + r"(?!\d)", line) for place in lines):
            return f"cause {cause}" if begins else f"a caller of cause {cause}" if "called by" in line else "a row"
    return None


def questions(client, command):
    """The answers, one after the other."""
    text = client.call("diagnose", command=command)
    yield text
    file = re.search(r"^file=(\S+): ", text, re.MULTILINE)[1]
    for report in ("advice", "leaks", "hotspots"):
        yield client.call("ask", file=file, report=report, **({"options": {"granularity": "line"}} if report == "hotspots" else {}))


def play(heaptap, build, fault, show):
    name, what, builds, command, places = fault
    if not shutil.which(command[0]) and not builds:
        return f"| {what} | not here | | |"
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(PROGRAMS / name, folder, dirs_exist_ok=True)
        environment = dict(os.environ, OCAMLPATH=f"{build}/ocaml/build/install/default/lib")
        if builds and subprocess.run(builds.split(), cwd=folder, env=environment, check=False).returncode:
            return f"| {what} | not here | | |"
        lines = list(lines_of(pathlib.Path(folder), places))
        client = Client(heaptap, folder, command)
        for text in questions(client, command):
            if show:
                print(text, file=sys.stderr)
            where = found(text, lines)
            if where:
                break
        client.process.stdin.close()
        client.process.wait()
        return f"| {what} | {client.calls} | {client.bytes} | {where or 'nowhere'} |"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--results", type=pathlib.Path)
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    heaptap = str(build / "src" / "cli" / "heaptap")
    section = ["## Agents", "", "Programs with one fault each, by `diagnose` alone (`bench/agents.py`): how many calls, and bytes of answers, lead to a line",
               "that has to be changed, and what names it: a cause's own line, or the way to it.", "",
               "| program and fault | calls | bytes | named by |", "|---|---|---|---|"]
    section += [play(heaptap, build, fault, arguments.show) for fault in FAULTS]
    text = "\n".join(section) + "\n"
    if not arguments.results:
        print(text, end="")
        return
    old = arguments.results.read_text()
    new = re.sub(r"## Agents\n.*?(?=^## |\Z)", lambda _: text + "\n", old, flags=re.DOTALL | re.MULTILINE)
    arguments.results.write_text(new if "## Agents\n" in old else old.rstrip("\n") + "\n\n" + text)


main()
