#!/bin/sh
# Every option that a report's --help lists does something: on a profile where it can, the output is
# another one with it than without.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
"$MAKE_STORY" >story.ctf
"$HEAPTAP" pprof story.ctf -o story.pb.gz
"$HEAPTAP" file subsample --to 0.045 story.ctf -o other.ctf
python3 "$SOURCE/tests/helpers/add_holders.py" story.ctf holders.ctf
cat >check.py <<'EOF'
import os, re, shutil, subprocess, sys

# What is tried for an option with a value; those of one command first.
VALUES = {
    "granularity": "files", "filter": "size>=8w", "sample": "inuse_objects", "node-count": "1", "node-fraction": "0.9",
    "edge-fraction": "0.9", "max-depth": "1", "callers": "0", "top": "1", "by": "objects", "weight": "objects",
    "min-share": "60", "title": "Name", "colour": "function", "steps": "5", "from": "1us", "to": "2us", "tree nodes": "2", "tree --callers nodes": "1", "tree --callees nodes": "2", "source-path": "sources", "parts": "3",
    "output": "picture.svg", "hotspots format": "csv", "hotspots granularity": "line", "flamegraph format": "json",
    "export format": "callgrind", "info format": "memtrace", "leaks sample": "inuse_objects",
    "tree --callers granularity": "lines", "tree --callees granularity": "lines", "peek granularity": "lines", 
    "compare --long node-count": "1", "stacks": "picture.svg", "suppressions": "known.txt", "summary base": "other.ctf", "unit": "MB", "smallest": "90%", "paths": "0", "roots": "1", "snapshot": "1", "by-function": "2", "base": "other.ctf", "holders filter": "focus=wrap",
}
# What an option is for: arguments that stand beside it, on both sides.
BESIDE = {
    "summary source-path": ["--json"], "diagnose source-path": ["--json"],
    "relative-percentages": ["-F", "focus=wrap"],
    "dump stacks": ["--format=csv"], "tree cum": ["--context"], "tree edge-fraction": ["--context"], "tree mean": ["--context"], "flamegraph title": ["--svg"], "flamegraph colour": ["--svg"],
    "compare --long edge-fraction": ["--graph"], "compare --long node-fraction": ["--graph"], "compare --long output": ["--graph"],
    "compare --long no-inlines": ["-F", "libraries=show"],
    "leaks no-inlines": ["-F", "libraries=show"], "traces labels": ["story.pb.gz"], "hotspots all-callers": ["-g", "line"],
}
# These say what is so anyway, or need a profile with negative values, or a long trace.
DEFAULTS = {"leaks limit", "graph dot", "flamegraph folded", "graph drop-negative", "advice no-inlines", "timeline by", "tree --callers merge-recursion"} # for a store; for a recursive caller
DRAWN = {"graph svg", "graph png", "graph output", "compare --long output"} # by Graphviz
ARGUMENTS = {
    "tree --callers": ["story.ctf", "ext_alloc|iter"], "tree --callees": ["story.ctf", "main"], "peek": ["story.ctf", "wrap|map"], "holders": ["holders.ctf"],
    "list": ["story.ctf", "wrap|ext|helper"], "compare --long": ["story.ctf", "other.ctf"], "compare": ["story.ctf", "other.ctf"], "export": ["story.ctf", "-f", "speedscope"],
}


def run(command, arguments):
    if os.path.exists("picture.svg"):
        os.remove("picture.svg")
    result = subprocess.run([os.environ["HEAPTAP"], *command.split(), *arguments], capture_output=True)
    picture = os.path.exists("picture.svg")
    return result.returncode, result.stdout, picture and open("picture.svg", "rb").read()


