#!/usr/bin/python3
"""Every clause of the filter language in every report, with values made up at random: in JSON and text, with folded rows and the whole
model, from the page's server and from the library.

    check_clauses.py HEAPTAP [LIBHEAPTAP ASKED_OFTEN]

Clauses and reports are those that the program lists.  What a clause leaves of a recording is what clause_reference.py says: in a second
recording the blocks that don't pass have a frame of their own, and the report of that one ignores it.  $SEED chooses the values; $WORD is the only clause to be looked at, and
with $PARTS each is put to one of so many reports in a recording, and to others in the next."""
import concurrent.futures
import ctypes
import functools
import itertools
import json
import os
import random
import re
import shutil
import sys
import tempfile

from alike import alike
from asking import Asking
from clause_reference import CLAUSES, EDITS, FATES, Run, labels_of
from listed import with_filter
from page_server import PageServer
from random_blocks import frame, random_blocks, write_processes, write_profile, write_trace
from tap import check, end

heaptap = os.path.abspath(sys.argv[1])
asking = Asking(heaptap, *sys.argv[3:])
SEED = os.environ.get("SEED", "1")
OUT = frame(0, ("left_out", "left_out.c", 1))
PARTS = int(os.environ.get("PARTS", "1"))
DRAWS = 30      # of a clause, until one leaves some blocks and not all
# Options without which a report says little or nothing.
OPTIONS = {"check": ["--max-allocated=1k", "--max-objects=3"], "export": ["--format=folded"]}
# dump prints stacks as they are in the trace, and refuses to edit them.
REFUSED = {"dump": EDITS}
# Reports of blocks, whatever is left of their stacks.
OF_BLOCKS = ["types", "tags"]
# Where lives begin or end by promotions, so do those of the whole recording in the reference.  advice, and with it summary, counts which blocks replace
# others by whole stacks, so that a recording of edited ones says something else.  diagnose chooses three places, some of which may weigh the same.
NOT_COMPARED = {report: EDITS + ["source"] for report in ("advice", "summary")} | {"diagnose": list(CLAUSES)} | {report: ["source"] for report in ("info", "leaks", "timeline", "compare", "check")}
# Where few filters show what a trait is for.
OFTEN, AGAIN = {"advice": FATES, "summary": FATES, "dump": ["source"], "stats": ["source"]}, 12
# Keys whose values are not compared with the reference: they tell of the filter, or which row a node is; in info, of the whole file.
OF_FILTER = {"filter", "notes", "remark", "library_functions", "library_share", "major_only", "minor_only"}
OF_ROWS = {"from", "to"}
OF_FILE = {"stored_bytes", "trace_bytes", "bytes_per_event", "bytes", "time", "types", "locations", "functions", "deepest"}
# Of several processes; and reports that show which process a block is of.
OF_PROCESSES = {"processes", "packets", "title"}
# Of several processes: reports that judge each one's blocks by its own run, as do those of the reference; in the others it is a single trace.
OF_RUNS = ["leaks", "advice", "summary"]
OF_IDS = ["dump", "tags", "distributions"]
number_of_cases = itertools.count()


def run(arguments, folder=None, whole=False):
    next(number_of_cases)
    words = arguments[0].replace(" --output", "").split()
    return asking.run([*words, *arguments[1:]], folder, {"LC_ALL": "C.UTF-8", "HEAPTAP_WHOLE_MODEL": "1" if whole else "0"})


# ---- What the program lists ----------------------------------------------------------------------

def listed(page):
    """Commands that take a filter, but for those that stay or run a program: their arguments, as TRACE, REGEX or BASE; those that print
    JSON; and the options of those that the page has."""
    arguments, in_json = with_filter(run)
    has = {command: [] for command in arguments} | {row["command"]: row["options"] for row in page.ask("reports")["reports"]}
    return arguments, in_json, has | {"export": [{"word": "format", "kind": "word", "values": ["callgrind", "dhat"]}]}


# ---- Asking ----------------------------------------------------------------------------------------

def in_order(answer):
    """An answer whose rows are sorted: of two recordings of the same blocks, those that weigh the same may be ordered differently."""
    if isinstance(answer, dict):
        return {key: in_order(value) for key, value in answer.items()}
    if isinstance(answer, list) and answer and isinstance(answer[0], dict):
        return sorted(map(in_order, answer), key=lambda row: json.dumps([value for key, value in sorted(row.items()) if key not in OF_ROWS]))
    return answer


def parsed(done):
    try:
        return json.loads(done.stdout)
    except ValueError:
        return [json.loads(line) for line in done.stdout.splitlines()]


