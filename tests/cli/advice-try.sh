#!/bin/sh
# heaptap advice --try: what was promised, beside what a change of the sources saves.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
SHAPE=$SOURCE/tests/programs/advice/cpp/vector_per_call
cat >build <<'EOF'
set -e
g++ -std=c++17 -g -O2 program.cpp -o program
echo built
EOF
# try_it [OPTION...]: fields of the answer, or nothing.
try_it() {
    run timeout 100 "$HEAPTAP" advice --try 'sh build' --all "$@" -- ./program </dev/null
}
figures() {
    /usr/bin/python3 - <<'EOF'
import json
answer = json.load(open("out"))
for row in answer["promises"]:
    print(row["causes"], row["function"], row.get("line"), row["measure"], abs(row["promised"] - row["saved"]) <= 0.01 * row["saved"], row["before"] - row["after"] == row["saved"])
totals = answer["totals"]
print(totals["allocated_before"] > 10 * totals["allocated_after"], totals["sampled"], len(answer["grown"]))
EOF
}

cp "$SHAPE/before.cpp" program.cpp
sh build >/dev/null
(
    while ! grep -qs "Waiting for a change of 1 source file " err; do sleep 0.1; done
    changed "$SHAPE" after program.cpp
) &
try_it --json
is "$STATUS" 0 "a change is waited for, built and recorded"
is "$(figures)" "temporary-containers distinct 7 allocated True True
True False 0" "promise and result in JSON"
has err built "what the build says goes to standard error then"

# What an implicit constructor makes is that of the line which copies, on both sides; here in a loop, and for an argument.
cat >program.cpp <<'EOF'
#include <cstdio>
#include <string>
#include <vector>
struct Doc { std::string title; std::vector<int> words; };
#ifdef AFTER
#define PASSED const Doc &
#else
#define PASSED Doc
#endif
__attribute__((noinline)) static size_t length(PASSED doc) { return doc.title.size() + doc.words.size(); }
__attribute__((noinline)) static size_t count(const std::vector<Doc> &docs)
{
    size_t n = 0;
    for (PASSED doc : docs)
        n += doc.title.size() + doc.words.size();
    return n;
}
__attribute__((noinline)) static size_t lengths(const std::vector<Doc> &docs)
{
    size_t n = 0;
    for (const Doc &doc : docs)
        n += length(doc);
    return n;
}
int main()
{
    std::vector<Doc> docs(500, Doc{std::string(100, 'x'), std::vector<int>(60, 1)});
    size_t n = 0;
    for (int turn = 0; turn < 10; turn++)
        n += count(docs) + lengths(docs);
    std::printf("%zu\n", n);
}
EOF
echo "g++ -std=c++17 -g -O2 program.cpp -o program" >build
sh build
"$HEAPTAP" record -q --all -o copied.ctf -- ./program >/dev/null
run "$HEAPTAP" diagnose --json copied.ctf
/usr/bin/python3 - >got <<'EOF'
import json
causes = json.load(open("out"))["causes"]
print(*sorted((cause["function"], cause["bytes"], cause["saved"]) for cause in causes if "saved" in cause))
print(sum(cause["figure"] == "churn" for cause in causes))
EOF
is "$(cat got)" "('count', 1705000, 1705000) ('lengths', 1705000, 1705000)
0" "diagnose has the bytes that the line copies, and does not name them again where they are made"
rm err
(
    while ! grep -qs "Waiting" err; do sleep 0.1; done
    sed -i '1i #define AFTER' program.cpp
) &
try_it --json
is "$(/usr/bin/python3 -c 'import json
for row in sorted(json.load(open("out"))["promises"], key=lambda row: row["function"]): print(row["function"], row["promised"], row["saved"], row["before"], row["after"])')" \
    "count 1705000 1705000 1705000 0
lengths 1705000 1705000 1705000 0" "what is copied before, and saved, is what was promised"

echo "exit 3" >build
cp "$SHAPE/before.cpp" program.cpp
g++ -std=c++17 -g -O2 program.cpp -o program
rm err
(
    while ! grep -qs "Waiting" err; do sleep 0.1; done
    echo "// changed" >>program.cpp
    while [ "$(grep -c Waiting err)" -lt 2 ]; do sleep 0.1; done
    echo "g++ -std=c++17 -g -O2 program.cpp -o program" >build
    echo "// changed again" >>program.cpp
) &
try_it --json
is "$STATUS $(grep -c Waiting err)" "0 2" "after a build that fails, the next change is waited for"
has err "'sh build' failed" "... which is said"
try_it --wait 1
is "$STATUS" 3 "without a change"
has err "no source has changed within 1 s" "... it gives up when told to"
has out "A container for each call: distinct " "... after the advice"
mkdir elsewhere
cp program elsewhere
run env -C elsewhere timeout 100 "$HEAPTAP" advice --try 'sh build' -- ./program </dev/null
has err "none of the program's sources is found below the present folder: name theirs by --source-path" "without its sources"
run "$HEAPTAP" advice --try make
is "$STATUS" 2 "a command is needed"
has err "the command to record is missing" "... is said so"
run "$HEAPTAP" advice --try make --wait=never -- ./program
has err "--wait takes a number of seconds, not 'never'" "seconds that are none"
run "$HEAPTAP" advice --try=make --wait=never -- ./program
has err "--wait takes a number of seconds, not 'never'" "... after --try=BUILD, too"

if [ -x /usr/bin/python3 ]; then
    cp "$SOURCE/tests/programs/advice/python/queue/before.py" work.py
    rm err
    (
        while ! grep -qs "Waiting" err; do sleep 0.1; done
        cp out waiting
        changed "$SOURCE/tests/programs/advice/python/queue" after work.py
    ) &
    run "$HEAPTAP" advice --try true --all -- /usr/bin/python3 -S work.py </dev/null
    grep -q "^PROMISED .* SAVED " out && grep -Eq "^ +[89]\.[0-9] MB [89]\.[0-9] MB .* list-queue work" out
    ok $? "lines of Python, as a table"
    has waiting "A list as a queue: work " "... after the advice, which is there before a change is waited for"
    has out "These allocate more than before:" "... with what the remedy imports"
fi
done_testing
