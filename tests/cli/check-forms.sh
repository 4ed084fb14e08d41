#!/bin/sh
# heaptap check --format: what tools that judge changes read.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
unset MEMTRACE MEMTRACE_RATE LD_PRELOAD DEBUGINFOD_URLS HEAPTAP_PRELOAD
export PATH="/usr/bin:$PATH"

# Names of files and tests in which each form has something to escape.
folder='a b%c,d:e'
mkdir "$folder"
cat >"$folder/limits.c" <<'EOF2'
#include <stdlib.h>
#include <heaptap/test.h>
static void *volatile kept;
static void make(size_t bytes)
{
    kept = malloc(bytes);
}
static void other(size_t bytes)
{
    kept = malloc(bytes);
}
int main(void)
{
    heaptap_test_begin("50% <of> \"it\" & more: all\nof it", "allocated <= 1000; objects <= 1");
    make(3000), other(2000);
    heaptap_test_begin("holds", "allocated <= 1 MB");
    make(1000);
    heaptap_test_begin("has no limits", "");
    heaptap_test_begin("the second broke", "allocated <= 1 MB; objects <= 1");
    make(10), make(20);
    heaptap_test_begin("is refused", "objects <= much");
    make(10);
    heaptap_test_begin("leaks", "live-at-end <= 0");
    make(500);
    heaptap_test_end();
    return 0;
}
EOF2
gcc -O1 -g -fno-inline -I "$SOURCE/include" "$folder/limits.c" -o limits || exit 1
"$HEAPTAP" record --all -o t.ctf -- ./limits >log 2>&1
[ -s t.ctf ] || {
    echo "1..0 # SKIP this build has no recorder"
    exit 0
}

run "$HEAPTAP" check --tests --format=github t.ctf
is "$STATUS" 1 "GitHub: the exit status is that of text"
cat >wanted <<'EOF2'
::error file=a b%25c%2Cd%3Ae/limits.c,line=6,title=heaptap allocated::t.ctf: 50%25 <of> "it" & more: all\x0aof it: allocated 4.9 kB is over 1000 B: 2.9 kB make FOLDER/limits.c:6, 2.0 kB other FOLDER/limits.c:10
::error file=a b%25c%2Cd%3Ae/limits.c,line=6,title=heaptap objects::t.ctf: 50%25 <of> "it" & more: all\x0aof it: objects 2 is over 1: 1 make FOLDER/limits.c:6, 1 other FOLDER/limits.c:10
::error file=a b%25c%2Cd%3Ae/limits.c,line=6,title=heaptap objects::t.ctf: the second broke: objects 2 is over 1: 2 make FOLDER/limits.c:6
::error title=heaptap limit::t.ctf: is refused: it isn't judged: a budget is peak, allocated, live-at-end or objects, optionally 'where' and a filter, and '<=' with a limit such as 20 MB or +5%25: objects <= much
::error file=a b%25c%2Cd%3Ae/limits.c,line=6,title=heaptap live-at-end::t.ctf: leaks: live-at-end 500 B is over 0 B: 500 B make FOLDER/limits.c:6
EOF2
sed "s| [^ ]* b%25c,d:e/| FOLDER/|g; s| $TMP/a b%25c,d:e/| FOLDER/|g" out >got
same got wanted "GitHub: a note at the line, with what ends its parts escaped"
has err "t.ctf: is refused: a budget is peak" "... and why a test is refused"

# What the standard asks for: https://docs.oasis-open.org/sarif/sarif/v2.1.0/
cat >sarif.py <<'EOF2'
import json, re, sys, urllib.parse
log = json.load(open(sys.argv[1]))
def need(condition, what):
    if not condition:
        sys.exit(what)
def check_location(location):
    physical = location.get("physicalLocation")
    if physical:
        artifact = physical["artifactLocation"]
        need(re.fullmatch(r"[A-Za-z0-9._~/%:-]+", artifact["uri"]), "a uri is one")
        need(("uriBaseId" in artifact) != artifact["uri"].startswith("file:"), "absolute uris have no base")
        need(physical["region"]["startLine"] >= 1, "lines begin with 1")
    for logical in location.get("logicalLocations", []):
        need(isinstance(logical["fullyQualifiedName"], str) and logical["kind"] == "function", "a logical location")
