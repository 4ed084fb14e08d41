"""Whether a place leaks is judged by its process's own run, whenever that began and however long the others ran.  Prints TAP."""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from recorded import HEAPTAP, check, end, run  # noqa: E402

STEPS, STEP_US = 640, 1000
RUN_US = STEPS * STEP_US


KINDS = {  # by name: the step in which block i, born in step i, ends; None for never
    "leaks": lambda i: i + 2 if i % 4 else None,
    "grows": lambda i: None,
    "cache": lambda i: i + 100 if i + 100 < STEPS else None,
    "grew and stopped": lambda i: None if i < STEPS // 2 else i + 1,
    "from start": lambda i: None if i < STEPS // 8 else i + 1,
}


def events(dies):
    lines = []
    for i in range(STEPS):
        lines.append((i * STEP_US, 1, f"0 {i * STEP_US} {i} 200"))
        if dies(i) is not None and dies(i) < STEPS:
            lines.append((dies(i) * STEP_US, 0, f"0 {dies(i) * STEP_US} {i} 0"))
    return "\n".join(line for _, _, line in sorted(lines)) + f"\n-1 {RUN_US} 0 0\n"


def make(name, text, later_us):
    with open(name, "wb") as file:
        subprocess.run([os.environ["MAKE_TRACE"], "events"], input=text.encode(), stdout=file, check=True,
                       env={**os.environ, "LATER_US": str(later_us)})


def site(*words, whole="0"):
    got = json.loads(run(HEAPTAP, "leaks", "--json", *words, env={**os.environ, "HEAPTAP_WHOLE_MODEL": whole}).stdout)["sites"]
    return max(got, key=lambda one: one["allocated_bytes"]) if got else None


def same(one, other):
    """Times are parts of 64 steps: an error of a step is allowed."""
    numbers = ("growth", "growth_low", "growth_high", "stays_us")
    return one["verdict"] == other["verdict"] and all(
        abs((one.get(name) or 0) - (other.get(name) or 0)) <= .05 * abs(one.get(name) or 0) + 1e-6 for name in numbers)


def words(one):
    """The evidence without its figures."""
    return re.sub("[0-9.]+", "N", one["evidence"])


SHELL = "1 5 1 1\n-1 {} 0 0\n"  # one byte, which moves averages by bytes by no more than is allowed
for name, dies in KINDS.items():
    make("own.ctf", events(dies), 0)
    alone = site("own.ctf")
    check(alone["verdict"] in ("leaks", "grows") if name in ("leaks", "grows") else alone["verdict"] not in ("leaks", "grows"), f"{name}: alone",
          f"{alone}")
    for later, after in ((0, 9), (4.5, 4.5), (9, 0), (9, 1000)):
        make("late.ctf", events(dies), int(later * RUN_US))
        make("shell.ctf", SHELL.format(int((later + 1 + after) * RUN_US)), 0)
        for whole in "01":
            together = site("shell.ctf", "late.ctf", whole=whole)
            check(same(alone, together), f"{name}: {later} runs later, of {later + 1 + after} (whole model: {whole})", f"{alone}\n{together}")
        check(words(together) == words(alone), f"{name}: {later} runs later, the sentence", f"{alone['evidence']}\n{together['evidence']}")
    # Two runs of one program, one long after the other.
    make("again.ctf", events(dies), 600 * RUN_US)
    twice = site("own.ctf", "again.ctf")
    check(twice["verdict"] == alone["verdict"], f"{name}: two runs", f"{alone}\n{twice}")
end()