def same(done, other, but=()):
    """Between what a command answered in two ways; "" where it is the same."""
    if done.returncode != other.returncode or (not but and done.stderr != other.stderr):
        return f"{done.returncode}: {done.stderr.decode()}, {other.returncode}: {other.stderr.decode()}"
    if done.stdout == other.stdout:
        return ""
    try:
        return alike(parsed(done), parsed(other), but)
    except ValueError:
        lines = itertools.zip_longest(*(output.decode(errors="replace").splitlines() for output in (done.stdout, other.stdout)), fillvalue="")
        return "\n".join(next(pair for pair in lines if pair[0] != pair[1]))


# ---- Recordings -----------------------------------------------------------------------------------

class Recording:
    """Two recordings of the made-up program, base and new, in a folder: traces of a rate, or profiles where it is None; or each a folder
    with a trace for each process."""

    def __init__(self, number, folder, rate, count, write_asked):
        self.number = number
        self.folder, self.rate = folder, rate
        self.has_reference = count <= 1000
        self.parts = PARTS if self.has_reference else 5 * PARTS
        self.end = ".pb" if rate is None else ".ctf"
        self.name = "profile" if rate is None else f"trace of {count} blocks at rate {rate}"
        self.runs = {name: Run(*random_blocks(seed, rate or 1, count), rate == 1, rate is not None) for name, seed in (("base", 1), ("new", 2))}
        self.is_many = write_asked is write_processes
        self.name += " of several processes" * self.is_many
        for run_of in self.runs.values():
            run_of.is_many = self.is_many
        self.write(folder, lambda run, block: block, write_asked)

    def write(self, folder, leave, write_one=write_trace):
        os.mkdir(folder)
        for name, run_of in self.runs.items():
            path, blocks = os.path.join(folder, name + self.end), [leave(run_of, block) for block in run_of.blocks]
            if self.rate is None:
                write_profile(path, blocks, labels_of)
            else:
                write_one(path, blocks, self.rate)

    def reference(self, chance, leave, report):
        """A folder with the recordings whose blocks are as a clause leaves them for a report, or have a frame more."""
        def told(run_of, block):
            passed = leave(run_of, block)
            if passed is None:
                return block._replace(stack=(OUT, *block.stack))
            if report == "dump":    # events as they are
                return block
            return passed._replace(stack=block.stack) if report in OF_BLOCKS else passed
        folder = os.path.join(self.folder, f"reference{chance.random()}")
        self.write(folder, told, write_processes if self.is_many and report in OF_RUNS else write_trace)
        return folder

    def one_clause(self, chance, word):
        """A clause that leaves some of the blocks, if one is found."""
        run_of = self.runs["new"]
        for _ in range(DRAWS):
            text, leave = CLAUSES[word](word, chance, run_of)
            passing = [leave(run_of, block) for block in run_of.blocks]
            if any(passing) and passing != run_of.blocks:
                break
        return text, leave

    def clauses(self, chance, word):
        """A clause of a word, often with one of another.  Where lives begin and end is settled first; stacks are edited last."""
        second = chance.choice([None, *(other for other in CLAUSES if other not in [*EDITS, *self.unfit, word])])
        words = sorted([word] + [second] * (second is not None), key=lambda word: (word in EDITS) - (word == "source"))
        texts, leaves = zip(*(self.one_clause(chance, word) for word in words))
        return words, list(texts), lambda run_of, block: functools.reduce(lambda left, leave: left and leave(run_of, left), leaves, block)


def option_of(chance, report, is_profile):
    """One of the report's options at random, as the command line has it.  Of a trace, the reference has other addresses; profiles have sample
    types of their own."""
    flags = [[f"--{option['word']}"] for option in options[report] if option["kind"] == "flag"]
    values = [[f"--{option['word']}={value}"] for option in options[report] for value in option["values"] if value != "addresses" and not (is_profile and option["word"] == "sample")]
    return chance.choice([[], *(flags or [[]]), *(values or [[]])]) 


def as_options(clauses):
    """The same filter by options, where a clause is nothing but word and value."""
    return ["--" + clause if re.match(r"[a-z-]+=", clause) else clause for clause in clauses]


def arguments_of(report, end, clauses, form="--json"):
    """The command line of a report in the folder of a recording."""
    files = {"BASE": "base" + end, "BEFORE": "base" + end, "REGEX": "."}
    form = form if report in with_json else ""
    given = [files.get(word, "new" + end) for word in reports[report]]
    return [report, *OPTIONS.get(report, []), *([form] if form else []), *([] if report in with_json else ["-o", "-"]), *given, *clauses]


# ---- Checks ---------------------------------------------------------------------------------------

def is_refused(done, clause):
    """With a line that points at the clause."""
    lines = done.stderr.decode().splitlines()
    return done.returncode == 2 and len(lines) == 3 and clause in lines[1] and lines[2].strip() == "^" * len(clause)


