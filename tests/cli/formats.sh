#!/bin/sh
# Profiles of other tools, in their own formats: gperftools', Go's, V8's, DHAT's, speedscope's, folded stacks; and
# what is not read, by its name.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
export TZ=UTC

# ---- gperftools ----
cat >g.heap <<'END'
heap profile:      3:     1664 [     5:     3664] @ heapprofile
     2:     1536 [     3:     2560] @ 0x401200 0x401100
     1:      128 [     2:     1104] @ 0x401300 0x401100

MAPPED_LIBRARIES:
00400000-00402000 r-xp 00001000 fe:00 10961131                   /bin/no such program
END
run "$HEAPTAP" flamegraph g.heap
is "$STATUS" 0 "gperftools' heap profile is opened by its content"
is "$(cat out)" "0x4010ff;0x4011ff 1536
0x4010ff;0x4012ff 128" "... what is in use, at the addresses of the calls"
run "$HEAPTAP" flamegraph -s alloc_objects g.heap
is "$(cat out)" "0x4010ff;0x4011ff 3
0x4010ff;0x4012ff 2" "... what was ever allocated"
run "$HEAPTAP" info g.heap
has out "in the format of legacy pprof" "info names the format"
has out "/bin/no such program" "... and the modules"
run "$HEAPTAP" traces g.heap tag:bytes=128
has out "128B" "a row has its blocks' mean size as a label"
lacks out "1.50kB" "... which filters take"
sed 's/^00400000.*/00400000-00402000: \/bin\/server/' g.heap >brief.heap
run "$HEAPTAP" info brief.heap
has out "/bin/server" "... of a brief list of modules, too"
# 2 / (1 - exp(-300000 / 524288)) = 4.59; 600000 * 2.295 = 1377031.6
for kind in heap_v2/524288 heapz_v2/524288 heap/1048576; do
    printf 'heap profile: 2: 600000 [2: 600000] @ %s\n2: 600000 [2: 600000] @ 0x401200\n' $kind >s.heap
    run "$HEAPTAP" flamegraph s.heap
    is "$(cat out)" "0x4011ff 1377031" "$kind: bytes are unsampled as pprof does"
    run "$HEAPTAP" flamegraph -s objects s.heap
    is "$(cat out)" "0x4011ff 4" "... and objects"
done
printf 'heap profile: 1: 4096 [1: 4096] @ growthz\n1: 4096 [1: 4096] @ 0x401200\n' >s.heap
run "$HEAPTAP" flamegraph s.heap
is "$(cat out)" "0x4011ff 4096" "growth"
run "$HEAPTAP" stats g.heap
is "$STATUS" 3 "stats needs single blocks"
has err "this is a legacy pprof profile" "... and says what this is"
wrong() { # LINES MESSAGE
    printf '%b' "$1" >bad
    run "$HEAPTAP" flamegraph bad
    is "$STATUS" 3 "wrong: $2"
    has err "$2" "... is said so"
}
head='heap profile: 1: 8 [1: 8] @ heapprofile\n'
wrong "${head}1: 8 @ 0x1\n" "byte 40: line 2: expected OBJECTS: BYTES [OBJECTS: BYTES] @ and a stack"
wrong "${head}1: 8 [1: 8] @ 0x1 12\n" "line 2: expected an address, 0x..., not '12'"
wrong 'heap profile: 1: 8 [1: 8] @ other\n' "line 1: expected heapprofile, heap/N"

# ---- Go ----
cat >go.txt <<'END'
heap profile: 2: 600000 [3: 700000] @ heap/1048576
2: 600000 [2: 600000] @ 0x4b3f0f 0x4b402a 0x4374f2 0x461221
#	0x4b3f0e	main.inner+0x2e		/src/h.go:5
#	0x4b4029	main.inlined+0x49	/src/h.go:6
#	0x4b4029	main.outer+0x49		/src/h.go:9
#	0x4374f1	runtime.main+0x211	/go/proc.go:250

0: 0 [1: 100000] @ 0x4374f2 0x461221
#	0x4374f1	runtime.main+0x211	/go/proc.go:250