command = sys.argv[1]
LISTED = open("commands").read().splitlines() # an option that is in the command's name makes another of it
text = subprocess.run([os.environ["HEAPTAP"], *command.split(), "--help"], capture_output=True, text=True, check=True).stdout
for name, value in re.findall(r"^ +(?:-\w, +)?--([a-z-]+)(\[?=[A-Za-z0-9|:.\[\]-]+)?", text, re.M):
    key = f"{command} {name}"
    if name in ("help", "usage", "version", "full-names") or f"{command} --{name}" in LISTED or key in DEFAULTS: # names.sh has a terminal for that
        continue
    if key in DRAWN and not shutil.which("dot"):
        continue
    base = ARGUMENTS.get(command, ["story.ctf"])
    beside = BESIDE.get(key, BESIDE.get(name, []))
    if beside and not beside[0].startswith("-"):
        base, beside = beside, []
    option = f"--{name}={VALUES.get(key) or VALUES[name]}" if value else f"--{name}"
    without, result = run(command, base + beside), run(command, base + beside + [option])
    if result[0] != 0 or result == without:
        print(f"{option}: {'status %d' % result[0] if result[0] else 'no effect'}")
EOF
mkdir sources
echo 'leak:wrap' >known.txt
printf 'one\ntwo\n' >sources/stubs.c
seq 40 >sources/helper.ml
# All commands but those that are no reports, or have tests of their own options.
"$HEAPTAP" help all | grep '^  ' | cut -c3-19 | sed 's/ *$//' |
    grep -vxE 'record|memtracer|view.*|fleet .*|file .*|check|agent.*|dump|pprof' >commands
while read -r command; do
    [ "$command" != 'advice --try' ] || continue # advice-try.sh has its own
    is "$(/usr/bin/python3 check.py "$command" 2>&1)" "" "$command: each option has an effect"
done <commands
has_program "graph, compare --long: options that draw" dot || :

# What is for something else is refused, in one sentence.
for wrong in "tree --cum" "tree --edge-fraction=0.1" "tree --mean" "flamegraph --title=x" "flamegraph --colour=file" "timeline -g lines" \
    "timeline --no-inlines" "advice -s inuse_space" "list -g files" "export -f dhat --json" "compare --long --node-fraction=1 story.ctf" \
    "compare --long --edge-fraction=1 story.ctf" "compare --long --flamegraph --cum story.ctf"; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" $wrong story.ctf
    is "$STATUS $(grep -c "^heaptap" err)" "2 1" "$wrong"
done

# A wrong value: what the option takes.
while IFS='|' read -r options message; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" top $options story.ctf
    is "$STATUS $(head -1 err)" "2 heaptap top: $message" "top $options"
done <<'EOT'
-g nope|--granularity takes functions, filefunctions, files, lines or addresses, not 'nope'
-g fnuctions|--granularity takes functions, filefunctions, files, lines or addresses, not 'fnuctions'; did you mean functions?
--node-count x|--node-count takes a whole number, not 'x'
--node-count 4294967296|--node-count takes a whole number, not '4294967296'
--node-fraction 2|--node-fraction takes a part of the whole, from 0 to 1 or 0% to 100%, not '2'
--json --csv|--csv is a second format: one at a time
EOT

# A clause of which the = was forgotten, before or behind the file.
for word in $("$HEAPTAP" help filters | sed -n 's/^  \([a-z-]*\)=.*/\1/p'); do
    run "$HEAPTAP" leaks story.ctf "$word" 5
    is "$STATUS $(head -1 err)" "2 heaptap leaks: '$word' is a clause of a filter: write = and a value after it, without spaces: $word=5" "$word 5"
done
run "$HEAPTAP" leaks size story.ctf
is "$STATUS" 2 "... before the file"
cp story.ctf size
run "$HEAPTAP" leaks size
is "$STATUS" 0 "... but a file may be called so"

# What arguments have in them is not for the terminal to obey.
escape=$(printf '\033[31m')
for wrong in "--${escape}x" "-Q$escape" "--node-count=${escape}x" "-g$escape" "--filter=size=$escape" "story.ctf $escape"; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" top $wrong story.ctf
    is "$STATUS $(grep -c "$(printf '\033')" err)" "2 0" "an escape sequence isn't printed: $(printf %s "$wrong" | tr -d '\033')"
done
done_testing
