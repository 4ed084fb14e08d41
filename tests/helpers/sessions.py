#!/usr/bin/python3
"""The sessions of docs/sessions.md, for real: from a program that allocates too much to a fix that is validated.

    sessions.py HEAPTAP [NAME...] [--write docs/sessions.md | --compare docs/sessions.md]

Each session has a program in docs/programs/sessions, before and after the fix, and is driven as a user would at a terminal: every command
of heaptap but the first must have been suggested by an answer before it.  Prints TAP.  --compare holds the transcripts against the document's,
figures aside, where the compilers are those that it was written with; --write renews it.
"""
import argparse
import fcntl
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios

PROGRAMS = pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "programs" / "sessions"
COLUMNS = 110

HEAD = """# Sessions

Six small programs, from "it allocates too much" to a fix that measurably helps. An earlier answer suggested each command (`-n 1` shortens one):
`heaptap help` lists `record`; that and each report, at a terminal, suggest what to run next; `compare` ends with a
budget that guards the improvement. The transcripts come from a test, on {versions}.
The programs, and the fix of each, are in `docs/programs/sessions`.
"""

OCAML = "ocamlfind ocamlopt -g -linkall -package heaptap.memtrace.auto -linkpkg {file} -o {name}"
CPP = "c++ -g -O2 -o {name} {file}"


class Session:
    """What is told of a program, how it is built and recorded, and what is to come out."""

    def __init__(self, name, file, title, about, rule, line, measure, less, fix):
        self.name, self.file, self.title, self.about = name, file, title, about
        self.rule, self.line = rule, line  # advice's first point: its title, and the line that it names
        self.measure, self.less = measure, less  # the total that compare must show smaller, by at least this part
        self.fix = fix  # what is done about it, in a sentence

    def build(self):
        return {".ml": OCAML, ".cpp": CPP}.get(pathlib.Path(self.file).suffix, "").format(file=self.file, name=self.name)

    def record(self, trace):
        if self.file.endswith(".py"):
            return f"heaptap record --all -o {trace} -- /usr/bin/python3 {self.file}"
        return f"heaptap record --all -o {trace} -- ./{self.name} >{self.name}.txt"


SESSIONS = [
    Session("ledger", "ledger.ml", "OCaml: numbers that are boxed", "The program adds up a ledger by account.", "Boxed integers", "ledger.ml:7",
            "allocated", 0.9, "An amount in cents fits in an int: the balance becomes one."),
    Session("report", "report.ml", "OCaml: a text that grows by `^`", "The program makes a page row by row.", "Strings appended one to the other", "report.ml:7",
            "allocated", 0.9, "The rows are added to a Buffer."),
    Session("readings", "readings.cpp", "C++: a vector that doubles", "The highest reading of each hour.",
            "A vector that grows by doubling", "readings.cpp:10", "allocated", 0.5, "An hour has 3600 readings: the vector reserves them."),
    Session("index", "index.cpp", "C++: needless copies", "How many documents contain each word?", "Elements copied by a loop", "index.cpp:9",
            "allocated", 0.8, "The loop takes each document by reference."),
    Session("memo", "memo.py", "Python: a cache that only grows", "A service remembers its answers.", "A table that only grows: a cache?", "memo.py:7",
            "live-at-end", 0.7, "The last thousand answers are enough."),
    Session("records", "records.py", "Python: a dict for each row", "The hottest of 20000 measurements.", "Dicts of the same keys", "records.py:7",
            "live-at-end", 0.3, "A row becomes an object of a class with slots."),
]


class Failed(Exception):
    """What a session should have shown, and did not."""


class Terminal:
    """Runs commands in a folder, on a terminal of COLUMNS columns without colours, and keeps what they said."""

    def __init__(self, folder, heaptap):
        self.folder, self.transcript, self.said = folder, [], ""
        tools = folder / "bin"
        tools.mkdir()
        (tools / "heaptap").symlink_to(os.path.realpath(heaptap))
        self.environment = dict(os.environ, PATH=f"{tools}:/usr/bin:/bin:{os.environ['PATH']}", NO_COLOR="1", TERM="xterm", LC_ALL="C.UTF-8")
        self.environment.pop("COLUMNS", None)

    def run(self, command, may_say=True):
        inside, outside = os.openpty()[::-1]
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
        process = subprocess.Popen(["sh", "-c", command], cwd=self.folder, env=self.environment, stdin=inside, stdout=inside, stderr=inside,
                                   start_new_session=True)
        os.close(inside)
        output = b""
        while True:
            try:
                piece = os.read(outside, 65536)
            except OSError:  # the last writer has closed it
                piece = b""
            if not piece:
                break
            output += piece
        os.close(outside)
        status = process.wait()
        text = output.decode(errors="replace").replace("\r\n", "\n").strip("\n")
        self.transcript.append(f"$ {command}\n{text}".rstrip() if may_say else f"$ {command}")
        if status != 0:
            raise Failed(f"status {status}: {command}\n{text}")
        return text

    def ask(self, command):
        """A command of heaptap that an answer must have suggested, but for how much it tells."""
        words = " ".join(command.replace(" -n 1 ", " ").split())
        if words not in " ".join(self.said.split()):
            raise Failed(f"no answer suggested: {command}")
        return self.listen(command)

    def listen(self, command):
        text = self.run(command)
        self.said += text + "\n"
        return text