# runtime.MemStats
# Alloc = 11304
END
run "$HEAPTAP" flamegraph go.txt
is "$(cat out)" "runtime.goexit;runtime.main;main.outer;main.inlined;main.inner 1377031" "Go's text profile has its names, inlined ones too"
run "$HEAPTAP" top -g lines go.txt
has out "main.inlined /src/h.go:6" "... and lines"
cat >go-lock.txt <<'END'
--- mutex:
cycles/second=2000000000
sampling period=5
1000 3 @ 0x4b44f5
#	0x4b44f4	sync.(*Mutex).Unlock+0x94	/go/mutex.go:223
END
run "$HEAPTAP" flamegraph go-lock.txt
is "$(cat out)" "sync.(*Mutex).Unlock 2500" "Go's mutex profile: cycles become nanoseconds"
printf 'goroutine profile: total 4\n4 @ 0x42d4f6 0x45ca05\n' >go-count.txt
run "$HEAPTAP" flamegraph go-count.txt
is "$(cat out)" "0x45ca04;0x42d4f5 4" "Go's counts, of goroutines and others"
run "$HEAPTAP" info go-count.txt
has out "goroutine (count): 4 in all" "... by their name"

# ---- V8 ----
cat >v8.heapprofile <<'END'
{"head":{"callFrame":{"functionName":"(root)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1},"selfSize":0,"id":1,
 "children":[{"callFrame":{"functionName":"","scriptId":"8","url":"file:///src/a.js","lineNumber":4,"columnNumber":2},"selfSize":16,"id":2,
   "children":[{"callFrame":{"functionName":"caf\u00e9","scriptId":"8","url":"file:///src/a.js","lineNumber":9,"columnNumber":2},"id":3,"children":[],"selfSize":100}]},
  {"callFrame":{"functionName":"b","scriptId":"9","url":"node:fs","lineNumber":0,"columnNumber":0},"selfSize":7,"id":4,"children":[]}]},
 "samples":[{"size":16,"nodeId":2,"ordinal":1}]}
END
run "$HEAPTAP" flamegraph v8.heapprofile
is "$(cat out)" "(anonymous) 16
(anonymous);café 100
b 7" "V8's heap profile"
run "$HEAPTAP" top -g lines v8.heapprofile
has out "café /src/a.js:10" "... with files and lines, which count from 1"
run "$HEAPTAP" info v8.heapprofile
has out "inuse_space (bytes): 123 B in all" "... of what is in use"
wrong '{"head":{"callFrame":{"functionName":"a"},"selfSize":1,"children":[]}' "byte 69: expected ,"
wrong '{"head":{"callFrame":{"functionName":"a"},"selfSize":x}}' "expected a number"

# ---- massif ----
snapshots() { # NAME...: a massif file with the snapshots that are named
    printf 'desc: --massif-out-file=m.out\ncmd: ./t\ntime_unit: i\n'
    for tree; do
        printf '#-----------\nsnapshot=0\n#-----------\ntime=1\nmem_heap_B=1\nmem_heap_extra_B=8\nmem_stacks_B=0\nheap_tree=%s\n' "$tree"
        case $tree in
        detailed) printf 'n1: 7 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n n0: 7 0x10920B: early (t.c:4)\n' ;;
        peak) cat peak ;;
        esac
    done
}
cat >peak <<'END'
n3: 1000 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
 n2: 600 0x10919E: ns::copy(char const*) (t.cc:3)
  n0: 400 0x1091E2: leak (t.cc:4)
  n0: 190 0x48E2: ??? (in /usr/lib/libx.so.1)
 n1: 300 0x10920B: big (t.cc:5)
  n1: 300 0x10921D: main (t.cc:6)
   n0: 300 0x4A2: main (t.cc:6)
 n0: 90 in 3 places, all below massif's threshold (1.00%)
END
snapshots empty detailed peak detailed empty >massif.out.1
run "$HEAPTAP" flamegraph massif.out.1
is "$(LC_ALL=C sort out)" "(below massif's threshold) 90
<no stack> 10
???;ns::copy(char const*) 190
leak;ns::copy(char const*) 400
main;main;big 300
ns::copy(char const*) 10" "massif's peak, with what its callers leave"
complete() { "$HEAPTAP" summary --json "$1" 2>/dev/null | grep -m1 -o '"complete": [a-z]*'; }
is "$(complete massif.out.1)" '"complete": true' "... which is complete"
for left in $(grep -n '^#\|=[^e]' massif.out.1 | cut -d: -f1); do
    head -n "$left" massif.out.1 >shorter
    complete shorter
