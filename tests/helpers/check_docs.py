#!/usr/bin/env python3
"""Whether what README.md and docs/ print is so.  Prints TAP.

    check_docs.py HEAPTAP SOURCE [--write]

In the pages of RUN, each command after a `$` in an indented block is run, in a folder for the page that has docs/programs and the
traces of tests/golden/valid, and its output compared: exactly, or, of what is not a trace of those, but for numbers and curves.  A last line `…` stands
for all further lines.  A block after the name of a program of docs/programs, in parentheses with a colon behind, is that program.  --write puts what came
into the pages.

In all pages, each command of heaptap in a block is one that there is, with options that it has."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

heaptap, source = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
RUN = ["README.md", "docs/where.md", "docs/leaks.md", "docs/grew.md", "docs/size.md", "docs/embedding.md"]
# These stay, or need a network.
STAYS = re.compile(r"heaptap (view(?!.* -o)|fleet serve|agent(?!.*--skill))|git clone|make |apt |^\S*/")
GOLDEN = re.compile(r"ocamlopt|irmin|lists-and-sets")  # what is asked of others differs from run to run
count = failed = 0


def check(name, passed, detail=""):
    global count, failed
    count += 1
    failed += not passed
    print(f"{'ok' if passed else 'not ok'} {count} - {name}")
    if not passed:
        print("# " + str(detail).replace("\n", "\n# "))


def blocks(lines):
    """(first, last + 1) of each run of indented lines, empty lines within it among them."""
    start = None
    for i, line in enumerate(lines + ["end"]):
        if line.startswith("    ") and start is None:
            start = i
        elif start is not None and line and not line.startswith("    "):
            end = i
            while not lines[end - 1]:
                end -= 1
            yield start, end
            start = None


def programs(lines):
    """(first, last + 1, name) of each block that is a program of docs/programs."""
    for start, end in blocks(lines):
        named = re.search(r"\(`docs/programs/([\w.]+)`\):$", next((line for line in reversed(lines[:start]) if line), ""))
        if named and not lines[start].startswith("    $"):
            yield start, end, named[1]


def commands(lines):
    """(number of the line, command, output's lines) of each `$` in a page."""
    for start, end in blocks(lines):
        at = [i for i in range(start, end) if lines[i].startswith("    $ ")]
        for i, following in zip(at, at[1:] + [end]):
            yield i, lines[i][6:], [line[4:] for line in lines[i + 1:following]]


def without_numbers(text):
    text = "\n".join(line for line in text.split("\n") if "│" not in line and not re.search(r"^( 0 us|.*▼)", line))
    text = re.sub(r"\b[0-9a-f]{40}\b|[▁▂▃▄▅▆▇█]+", "#", text)
    text = re.sub(r"\d[\d.]*( ?([kMGTmun]?B|[kMGmun]|ms|us|s|%)\b)?", "#", text)
    text = re.sub(r"\n {4}(?=\S)", " ", text)  # wrapped sentences, whose numbers differ in width
    return re.sub(r"[ #]+", " ", text)


def run(command, folder):
    library = pathlib.Path(heaptap).parent.parent  # as if it were installed
    environment = dict(os.environ, PATH=f"{folder}/bin:{os.environ['PATH']}", PKG_CONFIG_PATH=f"{library.parent}/meson-uninstalled",
                       C_INCLUDE_PATH=str((source / "include").resolve()), LD_RUN_PATH=str(library), COLUMNS="100", LC_ALL="C.UTF-8", TERM="xterm", NO_COLOR="1")
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.stdout.decode().rstrip("\n").split("\n")


def trimmed(lines):
    return trimmed(lines[:-1]) if lines and not lines[-1] else lines


def same(command, printed, came):
    printed = trimmed(printed)
    if printed and printed[-1].strip() == "…":
        printed, came = printed[:-1], came[:len(printed) - 1]
    one, other = ("\n".join(line.rstrip() for line in lines).strip("\n") for lines in (printed, came))
    return one == other or not GOLDEN.search(command) and without_numbers(one) == without_numbers(other)


def shown(printed, came):
    """What stands in the page in place of what is printed there."""
    printed = trimmed(printed)
    is_cut = printed and printed[-1].strip() == "…"
    lines = came[:len(printed) - 1] + ["…"] if is_cut else came
    return [("    " + line).rstrip() for line in lines]


def hold_programs(page, lines, writes):
    for start, end, name in reversed(list(programs(lines))):
        program = [("    " + line).rstrip() for line in (source / "docs/programs" / name).read_text().rstrip("\n").split("\n")]
        if writes:
            lines[start:end] = program
        else:
            check(f"{page}:{start + 1}: {name}", lines[start:end] == program, "\n".join(program))


def play(page, writes):
    lines, folder = (source / page).read_text().split("\n"), pathlib.Path(tempfile.mkdtemp())
    (folder / "bin").mkdir()
    (folder / "bin" / "heaptap").symlink_to(heaptap)
    for name in ("cc", "gcc", "g++"):  # sources have no folder
        (folder / "bin" / name).write_text(f'#!/bin/sh\nexec /usr/bin/{name} "-fdebug-prefix-map=$PWD=." "$@"\n')
        (folder / "bin" / name).chmod(0o755)
    for file in [*(source / "docs/programs").glob("*.*"), *(source / "tests/golden/valid").iterdir()]:
        shutil.copy(file, folder)
    hold_programs(page, lines, writes)
    moved, before = 0, len(lines)
    for at, command, printed in list(commands(lines)):
        if STAYS.search(command):
            continue
        came = run(command, folder)
        came = [] if came == [""] else came
        if writes:
            new = shown(printed, came)
            end = at + moved + 1 + len(printed)
            lines[at + moved + 1:end] = new + [""] * (len(new) > 1 and end < len(lines) and lines[end].startswith("    $ "))
            moved = len(lines) - before
        else:
            check(f"{page}:{at + 1}: {command}", same(command, printed, came), "\n".join(came))
    if writes:
        (source / page).write_text("\n".join(lines))
    shutil.rmtree(folder)


# ---- Words and options ---------------------------------------------------------------------------

def help_of(words):
    done = subprocess.run([heaptap, *words, "--help"], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    return done.stdout if done.returncode == 0 else None


def fault(words):
    """What is wrong with a command; "" for nothing."""
    words = ["summary", *words] if re.search(r"\.(ctf|pb\.gz)$", words[0]) else words     # a file alone
    for size in (2, 1):
        name = words[:size]
        text = help_of(name) if size == 1 or len(words) > 1 and re.fullmatch("[a-z]+", words[1]) and words[0] in ("fleet", "file") else None
        if text:
            break
    if text is None:
        return f"there is no command '{words[0]}'"
    variant = next((word for word in words if word in ("--long", "--callers", "--callees", "--skill")), None)
    text += help_of([words[0], variant]) or "" if variant and len(name) == 1 else ""
    text += help_of(["view", "--output"]) or "" if words[0] == "view" else ""
    for word in words[len(name):]:
        if word == "--":
            return ""
        option = re.match(r"--([a-z][a-z-]*)", word)
        if option and f"--{option[1]}" not in text and not re.search(rf"^  --?{option[1]}", text, re.M):
            known = subprocess.run([heaptap, "help", "clauses"], capture_output=True, text=True, check=True).stdout
            if option[1] not in known and option[1] not in ("top", "node-count"):
                return f"{name[0]} has no option --{option[1]}"
        elif not word.startswith("-") and words[0] == "record":
            return ""
    return ""


def check_words(page):
    lines, wrong = (source / page).read_text().split("\n"), []
    for start, end in blocks(lines):
        for number in range(start, end):
            found = re.match(r"    (?:\$ )?heaptap ([a-z].*)", lines[number])
            if found:
                words = re.split(r"\s{2,}#|\s{3,}|\s#\s", found[1])[0].replace("'", "").replace('"', "").split()
                problem = fault(words) if words[0] not in ("help", "COMMAND") and not words[0].endswith(":") else ""
                wrong += [f"{page}:{number + 1}: {problem}"] if problem else []
    check(f"{page}: commands and options", not wrong, "\n".join(wrong))


# Names of libc's functions come from its debug files, and which functions are inlined is the compiler's to choose.
version = subprocess.run(["gcc", "-dumpversion"], capture_output=True, text=True, check=False).stdout.strip()
if os.environ.get("SANITIZED"):
    print(f"ok {(count := count + 1)} - what commands print # SKIP a sanitized build has no recorder")
elif version == "12" and os.path.isdir("/usr/lib/debug/.build-id"):
    for page in RUN:
        play(page, "--write" in sys.argv)
else:
    print(f"ok {(count := count + 1)} - what commands print # SKIP the pages are of gcc 12, with libc's debug files")
for page in ["README.md", *sorted(f"docs/{path.name}" for path in (source / "docs").glob("*.md"))]:
    check_words(page)
print(f"1..{count}")
sys.exit(1 if failed else 0)