def like_reference(recording, chance, words, report, option, leave, done):
    """Where the answer differs from that of the reference."""
    folder = recording.reference(chance, leave, report)
    ignoring = ["ignore=^left_out$"] + [next(word + FATES[word] for word in FATES if word not in words)] * any(word in FATES for word in words)
    ignoring += ["libraries=show"] * any(word in ("own", "libraries") for word in words)
    other = run(arguments_of(report, recording.end, option + ignoring), folder)
    shutil.rmtree(folder)
    if done.returncode != other.returncode:
        return f"{done.returncode}: {done.stderr.decode()}, {other.returncode}: {other.stderr.decode()}"
    but = OF_FILTER | OF_ROWS | (OF_FILE if report == "info" else set()) | (OF_PROCESSES if recording.is_many else set())
    return alike(in_order(parsed(done)), in_order(parsed(other)), but) if done.stdout else ""


def wrong_of(recording, word, report, turn):
    """What is wrong with a clause of this word in this report; "" for nothing."""
    chance = random.Random(f"{SEED} {recording.name} {word} {report} {turn}")
    words, clauses, leave = recording.clauses(chance, word)
    option = [] if "source" in words else option_of(chance, report, recording.rate is None)     # its totals of what lives are other ones
    asked = [(["--json"], False, clauses), (["--json"], True, as_options(clauses) if report in with_json else clauses), ([""], False, clauses), ([""], True, clauses)]
    done, *others = [run(arguments_of(report, recording.end, option + given, form), recording.folder, whole)
                     for [form], whole, given in asked]
    title = " ".join([report, *option, *clauses])
    unfit = [clause for word, clause in zip(words, clauses) if word in recording.unfit or word in REFUSED.get(report, [])]
    if unfit:
        return "" if is_refused(done, unfit[0]) or done.returncode == 3 or b"--help" in done.stderr else f"{title}: not refused: {done.stderr.decode()}"
    wrong = same(done, others[0], OF_FILTER) or same(others[1], others[2])
    if not wrong and recording.has_reference and report in with_json and not set(words) & set(NOT_COMPARED.get(report, [])) and not (
            recording.is_many and report in OF_IDS):
        wrong = like_reference(recording, chance, words, report, option, leave, done)
    return f"{title}: {wrong}" if wrong else ""


# ---- The page and the library -----------------------------------------------------------------------

def wrong_of_page(recording, page, word, report):
    """Where the page's server differs from the command; "" for nowhere."""
    next(number_of_cases)
    _, clauses, _ = recording.clauses(random.Random(f"{SEED} {recording.name} {word} page {report['name']}"), word)
    got = page.ask("answer", report=report["name"], filter=" ".join(clauses), **({"function": "."} if report["needs_function"] else {}))
    done = run(arguments_of(report["command"], recording.end, clauses), recording.folder)
    title = " ".join(["page", report["name"], *clauses])
    if done.returncode == 1:     # no function matches: the page shows an empty answer
        return ""
    if done.returncode != 0:
        return "" if "error" in got else f"{title}: answers what the command refuses"
    answer = parsed(done)
    wrong = got.get("error") or alike(got, answer, {"remark"}) or ("remark" in got) != ("remark" in answer) and "only one has a remark"
    return f"{title}: {wrong}" if wrong else ""


class Row(ctypes.Structure):
    """struct heaptap_row of heaptap/profile.h."""
    _fields_ = [("name", ctypes.c_char_p), ("function", ctypes.c_char_p), ("file", ctypes.c_char_p), ("line", ctypes.c_uint32),
                ("address", ctypes.c_uint64), *((name, ctypes.c_double) for name in (
                    "flat", "cum", "flat_low", "flat_high", "cum_low", "cum_high")), ("flat_samples", ctypes.c_uint64),
                ("cum_samples", ctypes.c_uint64)]


class Library:
    """A file as libheaptap has it."""

    def __init__(self, path, file):
        self.calls = ctypes.CDLL(path)
        self.calls.heaptap_selection_total.restype = ctypes.c_double
        self.profile = ctypes.c_void_p()
        self.calls.heaptap_profile_open(ctypes.byref(self.profile), file.encode(), None)

    def select(self, clause, sample):
        """The total of a selection and its rows, by function; None where it is refused."""
        selection, rows, count = ctypes.c_void_p(), ctypes.POINTER(Row)(), ctypes.c_size_t()
        if self.calls.heaptap_profile_select(ctypes.byref(selection), self.profile, clause.encode(), sample.encode(), None):
            return None
        self.calls.heaptap_selection_rows(selection, 0, ctypes.byref(rows), ctypes.byref(count), None)
        answer = {"selected": self.calls.heaptap_selection_total(selection), "nodes": [
            {"name": row.name.decode(), "flat": row.flat, "cum": row.cum} for row in rows[:count.value]]}
        self.calls.heaptap_selection_free(selection)
        return answer

    def close(self):
        self.calls.heaptap_profile_close(self.profile)


