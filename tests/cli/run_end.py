"""A run ends when its program does, which may be long after its last event: what is left lives until then, growth that stopped has stopped,
and each report has the same end.  Prints TAP."""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from recorded import HEAPTAP, check, end, run  # noqa: E402

EVERY_US, BLOCKS = 1000, 300
LAST_US = EVERY_US * BLOCKS
FILLED = "".join(f"0 {EVERY_US * i} {i} 200\n" for i in range(1, BLOCKS + 1))


def make(name, text):
    with open(name, "wb") as file:
        subprocess.run([os.environ["MAKE_TRACE"], "events"], input=text.encode(), stdout=file, check=True)


def answer(*words):
    got = run(HEAPTAP, words[0], "--json", *words[1:])
    return json.loads(got.stdout) if got.returncode == 0 else got


def verdict(*traces):
    return answer("leaks", *traces)["sites"][0]["verdict"]


def ends_of(trace):
    """By report, when it has the run end, with a filter that all blocks pass and without."""
    for words in ([trace], [trace, "size>=1"]):
        yield "info", answer("info", *words)["time"]["end_us"]
        yield "leaks, mean age", answer("leaks", *words)["sites"][0]["mean_age_us"] + LAST_US / 2 + EVERY_US / 2
        yield "timeline", answer("timeline", *words)["series"]["to_us"] - 1
        run(HEAPTAP, "pprof", *words, "-o", "x.pb.gz")
        yield "pprof", answer("info", "x.pb.gz")["duration_ns"] / 1000
    yield "age", LAST_US if answer("info", trace, f"age>={LAST_US + 1}us")["allocated"]["objects"] == 0 else \
        answer("info", trace, f"age>={9 * LAST_US}us")["allocated"]["objects"] / BLOCKS * 10 * LAST_US


# By name: what is said of the end, and when it is.
ENDS = {"nothing": ("", LAST_US),
        "later": (f"-1 {10 * LAST_US} 0 0\n", 10 * LAST_US),
        "at the last event": (f"-1 {LAST_US} 0 0\n", LAST_US),
        "before the last event, by an exec that failed": ("-1 5 0 0\n", LAST_US),
        "twice": (f"-1 5 0 0\n-1 {10 * LAST_US} 0 0\n", 10 * LAST_US),
        "in no time that there is": ("-1 -1 0 0\n", LAST_US),
        "in the last of all times": (f"-1 {2 ** 63 - 1} 0 0\n", LAST_US)}
for name, (text, end_us) in ENDS.items():
    make("x.ctf", FILLED + text)
    for report, got in ends_of("x.ctf"):
        check(abs(got - end_us) <= 1, f"the program ends {name}: {report}", f"{got} {end_us}")
    got = verdict("x.ctf")
    check(got == ("grows" if end_us == LAST_US else "from start"), f"the program ends {name}: the verdict", got)
said = run(HEAPTAP, "info", "x.ctf").stdout
check(re.search("^Ran +300 ms until the last event$", said, re.M), "in words", said)
make("x.ctf", FILLED + ENDS["later"][0])
said = run(HEAPTAP, "info", "x.ctf").stdout
check(re.search("^Ran +3 s, with the last event after 300 ms$", said, re.M), "... where it ends later", said)
check("alive at the end, after 3 s" in run(HEAPTAP, "leaks", "x.ctf").stdout, "... and in leaks")
for command in (["strip"], ["convert"], ["subsample", "--from", "10ms", "--to", "100ms"]):
    run(HEAPTAP, "file", *command, "-o", "y.ctf", "x.ctf")
    check(answer("info", "y.ctf")["time"]["end_us"] == 10 * LAST_US, f"what file {command[0]} writes ends then, too")

# Several traces as one: the end is that of the last.
make("a.ctf", FILLED)
make("b.ctf", FILLED + ENDS["later"][0])
check(answer("info", "b.ctf")["time"]["end_us"] == 10 * LAST_US, "one of two")
os.mkdir("tree")
for name in "ab":
    os.rename(f"{name}.ctf", f"tree/{name}.ctf")
check(answer("leaks", "tree")["sites"][0]["oldest_us"] == 10 * LAST_US - EVERY_US, "both", f"{answer('leaks', 'tree')['sites'][0]}")

if os.environ.get("PRELOAD") and not os.environ["SANITIZED"]:
    with open("fills.c", "w", encoding="ascii") as file:
        file.write("""#include <stdlib.h>
#include <unistd.h>
static void *volatile kept;
int main(void)
{
    for (int i = 0; i < 200; i++, usleep(200))
        kept = malloc(200);
    usleep(2000000);
}
""")
    run("cc", "-g", "-O0", "-o", "fills", "fills.c")
    for mode in (["--all"], ["--rate", "0.1"]):
        run(HEAPTAP, "record", *mode, "-q", "-o", "y.ctf", "./fills")
        times = answer("info", "y.ctf")["time"]
        check(times["end_us"] >= times["last_us"] + 1900000 and verdict("y.ctf") == "from start", f"a program that fills a table, {mode}",
              f"{times} {run(HEAPTAP, 'leaks', 'y.ctf').stdout}")
    for name, *options in (["y.ctf"], ["y.ctf", "--no-symbols"], ["y.ctf.gz"]):
        killed = run(HEAPTAP, "record", "--all", "-q", "-o", name, *options, "sh", "-c", "(sleep 1.5; kill -9 $$) & exec ./fills")
        times = answer("info", name)["time"]
        check(killed.returncode == 137 and times["end_us"] >= times["last_us"] + 400000 and verdict(name) == "from start",
              f"one that is killed, {name} {options}", f"{killed} {times}")
    # Children that a signal ends, one after the other: nobody but their parent knows when, and what they had is gone.
    with open("dies.c", "w", encoding="ascii") as file:
        file.write("""#include <signal.h>
#include <stdlib.h>
static void *volatile kept;
int main(int count, char **words)
{
    for (int i = 0; i < 300; i++)
        kept = malloc(10000);
    return count > 1 ? raise(atoi(words[1])) : 0;
}
""")
    run("cc", "-g", "-O0", "-o", "dies", "dies.c")
    for words in ("", "9", "15", "11"):
        for options in ([], ["--no-symbols"]):
            folder = f"children{words}{''.join(options)}"
            os.mkdir(folder)
            run(HEAPTAP, "record", "--all", "-q", *options, "-o", f"{folder}/%p.ctf", "sh", "-c", f"for i in 1 2 3 4 5; do ./dies {words}; sleep 0.1; done; true")
            peak = answer("summary", folder)["cards"][0]["value"]
            check(3000000 <= peak < 4000000, f"the peak of five children, one after the other, signal {words} {options}", f"{peak}")
end()
