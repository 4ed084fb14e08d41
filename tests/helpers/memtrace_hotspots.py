#!/usr/bin/python3
"""memtrace's hotspots report of a trace, computed independently of heaptap's code.

usage: memtrace_hotspots.py TRACE            as memtrace prints it
       memtrace_hotspots.py --exact TRACE    as heaptap prints it

The two differ in one thing.  memtrace counts what comes through a caller to a site in a table of
10 000 pairs that adds 1 an allocation, whatever its samples, and forgets light pairs when it is
full.  With --exact, a pair's weight is the sum of its samples, and no pair is forgotten.  All that
follows from those weights (thresholds, order, percentages) is the same code for both.  Its hash
tables are laid out as in OCaml's library, because equals are printed in their order.
"""
import struct
import sys

PAIRS_KEPT = 10000


# ---- The trace: memtrace's format, versions 1 to 3


class MoveToFront:
    def __init__(self):
        self.entries = [None] * 31

    def take(self, code, make):
        """The entry of a code, or a new one made from the entry that falls out."""
        entry = make(self.entries.pop()) if code == 31 else self.entries.pop(code)
        self.entries.insert(0, entry)
        return entry


class Domain:
    def __init__(self):
        self.files = MoveToFront()
        self.codes = [0] * 16384
        self.following = [0] * 16384
        self.stack = []


class Trace:
    def __init__(self, data):
        self.data = data
        self.at = 0
        self.locations = {}
        self.domains = {}

    def take(self, layout):
        values = struct.unpack_from("<" + layout, self.data, self.at)
        self.at += struct.calcsize("<" + layout)
        return values[0]

    def take_string(self):
        end = self.data.index(0, self.at)
        text = self.data[self.at:end]
        self.at = end + 1
        return text

    def take_vint(self):
        tag = self.take("B")
        return tag if tag < 253 else self.take({253: "H", 254: "i", 255: "q"}[tag])

    def take_header(self):
        magic, bits = self.take("I"), self.take("I")
        assert magic == 0xC1FC1FC1
        self.at += 20
        version, pid = self.take("H"), self.take("Q")
        domain = self.take("H") if version >= 3 else 0
        self.at += 28
        return bits // 8, version, pid, self.domains.setdefault(domain, Domain())

    def take_info(self, version):
        self.at += 4
        self.rate, _word_size = self.take("d"), self.take("B")
        self.executable = self.take_string()
        self.take_string(), self.take_string()
        self.pid = self.take("Q")

    def take_location(self, domain):
        packed = int.from_bytes(self.data[self.at:self.at + 6], "little")
        self.at += 6

        def new_file(old):
            return self.take_string(), old[1] if old else MoveToFront()

        file, functions = domain.files.take(packed >> 38 & 31, new_file)
        function = functions.take(packed >> 43, lambda old: self.take_string())
        return file, function, packed & 0xFFFFF, packed >> 20 & 0xFF, packed >> 28 & 0x3FF

    def take_stack(self, domain, common, codewords):
        stack, bucket = domain.stack[:common], 0
        for _ in range(codewords):
            word = self.take("H")
            domain.following[bucket] = bucket = word >> 2
            kind = word & 3
            if kind == 3:
                domain.codes[bucket] = self.take("Q")
            stack.append(domain.codes[bucket])
            for _ in range(self.take("B") if kind == 2 else kind % 3):
                bucket = domain.following[bucket]
                stack.append(domain.codes[bucket])
        domain.stack = stack
        return stack

    def take_event(self, domain):
        """(samples, stack) of an allocation; None of anything else."""
        code, samples = self.take("I") >> 25, 1
        if code == 1:
            at = self.take("Q")
            count = self.take("B")
            self.locations.setdefault(at, [self.take_location(domain) for _ in range(count)])
            return None
        if code in (3, 4):
            self.take_vint()
            return None
        if code == 2:
            self.take_vint()
            samples = self.take_vint()
            self.at += 1
        common = self.take_vint()
        codewords = self.take("H" if code == 2 else "B")
        return samples, self.take_stack(domain, common, codewords)

    def allocations(self):
        while self.at < len(self.data):
            start = self.at
            size, version, pid, domain = self.take_header()
            if start == 0:
                self.take_info(version)
            while start > 0 and pid == self.pid and self.at < start + size:
                allocation = self.take_event(domain)
                if allocation:
                    yield allocation
            self.at = start + size


# ---- OCaml's hash tables


class Table:
    def __init__(self, buckets, hash_of):
        self.buckets = [[] for _ in range(buckets)]
        self.hash_of = hash_of
        self.index = {}

    def add(self, key, value):
        self.index[key] = value
        self.buckets[self.hash_of(key) % len(self.buckets)].insert(0, key)

    def __iter__(self):
        for bucket in self.buckets:
            yield from bucket

    def remove(self, keys):
        for key in keys:
            del self.index[key]
            self.buckets[self.hash_of(key) % len(self.buckets)].remove(key)


