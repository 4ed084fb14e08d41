#!/bin/sh
# Files of other profilers: heaptrack's recordings, jemalloc's profiles.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
export TZ=UTC

# heaptrack, as it is saved.  Blocks: 100 bytes by main, twice; 16 bytes by make, which is inlined in
# main.  The second block of 100 is freed at 20 ms, the one of 16 at 30 ms.
cat >saved <<'EOF'
v 10400 3
X ./prog --all
I 1000 5e27ec
s 9 /bin/prog
s 4 main
s 7 prog.cc
s a make
items
s 1b operator new(unsigned long)
i 401000 1 2 3 a
i 401100 1 4 3 14 2 3 b
i 7f00 1 5
i 7f10 1
t 1 0
t 2 1
t 3 2
t 4 1
a 64 1
a 10 3
a 5 4
+ 0
c a
R 3db
+ 1
+ 0
+ 2
c 14
- 0
c 1e
- 1

# strings: 5
EOF
zstd -q saved -o saved.zst
gzip -k saved
run "$HEAPTAP" hotspots --callers=0 saved.zst
is "$STATUS" 0 "heaptrack's file is opened by its content"
cat >wanted <<'EOF'
saved.zst: 221 B allocated in 4 objects
3 of 3 functions, 100.0 % of all bytes

BYTES  SHARE OBJECTS SAMPLES FUNCTION      PLACE
200 B 90.5 %       2     200 main          prog.cc:10
 16 B  7.2 %       1      16 make\x0aitems prog.cc:20
  5 B  2.3 %       1       5 0x7f10        /bin/prog
EOF
same out wanted "... sizes, inlined functions, no operator new, a name of two lines, a bare address"
for file in saved saved.gz; do
    run "$HEAPTAP" hotspots --callers=0 $file
    sed 1d out >two
    sed 1d wanted >one
    same two one "... $file too"
done
run sh -c '"$0" hotspots --callers=0 - <saved.zst' "$HEAPTAP"
sed 1d out >two
same two one "... and standard input"
run "$HEAPTAP" info saved.zst
grep -q "^Allocated   221 B in 4 blocks$" out && ! grep -q "minor\|major" out
ok $? "info: a program without generations has one heap"
has out "Program     ./prog" "info: the program"
has out "Context     ./prog --all" "... the command"
has out "heaptrack 1.4.0" "... who recorded it"
has out "Started     unknown" "... when isn't told by heaptrack"
has out "At the end  105 B live in 2 blocks" "... what is left"
has out "Peak        221 B live at 10 ms" "... the peak, exactly"
run "$HEAPTAP" file convert saved.zst -o saved.ctf
is "$STATUS" 0 "convert makes a trace of it"
run "$HEAPTAP" flamegraph saved.ctf
cp out folded
run "$HEAPTAP" flamegraph saved.zst
same out folded "... with the same stacks"
is "$(cat out)" "main 200
main;0x7f10 5
main;main;make\x0aitems 16" "... which are these"

# A saved file that is cut, even at a line's end, lacks heaptrack's last lines.
complete() { "$HEAPTAP" "$@" --json 2>/dev/null | grep -m1 -o '"complete": [a-z]*'; }
is "$(complete summary saved)" '"complete": true' "a whole file is complete"
lines=$(wc -l <saved)
for left in $(seq $((lines - 9)) $((lines - 1))); do
    head -n "$left" saved >shorter
    is "$(complete summary shorter)" '"complete": false' "... not one of which $left lines are left"
done
for command in summary hotspots info; do
    run "$HEAPTAP" $command shorter
    is "$(cat out err | grep -c 'lacks the last lines that heaptrack writes')" 1 "$command says so"
    lacks out "exact" "... and calls nothing exact"
done
grep -v '^[IR#]' saved >exported
is "$(complete summary exported)" '"complete": true' "one of another program, which writes neither pages nor last lines, can't be told to be cut"

head -c -2 exported >shorter
is "$(complete summary shorter)" '"complete": false' "... unless it ends within a line"
run "$HEAPTAP" summary shorter
is "$(cat out err | grep -c 'its last line has no end') $(grep -c exact out)" "1 0" "... which is told"
printf 'v 10400 3\nX /a/ap' >shorter
is "$(complete summary shorter)" '"complete": false' "... before the first block, too"

