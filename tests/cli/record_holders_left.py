"""What is left at the end, and what held it: the summary's share is of blocks that nobody has freed as the recording ends, whatever a
snapshot, which is taken before destructors run, has besides.  And `heaptap leaks` of what is lost."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from recorded import HEAPTAP, check, end, run  # noqa: E402

PROGRAM = """#include <cstdlib>
#include <memory>
#include <vector>
struct Row { char bytes[1000]; };
std::vector<std::unique_ptr<Row>> table;
void *kept;
__attribute__((noinline)) void fill()
{
    table.reserve(700);
    for (int i = 0; i < 700; i++)
        table.push_back(std::make_unique<Row>());
}
__attribute__((noinline)) void lose()
{
    for (int i = 0; i < 50; i++) {
        void *volatile block = malloc(4000);
        block = nullptr;
    }
}
__attribute__((noinline)) void keep()
{
    kept = malloc(KEPT);
}
int main()
{
    fill();
    lose();
    keep();
    return 0;
}
"""


def recorded(name, kept):
    with open(f"{name}.cpp", "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    subprocess.run(["g++", "-g", "-O1", "-w", f"-DKEPT={kept}", "-o", name, f"{name}.cpp"], check=True)
    run(HEAPTAP, "record", "-q", "--holders", "-o", f"{name}.ctf", f"./{name}")
    return f"{name}.ctf"


def asked(command, *arguments):
    return json.loads(run(HEAPTAP, command, "--json", *arguments).stdout)


def left_of(*arguments):
    return [card for card in asked("summary", *arguments)["cards"] if card["card"] == "left"][0]


# ---- Most is lost
lost = recorded("lost", 10)
held = asked("holders", lost)
check(held["snapshot"]["bytes"] > 900000 and held["snapshot"]["lost_bytes"] == 200000 and held["roots"][0]["name"] == "table",
      "the snapshot has what destructors free", f"{held['snapshot']}")
left = left_of(lost)
check(200010 <= left["value"] < 300000 and left["kept_by"].startswith("nothing -> lose (lost.cpp:") and abs(left["kept_share"] - 200000 / left["value"]) < 1e-9,
      "what is left, of which most is lost", f"{left}")
check((left["kept_function"], left["kept_line"]) == ("lose", 16), "by the line that lost it", f"{left}")
text = run(HEAPTAP, lost).stdout
check(f"Of what is left at the end, {100 * 200000 / left['value']:.3g} % (195 kB) is lost: nothing leads to it\n    lose (lost.cpp:16)" in text,
      "in words", text)
check("table (global" not in text, "the table holds nothing of it", text)
left = left_of(lost, "focus=keep")
check((left["value"], left["kept_share"]) == (10, 1) and left["kept_by"].startswith("kept (global, lost.cpp:6)"), "and under a filter", f"{left}")
check("kept_by" not in left_of(lost, "focus=fill"), "nothing is left of what destructors free")

# ---- Most is held
kept = recorded("kept", 600000)
left = left_of(kept)
check(left["kept_by"].startswith("kept (global, kept.cpp:6)") and abs(left["kept_share"] - 600000 / left["value"]) < 1e-9, "what is left, of which most is held",
      f"{left}")
check(f"Most of what is left at the end, {100 * 600000 / left['value']:.0f} %, is held by\n    kept (global" in run(HEAPTAP, kept).stdout, "in words")

# ---- Leaks
verdicts = {site["function"]: site["verdict"] for site in asked("leaks", lost)["sites"]}
check(verdicts.get("lose") == "lost" and verdicts.get("keep") != "lost", "leaks: what is lost", f"{verdicts}")
site = [site for site in asked("leaks", lost)["sites"] if site["function"] == "lose"][0]
check(site["evidence"] == "nothing leads to 100 % of what is left, which is lost", "... and why", f"{site}")
verdicts = {site["function"]: site["verdict"] for site in asked("leaks", lost, "size>=1k")["sites"]}
check(verdicts.get("lose") != "lost", "not with a filter of sizes, of which the snapshot says nothing", f"{verdicts}")
run(HEAPTAP, "record", "-q", "--all", "-o", "plain.ctf", "./lost")
check("lost" not in [site["verdict"] for site in asked("leaks", "plain.ctf")["sites"]], "nor without a snapshot")
text = run(HEAPTAP, "leaks", lost, "live-at=end").stdout
check("No verdict on what grows: the filter chooses blocks by what becomes of them\n" in text and " VERDICT " not in text,
      "a table without verdicts says why", text)
end()
