#!/bin/sh
# heaptap hotspots
. "$SOURCE/tests/cli/tap.sh"
HELPERS=$SOURCE/tests/helpers
cd "$GOLDEN/valid" || exit 1
make_trace() {
    "$HELPERS/make_trace.py" "$1" >"$TMP/$1.ctf"
}
# memtrace's format.  Lines of sites are memtrace's to the digit; lines of callers are exact, as an
# independent computation says, which with memtrace's approximation gives memtrace's file.
for trace in *.ctf; do
    wanted=../expected/${trace%.ctf}.hotspots.txt
    run "$HEAPTAP" hotspots --format memtrace "$trace"
    cp "$TMP/out" "$TMP/ours"
    grep -E ' at |samples of' "$TMP/ours" >"$TMP/sites"
    grep -E ' at |samples of' "$wanted" >"$TMP/wanted"
    same "$TMP/sites" "$TMP/wanted" "sites of $trace, as memtrace has them"
    "$HELPERS/memtrace_hotspots.py" "$trace" >"$TMP/approximate"
    same "$TMP/approximate" "$wanted" "... the approximation explains memtrace's callers"
    "$HELPERS/memtrace_hotspots.py" --exact "$trace" >"$TMP/exact"
    same "$TMP/ours" "$TMP/exact" "... and without it they are ours"
done

# Figures known by hand: a sample is 16 bytes and half an object.
make_trace inlined
run "$HEAPTAP" hotspots --all-callers "$TMP/inlined.ctf"
is "$STATUS" 0 "text: status 0"
cat >"$TMP/wanted" <<'EOF'
inlined.ctf: 112 B allocated in 4 objects, by 7 samples
2 of 2 functions, 100.0 % of all bytes; callers below

BYTES   SHARE OBJECTS SAMPLES FUNCTION   PLACE
 96 B  85.7 %       3       6 push       list.c:31:2-9
 96 B 100.0 %       3       6 └─grow     list.c
 96 B 100.0 %       3       6   └─step   step.c
 96 B 100.0 %       3       6     └─main main.c
 16 B  14.3 %       0       1 step       step.c:21:2-9
 16 B 100.0 %       0       1 └─main     main.c
EOF
same "$TMP/out" "$TMP/wanted" "... the table, in a file"
lacks "$TMP/out" "Callers overlap" "... whose callers don't overlap"
cat >"$TMP/overlap.folded" <<'EOF'
main;one;two;site 40
main;one;site 30
main;two;site 30
EOF
run "$HEAPTAP" hotspots --all-callers "$TMP/overlap.folded"
has "$TMP/out" "Callers overlap: a stack counts for each of them that it comes through." "... where they do, it is said"
run "$HEAPTAP" hotspots --all-callers --json "$TMP/overlap.folded"
lacks "$TMP/out" "Callers overlap" "... to people"
run "$HEAPTAP" hotspots "$TMP/inlined.ctf"
lacks "$TMP/out" "main" "callers that say little are left out"
run "$HEAPTAP" hotspots --all-callers --callers=1 --top=1 "$TMP/inlined.ctf"
is "$(wc -l <"$TMP/out")" 6 "--top and --callers"
lacks "$TMP/out" "step" "... the nearest caller first"
run "$HEAPTAP" hotspots --callers=0 "$TMP/inlined.ctf"
lacks "$TMP/out" "grow" "--callers=0"
lacks "$TMP/out" "callers" "... isn't spoken of"

# JSON.
run "$HEAPTAP" hotspots --json --all-callers "$TMP/inlined.ctf"
json_is_valid "$TMP/out"
ok $? "--json is JSON"
is "$(json total bytes) $(json total samples) $(json total objects)" "112 7 3.5" "... total"
is "$(json sites 0 function) $(json sites 0 bytes) $(json sites 0 objects)" "push 96 3" "... a site"
is "$(json sites 0 places 0 line) $(json sites 0 sampled_objects)" "31 2" "... its place"
is "$(json sites 0 callers 1 function) $(json sites 0 callers 1 share_of_site)" "step 1" "... a caller"
is "$(json sites 0 callers 1 samples)" 6 "... once a stack, for all its recursion"
is "$(json sites 0 callers 2 share_of_caller)" 0.857142857142857 "... and its own share"
run "$HEAPTAP" hotspots --json irmin-replay-v2.ctf
is "$STATUS" 0 "a whole trace as JSON"
is "$(json site_count) $(grep -c share_of_site "$TMP/out" | sed "s/^[1-9].*/callers/")" "264 callers" "... how many sites there are"
is "$(/usr/bin/python3 -c "import json, sys; print(len(json.load(open(sys.argv[1]))['sites']))" "$TMP/out")" 264 "... all of them"

