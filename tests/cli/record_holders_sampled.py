"""heaptap record --holders --rate: what holds samples of a program's blocks, through blocks that were not sampled, against what holds
all of them."""
import json
import os
import sys

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from recorded import HEAPTAP, check, compile_it, end, run  # noqa: E402

compile_it("g++", "holders_sampled.cc", "sampled")


def recorded(*options):
    """What the program says that it lost, and the answer."""
    result = run(HEAPTAP, "record", "--holders", "-q", "-o", "x.ctf", *options, "./sampled")
    check((result.returncode, result.stderr) == (0, ""), f"recorded with {options}", result.stderr)
    answer = json.loads(run(HEAPTAP, "holders", "--json", "-n", "0", "--paths", "100", "--roots", "100", "x.ctf").stdout)
    return int(result.stdout), answer


def by_function(answer, member):
    sums = {}
    for site in answer["sites"]:
        sums[site["function"]] = sums.get(site["function"], 0) + (site[member] or 0)
    return sums


def of_root(answer, name):
    return sum(root["bytes"] for root in answer["roots"] if root["name"] == name)


def near(found, wanted, share=0.1):
    return abs(found - wanted) <= share * wanted


truth, exact = recorded()
check(exact["snapshot"]["lost_bytes"] == truth and "lost_bytes_low" not in exact["snapshot"], "every block: the bytes that are lost",
      f"{exact['snapshot']} {truth}")
for rate in ("0.05", "0.005"):
    lost, answer = recorded("--rate", rate)
    snapshot = answer["snapshot"]
    check(0.85 * lost <= snapshot["lost_bytes"] <= 1.15 * lost, f"rate {rate}: of what is lost, at least 85 % is found", f"{snapshot}")
    check(snapshot["lost_bytes_low"] < snapshot["lost_bytes"] < snapshot["lost_bytes_high"], "with bounds", f"{snapshot}")
    check(near(snapshot["bytes"], exact["snapshot"]["bytes"]) and near(snapshot["blocks"], exact["snapshot"]["blocks"]),
          "estimates of what is alive", f"{snapshot} {exact['snapshot']}")
    check({function for function, size in by_function(answer, "lost_bytes").items() if size} == {"lose_half"}, "nothing else is lost",
          f"{by_function(answer, 'lost_bytes')}")
    for name in ("shop::book", "words", "fill_by_thread()::others", "table"):
        check(near(of_root(answer, name), of_root(exact, name)), f"{name} holds what it does",
              f"{of_root(answer, name)} {of_root(exact, name)}")
    ways = [path["through"] for site in answer["sites"] for path in site["paths"] if site["function"] == "fill_book"]
    check(any("-> <not sampled> ->" in way for way in ways), "ways lead through blocks that were not sampled", f"{ways[:5]}")
    check(all("<not sampled> -> <not sampled>" not in way for way in ways), "of which several are one step", f"{ways[:5]}")
    check(all(site["retained_bytes"] is None for site in answer["sites"]), "what a place retains is not known")
end()
