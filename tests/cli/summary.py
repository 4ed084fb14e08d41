#!/usr/bin/python3
"""The cards of a summary say what hotspots says of the question that each card is: under filters made up at random, from the command
line and from the page's server.  Prints TAP."""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from alike import alike  # noqa: E402
from clause_reference import CLAUSES, Run, labels_of  # noqa: E402
from page_server import PageServer  # noqa: E402
import random_blocks as random_blocks_module  # noqa: E402
from random_blocks import random_blocks, write_profile, write_trace  # noqa: E402
from tap import check, end  # noqa: E402

HEAPTAP = os.environ["HEAPTAP"]
FILTERS = int(os.environ.get("FILTERS", 40))    # of each recording
UNFIT = {"tag"}     # traces have no labels
UNFIT_OF_PROFILES = {word for word in CLAUSES if word not in ("tag", "depth", "focus", "ignore", "site", "hide", "show", "show-from", "own", "libraries")}


def ask(*arguments):
    done = subprocess.run([HEAPTAP, *arguments], stdin=subprocess.DEVNULL, capture_output=True)
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr.decode()


def random_filter(chance, run, unfit):
    words = chance.sample([word for word in CLAUSES if word not in unfit], chance.randrange(3))
    return [CLAUSES[word](word, chance, run)[0] for word in words]


def wrong_of(card, file, clauses):
    """Where a card differs from the question that it is; "" for nowhere."""
    question = ["--json", "-g", "line", "-s", card["sample_type"], file, *clauses, *filter(None, [card["clause"]])]
    answer = ask("hotspots", *question)
    if isinstance(answer, str):
        return f"{question}: {answer}"
    total, sites = answer["total"], answer["sites"]
    figure = "bytes" if "bytes" in total else "value"
    pairs = [("value", card["value"], total[figure])]
    if card["card"] != "peak":   # whose bounds know that the place was looked for
        pairs += [(key, card.get("value" + key), total.get(figure + key)) for key in ("_low", "_high") if "value" + key in card]
    first = sites[0] if sites else {}
    pairs += [("share", card["share"], first.get("share"))]
    heaviest = [site for site in sites if not alike(site["share"], first["share"])]
    wrong = [f"{name}: {a} and {b}" for name, a, b in pairs if alike(a, b)]
    if sites and not any(all(card.get(key) == site.get(key) for key in ("function", "file", "line")) for site in heaviest):
        wrong.append(f"{card['function']} is not the heaviest, {first['function']}")
    told = sorted((caller for caller in first.get("callers", []) if caller["share_of_site"] >= 0.5), key=lambda caller: caller["distance"])[:1]
    if len(heaviest) == 1 and (card["caller"], card["caller_share"]) != ((told[0]["function"], told[0]["share_of_site"]) if told else (None, None)):
        wrong.append(f"called by {card['caller']}, {card['caller_share']}: not {told}")
    return f"{question}: {wrong}" if wrong else ""


def by_line(file, card=None):
    """What hotspots says of each line, and of all; of what a card counts."""
    question = ["-s", card["sample_type"], *filter(None, [card["clause"]])] if card else []
    answer = ask("hotspots", "--json", "-g", "line", "-n", "0", file, *question)
    figure = "bytes" if "bytes" in answer["total"] else "value"
    return {(site["function"], site["file"], site.get("line", site["places"][0]["line"] if site.get("places") else None)): site[figure]
            for site in answer["sites"]}, answer["total"][figure]


def by_function(now, before):
    """How much each function has changed, whose lines, and whose file, may have moved."""
    changes = {}
    for place in now | before:
        changes[place[0]] = changes.get(place[0], 0) + now.get(place, 0) - before.get(place, 0)
    return changes


def files_of(name, now, before):
    """The files of a function's name now; if it is gone, those before."""
    for lines in (now, before):
        if files := {place[1] for place in lines if place[0] == name and lines[place]}:
            return files
    return set()


def check_base(name, file, base):
    """The card of what changed says what differs between the answers of hotspots for both."""
    answer = ask("summary", "--json", file, "--base", base)
    card = answer["cards"][-1]
    (now, total), (before, total_before) = by_line(file, card), by_line(base, card)
    wanted = {"live-at-end": "collected=never", "peak": "live-at=peak"}.get(ask("compare", "--json", base, file)["measure"], "")
    check(f"{name}: what changed is of what compare takes", card["clause"] == (wanted if file.endswith(".ctf") else ""), (card, wanted))
    changes = by_function(now, before)
    most = max(changes.values(), key=abs)
    place = card["function"]
    check(f"{name}: with a base, what changed", card["card"] == "changed" and not alike(card["value"], total - total_before), (card, total, total_before))
    check(f"{name}: ... and the function that changed most", not alike(abs(changes[place]), abs(most)), (place, changes))
    check(f"{name}: ... in a file that has it now", card["file"] in files_of(place, now, before), (card, now))
    check(f"{name}: ... besides the same cards as without", answer["cards"][:-1] == ask("summary", "--json", file)["cards"])
    same = ask("summary", "--json", file, "--base", file)["cards"][-1]
    check(f"{name}: nothing changed from itself", (same["value"], same["function"]) == (0, None), same)