class Function:
    def __init__(self, number, file, name):
        self.number, self.file, self.name = number, file, name
        self.entries = []  # the newest first
        self.as_caller = 0

    def direct(self):
        return sum(entry.samples for entry in self.entries)

    def total(self):
        return self.direct() + self.as_caller


class Entry:
    def __init__(self, function, place):
        self.function, self.place, self.samples = function, place, 0


class Pairs:
    """Weights of pairs (caller, site): Misra-Gries' summary, or exact."""

    def __init__(self, exact):
        self.exact = exact
        self.table = Table(16384, lambda pair: pair[0].number * 1231441 + pair[1].number * 3821)
        self.misses = 0  # taken from every pair kept, by the time it came

    def add(self, pair, samples):
        found = self.table.index.get(pair)
        if found:
            found[0] += samples if self.exact else 1
        elif self.exact or len(self.table.index) < PAIRS_KEPT:
            self.table.add(pair, [samples if self.exact else 1, self.misses])
        else:
            self.misses += 1
            self.table.remove([key for key, (hits, since) in self.table.index.items()
                               if hits <= self.misses - since])


# ---- The report


class Report:
    def __init__(self, trace, exact):
        self.trace, self.entries, self.functions = trace, {}, {}
        self.pairs = Pairs(exact)
        self.samples = 0
        for samples, stack in trace.allocations():
            self.count(samples, stack)

    def describe(self, stack, index):
        for discarded in range(3):
            locations = self.trace.locations.get(stack[index])
            if locations:
                return locations[-1]
            if index == 0 or discarded == 2:
                break
            index -= 1
        return b"??", b"#%x" % (stack[index] & (1 << 63) - 1), 0, 0, 0

    def entry(self, stack, index):
        entry = self.entries.get(stack[index])
        if not entry:
            file, name, *place = self.describe(stack, index)
            function = self.functions.setdefault((file, name),
                                                 Function(len(self.functions), file, name))
            entry = self.entries[stack[index]] = Entry(function, tuple(place))
            function.entries.insert(0, entry)
        return entry

    def count(self, samples, stack):
        self.samples += samples
        if not stack:
            return
        site = self.entry(stack, len(stack) - 1)
        site.samples += samples
        seen = set()
        for index in range(len(stack) - 2, -1, -1):
            caller = self.entry(stack, index).function
            if caller not in seen:
                seen.add(caller)
                caller.as_caller += samples
                self.pairs.add((caller, site.function), samples)

    def sites(self):
        table = Table(128, lambda site: site.number * 21089245)
        for caller, site in self.pairs.table:
            weight = self.pairs.table.index[caller, site][0]
            share = site.direct() / self.samples
            if share <= 0.005:
                continue
            if site not in table.index:
                table.add(site, [])
            if (weight / caller.total() > max(0.10, share * 1.2)
                    and weight / self.samples > 0.005):
                table.index[site].insert(0, (caller, weight))
        listed = [(site, table.index[site]) for site in reversed(list(table))]
        return sorted(listed, key=lambda pair: -pair[0].direct())

    def bytes(self, samples):
        value = samples / self.trace.rate * 8.0
        if value < 100:
            return "%4.0f B" % value
        for unit in ("kB", "MB", "GB"):
            fits = value < 100 * 1024
            value /= 1024
            if fits:
                return "%4.1f %s" % (value, unit)
        return "%4.1f TB" % (value / 1024)

    def lines(self):
        yield "Trace for %s [%d]:" % (text(self.trace.executable), self.trace.pid)
        yield "   %d samples of %s allocations" % (self.samples, self.bytes(self.samples))
        yield ""
        for site, callers in self.sites():
            yield from self.site_lines(site, callers)
            yield ""

    def site_lines(self, site, callers):
        entries = sorted(site.entries, key=lambda entry: -entry.samples)
        places = ["%d:%d-%d" % entry.place for entry in entries if entry.samples > 0]
        yield "%s (%4.1f%%) at %s (%s:%s%s)" % (
            self.bytes(site.direct()), 100 * (site.direct() / self.samples), text(site.name),
            text(site.file), ", ".join(places[:3]), "..." if len(places) > 3 else "")
        callers = [(caller, weight) for caller, weight in sorted(callers, key=lambda pair: -pair[1])
                   if caller.total() / self.samples > 0.005]
        if callers:
            yield "      including:"
        for caller, weight in callers:
            yield "    %s via %s (%.0f%% of this)" % (self.bytes(weight), text(caller.name),
                                                      100 * (weight / caller.total()))


def text(name):
    return name.decode("utf-8", "surrogateescape")


def main(arguments):
    exact = arguments[:1] == ["--exact"]
    if len(arguments) != 1 + exact:
        sys.exit(__doc__)
    with open(arguments[-1], "rb") as file:
        report = Report(Trace(file.read()), exact)
    sys.stdout.reconfigure(errors="surrogateescape", newline="\n")
    for line in report.lines():
        print(line)


main(sys.argv[1:])