def edit(session, terminal):
    """The program as it is after the fix; the difference goes into the transcript."""
    name = session.file
    changes = PROGRAMS / session.name / "after.diff"
    terminal.transcript.append(f"(in {name})\n" + "\n".join(change for change in changes.read_text().splitlines()[2:] if not change.startswith("@@")))
    subprocess.run(["patch", "-s", terminal.folder / name, changes], check=True)


def printed(session, terminal):
    """What the program prints by itself."""
    command = ["/usr/bin/python3", session.file] if session.file.endswith(".py") else ["./" + session.name]
    return subprocess.run(command, cwd=terminal.folder, stdout=subprocess.PIPE, check=True).stdout


def hold(truth, message):
    if not truth:
        raise Failed(message)


def play(session, terminal):
    program = PROGRAMS / session.name / ("before" + pathlib.Path(session.file).suffix)
    shutil.copy(program, terminal.folder / session.file)
    record = session.record("before.ctf")
    terminal.said += subprocess.run([terminal.folder / "bin" / "heaptap", "help"], stdout=subprocess.PIPE, check=True).stdout.decode()
    if session.build():
        terminal.run(session.build())
    hold(record.split()[1] in terminal.said, f"heaptap does not name {record.split()[1]}")
    terminal.listen(record)
    advice = terminal.ask("heaptap advice -n 1 before.ctf")
    first = re.search(r"^ 1\. (.*): .* \((.*)\)$", advice, re.MULTILINE)
    hold(first and first[1] == session.rule and first[2].endswith(session.line), f"advice's first point is {first and first[0]}")
    before = printed(session, terminal)
    edit(session, terminal)
    if session.build():
        terminal.run(session.build())
    terminal.run(session.record("after.ctf"), may_say=False)
    hold(printed(session, terminal) == before, "the fix changes what the program prints")
    compared = terminal.ask("heaptap compare before.ctf after.ctf")
    total = re.search(rf"^ *-([0-9.]+) % {session.measure} .* smaller$", compared, re.MULTILINE)
    hold(total and float(total[1]) >= 100 * session.less, f"{session.measure} is not {100 * session.less:.0f} % smaller")
    budget = re.search(r"`(heaptap check [^`]*)`", compared)
    hold(budget, "compare suggests no budget")
    terminal.ask(budget[1])


# ---- The document ----------------------------------------------------------------------------


def versions():
    """What the figures depend on, as far as it is here."""
    asked = {"g++": ["g++", "-dumpfullversion"], "OCaml": ["ocamlfind", "ocamlopt", "-version"],
             "Python": ["/usr/bin/python3", "-c", "import platform; print(platform.python_version())"]}
    found = []
    for name, command in asked.items():
        try:
            found.append(f"{name} " + subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode().strip())
        except (OSError, subprocess.CalledProcessError):
            pass
    if os.path.isdir("/usr/lib/debug/.build-id") and "HEAPTAP_DEBUG_DIR" not in os.environ:
        found.append("with libc's debug files")
    return ", ".join(found)


def section(session, terminal):
    lines = "\n".join(terminal.transcript).replace(str(terminal.folder), "/home/me/" + session.name)
    body = "\n".join(("    " + line).rstrip() for line in lines.split("\n"))
    return f"## {session.title}\n\n{session.about}\n\n{body}\n\n{session.fix}\n"


def gist(text):
    """What is of the session, not of its run: titles, commands, advice's first point, and what was edited.  Figures aside, and which of the
    totals has fallen most."""
    kept = [line for line in text.split("\n") if re.match(r"## |    (\$ | 1\. |[-+] *[a-zA-Z#/{}]|\(in |To keep)", line)]
    return re.sub(r"\b[0-9][0-9.]*( ?([kMG]?B|k|M))?(?![\w.])", "N", re.sub("--max-[a-z-]*", "--max", "\n".join(kept)))


def here(session):
    if session.file.endswith(".ml"):
        return shutil.which("ocamlfind") and "OCAMLPATH" in os.environ
    return shutil.which("c++") if session.file.endswith(".cpp") else os.path.exists("/usr/bin/python3")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("heaptap")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--write")
    parser.add_argument("--compare")
    options = parser.parse_args()
    sections, number = [], 0
    document = pathlib.Path(options.compare).read_text() if options.compare else ""
    wanted = [session for session in SESSIONS if not options.names or session.name in options.names]
    for session in wanted:
        number += 1
        if not here(session):
            print(f"ok {number} - {session.name} # SKIP what it is built with is not here")
            continue
        with tempfile.TemporaryDirectory() as folder:
            terminal = Terminal(pathlib.Path(folder), options.heaptap)
            problem = None
            try:
                play(session, terminal)
                sections.append(section(session, terminal))
                if f"on {versions()}.\n" in document and gist(sections[-1]) not in gist(document):
                    problem = "the document's transcript is another (scripts/renew renews it):\n" + sections[-1]
            except Failed as failed:
                problem = str(failed)
            print(f"{'not ' if problem else ''}ok {number} - {session.name}: {session.rule}, {session.measure} is smaller")
            for line in (problem or "").split("\n") if problem else []:
                print("#", line)
    print(f"1..{number}")
    if options.write:
        pathlib.Path(options.write).write_text("\n".join([HEAD.format(versions=versions()), *sections]))


if __name__ == "__main__":
    sys.exit(main())