done | sort -u >unnoticed
is "$(cat unnoticed)" '"complete": false' "... and not where it ends within a snapshot"
head -c -1 massif.out.1 >shorter
is "$(complete shorter)" '"complete": false' "... or within a line"
run "$HEAPTAP" summary shorter
is "$(cat out err | grep -c 'its last line has no end') $(grep -c exact out)" "1 0" "... which is told"
run "$HEAPTAP" top -g lines massif.out.1
has out "ns::copy(char const*) t.cc:3" "... by lines"
has out "Type: peak_space" "... of its type"
snapshots detailed empty >massif.out.2
run "$HEAPTAP" flamegraph massif.out.2
is "$(cat out)" "early 7" "massif without a peak: the last tree"
run "$HEAPTAP" info massif.out.2
has out "inuse_space (bytes): 7 B in all" "... of what is in use"
wrong "$(snapshots empty)" "none of the snapshots in this massif file has a tree of callers"
wrong "$(snapshots detailed | sed 's/n0: 7/n0: 8/')" "line 13: a node has more bytes than what it calls has for its callers"
wrong "$(snapshots detailed | sed 's/n1: 7/n0: 7/')" "line 13: a node has more callers than what it calls has for its callers"
wrong "$(snapshots detailed | sed 's/n1: 7/n2: 7/')" "a node lacks 1 of its callers"
wrong "$(snapshots detailed | sed 's/^ n0/    n0/')" "line 13: a node of the tree begins with 4 spaces, which no node before it leads to"
wrong "$(snapshots detailed | sed 's/^ n0:.*/ n0 7/')" "line 13: expected a node of massif's tree"

# ---- DHAT ----
cat >dhat.out.1 <<'END'
{"dhatFileVersion":2
,"mode":"heap","verb":"Allocated"
,"bklt":true,"bkacc":true
,"tu":"instrs","Mtu":"Minstr","tuth":500,"cmd":"./t","pid":1,"te":151430,"tg":146749
,"pps":
 [{"tb":100,"tbk":1,"tl":6227,"mb":100,"mbk":1,"gb":100,"gbk":1,"eb":100,"ebk":1,"rb":3,"wb":5,"acc":[-100,0],"fs":[1,2,3]}
 ,{"tb":10000,"tbk":10,"tl":360,"mb":1000,"mbk":1,"gb":1000,"gbk":1,"eb":0,"ebk":0,"rb":0,"wb":0,"fs":[1,2,4]}
 ]
,"ftbl":
 ["[root]"
 ,"0x48417B4: malloc (in /usr/libexec/valgrind/vgpreload_dhat-amd64-linux.so)"
 ,"0x109160: f(int) (t.cc:2)"
 ,"0x109174: main (t.cc:7)"
 ,"0x109182: main (t.cc:8)"
 ]
}
END
run "$HEAPTAP" flamegraph dhat.out.1
is "$(cat out)" "main;f(int) 10100" "DHAT's profile, without the function that takes malloc's place"
run "$HEAPTAP" top -g lines -s peak_space dhat.out.1
has out "main t.cc:8" "... by lines"
for pair in alloc_objects:11 alloc_space:9.9 peak_objects:2 peak_space:1.1 inuse_objects:1 inuse_space:100 read_space:3 written_space:5; do
    run "$HEAPTAP" info dhat.out.1
    grep -q "${pair%:*} ([a-z]*): ${pair#*:} " out
    ok $? "... its sample types: $pair"
done
wrong '{"dhatFileVersion":2,"bklt":false,"pps":[{"tb":1,"tbk":1,"fs":[4]}],"ftbl":["[root]"]}' "a stack has frame 4, but the table (ftbl) has 1"
wrong '{"dhatFileVersion":3}' "this is a DHAT file of another version than 2"
"$HEAPTAP" export -f dhat -o own.dhat "$GOLDEN/valid/ocamlopt-small-v3.ctf"
total=$(/usr/bin/python3 -c 'import json; print(sum(int(p["tb"]) for p in json.load(open("own.dhat"))["pps"]))')
run "$HEAPTAP" flamegraph own.dhat
is "$(awk '{sum += $NF} END {printf "%d", sum}' out)" "$total" "heaptap's own export for dh_view comes back"