# CSV.
run "$HEAPTAP" hotspots --csv "$TMP/inlined.ctf"
cat >"$TMP/wanted" <<'EOF'
rank,kind,function,file,line,start_char,end_char,bytes,samples,sampled_objects,objects,share
1,site,push,list.c,31,2,9,96,6,2,3,0.857143
2,site,step,step.c,21,2,9,16,1,1,0.5,0.142857
EOF
same "$TMP/out" "$TMP/wanted" "--csv"
run "$HEAPTAP" hotspots --csv --callers=1 --all-callers "$TMP/inlined.ctf"
has "$TMP/out" "1,caller,grow,list.c,,,,96,6,2,3,1" "... callers when asked for"
run "$HEAPTAP" hotspots --markdown --all-callers --callers=1 --top=1 "$TMP/inlined.ctf"
cat >"$TMP/wanted" <<'EOF'
inlined.ctf: 112 B allocated in 4 objects, by 7 samples

1 of 2 functions, 85.7 % of all bytes; callers below

| BYTES | SHARE | OBJECTS | SAMPLES | FUNCTION | PLACE |
|---:|---:|---:|---:|---|---|
| 96 B | 85.7 % | 3 | 6 | push | list.c:31:2-9 |
| 96 B | 100.0 % | 3 | 6 | &nbsp;&nbsp;grow | list.c |
EOF
same "$TMP/out" "$TMP/wanted" "--markdown"
make_trace names
run "$HEAPTAP" hotspots --csv --callers=9 --all-callers "$TMP/names.ctf"
has "$TMP/out" '"x,""y"".c"' "... quoted where needed"
run "$HEAPTAP" hotspots --json --all-callers "$TMP/names.ctf"
json_is_valid "$TMP/out"
ok $? "odd names in JSON"
is "$(json sites 0 callers 1 function)" "$(printf 'a;b\nc')" "... as they are"

# Granularity and ranking.
run "$HEAPTAP" hotspots --csv --granularity=file "$TMP/inlined.ctf"
has "$TMP/out" "1,site,,list.c,,,,96" "--granularity=file"
run "$HEAPTAP" hotspots --csv --granularity=line irmin-replay-v2.ctf
is "$(wc -l <"$TMP/out")" 424 "--granularity=line: 423 of them"
run "$HEAPTAP" hotspots --csv irmin-replay-v2.ctf
awk -F, '{s += $9} END {print s}' "$TMP/out" >"$TMP/sum"
is "$(cat "$TMP/sum")" 10607 "sites add up to all samples"
run "$HEAPTAP" hotspots --by=objects --csv irmin-replay-v2.ctf
sed 1d "$TMP/out" | cut -d, -f11 >"$TMP/objects"
sort -rg "$TMP/objects" >"$TMP/wanted"
same "$TMP/objects" "$TMP/wanted" "--by=objects"
has "$TMP/out" "1,site,Bentov.min_diff_index" "... is another order"
run "$HEAPTAP" hotspots --by=samples --csv --top=3 irmin-replay-v2.ctf
cp "$TMP/out" "$TMP/by-samples"
run "$HEAPTAP" hotspots --csv --top=3 irmin-replay-v2.ctf
same "$TMP/out" "$TMP/by-samples" "--by=samples ranks as bytes do"