def wrong_of_library(recording, library, word, sample):
    """Where the library differs from the command; "" for nowhere."""
    next(number_of_cases)
    _, clauses, _ = recording.clauses(random.Random(f"{SEED} {recording.name} {word} library {sample}"), word)
    got = library.select(" ".join(clauses), sample)
    title = " ".join(["library", sample, *clauses])
    options = ["--json", f"--sample={sample}", "--node-fraction=0", "--node-count=0"]
    done = run(["top", *options, "new" + recording.end, *clauses], recording.folder)
    if done.returncode != 0 or got is None:
        return "" if done.returncode and got is None else f"{title}: {done.stderr.decode() or 'refused'}"
    answer = parsed(done)
    wanted = {"selected": answer["selected"], "nodes": [{key: row[key] for key in ("name", "flat", "cum")} for row in answer["nodes"]]}
    wrong = alike(got, wanted)
    return f"{title}: {wrong}" if wrong else ""


# ---- All ----------------------------------------------------------------------------------------------

def check_wrong_filters(recording, jobs):
    """Each report points at what is wrong with a filter, and says where it leaves nothing."""
    def wrong_of_one(report):
        wrong = []
        for clause, at in [("sise=3", "sise"), ("size=x", "x"), ("focus=(", "("), ("focus=", "focus="), ("focus:line=x", "line")]:
            done = run(arguments_of(report, recording.end, [clause]), recording.folder)
            wrong += [] if is_refused(done, at) else [f"{clause}: {done.stderr.decode()}"]
        done = run(arguments_of(report, recording.end, ["focus=nowhere"]), recording.folder)
        return wrong + ([] if b"leaves nothing" in done.stderr else [f"focus=nowhere: {done.stderr.decode()}"])
    for report, wrong in zip(reports, jobs.map(wrong_of_one, reports)):
        check(f"{report}: wrong filters", not wrong, "\n".join(wrong))


def wrong_of_nowhere(recording, word):
    """Where nothing is left as no name matches, that is said."""
    said = run(arguments_of("top", recording.end, [f"{word}=nowhere"]), recording.folder).stderr
    return "" if b"leaves nothing" not in said or b"matches none of its names" in said else f"{word}=nowhere: {said.decode()}"


def check_recording(recording, page, jobs):
    file = os.path.join(recording.folder, "new" + recording.end)
    library = Library(sys.argv[2], file) if len(sys.argv) > 2 and not recording.is_many else None
    clauses, shown = page.ask("about")["clauses"], page.ask("reports")["reports"]
    recording.unfit = [clause["word"] for clause in clauses if clause["times"] or clause["word"] == "type"] if recording.rate is None else ["tag"]
    for number, word in enumerate(clause["word"] for clause in clauses if os.environ.get("WORD", clause["word"]) == clause["word"]):
        if word not in CLAUSES:
            check(f"{recording.name}: {word}", False, "clause_reference.py does not say what it means")
            continue
        asked = sorted(reports)[(number + recording.number) % recording.parts::recording.parts]
        wrong = list(jobs.map(lambda pair: wrong_of(recording, word, *pair), [
            (report, turn) for report in asked for turn in range(AGAIN if word in OFTEN.get(report, []) else 1)]))
        if recording.has_reference:
            wrong += jobs.map(lambda report: wrong_of_page(recording, page, word, report), shown)
        if library:
            wrong += [wrong_of_library(recording, library, word, sample) for sample in ("alloc_space", "inuse_objects")]
        if number == 0:
            wrong += [wrong_of_nowhere(recording, clause["word"]) for clause in clauses if clause["frames"]]
        check(f"{recording.name}: {word}", not any(wrong), "\n".join(filter(None, wrong)))
    if library:
        library.close()


with tempfile.TemporaryDirectory() as top, concurrent.futures.ThreadPoolExecutor((os.cpu_count() or 1) + 1) as pool:
    for number, (rate, count, write) in enumerate([(1, 150, write_trace), (0.01, 150, write_trace), (None, 150, None), (1, 10_000, write_trace),
                                                   (1, 150, write_processes)]):
        recording = Recording(number, os.path.join(top, str(number)), rate, count, write)
        page = PageServer(heaptap, "new" + recording.end, folder=recording.folder)
        if number == 0:
            reports, with_json, options = listed(page)
            check_wrong_filters(recording, pool)
        check_recording(recording, page, pool)
        page.end()
print(f"# {next(number_of_cases)} answers compared")
end()
