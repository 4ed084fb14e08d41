"""heaptap record --holders: snapshots while the program runs, by SIGUSR1, by size and by time; and which of them heaptap holders shows."""
import json
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from recorded import DEADLINE_S, HEAPTAP, check, compile_it, end, run  # noqa: E402

MEGABYTE = 1 << 20
compile_it("gcc", "holders_times.c", "times")


class Program:
    """The program, recorded; `pid` is its own."""

    def __init__(self, file, *options):
        self.file = file
        command = [HEAPTAP, "record", "-q", "-o", file, *options, "./times"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.process.stdout.readline()
        children = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        with open(children) as listed:
            self.pid = int(listed.read().split()[0])

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        self.process.stdout.readline()

    def ask(self):
        """A signal; until the copy of the program has ended."""
        os.kill(self.pid, signal.SIGUSR1)
        until = time.monotonic() + DEADLINE_S
        time.sleep(0.1)
        while time.monotonic() < until and any(self.is_copy(int(name)) for name in os.listdir("/proc") if name.isdigit()):
            time.sleep(0.02)

    def is_copy(self, pid):
        try:
            with open(f"/proc/{pid}/stat") as file:
                text = file.read()
        except OSError:
            return False
        state, parent = text.rpartition(")")[2].split()[:2]
        return int(parent) == self.pid and state != "Z"

    def end(self):
        out, error = self.process.communicate(timeout=DEADLINE_S)
        return self.process.returncode, out, error


def holders(file, *options):
    result = run(HEAPTAP, "holders", "--json", file, *options)
    return json.loads(result.stdout) if result.returncode == 0 else result.stderr


# ---- SIGUSR1
program = Program("signal.ctf", "--holders")
for times in range(3):
    program.say("more")
    program.ask()
program.say("more")
check(program.end() == (0, "0 0 0 -1 1\n", ""), "the program sees no child, no SIGCHLD, and no handler of fork")
answer = holders("signal.ctf")
told = [(row["number"], row["cause"], row["bytes"] // MEGABYTE) for row in answer["snapshots"]]
check(told == [(1, "signal", 1), (2, "signal", 2), (3, "signal", 3), (4, "end", 4)], "three snapshots by SIGUSR1, and the last", f"{told}")
check((answer["snapshot"]["number"], answer["snapshot"]["cause"]) == (4, "end"), "the last one answers by default", f"{answer['snapshot']}")
times = [row["at_us"] for row in answer["snapshots"]]
check(times == sorted(times) and times[0] > 0, "their times", f"{times}")
second = holders("signal.ctf", "--snapshot", "2")
check(second["snapshot"]["number"] == 2 and second["sites"][0]["bytes"] == 2 * MEGABYTE and second["snapshots"] == answer["snapshots"],
      "--snapshot 2", f"{second['snapshot']}")
check(second["sites"][0]["paths"][0]["through"].startswith("list (global, holders_times.c:"), "held by the list, not by a stack",
      f"{second['sites'][0]}")
check(holders("signal.ctf", "--snapshot", f"{times[1] + 1}us")["snapshot"]["number"] == 2, "--snapshot takes a time")
for wrong, message in (("5", "no such snapshot"), ("0", "no such snapshot"), ("1us", "no such snapshot"), ("x", "a number from 1 on")):
    refused = holders("signal.ctf", "--snapshot", wrong)
    check(isinstance(refused, str) and message in refused, f"--snapshot {wrong} is refused", f"{refused}")
text = run(HEAPTAP, "holders", "signal.ctf", "--snapshot", "1").stdout
check(" alive after " in text and "This is snapshot 1 of 4" in text, "text tells which one it is", text)
check(not [name for name in os.listdir(".") if ".holders" in name], "no file of a snapshot is left")
run(HEAPTAP, "file", "convert", "--compress", "gzip", "-o", "x.ctf.gz", "signal.ctf")
check(holders("x.ctf.gz", "--snapshot", "2")["sites"] == second["sites"], "file convert keeps all of them")

program = Program("own.ctf", "--holders")
program.say("own")
os.kill(program.pid, signal.SIGUSR1)
time.sleep(0.1)
check(program.end() == (0, "1 0 0 -1 1\n", ""), "a program that handles SIGUSR1 gets it")
check(holders("own.ctf")["snapshot"]["number"] == 1, "and there is the last snapshot alone")

# Whom the program starts is ended by the signal, as without the recorder: what it forks, and what that becomes.
with open("ends.c", "w") as file:
    file.write("""#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    for (int exec = 0; exec < 2; exec++) {
        int status;
        pid_t child = fork();
        if (child == 0 && exec)
            execl("/bin/sleep", "sleep", "20", (char *)0);
        if (child == 0)
            pause();
        usleep(400000);
        kill(child, SIGUSR1);
        waitpid(child, &status, 0);
        printf("%d ", status);
    }
    return 0;
}
""")
subprocess.run(["gcc", "-w", "-o", "ends", "ends.c"], check=True)
result = run(HEAPTAP, "record", "-q", "--holders", "-o", "ends.ctf", "--", "sh", "-c", "exec ./ends")
check((result.returncode, result.stdout) == (0, f"{signal.SIGUSR1} {signal.SIGUSR1} "), "children end by SIGUSR1, with exec and without", f"{result}")

# ---- Size
for stale in ("size.ctf.holders.1", "size.ctf.holders.2"):
    with open(stale, "w") as file:
        file.write("of an earlier run")
program = Program("size.ctf", "--holders-above", "20M")
for times in range(50):
    program.say("more")
    time.sleep(0.03)
code, out, error = program.end()
answer = holders("size.ctf")
told = [(row["cause"], row["bytes"] / MEGABYTE) for row in answer.get("snapshots", [])]
check((code, error) == (0, "") and [cause for cause, _ in told] == ["size", "size", "end"] and 10 < told[0][1] <= 21 and 20 < told[1][1] <= 41,
      "--holders-above: at the size, and at twice that", f"{told} {error}")

# ---- Time
program = Program("every.ctf", "--holders-every", "1s")
program.say("more")
for times in range(12):
    time.sleep(0.2)
    program.say("more")
program.end()
told = [row["cause"] for row in holders("every.ctf")["snapshots"]]
check(told in (["interval"] * 2 + ["end"], ["interval"] + ["end"]), "--holders-every", f"{told}")

# ---- Other reports
def other(command, *arguments):
    return json.loads(run(HEAPTAP, command, "--json", *arguments).stdout)


for megabytes in (3, 9):
    program = Program(f"{megabytes}.ctf", "--holders")
    for times in range(megabytes):
        program.say("more")
    program.end()
roots = other("compare", "3.ctf", "9.ctf")["roots"]
check([(root["name"], root["kind"], root["before"], root["after"], root["change"], root["after_retained"]) for root in roots] ==
      [("list", "global", 3 * MEGABYTE, 9 * MEGABYTE, 6 * MEGABYTE, 9 * MEGABYTE)], "compare: what a root holds more than before", f"{roots}")
check(other("compare", "3.ctf", "3.ctf")["roots"] == [], "compare: nothing has changed")
check("roots" not in other("compare", "3.ctf", "9.ctf", "focus=fill"), "compare: a filter chooses what allocated, not what holds")
text = run(HEAPTAP, "compare", "3.ctf", "9.ctf", "focus=fill").stdout
check("What roots hold is of all blocks, and is compared without a filter" in text, "... and says so", text)
text = run(HEAPTAP, "compare", "3.ctf", "9.ctf").stdout
check("1 of 1 roots that hold more or less" in text, "compare: text", text)

# The source was renamed between the two: one root still.
with open(os.environ["SOURCE"] + "/tests/targets/holders_times.c") as source, open("renamed.c", "w") as renamed:
    renamed.write("\n" + source.read())
subprocess.run(["gcc", "-g", "-O1", "-pthread", "renamed.c", "-o", "times"], check=True)
program = Program("renamed.ctf", "--holders")
program.say("more")
program.end()
roots = other("compare", "3.ctf", "renamed.ctf")["roots"]
check([(root["name"], root["before"], root["after"]) for root in roots] == [("list", 3 * MEGABYTE, MEGABYTE)],
      "compare: a root whose source file was renamed is one", f"{roots}")
left = [card for card in other("summary", "9.ctf")["cards"] if card["card"] == "left"][0]
check(left["kept_by"].startswith("list (global, holders_times.c:") and 0.99 < left["kept_share"] <= 1, "summary: what is left is kept by", f"{left}")
text = run(HEAPTAP, "9.ctf").stdout
check("Most of what is left at the end, 100 %, is held by\n    list (global" in text, "summary: text", text)
check("kept_by" not in json.dumps(other("summary", "9.ctf", "size>=4k")), "summary: not with a filter of sizes")

# ---- A filter, and traces without a snapshot
with open("table.c", "w") as file:
    file.write("""#include <stdlib.h>
static void **table, *volatile lost;
__attribute__((noinline)) static void make_table(void)
{
    table = calloc(100, sizeof *table);
}
__attribute__((noinline)) static void load(int i)
{
    table[i] = calloc(1, 500);
}
int main(void)
{
    make_table();
    for (int i = 0; i < 100; i++)
        load(i);
    for (int i = 0; i < 30; i++)
        lost = malloc(100);
    lost = NULL;
    return 0;
}
""")
subprocess.run(["gcc", "-g", "-O1", "-w", "-o", "table", "table.c"], check=True)
run(HEAPTAP, "record", "-q", "--holders", "-o", "table.ctf", "./table")
for clause in ([], ["focus=load"], ["ignore=make_table"]):
    sites = [site for site in other("holders", "table.ctf", *clause)["sites"] if site["function"] == "load"]
    steps = [step.get("function") for step in sites[0]["paths"][0]["steps"]]
    check(steps[1:] == ["make_table", "load"], f"places on the way keep their names: {clause}", f"{steps}")
left = [card for card in other("summary", "table.ctf")["cards"] if card["card"] == "left"][0]
check(left["kept_by"].startswith("table (global, table.c:2) -> ") and abs(left["kept_share"] - 50000 / 53800) < 1e-9, "summary: the share that is held so", f"{left}")
with open("many.c", "w") as file:
    file.write("#include <stdlib.h>\n" + "".join(f"void *v{i};\n" for i in range(10)) +
               "int main(void)\n{\n" + "".join(f"    v{i} = malloc({1000 + 10 * i});\n" for i in range(10)) + "    return 0;\n}\n")
subprocess.run(["gcc", "-g", "-O1", "-w", "-o", "many", "many.c"], check=True)
run(HEAPTAP, "record", "-q", "--holders", "-o", "many.ctf", "./many")
check("Of what is left at the end, 10.4 % is held by\n    v9 (global, many.c:11)" in run(HEAPTAP, "many.ctf").stdout, "summary: no more is called most than half",
      run(HEAPTAP, "many.ctf").stdout)
run(HEAPTAP, "record", "-q", "--holders", "-o", "killed.ctf", "--", "sh", "-c", "kill -9 $$")
run(HEAPTAP, "record", "-q", "-o", "plain.ctf", "--", "sh", "-c", "true")
for traces, reason in ((["killed.ctf"], "the program still runs, was killed, executed another"), (["3.ctf", "9.ctf"], "ask for one of them"), (["plain.ctf"], "`heaptap record --holders` does that")):
    refused = run(HEAPTAP, "holders", *traces)
    check(refused.returncode != 0 and reason in refused.stderr, f"{' '.join(traces)}: why nothing is known", refused.stderr)

for option, value in (("--holders-every", "0.1s"), ("--holders-every", "soon"), ("--holders-above", "much"), ("--holders-above", "0")):
    refused = run(HEAPTAP, "record", option, value, "true")
    check(refused.returncode == 2 and option in refused.stderr, f"{option} {value} is refused", refused.stderr)
end()