# Stacks that are empty, or of which nothing is known.
make_trace unknown
run "$HEAPTAP" hotspots --all-callers "$TMP/unknown.ctf"
is "$STATUS" 0 "unknown frames: status 0"
has "$TMP/out" "128 B  53.3 %       4       8 <no stack>" "... an empty stack"
has "$TMP/out" " 32 B  13.3 %       1       2 0xabf" "... an unknown site"
# Of a native program, such as one that makes code as it runs, each report tells them by their addresses; of OCaml's runtime pprof's
# take all as one.
"$HELPERS/make_trace.py" unknown 8 >"$TMP/native.ctf"
for report in top tree "peek ." traces graph "top -g lines" "top -g addresses" "flamegraph --folded" "export --format=callgrind" \
    "export --format=dhat -o -"; do
    # shellcheck disable=SC2086
    "$HEAPTAP" ${report%% *} "$TMP/native.ctf" ${report#${report%% *}} >"$TMP/out" 2>/dev/null
    is "$(grep -c -m1 0xabf "$TMP/out") $(grep -c '<unknown>' "$TMP/out")" "1 0" "... in $report, too"
done
run "$HEAPTAP" list "$TMP/native.ctf" .
is "$STATUS $(grep -c ROUTINE "$TMP/out") $(grep -c 0xabf "$TMP/out")" "0 1 0" "... list has no source of it"
run "$HEAPTAP" top "$TMP/unknown.ctf"
is "$(grep -c '<unknown>' "$TMP/out") $(grep -c 0xab "$TMP/out")" "1 0" "... OCaml's, in top"
make_trace inlined
"$HELPERS/make_trace.py" inlined 8 >"$TMP/native-inlined.ctf"
"$HEAPTAP" compare --long --csv --smallest=0 "$TMP/unknown.ctf" "$TMP/inlined.ctf" >"$TMP/out"
"$HEAPTAP" compare --long --csv --smallest=0 "$TMP/native.ctf" "$TMP/native-inlined.ctf" >"$TMP/of-native"
is "$(grep -c 0xab "$TMP/out") $(grep -c 0xab "$TMP/of-native")" "0 4" "... and in compare --long, unlike native code"
"$HEAPTAP" hotspots --format=memtrace "$TMP/unknown.ctf" >"$TMP/out"
"$HELPERS/memtrace_hotspots.py" --exact "$TMP/unknown.ctf" >"$TMP/wanted"
same "$TMP/out" "$TMP/wanted" "... in memtrace's format, up to two frames outwards"
has "$TMP/out" "at main (main.c:10:2-9)" "... a code without location is its caller"
has "$TMP/out" "at #abd (??:0:0-0)" "... or a number"
make_trace empty
run "$HEAPTAP" hotspots "$TMP/empty.ctf"
is "$STATUS $(wc -l <"$TMP/out")" "0 1" "an empty trace"
run "$HEAPTAP" hotspots --json "$TMP/empty.ctf"
is "$(json total samples) $(json sites)" "0 []" "... as JSON"
run "$HEAPTAP" hotspots --format=memtrace "$TMP/empty.ctf"
has "$TMP/out" "   0 samples of    0 B allocations" "... in memtrace's format"
make_trace deep
run "$HEAPTAP" hotspots --all-callers "$TMP/deep.ctf"
has "$TMP/out" "1.6 kB 100.0 %      50     101 └─down" "recursion 100 000 calls deep"

# Terminals.
for width in 50 80 120 200; do
    on_terminal $width "$HEAPTAP" hotspots irmin-replay-v2.ctf
    sed 1,3d "$TMP/out" >"$TMP/table"
    [ "$(widest "$TMP/table")" -le $width ]
    ok $? "the table fits $width columns"
done
on_terminal 80 "$HEAPTAP" hotspots irmin-replay-v2.ctf
[ "$(widest "$TMP/out")" -le 80 ]
ok $? "so does all of it at 80"
has "$TMP/out" "$(printf '\033')" "colour on a terminal"
has "$TMP/out" "Tree.Make.Node.findv_aux" "names keep their ends"
# The end of each function's name: behind a row's figures and the lines that lead to it.
ends() {
    sed -n 's/\x1b\[[0-9]*m//g; s/^ *[0-9.]\+ [kMG]\?B *[0-9.]\+ % *[0-9.]\+ *[kMG]\? *\([0-9]\+ \+\)\?[─├└│ ]*\([^ ]*\).*/\2/p' "$1" | sed 's/.*\(......\)$/\1/'
}
ends "$TMP/out" >"$TMP/got"
"$HEAPTAP" hotspots irmin-replay-v2.ctf >"$TMP/whole"
ends "$TMP/whole" >"$TMP/wanted"
is "$(($(wc -l <"$TMP/got") >= 30))" 1 "... there are many"
same "$TMP/got" "$TMP/wanted" "... those of callers' callers, too"
lacks "$TMP/out" "SAMPLES" "few columns where it is narrow"
NO_COLOR=1 on_terminal 80 env NO_COLOR=1 "$HEAPTAP" hotspots irmin-replay-v2.ctf
lacks "$TMP/out" "$(printf '\033')" "no colour with NO_COLOR"
run "$HEAPTAP" hotspots irmin-replay-v2.ctf
lacks "$TMP/out" "$(printf '\033')" "no colour in a file"
has "$TMP/out" "bench/irmin-pack/trace_stat_summary_utils.ml" "nothing cut in a file"

# Input.
"$HEAPTAP" hotspots --format=memtrace - <lists-and-sets-v1.ctf >"$TMP/out"
same "$TMP/out" ../expected/lists-and-sets-v1.hotspots.txt "standard input"
gzip -c lists-and-sets-v1.ctf | "$HEAPTAP" hotspots -f memtrace - >"$TMP/out"
same "$TMP/out" ../expected/lists-and-sets-v1.hotspots.txt "a pipe, compressed"
head -c 100000 irmin-replay-v2.ctf >"$TMP/cut.ctf"
run "$HEAPTAP" hotspots "$TMP/cut.ctf"
is "$STATUS" 3 "a cut trace: status 3"
has "$TMP/err" "byte 100000" "... and where"
has "$TMP/out" "Irmin" "... and what came before"
has "$TMP/out" "the file lacks a part of what the program did" "... which is said"
run "$HEAPTAP" hotspots --json "$TMP/cut.ctf"
is "$(json complete)" False "... in JSON too"
run "$HEAPTAP" hotspots "$TMP/none.ctf"
is "$STATUS" 3 "no such file: status 3"

# Wrong usage.
for wrong in --by=size --granularity=module --top=x --top=-1 --callers=1.5 --format=xml --nonsense \
    "--json --csv" "--format=memtrace --top=3" ""; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" hotspots $wrong ${wrong:+lists-and-sets-v1.ctf}
    is "$STATUS $(wc -c <"$TMP/out")" "2 0" "status 2: ${wrong:-no trace}"
done
run "$HEAPTAP" hotspots --by=size lists-and-sets-v1.ctf
has "$TMP/err" "--by takes bytes, samples or objects, not 'size'" "... with a clear sentence"
run "$HEAPTAP" hotspots --help
has "$TMP/out" "--granularity" "--help"
"$HEAPTAP" hotspots irmin-replay-v2.ctf >/dev/full 2>"$TMP/err"
is $? 4 "a full disk: status 4"
done_testing
