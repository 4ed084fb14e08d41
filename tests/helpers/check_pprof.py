#!/usr/bin/python3
"""Decodes the profiles that `heaptap pprof` writes, by hand, and compares them with what
`heaptap hotspots --json` says of the same trace, and of the profile itself.

    check_pprof.py HEAPTAP GENERATE_TRACE"""
import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter

import tap
from protobuf import message, packed, varint

heaptap, generate = sys.argv[1:]


def run(*arguments):
    return subprocess.run([heaptap, *arguments], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


# ---- Protocol buffers -------------------------------------------------------------------


class Profile:
    def __init__(self, data):
        top = message(data)
        self.strings = [text.decode("utf-8") for text in top[6]]
        one = lambda found, key: found.get(key, [0])[0]
        text = lambda found, key: self.strings[one(found, key)]
        self.types = [(text(t, 1), text(t, 2)) for t in map(message, top[1])]
        self.functions = {}
        for function in map(message, top.get(5, [])):
            assert one(function, 1) not in self.functions
            self.functions[one(function, 1)] = (text(function, 2), text(function, 4))
        self.mappings = [one(mapping, 1) for mapping in map(message, top[3])]
        self.locations = {}
        for location in map(message, top.get(4, [])):
            assert one(location, 1) not in self.locations and one(location, 2) in self.mappings
            lines = [message(line) for line in location[4]]
            self.locations[one(location, 1)] = [(*self.functions[one(line, 1)], one(line, 2)) for line in lines]
        self.samples = []
        for sample in map(message, top.get(2, [])):
            labels = [(text(label, 1), one(label, 3), text(label, 4)) for label in map(message, sample.get(3, []))]
            self.samples.append((packed(sample[1][0]), packed(sample[2][0]), labels))
        self.time, self.duration, self.period = one(top, 9), one(top, 10), one(top, 12)
        self.default = text(top, 14)
        self.times = len(top[9])

    def total(self, index):
        return sum(values[index] for _, values, _ in self.samples)

    def flat(self, index):
        """By function and file: the innermost line of the first location."""
        sums = Counter()
        for stack, values, _ in self.samples:
            sums[self.locations[stack[0]][0][:2]] += values[index]
        return sums


def sites(document, key):
    found = {}
    for site in document["sites"]:
        found[site.get("function"), site["file"] or ""] = site[key]
    return found


def near(a, b, slack):
    return abs(a - b) <= slack


def compare(trace, folder, more):
    name = os.path.basename(trace) + " " + " ".join(more)
    path = os.path.join(folder, "out.pb.gz")
    run("pprof", trace, "-o", path, *more)
    profile = Profile(gzip.decompress(open(path, "rb").read()))
    of_trace = json.loads(run("hotspots", "--json", trace))
    tap.check(f"{name}: ids are dense", sorted(profile.locations) == list(range(1, len(profile.locations) + 1)) and
          sorted(profile.functions) == list(range(1, len(profile.functions) + 1)))
    tap.check(f"{name}: strings begin with the empty one and are told once",
          profile.strings[0] == "" and len(set(profile.strings)) == len(profile.strings))
    tap.check(f"{name}: no empty stacks, seven values each, the time once",
          all(stack and len(values) == 7 for stack, values, _ in profile.samples) and profile.times == 1)
    tap.check(f"{name}: total bytes", near(profile.total(1), of_trace["total"]["bytes"], 1),
          f"{profile.total(1)} and {of_trace['total']['bytes']}")
    tap.check(f"{name}: total objects", near(profile.total(0), of_trace["total"]["objects"], 1),
          f"{profile.total(0)} and {of_trace['total']['objects']}")
    expected = sites(of_trace, "bytes")
    found = profile.flat(1)
    off = [(site, found[site], value) for site, value in expected.items() if not near(found[site], value, len(profile.samples))]
    tap.check(f"{name}: bytes of each of {len(expected)} sites", not off and len(found) == len(expected), off[:3])
    tap.check(f"{name}: in use is no more than allocated, promoted neither",
          all(v[2] <= v[0] + 1 and v[3] <= v[1] and v[5] <= v[1] for _, v, _ in profile.samples))
    sized = "--no-sizes" not in more
    tap.check(f"{name}: labels", all([(label[0], label[2]) for label in labels] == ([("bytes", "bytes")] if sized else [])
                                 for _, _, labels in profile.samples))
    for index, (kind, unit) in enumerate(profile.types):
        of_profile = json.loads(run("hotspots", "--json", f"--sample={kind}", path))
        own = {site: value for site, value in profile.flat(index).items() if value}
        tap.check(f"{name}: our reader on {kind}",
              sites(of_profile, "value") == own and of_profile["total"]["value"] == profile.total(index) and
              of_profile["unit"] == unit)
    return profile


with tempfile.TemporaryDirectory() as folder:
    trace = os.path.join(folder, "generated.ctf")
    subprocess.run([generate, trace, "400k", "3"], check=True)
    sized = compare(trace, folder, [])
    plain = compare(trace, folder, ["--no-sizes"])
    tap.check("sizes or not, the totals are the same", all(near(sized.total(i), plain.total(i), 1) for i in range(6)),
          [(sized.total(i), plain.total(i)) for i in range(7)])
    tap.check("without sizes there are fewer samples", len(plain.samples) < len(sized.samples))
    folded = Counter()
    for line in run("flamegraph", trace).decode().splitlines():
        stack, value = line.rsplit(" ", 1)
        folded[stack] += int(value)
    path = os.path.join(folder, "again.pb.gz")
    run("pprof", trace, "-o", path)
    again = Counter()
    for line in run("flamegraph", path).decode().splitlines():
        stack, value = line.rsplit(" ", 1)
        again[stack] += int(value)
    tap.check("folded stacks of the trace and of its profile", set(folded) == set(again) and
          all(near(folded[stack], again[stack], 8) for stack in folded))
    for clause in ["focus=function_5", "hide=function_5", "show-from=function_5", "live-at=peak", "lifetime>=1ms size>=64",
                   "source=minor", "source=major", "promoted!=never", "domain=1", "focus=nowhere"]:
        run("pprof", trace, *clause.split(), "-o", path)
        some = Profile(gzip.decompress(open(path, "rb").read()))
        pairs = []
        for i, kind in enumerate(["alloc_objects", "alloc_space", "inuse_objects", "inuse_space", "lifetime", "promoted_objects", "promoted_space"]):
            if kind == "lifetime":
                continue
            top = json.loads(run("top", "--json", f"--sample={kind}", "--node-count=0", trace, *clause.split()))
            pairs.append((some.total(i), top["selected"]))
        tap.check(f"under {clause}, the totals are those of top", all(near(a, b, 0.5) for a, b in pairs) and
              (pairs[1][0] < plain.total(1) or clause.startswith("hide")) and (pairs[1][0] > 0 or "nowhere" in clause), pairs)
        tap.check(f"... which a comment tells, and strings are told once", f"filter: {clause}" in some.strings and
              len(set(some.strings)) == len(some.strings), some.strings)
    run("pprof", trace, "allocated>=0", "-o", path)
    whole = Profile(gzip.decompress(open(path, "rb").read()))
    tap.check("a filter that lets all pass leaves the values as they are", all(near(sized.total(i), whole.total(i), 1000 if i == 4 else 1) for i in range(7)),
          [(sized.total(i), whole.total(i)) for i in range(7)])
    run("pprof", trace, "-o", path)
    sizes = [len(run("pprof", trace, "-o", "-", f"--compress={how}")) for how in ("quick", "small")]
    tap.check("--compress=small is smaller, the default of small profiles, and the same profile", sizes[0] > sizes[1] == os.path.getsize(path) and
          gzip.decompress(run("pprof", trace, "-o", "-", "--compress=quick")) == gzip.decompress(open(path, "rb").read()), sizes)
    for command in ["stats", "dump"]:
        done = subprocess.run([heaptap, command, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        tap.check(f"{command} refuses a profile in one sentence",
              done.returncode == 3 and done.stdout == b"" and b"pprof profile" in done.stderr and
              done.stderr.count(b"\n") == 1, done.stderr)
    with open(trace, "r+b") as file:
        file.truncate(200000)
    done = subprocess.run([heaptap, "pprof", trace, "-o", path], stderr=subprocess.PIPE)
    document = json.loads(run("info", "--json", path))
    tap.check("a cut trace gives a profile that says so", done.returncode == 3 and document["samples"] > 0 and
          any("cut" in comment for comment in document["comments"]))

tap.end()
