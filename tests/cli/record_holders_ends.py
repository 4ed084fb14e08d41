"""Roots that are on the stack when the program ends: they are the program's functions, however it ends, and where they hold what another
root holds too, that is said."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from recorded import HEAPTAP, check, end, run  # noqa: E402

PROGRAM = """#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct node { struct node *next; char rest[96]; };
struct node *volatile book;
static __attribute__((noinline)) struct node *fill(int count)
{
    struct node *first = NULL;
    for (int i = 0; i < count; i++) {
        struct node *one = malloc(sizeof *one);
        one->next = first;
        first = one;
    }
    return first;
}
static __attribute__((noinline)) void leave(const char *how, struct node *volatile *mine)
{
    if (strcmp(how, "_Exit") == 0)
        _Exit(0);
    if (strcmp(how, "_exit") == 0)
        _exit(0);
    if (strcmp(how, "quick_exit") == 0)
        quick_exit(0);
    if (strcmp(how, "exit") == 0)
        exit(0);
    free(*mine);
}
int main(int count, char **words)
{
    struct node *volatile mine = fill(1000);
    if (words[2])
        book = mine;
    leave(words[1], &mine);
    return 0;
}
"""
with open("ends.c", "w", encoding="ascii") as file:
    file.write(PROGRAM)
subprocess.run(["gcc", "-g", "-O1", "-w", "-o", "ends", "ends.c"], check=True)


def holders(*words):
    run(HEAPTAP, "record", "-q", "--all", "--holders", "-o", "x.ctf", "--", "./ends", *words)
    return json.loads(run(HEAPTAP, "holders", "--json", "x.ctf").stdout), run(HEAPTAP, "holders", "x.ctf").stdout


for how in ("_Exit", "_exit", "quick_exit", "exit"):
    answer, text = holders(how)
    names = [root["name"] for root in answer["roots"]]
    check(names and all(name.split(",")[0] in ("main", "leave") for name in names), f"roots are functions of the program: {how}", text)
    check("/tap/" not in text and "src/" not in text, f"... and none of heaptap's own files is named: {how}", text)

    answer, text = holders(how, "too")
    root = answer["roots"][0]
    check((root["name"], root["bytes"], root["retained_bytes"]) == ("book", 104000, 0), f"a list is held by a variable and the stack: {how}", text)
    check(root.get("shared_bytes") == 104000 and root.get("shared_with", "").split(",")[0] in ("main", "leave"), f"... JSON names the other root: {how}", f"{root}")
    said = [line for line in text.splitlines() if line.startswith("102 kB of book (global, ends.c:6) is held by another root as well: ")]
    check(len(said) == 1 and ("main, ends, " in said[0] or "leave, ends, " in said[0]) and "(stack, ends.c:" in said[0], f"... and so does a line: {how}", text)

ALONE = """
static __attribute__((noinline)) void fill_book(void)
{
    book = fill(1000);
}
static __attribute__((noinline)) void clear_stack(void)
{
    char room[8192];
    memset(room, 0, sizeof room);
    __asm__ volatile("" : : "r"(room) : "memory");
}
int main(void)
{
    fill_book();
    clear_stack();
    return 0;
}
"""
with open("alone.c", "w", encoding="ascii") as file:
    file.write(PROGRAM[:PROGRAM.index("static __attribute__((noinline)) void leave")] + ALONE)
subprocess.run(["gcc", "-g", "-O1", "-w", "-o", "ends", "alone.c"], check=True)
answer, text = holders("end")
root = answer["roots"][0]
check((root["name"], root["retained_bytes"], "shared_with" in root, "as well" in text) == ("book", 104000, False, False), "of what one root holds alone nothing is said", f"{root} {text}")
end()
