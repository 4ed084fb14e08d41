#!/usr/bin/python3
"""Recordings of every kind, sent through everything that writes a file which can be read again, and read with every report: what one
part of heaptap writes the others understand, and no figure becomes another on the way.  Prints TAP.

Kinds of recordings are those of round_inputs.py; ways out are those that the program lists (round_ways.py), so that a new format or
option is tested by being there.  $INPUT is a regular expression: only those inputs."""
import concurrent.futures
import csv
import io
import itertools
import json
import os
import re
import sys
import tempfile
import zlib

sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from alike import alike  # noqa: E402
from asking import Asking  # noqa: E402
from listed import with_filter  # noqa: E402
from round_inputs import inputs  # noqa: E402
from round_ways import of_all, of_samples  # noqa: E402
from tap import check, end  # noqa: E402

HEAPTAP = os.environ["HEAPTAP"]
PRELOADED = os.environ["BUILD"] + "/tests/targets/libasked_often.so"
asking = Asking(HEAPTAP, PRELOADED if os.path.exists(PRELOADED) and not os.environ["SANITIZED"] else None)
counted = itertools.count()
csv.field_size_limit(1 << 30)
DOCUMENTED = range(5)
# Options without which a report says little or nothing.
OPTIONS = {"check": ["--max-allocated=1k"], "advice --try": [], "export": ["--format=folded"]}
# Limits by the figure that they are of.
LIMITS = {"alloc_space": "--max-allocated", "alloc_objects": "--max-objects", "inuse_space": "--max-live-at-end", "peak_space": "--max-peak"}
# May still change after a recording that lacks a part.
MAY_FALL = {"inuse_space"}
# Of what is written whose values have no name: what it is read as.
UNNAMED = {"folded": "samples"}
# Of an answer about the same events in another file.
OF_FILE = {"trace", "name", "host", "stored_bytes", "compression", "trace_bytes", "bytes_per_event", "format_version", "packets", "title",
           "check", "file", "locations", "location_conflicts", "before", "after", "base", "new"}
# What is known to be lost, by the form: folded stacks can't say that a part is missing; DHAT's files have the types of blocks and a
# guest's own frames as functions.
HAS_NO_COMPLETE, HAS_OTHER_NAMES = {"folded"}, {"dhat"}
# By whose files nothing tells where they end.
HAVE_NO_END = {"folded stacks"}
# What an OCaml trace calls a code without a name, and a profile by its number.
NAMELESS = "<unknown>|0x[0-9a-f]+"
# Figures that `check` has of traces alone.
OF_TRACES = {"peak_space"}
# What keeps all that a trace says; and what takes its names.
KEEPS_ALL, TAKES_NAMES = {"file convert"}, {"file strip"}
# Of the reports each file that was made is read with one in so many, another for another way and input.
PARTS = int(os.environ.get("PARTS", "10"))
# Of the inputs, where each answer takes ten times as long.
INPUTS = 5 if os.environ["SANITIZED"] else 1


def run(words):
    next(counted)
    return asking.run(words, None, {"LC_ALL": "C.UTF-8"})


def told(done):
    return done.stderr.decode(errors="replace").strip()


# ---- One answer -----------------------------------------------------------------------------------

def wrong_of_answer(done):
    """What no answer may be, whatever was asked."""
    if done.returncode not in DOCUMENTED:
        return f"ends by {done.returncode}: {told(done)[-300:]}"
    if re.search(r"Sanitizer|runtime error:|Assertion", told(done)):
        return told(done)[:2000]
    return f"status {done.returncode} without a word" if done.returncode > 1 and not told(done) else ""


def parsed(text):
    try:
        return json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.splitlines()]


def answer(words):
    """What a report answers in JSON, None where it refuses; and what is wrong with it."""
    done = run([*words, "--json"])
    wrong = wrong_of_answer(done)
    try:
        return parsed(done.stdout) if done.stdout.strip() else None, wrong
    except ValueError:
        return None, wrong or f"no JSON: {done.stdout[:200]}"


# ---- Figures --------------------------------------------------------------------------------------

def figures_of(said):
    """Of what `info` says: by sample type."""
    if "sample_types" in said:
        return {row["type"]: row["total"] for row in said["sample_types"]}
    allocated, live = said["allocated"], said["live_at_end"]
    return {"alloc_space": allocated["bytes"], "alloc_objects": allocated["objects"], "inuse_space": live["bytes"], "inuse_objects": live["objects"],
            "promoted_space": said["promoted_bytes"], "peak_space": said["peak"]["bytes"]}


class Look:
    """A file as `info` and `summary` have it."""

    def __init__(self, path):
        self.path, self.is_folder = path, os.path.isdir(path)
        self.info, self.wrong = answer(["info", path])
        self.is_damaged = run(["info", path]).returncode == 3
        summary, wrong = answer(["summary", path])
        self.wrong = self.wrong or wrong
        self.is_read = self.info is not None
        self.figures = figures_of(self.info) if self.is_read else {}
        self.complete = summary.get("complete") if summary else None
        self.is_trace = self.is_read and "trace" in self.info
        self.is_exact = self.is_trace and self.info["trace"]["sample_rate"] == 1 and self.info["peak"]["exact"]
        self.is_of_guest = self.is_trace and bool(self.info["types"])
        self.rows = 0 if self.is_trace or not self.is_read else self.info["samples"]