for format in 'heap_v2/1024\n  t*: 5: 500 [0: 0]\n@ 0x10\n  t*: 3: 300 [0: 0]\n@ 0x20\n  t*: 2: 200 [0: 0]\n' \
    'heap profile: 5: 500 [7: 700] @ heapprofile\n3: 300 [4: 400] @ 0x10\n2: 200 [3: 300] @ 0x20\n'; do
    printf "$format" >counted
    is "$(complete hotspots counted)" '"complete": true' "$(head -c 12 counted): stacks that have all blocks are complete"
    sed '$d' counted >fewer
    is "$(complete hotspots fewer)" '"complete": false' "... fewer are not"
done

# Raw: blocks are told by address, so it is known which one is freed.
cat >raw <<'EOF'
v 10400 3
x 9 /bin/prog
X ./prog
m 1 -
m 1 x 55bec3489000 0 a50 1000 645
t 55bec348a120 0
t 55bec348a2ca 1
+ 33 2 1000
c a
+ 33 2 2000
c 14
- 1000
- 77
EOF
run "$HEAPTAP" dump raw
is "$STATUS" 0 "a raw file: a free of a block from before is no mistake"
grep -c alloc out >count
is "$(cat count)" 2 "... both blocks"
has out "collect" "... and an end"
run "$HEAPTAP" info raw
has out "At the end  51 B live in 1 block" "... one stays"
run "$HEAPTAP" flamegraph raw
is "$(cat out)" "prog+0x1120;prog+0x12ca 102" "... addresses, where the program isn't there"

# Format 0 and 1, without lengths.
printf 'v 10200\nX old\ns my main\ns a file.c\ni 10 0 1 2 3\nt 1 0\na 8 1\n+ 0\n' >old
run "$HEAPTAP" flamegraph old
is "$(cat out)" "my main 8" "the first format"
printf 'v 10000 0\ns f\ni 10 0 1 0 0\nt 1 0\n+ 8 1 abc\n+ 9 1 abd\n- abc\n' >oldest
run "$HEAPTAP" info oldest
has out "At the end  9 B live in 1 block" "... and before it"

# What is wrong, by its line.
wrong() { # TEXT MESSAGE: the lines after the head of a file
    printf 'v 10400 3\ns 1 f\ni 10 0 1\nt 1 0\na 8 1\n+ 0\n%b' "$1" >bad
    run "$HEAPTAP" flamegraph bad
    is "$STATUS" 3 "wrong: $2"
    has err "$2" "... is said so"
    is "$(cat out)" "f 8" "... and what stands before is there"
}
wrong '? 3\n' "bad: byte 41: line 7: heaptrack has no lines that begin with '?'"
wrong '+ 1\n' "line 7: it names kind of block 1, but there are 1 so far"
wrong '+\n' "line 7: expected the number of a kind of block"
wrong 'i 1\n' "line 7: expected an address and the number of a module"
wrong 'i 1 0 9\n' "line 7: it names string 9, but there are 1 so far"
wrong 'i 1 0 1 x\n' "line 7: 'x' is not a hexadecimal number"
wrong 't 2 0\n' "line 7: it names address 2, but there are 1 so far"
wrong 't 1 2\n' "line 7: it names stack 2, but there are 1 so far"
wrong 'a 8 7\n' "line 7: it names stack 7, but there are 1 so far"
wrong 'a ffffffffffffffff 1\n' "line 7: no block can have 18446744073709551615 bytes"
wrong 's 5 abc\n' "line 7: a string of 5 bytes is cut off by the file's end"
wrong 's x\n' "line 7: expected the length of a string"
wrong 'c x\n' "line 7: expected a time in milliseconds"
wrong 's 3 a\nb\nc x\n' "line 9: expected a time in milliseconds"
printf 'v 10400 3\ns 1 f\ni 10 0 1\nt 1 0\na 8 1\n+ 0\n- 0\n- 0\n' >bad
run "$HEAPTAP" flamegraph bad
has err "line 8: a block of kind 0 ends, but none is alive" "wrong: a block that ends twice"
printf 'v 10400 4\n' >bad
run "$HEAPTAP" flamegraph bad
has err "line 1: the file's format has version 4; up to 3 are known" "a newer format"
head -c 150 saved.zst >cut.zst
run "$HEAPTAP" info cut.zst
is "$STATUS" 3 "a file that is cut"
has err "cut.zst: " "... is told"

