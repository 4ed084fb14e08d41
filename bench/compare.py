#!/usr/bin/python3
"""How often `heaptap compare` names what did not change, and how often it finds what did.

    bench/compare.py BUILD [--pairs N] [--planted N] [--against HEAPTAP] [--only PROGRAM|planted]

Programs: perl, sqlite3 and python3 are recorded 2 N times, doing the same, at a fixed rate, and compared in pairs: any function that
is named is one too many, and any total (peak, allocated, ...) that is called larger or smaller.  They are run as people run them, with hash tables of random seeds.  Of each pair the answer is asked with
the usual smallest change, and with none (--smallest=0).  --against: of another build of heaptap, too.

Planted: a program of 40 functions, which have shares of 1, 1/2, 1/3, ... of each other, is recorded as it is and with one function
that allocates 5 or 20 % more.  Printed is in how many of 100 pairs that function is named, and any other.
"""
import argparse
import json
import multiprocessing.pool
import os
import shutil
import subprocess
import sys
import tempfile

PERL = r"""
my (%count, @kept);
for my $i (1 .. 30000) {
    my @words = map { "w" . ($i * $_ % 997) } 1 .. 4;
    $count{$_}++ for @words;
    push @kept, join ",", @words if $i % 3 == 0;
    my $text = uc join " ", reverse @words; $text =~ s/W(\d)/<$1>/g;
    my $o = { id => $i, name => $text }; push @{$count{list}{$i % 100}}, $o if $i % 10 == 0;
}
print scalar(@kept), "\n";
"""
SQL = """
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
INSERT INTO t SELECT i, printf('row %d of %d', i, i * 7 % 1001), i / 3.0 FROM n;
CREATE INDEX tb ON t(b);
SELECT count(*), sum(length(b)) FROM t WHERE b LIKE '%77%';
SELECT b, group_concat(a) FROM t GROUP BY substr(b, 1, 6) ORDER BY c LIMIT 5;
UPDATE t SET b = b || upper(b) WHERE a % 5 = 0;
SELECT max(length(b)) FROM (SELECT b FROM t ORDER BY b DESC);
"""
PYTHON = r"""
import json, re, collections
rows = [{"id": i, "name": f"name {i * 7 % 1001}", "tags": [str(i % k) for k in range(1, 5)]} for i in range(6000)]
text = json.dumps(rows)
again = json.loads(text)
count = collections.Counter(re.findall(r"\w+", text))
print(len(count), sum(len(r["tags"]) for r in again), len(sorted(count.items())))
"""
# name -> command, the rate, and variables
PROGRAMS = {
    "perl": (["/usr/bin/perl", "-e", PERL], "1e-3", {}),
    "sqlite3": (["/usr/bin/sqlite3", ":memory:", SQL], "1e-3", {}),
    "python3": (["/usr/bin/python3", "-S", "-c", PYTHON], "1e-3", {"PYTHONMALLOC": "malloc"}),
}
FUNCTIONS = 40
BLOCKS = 300000  # of the first function
RATES = "1e-3", "1e-2"
PLANTED = 0, 3, 9  # which functions
GROWTHS = 5, 20


def planted_source():
    lines = ["#include <stdlib.h>", "static void *volatile kept;"]
    for i in range(FUNCTIONS):
        lines.append(f"__attribute__((noinline)) void function_{i}(long n)"
                     f" {{ for (long i = 0; i < n; i++) {{ kept = malloc({i % 7 * 40 + 24}); free(kept); }} }}")
    lines.append("int main(int count, char **words) { int which = atoi(words[1]); double by = atof(words[2]);")
    for i in range(FUNCTIONS):
        blocks = BLOCKS * 24 / (i + 1) / (i % 7 * 40 + 24)
        lines.append(f"function_{i}({blocks:.0f} * (which == {i} ? by : 1));")
    return "\n".join(lines + ["return 0; }", ""])