# ---- speedscope ----
cat >evented.json <<'END'
{"$schema":"https://www.speedscope.app/file-format-schema.json",
 "profiles":[{"type":"evented","name":"one thread","unit":"milliseconds","startValue":0,"endValue":9,
   "events":[{"type":"O","frame":0,"at":0},{"type":"O","frame":1,"at":2},{"type":"C","frame":1,"at":5},{"type":"C","frame":0,"at":9}]},
  {"type":"sampled","name":"another","unit":"bytes","samples":[[0,1],[0]],"weights":[7,8]}],
 "shared":{"frames":[{"name":"a","file":"x.c","line":3},{"name":"b","file":null,"line":null}]}}
END
run "$HEAPTAP" flamegraph -s time evented.json
is "$(cat out)" "a 6000000
a;b 3000000" "speedscope's events become times of stacks"
run "$HEAPTAP" flamegraph -s space evented.json
is "$(cat out)" "a 8
a;b 7" "... its samples values"
run "$HEAPTAP" flamegraph -s time evented.json tag=profile=another
is "$(cat out)" "" "... each labelled with its profile's name"
"$HEAPTAP" export -f speedscope -s alloc_space -o own.json "$GOLDEN/valid/ocamlopt-small-v3.ctf"
total=$(/usr/bin/python3 -c 'import json; print(sum(map(int, json.load(open("own.json"))["profiles"][0]["weights"])))')
run "$HEAPTAP" flamegraph -s alloc_space own.json
is "$(awk '{sum += $NF} END {printf "%d", sum}' out)" "$total" "heaptap's own export for speedscope comes back, under its sample type"
"$HEAPTAP" flamegraph "$GOLDEN/valid/ocamlopt-small-v3.ctf" >own.folded
/usr/bin/python3 - own.folded >one <<'END'
import collections, sys
sums = collections.Counter()
for line in open(sys.argv[1]):
    stack, value = line.rsplit(" ", 1)
    sums[stack] += int(value)
print("\n".join(sorted(f"{stack} {value}" for stack, value in sums.items())))
END
"$HEAPTAP" flamegraph own.folded | LC_ALL=C sort >two
same two one "heaptap's own folded stacks come back as they were"
[ "$total" -gt 1000000 ]
ok $? "... and something"
wrong '{"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[{"type":"sampled","unit":"bytes","samples":[[0]],"weights":[1,2]}]}' "a profile has 1 samples, but 2 weights"
wrong '{"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[{"unit":"furlongs","samples":[]}]}' "the unit 'furlongs', which is not known"
wrong '{"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[{"type":"evented","events":[{"type":"C","frame":0,"at":0}]}]}' "frame 0 is closed, but is not the innermost open one"

# ---- Folded stacks ----
printf '# by hand\nmain;f;g h 12\r\n\nmain 3\nmain;f;g h 0.6\n' >a.folded
run "$HEAPTAP" flamegraph a.folded
is "$(cat out)" "main 3
main;f;g h 13" "folded stacks"
run "$HEAPTAP" info a.folded
has out "samples (count): 16 in all" "... in samples"
# They are no memory: what is about that says so.
run "$HEAPTAP" leaks a.folded
is "$STATUS:$(cat err)" "2:heaptap leaks: a.folded: it has no values of what is in use, which this report is about (no 'inuse_space'); there are: samples" \
    "leaks of what has nothing in use"
run "$HEAPTAP" diagnose a.folded
is "$(head -n 3 out)" "a.folded: a profile of values by stack
1. Total: g h
   13 of 16 samples" "diagnose calls its values by their name"
printf 'heap profile: 1: 10 [2: 20] @ heap/1\n 1: 10 [2: 20] @ 0x10\n' >old.heap
"$HEAPTAP" leaks old.heap >out 2>&1
is "$?" 0 "... of what has"
run "$HEAPTAP" file symbolize a.folded
is "$STATUS" 2 "symbolize has to be told where they go"
# Text that is nearly of the format is told by its first line that is not; other text by the formats that there are.
line="folded stacks have functions between semicolons, a space and a number from 0 up"
wrong 'main;f 3\nmain;f\n' "line 2: $line, not 'main;f'"
for start in 'main;load' main; do
    wrong "$start 7\n$start -5\n" "line 2: a folded stack has a number from 0 up, not '-5': of a difference, write the stacks before and after to two files, for heaptap compare"