# Suppressions that the program has are the file's own.
cat >known <<'EOF'
v 10400 3
X ./prog
S leak:lib*.so
S leak:^cache$
S # nothing
s 4 main
s 5 cache
s 6 caches
s 9 libfoo.so
i 10 0 1
i 11 0 2
i 12 0 3
i 13 4
t 1 0
t 2 1
t 3 1
t 4 1
a 64 2
a 8 3
a 3e8 4
+ 0
+ 1
+ 2
EOF
run "$HEAPTAP" leaks --callers=0 --csv known
is "$STATUS $(tail -n +2 out | cut -d, -f1,4)" "0 caches,8" "leaks: a file's own suppressions leave out what they fit"
has err "known: note: 1.1 kB suppressed by 2 patterns of the file itself" "... which is said"
run "$HEAPTAP" leaks --json known
is "$(field out '[d["suppressed"][k] for k in ("patterns", "bytes", "objects")]')" "[2, 1100, 2]" "... in JSON, too"
"$HEAPTAP" file convert known -o known.ctf
run "$HEAPTAP" leaks --csv known.ctf
is "$(tail -n +2 out | cut -d, -f1,4)" "caches,8" "... in a trace made of it, too"
run "$HEAPTAP" leaks --suppressions=/dev/null --csv known
is "$(tail -n +2 out | cut -d, -f1,4 | tr '\n' ' ')" "0x13,1000 cache,100 caches,8 " "... unless others are given"
run "$HEAPTAP" top --csv known -s inuse_space
is "$(tail -n +2 out | cut -d, -f2,5 | head -1)" "0x13,1000" "... and in reports of leaks alone"

# bytehound's recordings have no magic: as LZ4 writes them, with literals alone, and packed.
printf '\1\22\0\0\0\360\1\210\0\0\0\0\0\0\0abcdefgh' >one.dat
printf '\1\30\0\0\0\42\210\0\1\0\360\2abcdefghabcdefgha' >two.dat
for file in one two; do
    run "$HEAPTAP" info $file.dat
    is "$STATUS" 3 "bytehound's $file"
    has err "this is bytehound's recording; make a file of heaptrack's" "... is named"
done
printf '\1\22\0\0\0\360\1\210\0\0\0\7\0\0\0abcdefgh' >three.dat
run "$HEAPTAP" info three.dat
lacks err bytehound "another file is not"

# jemalloc.
cat >j.heap <<'EOF'
heap_v2/524288
  t*: 3: 612176 [5: 900000]
  t0: 3: 612176 [5: 900000] worker
@ 0x7f7cd58a2630 0x401200 0x401100
  t*: 2: 600000 [3: 700000]
  t0: 2: 600000 [3: 700000]
@ 0x401300 0x401100
  t*: 1: 12176 [2: 200000]
  t0: 1: 12176 [2: 200000]
@ 0x401400
  t*: 0: 0 [0: 0]

MAPPED_LIBRARIES:
00400000-00402000 r-xp 00001000 fe:00 10961131                   /bin/no such program
7f7cd5800000-7f7cd5900000 r-xp 00000000 fe:00 12 /usr/lib/libjemalloc.so.2
EOF
run "$HEAPTAP" flamegraph j.heap
is "$STATUS" 0 "jemalloc's profile is opened by its content"
# 600000 / (1 - exp(-300000 / 524288)), 12176 / (1 - exp(-12176 / 524288))
is "$(cat out)" "0x4010ff;0x4011ff 1377031
0x4010ff;0x4012ff 530400" "... values unsampled as jeprof does, jemalloc's own frames left out"
run "$HEAPTAP" flamegraph --sample alloc_objects j.heap
# 3 / (1 - exp(-233333.3 / 524288)), 2 / (1 - exp(-100000 / 524288))
is "$(cat out)" "0x4010ff;0x4011ff 8
0x4010ff;0x4012ff 12" "... what was ever allocated"
run "$HEAPTAP" info j.heap
has out "in the format of jemalloc" "info names the format"
has out "alloc_objects (count): 20 in all" "... and the values"
printf 'heap_v2/524288\n  t*: 1: 8 [0: 0]\n@ 0x1\n  t*: 1: 8 [0: 0]\n' >j2.heap
run "$HEAPTAP" info j2.heap
lacks out "alloc_space" "without prof_accum there is only what is in use"
run "$HEAPTAP" stats j.heap
is "$STATUS" 3 "stats needs single blocks"
has err "jemalloc" "... and says what this is"
run "$HEAPTAP" file symbolize j.heap
is "$STATUS" 2 "symbolize has to be told where jemalloc's profile goes with names"
has err "-o" "... and says so"

