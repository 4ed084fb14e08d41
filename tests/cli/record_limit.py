"""The memory that a process may have is recorded, and leaks says when what grows has filled it."""
import json
import os
import sys

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from recorded import HEAPTAP, check, end, run  # noqa: E402

PROGRAM = """#include <stdlib.h>
#include <unistd.h>
static void *volatile kept;
static void keep(size_t bytes) { kept = malloc(bytes); }
int main(int count, char **words)
{
    for (int i = 0; i < 600; i++, usleep(1000))
        if (words[1])
            keep((size_t)atol(words[1]));
        else
            free(malloc(64));
}
"""
with open("grows.c", "w", encoding="ascii") as file:
    file.write(PROGRAM)
run("cc", "-g", "-O0", "-o", "grows", "grows.c")
LIMIT = 2000000 << 10


def leaks(bytes_of, *options):
    ran = run("sh", "-c", f"ulimit -v 2000000; exec ./grows {bytes_of}")
    got = run(HEAPTAP, "record", "--all", "-q", "-o", "x.ctf", "sh", "-c", f"ulimit -v 2000000; exec ./grows {bytes_of}")
    check((got.returncode, got.stdout) == (ran.returncode, ran.stdout), f"the program runs: {bytes_of} {options}", f"{got}")
    return json.loads(run(HEAPTAP, "leaks", "--json", *options, "x.ctf").stdout), run(HEAPTAP, "leaks", *options, "x.ctf").stdout


answer, text = leaks(65536)
full = answer.get("full", {})
check((full.get("limit_bytes"), full.get("limit_of")) == (LIMIT, "address-space"), "the limit that it was recorded with", f"{answer}")
alive = 600 * 65536
check(full and abs(full["full_us"] - 1e6 * (LIMIT - alive) / full["growth"]) < .01 * full["full_us"], "when it is full", f"{full}")
check("\nFull in " in text and "): the 1.9 GB of address space that the process may have\n" in text, "... in words", text)
answer, text = leaks(65536, "--limit", "64MB")
check((answer["full"]["limit_bytes"], answer["full"]["limit_of"]) == (64 << 20, "option"), "a limit that is given goes before", f"{answer['full']}")
answer, text = leaks(16)
check("full" not in answer and "Full in" not in text and answer["sites"], "not where that is more than a hundred times the run ahead", text)
answer, text = leaks("")
check("full" not in answer and "Full in" not in text, "not where nothing grows", text)
run(HEAPTAP, "record", "--all", "-q", "-o", "x.ctf", "./grows", "65536")
with open("/proc/meminfo", encoding="ascii") as file:
    machine = int(file.readline().split()[1]) << 10
named = [record["value"].split() for record in json.loads(run(HEAPTAP, "info", "--json", "x.ctf").stdout)["properties"] if record["name"] == "memory-limit"]
check(len(named) == 1 and named[0][0] in ("machine", "cgroup", "address-space") and int(named[0][1]) <= machine, "without ulimit, the group's or the machine's", f"{named}")
end()