need(log["version"] == "2.1.0" and log["$schema"].endswith("/sarif-schema-2.1.0.json"), "version and schema")
need(isinstance(log["runs"], list) and len(log["runs"]) == 1, "one run")
run = log["runs"][0]
driver = run["tool"]["driver"]
need(isinstance(driver["name"], str) and re.fullmatch(r"\d+\.\d+\.\d+", driver["version"]), "the driver's name and version")
rules = driver["rules"]
need(len({rule["id"] for rule in rules}) == len(rules) and all(rule["shortDescription"]["text"] for rule in rules), "rules")
for result in run["results"]:
    need(result["message"]["text"], "a message")
    need(result["level"] in ("none", "note", "warning", "error"), "a level")
    need(rules[result["ruleIndex"]]["id"] == result["ruleId"], "a rule")
    need(isinstance(result["locations"], list), "locations")
    for location in result["locations"]:
        check_location(location)
    for related in result.get("relatedLocations", []):
        need(isinstance(related["id"], int) and related["message"]["text"], "a related location")
        check_location(related)
    where = result["locations"][0]["physicalLocation"] if result["locations"] else None
    print(result["level"], result["ruleId"], result["properties"].get("test", "").split("\n")[0], result["properties"].get("limit", "-"),
          urllib.parse.unquote(where["artifactLocation"]["uri"]) if where else "-", where["region"]["startLine"] if where else "-")
EOF2
run "$HEAPTAP" check --tests --format=sarif t.ctf
/usr/bin/python3 sarif.py out >got 2>&1
cat >wanted <<'EOF2'
error allocated 50% <of> "it" & more: all allocated <= 1000 B a b%c,d:e/limits.c 6
error objects 50% <of> "it" & more: all objects <= 1 a b%c,d:e/limits.c 6
error objects the second broke objects <= 1 a b%c,d:e/limits.c 6
error limit is refused - - -
error live-at-end leaks live-at-end <= 0 B a b%c,d:e/limits.c 6
EOF2
same got wanted "SARIF: what the standard asks for, and what broke"

cat >junit.py <<'EOF2'
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
def counts(of):
    return [int(of.get(name)) for name in ("tests", "failures", "errors")]
assert root.tag == "testsuites"
total = [0, 0, 0]
for suite in root:
    assert suite.tag == "testsuite"
    cases = list(suite)
    assert all(case.tag == "testcase" and case.get("classname") == suite.get("name") for case in cases)
    assert counts(suite) == [len(cases), sum(case.find("failure") is not None and case.find("error") is None for case in cases),
                             sum(case.find("error") is not None for case in cases)], counts(suite)
    total = [a + b for a, b in zip(total, counts(suite))]
    for case in cases:
        print(suite.get("name"), "|", case.get("name"), "|", case.get("line"), "|", *(f"{one.tag} {one.get('type')}" for one in case))
        assert all(f"/{one.get('message')}".find(f"/{suite.get('name')}: ") >= 0 for one in case)
        if case.get("name").startswith("50%"):
            assert case[0].get("message").startswith('t.ctf: 50% <of> "it" & more: all\\x0aof it: allocated 4.9 kB is over'), case[0].get("message")
assert counts(root) == total
EOF2
run "$HEAPTAP" check --tests --format=junit t.ctf
/usr/bin/python3 junit.py out >got 2>&1
cat >wanted <<'EOF2'
t.ctf | 50% <of> "it" & more: all\x0aof it | 6 | failure allocated failure objects
t.ctf | holds | None |
t.ctf | has no limits | None |
t.ctf | the second broke | 6 | failure objects
t.ctf | is refused | None | error limit
t.ctf | leaks | 6 | failure live-at-end
EOF2
same got wanted "JUnit: a case for each test, which a parser reads"

