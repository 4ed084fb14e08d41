#!/usr/bin/python3
"""heaptap view --terminal, in a terminal: what it shows is what the reports of its questions print at that width; keys, filters and sizes;
traces that are still written; and the terminal is as it was, whatever ends it.  Prints TAP.

    terminal.py [--write]

--write renews the screens of docs/terminal.md."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SOURCE = os.environ["SOURCE"]
sys.path.insert(0, SOURCE + "/tests/helpers")
from clause_reference import labels_of  # noqa: E402
from random_blocks import random_blocks, write_profile, write_trace  # noqa: E402
from screen import Terminal  # noqa: E402
from tap import check, end  # noqa: E402

HEAPTAP = os.environ["HEAPTAP"]
DOCUMENT = SOURCE + "/docs/terminal.md"
CARDS = ["At the peak", "Left at the end", "Short-lived", "Allocated"]
UP, DOWN, ENTER, ESCAPE, ERASE_ALL = "\x1bOA", "\x1bOB", "\r", "\x1b", "\x15"


def open_view(*words, rows=24, columns=80, environment=None):
    view = Terminal([HEAPTAP, "view", "--terminal", *words], rows, columns, environment)
    view.sees("q end")
    return view


def printed(columns, *words):
    """What a command prints in a terminal of so many columns."""
    terminal = Terminal([HEAPTAP, *words], 200, columns, {"NO_COLOR": "1"})
    terminal.state()
    lines = terminal.screen.lines()
    terminal.end()
    return [line for line in lines if line]


def rows_of(view):
    """The lines below the heading of the list."""
    lines = view.screen.lines()[:-1]
    at = next(i for i, line in enumerate(lines) if line.endswith("the heaviest first"))
    return [line for line in lines[at + 2:] if line]


def has_card(view, title):
    return view.wait(lambda screen: any(line.startswith(title + ":") for line in screen.lines()))


def check_screen(name, file, columns, rows):
    """Cards and lines are those of the reports, at any size."""
    view = open_view(file, rows=rows, columns=columns)
    summary = printed(columns, "summary", file)
    cards = [line for line in summary if line.startswith(tuple(CARDS))]
    check(f"{name}: {columns}x{rows}: the cards are the summary's", [line for line in view.screen.lines() if line in cards] == cards and cards,
          view.screen.text() + "\n".join(cards))
    for title, clause in zip(CARDS, (["live-at=peak"], ["collected=never"], None, [])):
        if clause is not None:
            has_card(view, title)
            wanted = [line for line in printed(columns, "hotspots", "-g", "line", "-c", "0", "-n", "500", file, *clause)]
            wanted = wanted[next(i for i, line in enumerate(wanted) if "BYTES" in line and "SHARE" in line) + 1:]
            got = rows_of(view)
            check(f"{name}: {columns}x{rows}: {title}: the lines are those of hotspots", got and got == wanted[:len(got)],
                  "\n".join(got) + "\n\n" + "\n".join(wanted))
        view.type("\t")
    view.type("q")
    check(f"{name}: {columns}x{rows}: q ends it, and the terminal is as it was", view.state() == 0 and view.is_restored(), view.screen.modes)
    view.end()


def check_keys(file):
    view = open_view(file)
    first, second = rows_of(view)[:2]
    check("the first line is chosen", first in view.screen.barred(), view.screen.text())
    view.type(DOWN)
    check("Down: the second", view.wait(lambda screen: second in screen.barred() and first not in screen.barred()), view.screen.barred())
    view.type(UP + ENTER)
    check("Enter: its callers", view.sees("callers of grow") and view.sees("main") and "BYTES" not in view.screen.text(), view.screen.text())
    check("... with their lines, and shares of what the row is about", re.search(r" 9[67][.\d]* *% +grow \S*jobs\.c:10", view.screen.text()), view.screen.text())
    view.type("s")
    check("s: its source, with what each line has", view.sees("source of grow") and re.search(r"MB +\d+: *return malloc", view.screen.text()), view.screen.text())
    view.type(ESCAPE)
    check("Esc: back", view.sees("the heaviest first"), view.screen.text())
    view.type("4")
    check("4: the fourth card", has_card(view, "Allocated"), view.screen.text())
    view.type("\x1bOD")
    check("Left: the one before", has_card(view, "Short-lived"), view.screen.text())
    view.type("\t\t")
    check("Tab: the next, around the end", has_card(view, "At the peak"), view.screen.text())
    view.type("/focus=grow" + ENTER)
    check("/: a filter", view.sees("filter: focus=grow") and view.wait(lambda _: len(rows_of(view)) == 1), view.screen.text())
    view.type("/" + ERASE_ALL + "size>=big" + ENTER)
    check("a filter that is none: a sentence, and the one before stays", view.sees("size takes a size") and view.sees("filter: focus=grow"), view.screen.text())
    view.type("/" + ESCAPE)
    check("Esc leaves the filter", view.sees("q end") and view.sees("filter: focus=grow"), view.screen.text())
    view.type("/" + ERASE_ALL + "focus=grwo" + ENTER)
    check("one that leaves nothing: why", view.sees("the filter leaves nothing of it: 'focus=grwo'"), view.screen.text())
    view.type("/" + ERASE_ALL + "x\x7f" + ENTER)
    check("an empty one: everything", view.wait(lambda screen: "filter:" not in screen.text() and len(rows_of(view)) >= 2), view.screen.text())
    for rows, columns in ((40, 132), (12, 60), (3, 10), (1, 1), (24, 80)):
        view.resize(rows, columns)
        view.signal(signal.SIGWINCH)
        view.wait(lambda screen: False, 0.8)
        check(f"{columns}x{rows}: it fits", len(view.screen.lines()) == rows and (rows < 12 or view.screen.barred()[0].startswith(" heaptap")),
              view.screen.text())
    check("back at its first size all of it is there", view.sees("q end") and len(rows_of(view)) >= 2, view.screen.text())
    view.end()


def check_ends(file):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGSEGV, signal.SIGABRT):
        view = open_view(file)
        was = 1049 in view.screen.modes
        view.signal(number)
        status = view.state()
        check(f"{number.name} ends it, and the terminal is as it was",
              was and os.WIFSIGNALED(status) and os.WTERMSIG(status) == number and view.is_restored(), (status, view.screen.modes))
        view.end()
    view = open_view(file)
    view.type("\x03")
    status = view.state()
    check("Ctrl-C ends it", os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT and view.is_restored(), status)
    view.end()
    view = open_view(file)
    view.type("\x1a")
    status = view.state()
    check("Ctrl-Z stops it, and the terminal is as it was", os.WIFSTOPPED(status) and view.is_restored(), (status, view.screen.modes))
    view.screen.resize(24, 80)
    view.signal(signal.SIGCONT)
    check("... and goes on where it was", view.sees("q end") and 1049 in view.screen.modes, view.screen.text())
    view.type("q")
    check("... to its end", view.state() == 0 and view.is_restored())
    view.end()


def check_refusals(file):
    done = subprocess.run([HEAPTAP, "view", "--terminal", file], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    check("into a pipe: one sentence", done.returncode == 2 and done.stdout == "" and done.stderr ==
          "heaptap view: --terminal: this needs a terminal on standard input and output; `heaptap summary` prints the same elsewhere\n", done)
    for words, environment, wanted in (([file], {"TERM": "none-such"}, "nothing is known about terminals called 'none-such' (TERM)"),
                                       (["missing.ctf"], {}, "missing.ctf: ")):
        view = Terminal([HEAPTAP, "view", "--terminal", *words], environment=environment)
        status = view.state()
        check(f"{words}, {environment}: a sentence", wanted in view.screen.text().replace("\n", "") and os.waitstatus_to_exitcode(status) in (2, 3) and view.is_restored(),
              (status, view.screen.text()))
        view.end()


def check_names(folder, file):
    """Nothing of a file does anything to the terminal."""
    odd = os.path.join(folder, "odd\x1b[2J\x9b3m\n.ctf")
    shutil.copy(file, odd)
    view = open_view(odd)
    check("a name with bytes for terminals: shown, not obeyed", r"odd\x1b[2J" in view.screen.text() and len(rows_of(view)) >= 2, view.screen.text())
    view.end()
    view = open_view(odd, file)
    view.type("n")
    check("n: the next file", view.sees("(2 of 2: n)"), view.screen.text())
    view.end()


def check_live(folder):
    with open("grows.c", "w") as source:
        source.write("#include <stdlib.h>\n#include <unistd.h>\nvoid *kept[100000];\n"
                     "__attribute__((noinline)) void *one(void) {\n    return malloc(1000);\n}\n"
                     "int main(void) {\n    for (int i = 0; i < 6000; i++) { kept[i] = one(); usleep(1000); }\n    return 0;\n}\n")
    subprocess.run(["gcc", "-g", "-O0", "grows.c", "-o", "grows"], check=True)
    recording = subprocess.Popen([HEAPTAP, "record", "-q", "--all", "-o", "live.ctf", "--", "./grows"])
    while not os.path.exists("live.ctf") or os.path.getsize("live.ctf") == 0:
        time.sleep(0.05)
    time.sleep(0.5)
    view = open_view("live.ctf")
    objects = lambda: int(re.search(r"(\d+) +one ", view.screen.text()).group(1)) if re.search(r"(\d+) +one ", view.screen.text()) else 0
    check("a trace that is still written: its lines have names", view.wait(lambda _: objects() > 0), view.screen.text())
    before = objects()
    check("... and its figures grow", view.wait(lambda _: objects() > before or " k one" in view.screen.text()), view.screen.text())
    recording.wait()
    check("... to the end", view.sees("6.0 k one"), view.screen.text())
    view.type("q")
    view.state()
    view.end()


# ---- The document -----------------------------------------------------------------------------


def screens(file):
    """What docs/terminal.md shows, by its name."""
    view = open_view(file)
    shown = {"80x24": view.screen.text()}
    view.type(ENTER)
    view.sees("callers of")
    shown["callers"] = view.screen.text()
    view.type("s")
    view.sees("source of")
    shown["source"] = view.screen.text()
    view.end()
    view = open_view(file, rows=60, columns=200)
    shown["200x60"] = view.screen.text()
    view.end()
    return shown


def plain(text):
    """Without what differs from run to run, or with what is known of the system's libraries."""
    text = re.sub(r"\n[^\n]*loading alone:.*?\([0-9.]+ .?B to [0-9.]+ .?B\)", "", text, flags=re.S)  # as a loaded machine has it
    lines = [line for line in text.split("\n") if not re.search(r"^ *(Time:|Build ID:|Makes |Most |Grows |Blocks )|: [0-9.]+ .B a second|loading alone|_start|libc", line)]
    text = re.sub(r"[▁▂▃▄▅▆▇█]+", " ", " ".join(lines))
    return re.sub(r"[\s#]+", " ", re.sub(r"\d[\d.]*( ?([kMG]?B|[kMG]|[mun]?s|%))?", "#", text))