done
wrong 'main;load -0.5\n' "line 1: a folded stack has a number from 0 up, not '-0.5'"
wrong '# by hand\nmain;load 5\r\nmain;x abc\n\nhello\n' "line 3: $line, not 'main;x abc'"
wrong 'main;load 5 bytes\n' "line 1: $line"
wrong 'main;load 1e3\nmain 4\n' "line 1: $line"
text="this is text, of none of the formats that heaptap reads (memtrace, "
wrong 'hello\nthis is it\n' "$text"
wrong 'int f(void);\nint g(int x) { return x; }\n' "$text"
wrong 'Chapter one\n' "$text"
wrong 'Chapter 1\nat -5 degrees\n' "$text"
wrong '{"a;b": 5}\n' "$text"
wrong 'main;f 3\n\001\002\n' "this is not a memtrace trace, nor a profile that heaptap knows"

# Lines that are longer than what a file is recognised by: 4096 bytes.
for length in 4088 4089 4090 4091 4092 4093 4094 4095 4096 4097 8192 100000 3000000; do
    for first in '' '# by hand\n\n' '(anonymous namespace)::' '[unknown];' '<module>;'; do
        /usr/bin/python3 - "$length" "$first" >long.folded <<'END'
import sys
length, first = int(sys.argv[1]), sys.argv[2].replace("\\n", "\n")
print(first + ("f%06d;" * (length // 8 + 1) % tuple(range(length // 8 + 1)))[:length - 3] + "z 7\nmain;f 2")
END
        "$HEAPTAP" info --csv long.folded >out 2>&1 && "$HEAPTAP" top --csv long.folded | grep -c 'main' >count && "$HEAPTAP" info - <long.folded >piped 2>&1
        echo "$?:$(grep -o '9 in all' piped)"
    done
done | sort | uniq -c | tr -s ' ' >got
is "$(cat got)" " 65 0:9 in all" "the first stack of a file may be long"
gzip -c long.folded >long.folded.gz
run "$HEAPTAP" info long.folded.gz
has out "samples (count): 9 in all" "... compressed, too"
/usr/bin/python3 -c 'print("x" * 5000)' >long
run "$HEAPTAP" top long
is "$STATUS $(grep -c 'this is text, of none of the formats' err)" "3 1" "a long line without semicolons is none"
/usr/bin/python3 -c 'import json; print(json.dumps([{"name": "a;b", "at": i} for i in range(1000)]))' >long
run "$HEAPTAP" top long
is "$STATUS $(grep -c 'this is text, of none of the formats' err)" "3 1" "... nor is JSON"
/usr/bin/python3 -c 'print("main;" * 2000)' >long
run "$HEAPTAP" top long
is "$STATUS $(grep -c "line 1: $line" err)" "3 1" "one without a number is told by its line"

# ---- What is not read ----
named() { # BYTES NAME
    printf '%b' "$1" >foreign
    for command in top stats "file symbolize"; do
        run "$HEAPTAP" $command foreign
        is "$STATUS" 3 "$command: $2"
        has err "foreign: byte 0: this is $2" "... is told"
    done
}
named 'PERFILE2\0\0\0\0' "perf's recording (perf.data)"
named 'FLR\0\0\02\0\0' "a recording of Java's Flight Recorder"
named '{"traceEvents":[{"ph":"X"}]}' "a trace of Chrome's or Perfetto's"
named '{"snapshot":{"meta":{"node_fields":[]}}}' "a V8 heap snapshot"
named '{"nodes":[{"id":1,"callFrame":{}}]}' "a V8 CPU profile"
named '# callgrind format\nversion: 1\n' "a callgrind profile"
named 'memray\0\013\0\0\0' "memray's recording"
named '\0177ELF\02\01\01' "a program, library or core dump"
named '--- heapz 1 ---\nformat = java\n' "a heap profile of Java in pprof's old text format"
named '--- contentionz 1 ---\nformat = java\nresolution = microseconds\n' "a profile of contended locks of Java"
named '<!DOCTYPE html>' "a web page"
named "$(printf '%100s' | sed 's, ,\\0,g')" "nothing but zeros, as a recording is when its program was killed before the first event"
done_testing