# Names, of a program that is there.
cat >named.c <<'END'
void outer_function(void) {}
int main(void) { outer_function(); return 0; }
END
cc -g -no-pie -o named named.c
address=$(nm named | sed -n 's/^0*\([0-9a-f]*\) T outer_function$/\1/p')
start=$(printf '%x' $((0x$address & ~0xfff)))
cat >named.heap <<END
heap_v2/524288
  t*: 2: 600000 [0: 0]
@ 0x$(printf '%x' $((0x$address + 4)))
  t*: 2: 600000 [0: 0]

MAPPED_LIBRARIES:
$(printf '%08x' "0x$start")-$(printf '%08x' $((0x$start + 0x1000))) r-xp 00001000 fe:00 1 $PWD/named
END
run "$HEAPTAP" flamegraph named.heap
is "$(cat out)" "outer_function 1377031" "jemalloc's profile gets names where the program is there"
run "$HEAPTAP" file symbolize -o named.pb.gz named.heap
is "$STATUS" 0 "symbolize makes a pprof profile of it"
run "$HEAPTAP" top named.pb.gz
has out "outer_function" "... with names"
wrong_jemalloc() {
    printf 'heap_v2/524288\n%b' "$1" >bad
    run "$HEAPTAP" flamegraph bad
    is "$STATUS" 3 "wrong: $2"
    has err "$2" "... is said so"
}
wrong_jemalloc '  t*: 1: 8\n' "bad: byte 15: line 2: expected OBJECTS: BYTES [OBJECTS: BYTES]"
wrong_jemalloc '  tx\n' "line 2: expected the counts of a thread, t0: ..., not 'tx'"
wrong_jemalloc '@ 0x1 0xz\n' "line 2: an address is not a hexadecimal number of at most 64 bits"
wrong_jemalloc '@ 0x1 12\n' "line 2: expected an address, 0x..., not ' 12'"
wrong_jemalloc 'hello\n' "line 2: expected a stack (@ 0x...) or its counts (t*: ...), not 'hello'"
printf 'heap_v2/0\n' >bad
run "$HEAPTAP" flamegraph bad
has err "line 1: expected heap_v2/ and the mean number of bytes between samples" "no mean"
# ---- Zeros after a trace are a gap: nothing of them is kept in a temporary file

"$HEAPTAP" file convert saved.zst -o gap.ctf 2>/dev/null
{ gzip <gap.ctf; head -c 200M /dev/zero | gzip; } >gap.ctf.gz
sh -c '"$HEAPTAP" top --csv gap.ctf.gz >got 2>/dev/null; sed -n "s/^wchar: //p" /proc/$$/io >wrote'
"$HEAPTAP" top --csv gap.ctf >wanted
same got wanted "zeros after a trace: it is read"
[ -s wrote ] || echo 0 >wrote # not every kernel counts
[ "$(cat wrote)" -lt 10000000 ]
ok $? "... and they are not written anywhere: $(cat wrote) bytes are"

# ---- What unpacks to more than a machine has

/usr/bin/python3 - "$TMP" <<'EOF'
import gzip, sys
folder = sys.argv[1]
nothing = gzip.compress(bytes(16 << 20))
with open(folder + "/zeros.gz", "wb") as file:  # 10 GB
    file.write(nothing * 640)
with open(folder + "/nested.gz", "wb") as file:
    file.write(gzip.compress(nothing * 640))
strings = b"\x32\0" * (8 << 20)
with open(folder + "/strings.gz", "wb") as file:  # a profile's beginning, and empty strings without end
    file.write(gzip.compress(b"\x0a\4\x08\1\x10\2" + strings) + gzip.compress(strings) * 640)
with open(folder + "/field.gz", "wb") as file:  # one field of 10 GB
    file.write(gzip.compress(b"\x0a\4\x08\1\x10\2\x32\x80\x80\x80\x80\x28") + nothing * 640)
with open(folder + "/trace.gz", "wb") as file:
    file.write(gzip.compress(b"\xc1\x1f\xfc\xc1") + nothing * 640)
with open(folder + "/heaptrack.gz", "wb") as file:  # one line of 10 GB
    file.write(gzip.compress(b"v 10400 3\nX ") + nothing * 640)
for name, line in [("folded", b"main;" + b"x" * 200 + b" 1\nmain;y 1\n"),
                   ("table", b"a.lua:1 || 1 || 1MB || " + b"x" * 200 + b"\na.lua:2 || 1 || 1MB || y\n")]:
    with open(folder + "/" + name + ".gz", "wb") as file:
        file.write(gzip.compress(b"Source Location || Count || Size || Type\n" * (name == "table") + line) + gzip.compress(line * 80000) * 640)