def is_off(one, other, slack):
    """Values of stacks are rounded, so that their sum may be off where one isn't whole."""
    return abs(one - other) > (1e-9 * abs(one) if one == round(one) else max(slack, 1e-9 * abs(one)))


def wrong_of_figures(way, before, after):
    """What became another figure on the way."""
    slack = 0.5 * (before.rows + after.rows) + 1
    if way.sample:
        wanted = {UNNAMED.get(way.form, way.sample): before.figures[way.sample]}
        if not after.rows and not before.figures[way.sample]:
            return []
    else:
        wanted = before.figures
    wrong = [f"{name}: {wanted[name]} before, {value} after" for name, value in after.figures.items()
             if name in wanted and is_off(wanted[name], value, slack)]
    if not set(wanted) & set(after.figures):
        wrong.append(f"no figure is left: {sorted(wanted)}, {sorted(after.figures)}")
    if after.complete != before.complete and way.form not in HAS_NO_COMPLETE:
        wrong.append(f"complete: {before.complete} before, {after.complete} after")
    return wrong


def wrong_of_limits(look):
    """A limit that is the figure holds, one that is less is broken; nothing that may still change is said of what lacks a part."""
    wrong = []
    for name in [name for name in LIMITS if name in look.figures and (look.is_trace or name not in OF_TRACES)]:
        value = look.figures[name]
        if value != round(value) or look.is_trace and not look.is_exact:
            continue
        is_sure = look.complete or name not in MAY_FALL   # a cut file exceeds what it exceeds by then
        for limit, status in [(value, 0 if look.complete else 3)] + [(value - 1, 1 if is_sure else 3)] * (value > 0):
            done = run(["check", look.path, f"{LIMITS[name]}={limit:.0f}"])
            if done.returncode != status:
                wrong.append(f"check {LIMITS[name]}={limit:.0f} of {value}: status {done.returncode}, not {status}: {done.stdout.decode()}{told(done)}")
    return wrong


# ---- Reports --------------------------------------------------------------------------------------

def words_of(report, path):
    given = ["." if word == "REGEX" else path for word in reports[report]]
    return [*report.split(), *OPTIONS.get(report, []), *given]


def rows_of_csv(text):
    return list(csv.DictReader(io.StringIO(text)))


def is_same_cell(cell, value):
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return cell in ({True: ("true", "yes", "1"), False: ("false", "no", "0", ""), None: ("",)}.get(value, (value,)))
    try:
        return abs(float(cell) - value) <= 1e-6 * abs(value) + 1e-3    # it has fewer digits
    except ValueError:
        return False


def wrong_of_csv(said, text):
    """Where rows in CSV differ from those in JSON, if these have the same columns."""
    rows = rows_of_csv(text)
    if not rows or not isinstance(said, dict):
        return ""
    for name, array in said.items():
        if isinstance(array, list) and len(array) == len(rows) and isinstance(array[0], dict) and set(rows[0]) <= set(array[0]):
            return next((f"{name}[{at}].{key}: {row[key]} in CSV, {array[at][key]} in JSON" for at, row in enumerate(rows) for key in row
                         if not isinstance(array[at].get(key), (list, dict)) and key in array[at] and not is_same_cell(row[key], array[at][key])), "")
    return ""


def wrong_of_report(report, look):
    """What is wrong with an answer about a file, and the answer."""
    words = words_of(report, look.path)
    done = run([*words, "--json"])
    wrong = wrong_of_answer(done)
    try:
        said = parsed(done.stdout) if done.stdout.strip() else None
    except ValueError:
        return f"no JSON: {done.stdout[:200]}", None
    if not wrong and isinstance(said, dict) and said.get("complete", look.complete) != look.complete:
        wrong = f"complete is {said['complete']}, in summary {look.complete}"
    return wrong, said


def wrong_of_forms(report, look, said):
    """Other forms of an answer: the same status, and the same rows."""
    words = words_of(report, look.path)
    status = run([*words, "--json"]).returncode
    wrong = []
    for form in ("", "--csv", "--markdown"):
        if form and form not in helps[report]:
            continue
        done = run([*words, *[form] * bool(form)])
        wrong += filter(None, [wrong_of_answer(done)])
        if done.returncode != status:
            wrong.append(f"status {done.returncode} of {form or 'text'}, {status} of JSON: {told(done)}")
        elif form == "--csv" and status == 0:
            wrong += filter(None, [wrong_of_csv(said, done.stdout.decode())])
    return wrong


def wrong_of_reports(look, asked, of_input=None, with_forms=False):
    """Reports of a file; alike those of `of_input`, where that is a file of the same events."""
    wrong = []
    for report in asked:
        bad, said = wrong_of_report(report, look)
        if bad:
            wrong.append(f"{report}: {bad}")
        elif of_input and said is not None:
            other = wrong_of_report(report, of_input)[1]
            difference = alike(other, said, OF_FILE)
            wrong += [f"{report}: not as before: {difference}"] * bool(difference)
        if with_forms and not bad:
            wrong += [f"{report}: {line}" for line in wrong_of_forms(report, look, said)]
    return wrong