# Without tests: limits of whole files, one of them estimated.
"$MAKE_STORY" >story.ctf
cp "$GOLDEN/valid/lists-and-sets-v1.ctf" .
printf '%s\n' 'peak <= 1 kB' 'objects where focus="m&p|map" <= 1' 'allocated <= 1' >budgets
run "$HEAPTAP" check --format=junit --budgets budgets story.ctf
/usr/bin/python3 junit.py out >got 2>&1
cat >wanted <<'EOF2'
story.ctf | peak <= 1.0 kB | None |
story.ctf | objects <= 1 where focus="m&p|map" | 20 | failure objects
story.ctf | allocated <= 1 B | 30 | failure allocated
EOF2
same got wanted "JUnit: without tests, a case for each limit"
run "$HEAPTAP" check --format=sarif --budgets budgets story.ctf
/usr/bin/python3 sarif.py out >got 2>&1
printf '%s\n' 'error objects  objects <= 1 where focus="m&p|map" list.ml 20' 'error allocated  allocated <= 1 B helper.ml 30' >wanted
same got wanted "SARIF: ... likewise"
limit=$("$HEAPTAP" check --json lists-and-sets-v1.ctf --max-allocated=1 | /usr/bin/python3 -c 'import json, sys
budget = json.load(sys.stdin)["budgets"][0]; print(int(budget["measured"] - budget["uncertainty"] / 2))')
run "$HEAPTAP" check --format=github --max-allocated "$limit" lists-and-sets-v1.ctf
is "$STATUS:$(grep -c '^::warning .* is perhaps over ' out)" 0:1 "GitHub: what is uncertain is a warning"
run "$HEAPTAP" check --format=sarif --max-allocated "$limit" lists-and-sets-v1.ctf
is "$(/usr/bin/python3 sarif.py out | cut -d' ' -f1)" warning "SARIF: ... likewise"
for format in github sarif junit; do
    run "$HEAPTAP" check --format=$format story.ctf --max-peak=1M
    is "$STATUS:$(grep -c 'failure type\|::error\|"level"' out)" 0:0 "$format: what holds is no finding"
    "$HEAPTAP" check --format=$format --max-peak=1 story.ctf >/dev/full 2>err
    is "$?:$(wc -l <err)" 4:1 "$format: a disk that is full"
done
for format in json csv markdown; do
    "$HEAPTAP" check --$format story.ctf --max-peak=1 >wanted
    run "$HEAPTAP" check --format $format story.ctf --max-peak=1
    same out wanted "--format=$format is --$format"
done
run "$HEAPTAP" check --format=sarf story.ctf --max-peak=1
is "$STATUS" 2 "a format that is none"

# A file that can't be judged, or not to its end, stands in each form.
head -c 3000 lists-and-sets-v1.ctf >cut.ctf
mkdir folder
run "$HEAPTAP" check --max-peak=1G --format=junit folder/none.ctf cut.ctf story.ctf
status=$STATUS
/usr/bin/python3 junit.py out >got 2>&1
cat >wanted <<'EOF2'
none.ctf | file | None | error file
cut.ctf | peak <= 1.0 GB | 8 | error peak
cut.ctf | file | None | error file
story.ctf | peak <= 1.0 GB | None |
EOF2
same got wanted "JUnit: files that can't be read"
is "$status:$(grep -c 'message="folder/none.ctf: cannot open: No such file or directory"' out)" 3:1 "... with what is wrong"
run "$HEAPTAP" check --max-peak=1G --format=github folder/none.ctf cut.ctf story.ctf
is "$STATUS:$(cut -d: -f1-5 out)" "3:::error title=heaptap file::folder/none.ctf
::error file=bin/lists_and_sets.ml,line=8,title=heaptap peak::cut.ctf
::error title=heaptap file::cut.ctf" "GitHub: ... likewise"
run "$HEAPTAP" check --max-peak=1G --format=sarif folder/none.ctf cut.ctf story.ctf
is "$STATUS:$(/usr/bin/python3 sarif.py out | tr '\n' ';')" "3:error file  - - -;error peak  peak <= 1.0 GB bin/lists_and_sets.ml 8;error file  - - -;" "SARIF: ... likewise"
run "$HEAPTAP" check --tests --format=junit story.ctf
is "$STATUS:$(grep -c 'error type="file" message="story.ctf: it has no tests: ' out)" 3:1 "a file without tests likewise"
run "$HEAPTAP" check --max-objects=1 --format=junit story.ctf tag=a
is "$STATUS:$(grep -c 'error type="file" message="story.ctf: filter: tag: objects of a trace have no labels"' out)" 2:1 "a filter that does not suit a file likewise"

# Where a place has no file, none is named.
/usr/bin/python3 -c '
import os, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from line_profile import write_lines
write_lines("nofile.pb", [("work", "", 0, 1000)])'
for form in github sarif junit; do
    run "$HEAPTAP" check --max-allocated=1 --format=$form nofile.pb
    is "$STATUS:$(grep -c 'file=,\|file=""\|"uri": ""' out)" 1:0 "$form: no file of a place that has none"
done

# A list of files, and an answer for each as soon as it is judged.
printf '%s\n' story.ctf '' none.ctf lists-and-sets-v1.ctf >list
run "$HEAPTAP" check --max-peak=1 --files-from=list t.ctf
is "$STATUS:$(cut -d: -f1 out | tr '\n' ' ')" "3:t.ctf story.ctf lists-and-sets-v1.ctf " "--files-from: files of a list, after those of the command line"
run "$HEAPTAP" check --max-peak=1 --format=jsonl --files-from=list
is "$STATUS:$(/usr/bin/python3 -c 'import json; print([[b["file"] for b in json.loads(line)["budgets"]] for line in open("out")])')" \
    "3:[['story.ctf'], [], ['lists-and-sets-v1.ctf']]" "JSON Lines: a line for each"
cat >talk.py <<'EOF2'
import json, subprocess, sys
judge = subprocess.Popen([sys.argv[1], "check", "--max-objects=5", "--format=jsonl", "--files-from=-"], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE)
for _ in range(3):
    judge.stdin.write(b"story.ctf\n")
    judge.stdin.flush()
    print(json.loads(judge.stdout.readline())["broken"], end=" ")
judge.stdin.close()
print(judge.wait())
EOF2
is "$(/usr/bin/python3 talk.py "$HEAPTAP")" "1 1 1 1" "... before the next is asked for"
: >empty
run "$HEAPTAP" check --max-peak=1 --files-from=empty
is "$STATUS:$(cat err)" "2:heaptap check: empty: it names no files" "a list of nothing"
run "$HEAPTAP" check --max-peak=1 --files-from=nowhere
is "$STATUS:$(cat err)" "3:heaptap check: nowhere: No such file or directory" "a list that isn't there"
done_testing
