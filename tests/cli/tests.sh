#!/bin/sh
# heaptap check --tests: limits of tests that say where they begin and end, by heaptap/test.h and heaptap/gtest.h.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
unset MEMTRACE MEMTRACE_RATE LD_PRELOAD DEBUGINFOD_URLS HEAPTAP_PRELOAD
export PATH="/usr/bin:$PATH"
gcc -O1 -g -Wall -Wextra -Werror -Wno-unused-parameter -pthread -I "$SOURCE/include" "$SOURCE/tests/targets/limits/limits.c" -o limits || exit 1
folder=$SOURCE/tests/targets/limits

run ./limits
is "$STATUS:$(cat out err)" 0: "without heaptap the program runs as ever"
"$HEAPTAP" record --all -o t.ctf -- ./limits >log 2>&1

run "$HEAPTAP" check --tests t.ctf
is "$STATUS" 1 "limits that are broken: status 1"
sed "s|$folder/||" out >got
cat >wanted <<'EOF'
t.ctf: peaks: peak 2.0 kB is over 1.5 kB: 2.0 kB make limits.c:10
t.ctf: leaks: live-at-end 500 B is over 0 B: 500 B make limits.c:10
t.ctf: threads: allocated 40000 B is over 39936 B: 39 kB make limits.c:10
EOF
same got wanted "... with the test, the lines and their bytes"

run "$HEAPTAP" check --tests -v t.ctf
for line in "t.ctf: peaks: live-at-end 0 B keeps to 0 B" "t.ctf: fine: peak 100 B keeps to 100 B" "t.ctf: fine: objects 10 keeps to 10"; do
    has out "$line" "-v: $line"
done
run "$HEAPTAP" check --tests --json t.ctf
is "$(/usr/bin/python3 -c '
import json
said = json.load(open("out"))
print([(test["name"], test["peak_bytes"], test["allocated_bytes"], test["objects"], test["left_bytes"], test["limits"], test["broken"])
       for test in said["tests"] if test["name"] != "threads"], said["broken"])')" \
    "[('peaks', 2000, 2000, 2, 0, 2, 1), ('leaks', 800, 800, 2, 500, 1, 1), ('fine', 100, 1000, 10, 0, 5, 0), ('begins where another ends', 0, 0, 0, 0, 0, 0)] 3" \
    "JSON: exact figures of each test, whatever is allocated around it"
run "$HEAPTAP" check --tests --markdown t.ctf
has out "| 2.0 kB | 2.0 kB | 2 | 0 B | 2 | 1 | peaks | t.ctf |" "Markdown has a table of the tests"
run "$HEAPTAP" check --tests t.ctf --max-objects=1 size=1000
has out "t.ctf: peaks: objects 2 is over 1" "limits of the command line, and clauses, are for each test"

run "$HEAPTAP" check --tests t.ctf --max-objects=1G focus=makee
is "$(cat err)" "heaptap check: t.ctf: note: the filter leaves nothing of it: 'focus=makee' matches none of its names; did you mean make?" \
    "a misspelt name is told once for all tests"
run "$HEAPTAP" check --tests t.ctf --max-objects=1G size=123456
is "$(cat err)" "" "... and a test that has nothing of a limit's blocks is no misspelling"

# A test's limits come from the file: they are judged like any other.
for wrong in "much <= 3" "peak" "peak <= x" "peak <= +5%" "peak where focus=( <= 5"; do
    "$HEAPTAP" record --all -o wrong.ctf -- ./limits "$wrong" >log 2>&1
    run "$HEAPTAP" check --tests wrong.ctf
    is "$STATUS" 1 "status 1, as limits of other tests are broken: $wrong"
    has err "asks for what is none" "... and whose limit it is"
    is "$(grep -c '^wrong.ctf: \(peaks: peak\|leaks: live\|threads: allocated\)' out)" 3 "... and the others are judged"
done
cat >one.c <<'END'
#include <heaptap/test.h>
int main(void)
{
    heaptap_test_begin("is none", "much <= 3");
    heaptap_test_end();
    heaptap_test_begin("keeps", "peak <= 1G");
    heaptap_test_end();
    return 0;
}
END
gcc -I "$SOURCE/include" one.c -o one || exit 1
"$HEAPTAP" record --all -o one.ctf -- ./one >log 2>&1
for files in "one.ctf:2" "one.ctf t.ctf:1" "t.ctf one.ctf:1"; do
    for format in "" "--format jsonl" --json; do
        # shellcheck disable=SC2086
        run "$HEAPTAP" check --tests $format ${files%:*}
        is "$STATUS" "${files#*:}" "${files%:*} $format: 1 where a limit is broken, else 2 for one that is none"
    done
done
"$HEAPTAP" record --all -o none.ctf -- true >log 2>&1
run "$HEAPTAP" check --tests none.ctf
is "$STATUS:$(cat err)" "3:heaptap check: none.ctf: it has no tests: a test marks its begin and end with heaptap/test.h" \
    "a trace without tests"

# A sampled recording.
"$HEAPTAP" record --rate 1e-2 -o t.ctf -- ./limits >log 2>&1
run "$HEAPTAP" check --tests -v t.ctf
has out " fine " "a sampled recording has the tests, too"

# GoogleTest, where it is.
if echo '#include <gtest/gtest.h>' | g++ -E -x c++ - >/dev/null 2>&1; then
    g++ -O1 -g -Wall -Wextra -Werror -pthread -I "$SOURCE/include" "$folder/limits.cc" -lgtest -lgtest_main -o glimits || exit 1
    "$HEAPTAP" record --all -o g.ctf -- ./glimits >log 2>&1
    is "$(grep -c '^\[       OK' log)" 3 "GoogleTest's tests run"
    run "$HEAPTAP" check --tests g.ctf
    is "$STATUS" 1 "... limits are broken"
    sed "s|$folder/||; s/, .*//" out >got
    printf '%s\n' "g.ctf: Filled.Peak: peak 49 kB is over 40 kB: 49 kB Filled::Filled limits.cc:9" \
        "g.ctf: Vectors.Leaks: live-at-end 3.9 kB is over 0 B: 3.9 kB Vectors_Leaks_Test::TestBody limits.cc:24" >wanted
    same got wanted "... by fixtures and tests, to the line"
else
    skip "GoogleTest" "there is no libgtest-dev here"
fi
done_testing