class Bench:
    def __init__(self, options, directory):
        self.heaptap = os.path.abspath(os.path.join(options.build, "src/cli/heaptap"))
        self.against, self.directory, self.made = options.against, directory, 0
        self.pool = multiprocessing.pool.ThreadPool(2)

    def record(self, command, rate, variables=None):
        self.made += 1
        path = os.path.join(self.directory, f"{self.made}.ctf")
        subprocess.run([self.heaptap, "record", "--native", "-q", "--rate", rate, "-o", path, "--", *command], check=True,
                       stdout=subprocess.DEVNULL, env={**os.environ, **(variables or {})})
        return path

    def ask(self, before, after, *options, heaptap=None):
        done = subprocess.run([heaptap or self.heaptap, "compare", "--json", "-n", "0", *options, before, after],
                              stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout)

    def pairs(self, commands, rate, variables, questions):
        """The answers to each question, of two recordings that are gone afterwards."""
        files = [self.record(command, rate, variables) for command in commands]
        answers = [self.ask(*files, *words, heaptap=heaptap) for words, heaptap in questions]
        for path in files:
            os.unlink(path)
        return answers

    def many(self, count, *arguments):
        return self.pool.map(lambda _: self.pairs(*arguments), range(count))


def say_programs(bench, programs, pairs):
    questions = [([], None), (["--smallest=0"], None)] + ([([], bench.against)] if bench.against else [])
    print("| program | rate | functions that differ | named in, of 100 pairs | any change | total named in | any change |" + (" before |" if bench.against else ""))
    print("| ---     | ---: |                  ---: |                   ---: |       ---: |           ---: |       ---: |" + ("   ---: |" if bench.against else ""))
    for name, (command, rate, variables) in programs.items():
        if not os.access(command[0], os.X_OK):
            print(f"{name}: skipped, {command[0]} is not installed", file=sys.stderr)
            continue
        results = bench.many(pairs, [command, command], rate, variables, questions)
        named = [100 * sum(answers[i]["count"] > 0 for answers in results) / pairs for i in range(len(questions))]
        differ = sum(answers[0]["changed"] for answers in results) / pairs
        totals = [100 * sum(any(total["verdict"] in ("larger", "smaller") for total in answers[i]["totals"]) for answers in results) / pairs
                  for i in range(2)]
        cells = [name, rate, f"{differ:.0f}", *[f"{part:.0f}" for part in (*named[:2], *totals, *named[2:])]]
        print("| " + " | ".join(cells) + " |", flush=True)


def say_planted(bench, pairs):
    source, program = (os.path.join(bench.directory, name) for name in ("planted.c", "planted"))
    with open(source, "w", encoding="ascii") as file:
        file.write(planted_source())
    if not shutil.which("gcc"):
        return print("planted: skipped, gcc is not installed", file=sys.stderr)
    subprocess.run(["gcc", "-O1", "-g", "-fno-builtin", source, "-o", program], check=True)
    questions = [([], None), (["--smallest=0"], None)]
    print("| rate | function's share | grows by | of the total | found, of 100 | any change | any other |")
    print("| ---: |             ---: |     ---: |         ---: |          ---: |       ---: |      ---: |")
    whole = sum(1 / (i + 1) for i in range(FUNCTIONS))
    for rate in RATES:
        for function in PLANTED:
            for growth in GROWTHS:
                commands = [[program, "-1", "1"], [program, str(function), str(1 + growth / 100)]]
                results = bench.many(pairs, commands, rate, {}, questions)
                name = f"function_{function}"
                found = [100 * sum(any(row["function"] == name for row in answers[i]["rows"]) for answers in results) / pairs
                         for i in range(2)]
                others = 100 * sum(any(row["function"] != name for row in answers[1]["rows"]) for answers in results) / pairs
                share = 1 / (function + 1) / whole
                cells = [rate, f"{100 * share:.1f} %", f"{growth} %", f"{share * growth:.2f} %",
                         *[f"{part:.0f}" for part in (*found, others)]]
                print("| " + " | ".join(cells) + " |", flush=True)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--planted", type=int, default=100)
    parser.add_argument("--against")
    parser.add_argument("--only", choices=(*PROGRAMS, "planted"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        bench = Bench(options, directory)
        if options.only != "planted":
            say_programs(bench, {name: PROGRAMS[name] for name in PROGRAMS if options.only in (None, name)}, options.pairs)
        if options.only in (None, "planted"):
            say_planted(bench, options.planted)


if __name__ == "__main__":
    main()
