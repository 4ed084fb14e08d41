"""What each clause of the filter language means, slowly and simply: for each word, how a clause is made up at random, and what it leaves
of a block.  Written from heaptap-filters(7) alone."""
import re

from random_blocks import EXTERNAL, MAJOR, MINOR, MODULES, PID, THREADS, WORD_BYTES

NEVER = float("inf")


class Run:
    """The blocks of a run, as clauses ask for them.  `peak` is asked of exact recordings alone: of others it is an estimate."""

    def __init__(self, blocks, end_us, is_exact, has_words=True):
        self.blocks, self.end_us, self.is_exact, self.has_words = blocks, end_us, is_exact, has_words
        self.peak_us, live, most = 0, 0, 0
        for time, change in sorted([(block.born, block.samples) for block in blocks] +
                                   [(block.died, -block.samples) for block in blocks if block.died is not None]):
            live += change
            if live > most:
                self.peak_us, most = time, live


# ---- Quantities ---------------------------------------------------------------------------------
#
# A bound is its text and a function that gives its number in a run: the peak of each is its own.

def number(value):
    return lambda run: value


def time_bound(chance, run, value):
    """Of times in microseconds, near a value that some block of the run has."""
    kind = chance.choice(["us", "us", "ms", "%", "end", "start"] + ["peak"] * run.is_exact)
    if kind == "us":
        return f"{value}us", number(value)
    if kind == "ms":
        return f"{value // 1000}ms", number(value // 1000 * 1000)
    if kind == "%":
        percent = 100 * value // run.end_us
        return f"{percent}%", lambda run: run.end_us * percent / 100
    if kind == "start":
        return f"start+{value}us", number(value)
    name = kind + "_us"
    difference = value - getattr(run, name)
    return f"{kind}{'-' if difference < 0 else '+'}{abs(difference)}us", lambda run: getattr(run, name) + difference


def duration_bound(chance, run, value):
    return chance.choice([(f"{value}us", number(value)), (f"{value // 1000}ms", number(value // 1000 * 1000))])


def bytes_bound(chance, run, value):
    words = [(f"{value // WORD_BYTES}w", number(value // WORD_BYTES * WORD_BYTES))] * run.has_words
    return chance.choice([(f"{value}", number(value)), (f"{value}B", number(value)), *words])


def count_bound(chance, run, value):
    return f"{value}", number(value)


def bounds(chance, run, bound, values):
    """Two, the lower one first."""
    return sorted((bound(chance, run, value) for value in chance.choices(values, k=2)), key=lambda pair: pair[1](run))


def quantity(chance, run, bound, values):
    """What stands behind the word of a clause on a number, and whether it holds for one in a run; None is what a block has not."""
    (low_text, low), (high_text, high) = bounds(chance, run, bound, values)
    return chance.choice([
        (f"={low_text}..{high_text}", lambda run, value: value is not None and low(run) <= value <= high(run)),
        (f"!={low_text}..{high_text}", lambda run, value: value is None or not low(run) <= value <= high(run)),
        (f"={low_text}..", lambda run, value: value is not None and value >= low(run)),
        (f"=..{high_text}", lambda run, value: value is not None and value <= high(run)),
        (f"={low_text}", lambda run, value: value == low(run)),
        (f"!={low_text}", lambda run, value: value != low(run)),
        (f">={low_text}", lambda run, value: value is not None and value >= low(run)),
        (f"<={low_text}", lambda run, value: value is not None and value <= low(run)),
        (f">{low_text}", lambda run, value: value is not None and value > low(run)),
        (f"<{low_text}", lambda run, value: value is not None and value < low(run))])


def of_number(value_of, bound, never=None):
    """A clause on a number of each block; `never` is the field that may be so."""
    def make(word, chance, run):
        if never and chance.random() < 0.3:
            holds = chance.choice([True, False])
            return f"{word}{'=' if holds else '!='}never", lambda run, block: block if (getattr(block, never) is None) == holds else None
        values = [value for value in (value_of(run, block) for block in run.blocks) if value is not None]
        text, holds = quantity(chance, run, bound, values)
        return word + text, lambda run, block: block if holds(run, value_of(run, block)) else None
    return make


def died(run, block):
    return run.end_us if block.died is None else block.died


def live_at(word, chance, run):
    """Born by the end of the range, and alive behind its beginning."""
    (low_text, low), (high_text, high) = bounds(chance, run, time_bound, [block.born for block in run.blocks])
    peak = [("peak", lambda run: run.peak_us, lambda run: run.peak_us)] * 2 * run.is_exact
    text, low, high = chance.choice([(low_text, low, low), (f"{low_text}..{high_text}", low, high), (f"{low_text}..", low, number(NEVER)),
                                     (f"..{high_text}", number(-NEVER), high), *peak])
    holds = chance.choice([True, False])
    return (f"{word}{'=' if holds else '!='}{text}", lambda run, block: block if (
        block.born <= high(run) and (block.died is None or block.died > low(run))) == holds else None)


# ---- What a block is -----------------------------------------------------------------------------

def source(word, chance, run):
    """Without minor, a block is born by its promotion; without major, it dies by that."""
    names = {"minor": MINOR, "major": MAJOR, "external": EXTERNAL}
    chosen = chance.sample(sorted(names), chance.randrange(1, 3))
    is_negated = chance.random() < 0.3
    heaps = {heap for name, heap in names.items() if (name in chosen) != is_negated}

    def leave(run, block):
        if block.source == MINOR and MINOR not in heaps:
            return block._replace(born=block.promoted) if MAJOR in heaps and block.promoted is not None else None
        if block.source not in heaps:
            return None
        return block._replace(died=block.promoted) if MAJOR not in heaps and block.promoted is not None else block
    return f"{word}{'!=' if is_negated else '='}{','.join(chosen)}", leave


def program(word, chance, run):
    """By its path, or by the pid of its process."""
    pattern, holds = chance.choice(["prog", "shapes", f"^{PID}$", f"{PID + 1}|{PID + 2}"]), chance.choice([True, False])

    def is_of(run, block):
        return any(re.search(pattern, text) for text in (MODULES[0], str(PID + block.domain * run.is_many)))
    return f"{word}{'=' if holds else '!='}{pattern}", lambda run, block: block if is_of(run, block) == holds else None


def domain(word, chance, run):
    chosen = chance.sample(sorted(THREADS), chance.randrange(1, 3))
    holds = chance.choice([True, False])
    return (f"{word}{'=' if holds else '!='}{','.join(map(str, chosen))}", lambda run, block: block if (block.domain in chosen) == holds else None)


def of_texts(texts_of, patterns):
    """A clause with a regular expression, of which one text must match."""
    def make(word, chance, run):
        pattern, holds = chance.choice(patterns), chance.choice([True, False])
        return (f"{word}{'=' if holds else '!='}{pattern}",
                lambda run, block: block if any(re.search(pattern, text) for text in texts_of(block)) == holds else None)
    return make


def labels_of(block):
    """Those of a sample of a profile."""
    return {"bytes": block.words * WORD_BYTES, "heap": ["minor", "major", "external"][block.source], "number": block.number}


def tag(word, chance, run):
    if chance.random() < 0.5:
        text, holds = quantity(chance, run, count_bound, [labels_of(block)["bytes"] for block in run.blocks])
        return f"{word}:bytes{text}", lambda run, block: block if holds(run, labels_of(block)["bytes"]) else None
    key, pattern = chance.choice([("", "^1"), ("", "or"), (":heap", "m"), (":heap", "minor")])
    holds = chance.choice([True, False])
    return (f"{word}{key}{'=' if holds else '!='}{pattern}", lambda run, block: block if any(
        re.search(pattern, str(value)) for name, value in labels_of(block).items() if key in ("", ":" + name)) == holds else None)


# ---- Stacks --------------------------------------------------------------------------------------

NAMES = ["walk|line", "buffer", "node_new", "draw", "table_add|parse", "grow", "join"]
FILES = ["tree", "draw.c", "vector|text"]
PATHS = ["libtext", "libshapes", "prog$"]


def frame_pattern(chance):
    """The part and pattern of a clause on frames; what matches a location, and what a module."""
    part, patterns = chance.choice([("", NAMES + FILES + PATHS), (":function", NAMES), (":file", FILES), (":module", PATHS)])
    pattern = chance.choice(patterns)
    return (part, pattern, lambda at: (part in ("", ":function") and re.search(pattern, at.function)) or (part in ("", ":file") and re.search(pattern, at.file)),
            lambda frame: part in ("", ":module") and re.search(pattern, MODULES[frame.module]))


def matches(frame, of_location, of_module):
    return bool(of_module(frame) or any(map(of_location, frame.locations)))


def focus(is_reverse):
    def make(word, chance, run):
        part, pattern, *how = frame_pattern(chance)
        holds = chance.choice([True, False])
        return (f"{word}{part}{'=' if holds != is_reverse else '!='}{pattern}",
                lambda run, block: block if any(matches(frame, *how) for frame in block.stack) == holds else None)
    return make


def site(word, chance, run):
    """On the innermost location of the last frame."""
    part, pattern, of_location, of_module = frame_pattern(chance)
    holds = chance.choice([True, False])

    def leave(run, block):
        last = block.stack[-1]
        return block if bool(of_module(last) or of_location(last.locations[-1])) == holds else None
    return f"{word}{part}{'=' if holds else '!='}{pattern}", leave


def with_stack(block, stack):
    """The block with what is left of its stack; None where that is nothing."""
    left = tuple(frame for frame in stack if frame.locations)
    return block._replace(stack=left) if left else None


def hide(is_reverse):
    """Locations that match go; of a module that matches, all."""
    def make(word, chance, run):
        part, pattern, of_location, of_module = frame_pattern(chance)
        hides = chance.choice([True, False])

        def edit(frame):
            kept = () if of_module(frame) else frame.locations if part == ":module" else tuple(at for at in frame.locations if not of_location(at))
            shown = frame.locations if of_module(frame) else tuple(at for at in frame.locations if of_location(at))
            return frame._replace(locations=kept if hides else shown)
        return f"{word}{part}{'=' if hides != is_reverse else '!='}{pattern}", lambda run, block: with_stack(block, map(edit, block.stack))
    return make


def show_from(word, chance, run):
    part, pattern, of_location, of_module = frame_pattern(chance)

    def edit(frame):
        first = next((i for i, at in enumerate(frame.locations) if of_location(at)), 0)
        return frame if of_module(frame) else frame._replace(locations=frame.locations[first:])

    def leave(run, block):
        begin = next((i for i, frame in enumerate(block.stack) if matches(frame, of_location, of_module)), None)
        return None if begin is None else with_stack(block, map(edit, block.stack[begin:]))
    return f"{word}{part}={pattern}", leave


def without_ends(block, is_library):
    """Frames lose their innermost locations as long as these are a library's, but for frames of nothing else, which go from the ends of
    stacks; a stack of nothing else stays."""
    def own_part(frame):
        count = len(frame.locations)
        while count > 0 and is_library(frame, frame.locations[count - 1]):
            count -= 1
        return frame.locations[:count]
    own_parts = list(map(own_part, block.stack))
    if not any(own_parts):
        return block
    stack = [frame._replace(locations=part or frame.locations) for frame, part in zip(block.stack, own_parts)]
    while not own_parts[len(stack) - 1]:
        stack.pop()
    return with_stack(block, stack)


def is_standard(at):
    return at.function.startswith("std::")


def own(word, chance, run):
    part, pattern, of_location, of_module = frame_pattern(chance)
    is_own = chance.choice([True, False])

    def is_library(frame, at):
        return bool(of_module(frame) or of_location(at)) != is_own or (not is_own and is_standard(at))
    return f"{word}{part}{'=' if is_own else '!='}{pattern}", lambda run, block: without_ends(block, is_library)


def libraries(word, chance, run):
    hides, is_negated = chance.choice([True, False]), chance.choice([True, False])
    return (f"{word}{'!=' if is_negated else '='}{'hide' if hides != is_negated else 'show'}",
            lambda run, block: without_ends(block, lambda frame, at: is_standard(at)) if hides else block)


# A clause is made by word, chance and a run: its text, and a function that gives what it leaves of a run's block, None for nothing.
CLAUSES = {
    "allocated": of_number(lambda run, block: block.born, time_bound),
    "live-at": live_at,
    "collected": of_number(died, time_bound, never="died"),
    "promoted": of_number(lambda run, block: block.promoted, time_bound, never="promoted"),
    "lifetime": of_number(lambda run, block: died(run, block) - block.born, duration_bound),
    "age": of_number(lambda run, block: run.end_us - block.born, duration_bound),
    "size": of_number(lambda run, block: block.words * WORD_BYTES, bytes_bound),
    "source": source,
    "domain": domain,
    "thread": of_texts(lambda block: [str(THREADS[block.domain][0]), THREADS[block.domain][1]], ["main", "work", "10[12]", "^101$"]),
    "program": program,
    "type": of_texts(lambda block: [block.stack[-1].type or ""], ["Node", "str|Leaf", "^$", "e"]),
    "tag": tag,
    "depth": of_number(lambda run, block: len(block.stack), count_bound),
    "focus": focus(False),
    "ignore": focus(True),
    "site": site,
    "hide": hide(False),
    "show": hide(True),
    "show-from": show_from,
    "own": own,
    "libraries": libraries,
}
# Those that leave parts of stacks out; and those that choose by how blocks end, each with what lets all pass: of what these leave, reports
# tell no share that is kept.
EDITS = ["hide", "show", "show-from", "own", "libraries"]
FATES = {"lifetime": ">=0s", "collected": ">=0s", "live-at": "=0s.."}