def check_store(top):
    """Of a store's day, what changed since the day before."""
    store, files = os.path.join(top, "fleet.db"), []
    subprocess.run([HEAPTAP, "fleet", "store", "init", store], check=True, capture_output=True)
    for day in range(3):
        files.append(os.path.join(top, f"day{day}.ctf"))
        write_trace(files[-1], random_blocks(20 + day, 1, 100)[0], 1)
        subprocess.run([HEAPTAP, "fleet", "store", "add", store, "-l", "service=api", files[-1]], check=True, capture_output=True)
        random_blocks_module.START += 86_400_000_000
    random_blocks_module.START -= 3 * 86_400_000_000
    card = ask("summary", "--json", f"store:{store}", "service=api", "time=2020-09-15")["cards"][-1]
    (now, total), (before, total_before) = by_line(files[2]), by_line(files[1])
    check("a store's day: what changed since the day before", card["card"] == "changed" and abs(card["value"] - total + total_before) <= 2, (card, total, total_before))
    changes = by_function(now, before)
    most = max(map(abs, changes.values()))
    place = card["function"]
    check("... and the function that changed most", abs(abs(changes[place]) - most) <= 2, (place, most))
    cards = [card["card"] for card in ask("summary", "--json", f"store:{store}", "service=api")["cards"]]
    check("without a time nothing is compared", cards == ["in-use", "total"], cards)
    first = ask("summary", "--json", f"store:{store}", "service=api", "time=2020-09-13")
    check("the first day has none before it", [card["card"] for card in first["cards"]] == ["in-use", "total"], first)


def check_recording(name, file, run, unfit):
    chance = random.Random(name)
    page = PageServer(HEAPTAP, file) if os.environ.get("VIEWER") else None
    wrong, of_page, cards = [], [], 0
    for _ in range(FILTERS):
        clauses = random_filter(chance, run, unfit)
        answer = ask("summary", "--json", file, *clauses)
        if isinstance(answer, str):
            wrong.append(f"{clauses}: {answer}")
            continue
        cards += len(answer["cards"])
        wrong += [wrong_of(card, file, clauses) for card in answer["cards"]]
        if page:
            got = page.ask("answer", report="summary", filter=" ".join(clauses))
            of_page += [f"{clauses}: {alike(got, answer)}"] if alike(got, answer) else []
    check(f"{name}: each card is its question", not any(wrong) and cards >= FILTERS, "\n".join(filter(None, wrong)) or cards)
    if page:
        check(f"{name}: the page has the same", not of_page, "\n".join(of_page))
        page.end()


with tempfile.TemporaryDirectory() as top:
    for rate in (1, 0.01, None):
        blocks, end_us = random_blocks(7, rate or 1, 150)
        file = os.path.join(top, "new.pb" if rate is None else "new.ctf")
        if rate is None:
            write_profile(file, blocks, labels_of)
        else:
            write_trace(file, blocks, rate)
        run = Run(blocks, end_us, rate == 1, rate is not None)
        name = "profile" if rate is None else f"trace at rate {rate}"
        check_recording(name, file, run, UNFIT_OF_PROFILES if rate is None else UNFIT)
        other = os.path.join(top, "old.pb" if rate is None else "old.ctf")
        blocks, _ = random_blocks(8, rate or 1, 120)
        write_profile(other, blocks, labels_of) if rate is None else write_trace(other, blocks, rate)
        check_base(name, file, other)
        shown = subprocess.run([HEAPTAP, file], capture_output=True, env=dict(os.environ, LC_ALL="C.UTF-8", COLUMNS="80")).stdout.decode()
        check(f"{name}: a file alone is its summary, on a screen", "Allocated" in shown and shown.count("\n") <= 15, shown)
    check_store(top)
    said = ask("summary", "--json", os.path.join(top, "new.ctf"), "--base", os.path.join(top, "new.pb"))
    check("a trace and a profile: one sentence", said.endswith("they can't be compared\n") and said.count("\n") == 1, said)
    check("no file of that name: one sentence", "cannot" in ask("summary", "--json", os.path.join(top, "none.ctf")))
end()