with open(folder + "/jemalloc.gz", "wb") as file:
    file.write(gzip.compress(b"heap_v2/524288\n  t*: 1: 2 [0: 0]\n") + nothing * 640)
EOF
# JSON, with spaces without end in it.
for start in '{"dhatFileVersion": 2, "mode": "heap", "pps": [' '{"head": {"callFrame": {}, "selfSize": 1, "children": [' \
    '{"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": ['; do
    name=$(echo "$start" | grep -oE "dhat|head|schema" | head -1)
    { echo "$start"; head -c 100M /dev/zero | tr '\0' ' '; } >spaces
    gzip <spaces >"$name.gz"
    ! command -v zstd >/dev/null || zstd -q -1 <spaces >"$name.zst"
    rm spaces
done
# refuses FILE TEXT: within 400 MB of memory, with that message.
refuses() {
    for command in top info "leaks --json"; do
        (ulimit -v 400000 && timeout 20 $HEAPTAP $command "$TMP/$1.${3:-gz}") >"$TMP/out" 2>"$TMP/err"
        is "$?" 3 "$1.${3:-gz}, $command: refused"
        has "$TMP/err" "$2" "... because of what it is"
    done
}
if (ulimit -v 400000 && "$HEAPTAP" --version >"$TMP/out" 2>&1); then # else it is built with a sanitizer
    refuses zeros "this is nothing but zeros"
    refuses nested "this is not a memtrace trace"
    refuses strings "it unpacks to more than 250 times its size"
    refuses field "it unpacks to more than 250 times its size"
    refuses trace "byte 28: the packet has format version 0"
    refuses folded "it unpacks to more than 250 times its size"
    refuses table "it unpacks to more than 250 times its size"
    yes 'main;f 1' | head -n 9000000 >"$TMP/same.folded"
    (ulimit -v 200000 && timeout 60 "$HEAPTAP" top --json "$TMP/same.folded") >"$TMP/out" 2>"$TMP/err"
    is "$? $(/usr/bin/python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["total"])' "$TMP/out")" "0 9000000" \
        "one stack, nine million times: in 200 MB"
    rm "$TMP/same.folded"
    refuses heaptrack "byte"
    refuses jemalloc "byte"
    for name in dhat head schema; do
        refuses $name "it unpacks to more than 250 times its size"
        [ ! -e $name.zst ] || refuses $name "it unpacks to more than 250 times its size" zst
    done
fi

# A profile of jemalloc's that is cut behind one of its lines.
printf 'heap_v2/524288\n  t*: 2: 16 [0: 0]\n@ 0x1\n  t*: 1: 8 [0: 0]\n@ 0x2\n  t*: 1: 8 [0: 0]\n' >"$TMP/all.heap"
for lines in 1 2 3 4 5 6; do
    head -n $lines "$TMP/all.heap" >"$TMP/some.heap"
    run "$HEAPTAP" check "$TMP/some.heap" --max-live-at-end=1G
    is "$STATUS" "$([ $lines = 6 ] && echo 0 || echo 3)" "jemalloc: $lines of 6 lines"
done
printf 'heap_v2/524288\n  t*: 0: 0 [0: 0]\n' >"$TMP/none.heap"
run "$HEAPTAP" check "$TMP/none.heap" --max-live-at-end=1G
is "$STATUS" 0 "... a profile of nothing is whole"
# Formats in JSON: another tool may have a member of heaptap's name, of any kind.
"$MAKE_STORY" >"$TMP/story.ctf"
for format in speedscope dhat heapprofile; do
    "$HEAPTAP" export -f $format -o "$TMP/own.json" "$TMP/story.ctf" 2>"$TMP/err"
    "$HEAPTAP" hotspots --json "$TMP/own.json" >"$TMP/wanted"
    for own in null '[]' '"x"' 1 true '{}' '{"complete": null, "sample": 5, "unit": {}}' '{"complete": "no", "other": [1, {}]}'; do
        OWN=$own /usr/bin/python3 -c '
import json, os, sys
whole = json.load(open(sys.argv[1]))
whole["heaptap"] = json.loads(os.environ["OWN"])
json.dump(whole, open(sys.argv[2], "w"))' "$TMP/own.json" "$TMP/other.json"
        run "$HEAPTAP" hotspots --json "$TMP/other.json"
        is "$STATUS $(grep -c '"share": ' "$TMP/out")" "0 $(grep -c '"share": ' "$TMP/wanted")" "$format with $own as heaptap's member: read as without it"
    done
done

done_testing