def hold_document(file):
    with open(DOCUMENT) as page:
        text = page.read()
    for name, screen in screens(file).items():
        block = re.search(rf"(<!-- {name} -->\n\n)((?:    .*\n|\n)*)", text)
        shown = "".join(f"    {line}".rstrip() + "\n" for line in screen.rstrip("\n").split("\n"))
        shown = re.sub(r"\n{4,}", "\n\n\n", shown).replace(os.path.realpath("."), "/home/me")
        if "--write" in sys.argv:
            text = text[:block.start(2)] + shown + "\n" + text[block.end(2):]
        else:
            check(f"docs/terminal.md: {name}", plain(block.group(2)) == plain(shown), shown)
    if "--write" in sys.argv:
        with open(DOCUMENT, "w") as page:
            page.write(text)


if not os.environ.get("TERMINAL"):
    done = subprocess.run([HEAPTAP, "view", "--terminal", "x"], capture_output=True, text=True)
    check("without ncurses: a sentence", done.returncode == 2 and (not os.environ.get("VIEWER") or "built without ncurses" in done.stderr), done)
    end()
with tempfile.TemporaryDirectory() as top:
    os.chdir(top)
    shutil.copy(SOURCE + "/docs/programs/jobs.c", "jobs.c")
    subprocess.run(["gcc", "-g", "-O0", f"-fdebug-prefix-map={os.path.realpath(top)}=/home/me", "jobs.c", "-o", "jobs"], check=True)
    recorded = subprocess.run([HEAPTAP, "record", "-q", "--all", "-o", "jobs.ctf", "--", "./jobs"])
    if recorded.returncode != 0 or not os.path.exists("jobs.ctf"):
        print("1..0 # SKIP a sanitized build has no recorder")
        sys.exit(0)
    hold_document("jobs.ctf")
    blocks, _ = random_blocks(7, 1, 150)
    write_trace("new.ctf", blocks, 1)
    for size in ((80, 24), (200, 60)):
        check_screen("jobs", "jobs.ctf", *size)
        check_screen("random", "new.ctf", *size)
    narrow = [line for line in printed(50, "hotspots", "-g", "line", "-c", "0", "jobs.ctf") if " B " in line or "B " in line[:9]]
    check("on a narrow terminal a file loses its folders, and keeps its name", len(narrow) == 3 and all("jobs.c:" in line for line in narrow), "\n".join(narrow))
    check_keys("jobs.ctf")
    check_ends("jobs.ctf")
    check_refusals("jobs.ctf")
    check_names(top, "jobs.ctf")
    check_live(top)
    write_profile("new.pb", blocks, labels_of)
    view = open_view("new.pb")
    check("a profile has the cards of its values", view.sees("Allocated") and len(rows_of(view)) > 1, view.screen.text())
    view.end()
end()