def wrong_of_compared(way, before, after):
    """A file and what is made of it don't differ."""
    done = run(["compare", "--json", before.path, after.path])
    wrong = wrong_of_answer(done)
    if wrong or not done.stdout.strip():
        return [f"compare: {wrong or told(done)}"]
    said = json.loads(done.stdout)
    rows = [] if way.command in TAKES_NAMES or way.form in HAS_OTHER_NAMES or not before.is_exact else [
        row for row in said["rows"] if not re.fullmatch(NAMELESS, row["name"])]
    return [f"compare: {row['measure']} is {row['verdict']}: {row['before']}, {row['after']}" for row in said["totals"]
            if is_off(row["before"], row["after"], 0.5 * (before.rows + after.rows) + 1)] + [
        f"compare: {row}" for row in rows[:3]]


# ---- All ------------------------------------------------------------------------------------------

def wrong_of_way(before, way, path):
    """What comes of sending a file through a way."""
    done = run(way.words(before.path, path))
    wrong = wrong_of_answer(done)
    if wrong:
        return [wrong]
    if not way.fits(before):
        return ["not refused"] if done.returncode == 0 and os.path.exists(path) else []
    if not os.path.exists(path):
        return [f"refused: {done.returncode}: {told(done)}"]
    if way.sample and not before.figures[way.sample] and not os.path.getsize(path):
        return []   # no stacks are no lines
    after = Look(path)
    if not after.is_read:
        return [f"not read again: {told(run(['info', path]))}"]
    wrong = [after.wrong] * bool(after.wrong) + wrong_of_figures(way, before, after)
    if not wrong:
        wrong += wrong_of_limits(after)
        of_input = before if way.name in KEEPS_ALL and not before.is_damaged else None
        asked = sorted(in_json) if of_input else sorted(in_json)[zlib.crc32(path[-20:].encode()) % PARTS::PARTS]
        wrong += wrong_of_reports(after, asked, of_input)
        if set(after.figures) & {"alloc_space", "inuse_space"} and not way.sample:
            wrong += wrong_of_compared(way, before, after)
        wrong += wrong_of_again(way, before, after)
        if way.name == "pprof --with-events":
            wrong += wrong_of_events(before, after)
    return wrong


def wrong_of_events(before, profile):
    """The trace that is made of a profile's events has all of what the first had."""
    path = profile.path + ".ctf"
    done = run(["file", "convert", profile.path, "-o", path])
    if not os.path.exists(path):
        return [f"back to a trace: {told(done)}"]
    back = Look(path)
    difference = alike([before.figures, before.complete], [back.figures, back.complete])
    return [f"back to a trace: {difference}"] if difference else wrong_of_limits(back)


def wrong_of_again(way, before, after):
    """What is made once more of what was made is the same."""
    if not way.fits(after) or way.sample and way.sample not in after.figures:
        return []
    again = after.path + ".again"
    done = run(way.words(after.path, again))
    if not os.path.exists(again):
        return [f"made again: {told(done)}"]
    twice = Look(again)
    difference = alike([after.figures, after.complete], [twice.figures, twice.complete])
    return [f"made again: {difference}"] if difference else []


def check_input(name, path, is_cut, folder, pool):
    before = Look(path)
    if not before.is_read:
        check(f"{name} is read", is_cut and not before.wrong, told(run(["info", path])))
        return
    wrong = [before.wrong] * bool(before.wrong)
    if is_cut and before.complete and before.info.get("format") not in HAVE_NO_END:
        wrong.append("complete, though it is cut")
    wrong += wrong_of_reports(before, sorted(in_json), with_forms=not is_cut) + wrong_of_limits(before)
    check(f"{name}, {'complete' if before.complete else 'not complete'}: every report", not wrong, "\n".join(wrong))
    always, formats = ways
    fit = [way for way in always + of_samples(formats, before) if not is_cut or way.is_plain]
    sent = [(way, f"{folder}/{number}{way.end}") for number, way in enumerate(fit)]
    for (way, _), wrong in zip(sent, pool.map(lambda pair: wrong_of_way(before, *pair), sent)):
        check(f"{name}: {way.name}{' of ' + way.sample if way.sample else ''}", not wrong, "\n".join(wrong))


reports, in_json = with_filter(run)
helps = {report: run([*report.split(), "--help"]).stdout.decode() for report in reports}
ways = of_all(run)
with tempfile.TemporaryDirectory() as top, concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
    os.chdir(top)
    for number, (name, path, is_cut) in enumerate(inputs(HEAPTAP)):
        if number % INPUTS == 0 and re.search(os.environ.get("INPUT", ""), name):
            os.mkdir(f"{top}/{number}")
            check_input(name, path, is_cut, f"{top}/{number}", pool)
print(f"# {next(counted)} answers")
end()
