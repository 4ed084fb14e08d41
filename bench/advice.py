#!/usr/bin/python3
"""What advice promises, and what its remedies save: a table for bench/RESULTS.md.

    bench/advice.py BUILD [--results FILE]

Runs the tests `cli advice-shapes ...`, which record each pair of tests/programs/advice with each compiler at hand.  A shape is right where the
first point names the line and the cause, no other cause is named, and the promise is within a fifth of what is saved.  Then the programs of bench/advice, which are written as users would write them and have no remedy beside them: how many are right.  With
--results the section "Advice" of that file is replaced, else it is printed.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile


def tests(build):
    """The tests of shapes: name and command, with its environment."""
    for test in json.loads(subprocess.check_output(["meson", "introspect", build, "--tests"])):
        if test["name"].startswith("cli advice-shapes") and "UNSEEN" not in test["env"]:
            yield test


def rows(build, programs=None):
    """LANGUAGE, COMPILER, SHAPE, VERDICT, RULE, LINE, PROMISE, SAVED of each."""
    with tempfile.TemporaryDirectory() as folder:
        results = os.path.join(folder, "results")
        for test in tests(build):
            unseen = {"UNSEEN": programs} if programs else {}
            subprocess.run(test["cmd"], env={**os.environ, **test["env"], **unseen, "RESULTS": results}, stdout=subprocess.DEVNULL, check=False)
        with open(results, encoding="utf-8") as file:
            for line in file:
                *words, says = line.rstrip("\n").split("\t")
                yield [*words, *says.split()]


def size(number):
    """2400000 as 2400 kB."""
    return f"{number / 1000:.0f} kB" if number else "-"


def table(found):
    by_language = collections.defaultdict(lambda: collections.defaultdict(dict))
    for language, compiler, shape, *rest in found:
        by_language[language][shape][compiler] = rest
    for language, shapes in by_language.items():
        compilers = sorted({compiler for shape in shapes.values() for compiler in shape})
        counts = [f"{compiler}: {sum(shape.get(compiler, ['wrong'])[0] == 'right' for shape in shapes.values())} of {len(shapes)} right" for compiler in compilers]
        yield f"### {language}"
        yield ""
        yield "; ".join(counts) + "."
        yield ""
        yield "| shape | cause | " + " | ".join(f"{compiler}: promise | saved | " for compiler in compilers)
        yield "|---|---|" + "---:|---:|---|" * len(compilers)
        for shape, of in shapes.items():
            cells = []
            for compiler in compilers:
                verdict, rule, _, promise, saved = of.get(compiler, ["missing", "", 0, 0, 0])
                cells += [size(int(promise)), size(int(saved)), "" if verdict == "right" else verdict]
            yield f"| {shape} | {rule} | " + " | ".join(cells) + " |"
        yield ""


def of_users(found):
    """One line for each compiler."""
    right = collections.defaultdict(lambda: [0, 0])
    for language, compiler, _, verdict, *_ in found:
        right[language, compiler][0] += verdict == "right"
        right[language, compiler][1] += 1
    yield "### Programs as users write them"
    yield ""
    yield from (f"- {compiler}: {good} of {of} right" for (_, compiler), (good, of) in right.items())
    yield ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--results")
    options = parser.parse_args()
    lines = ["## Advice", "", "`bench/advice.py`: each shape is a program with one fault and the same with the remedy that advice names, all blocks recorded. Right is where",
             "the first point names line and cause, no other cause is named, and the promise is within a fifth of what is saved; well_* have no fault.", "",
             *table(rows(options.build)), *of_users(rows(options.build, os.path.join(os.path.dirname(os.path.abspath(__file__)), "advice")))]
    text = "\n".join(lines)
    if not options.results:
        sys.exit(print(text))
    with open(options.results, encoding="utf-8") as file:
        before = file.read()
    section = re.compile(r"^## Advice\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
    after = section.sub(lambda _: text + "\n", before) if section.search(before) else before.rstrip("\n") + "\n\n" + text + "\n"
    with open(options.results, "w", encoding="utf-8") as file:
        file.write(after.rstrip("\n") + "\n")


main()
