#!/bin/sh
# heaptap advice: each rule applies where its condition holds, and doesn't just below.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1

# recording EVENTS: a Python program that says alloc(site, bytes) -> block, free(block), at(ms).
recording() {
    /usr/bin/python3 - "$1" <<'EOF'
import sys
print("v 10400 3\nX ./prog\ns 4 main\ns 4 t.cc")
sites, kinds = {}, {}
strings, blocks = 2, 0
print("x 7 /bin/no")
def alloc(site, size):
    global strings, blocks
    if site not in sites:
        sites[site] = len(sites) + 1
        print(f"t {0x1000 + sites[site]:x} 0")
    blocks += 1
    print(f"+ {size:x} {sites[site]:x} {blocks:x}")
    return blocks
def free(block):
    print(f"- {block:x}")
def at(ms):
    print(f"c {ms:x}")
def end(ms): # of 1 byte, as blocks without any count
    at(ms)
    alloc("end", 0)
exec(sys.argv[1])
EOF
}
# rules EVENTS: the rules that apply, and where; and whether that depends on how the recording was read.
rules() {
    recording "$1" >t
    HEAPTAP_WHOLE_MODEL=1 "$HEAPTAP" advice --csv t >whole 2>/dev/null
    run "$HEAPTAP" advice --csv t
    cmp -s whole out || echo "differs from the whole model's "
    cut -d, -f1,2 out | tail -n +2 | tr '\n' ' '
}
quiet='
for i in range(20): alloc("other%d" % i, 1000)
end(8000)
'
is "$(rules "$quiet")" "" "no rule applies to an even program"
run "$HEAPTAP" advice t
is "$(cat out)" "t: no rule applies" "... is said so"

is "$(rules 'alloc("a", 4000)
for i in range(6): alloc("b%d" % i, 1000 - (i == 0))
end(800)')" "peak,0x1001 dominant,0x1001 " "dominant: 40 % of all, and of the peak"
is "$(rules 'alloc("a", 3999)
for i in range(6): alloc("b%d" % i, 1001)
end(800)')" "peak,0x1001 " "... not 39.9 %"

short='
for i in range(19): alloc("other%d" % i, 1000 - (i == 0))
for i in range(10): free(alloc("a", 100)) if i < QUICK else alloc("a", 100)
end(8000)'
is "$(rules "$(echo "$short" | sed s/QUICK/9/)")" "short-lived,0x1014 " "short-lived: 5 % of all, 90 % dead at once"
is "$(rules "$(echo "$short" | sed s/QUICK/8/)")" "" "... not 80 %"

grow='
for i in range(200): alloc("other%d" % i, 1000)
size, block = 64, None
for i in range(STEPS + 1):
    new = alloc("a", size)
    if block: free(block)
    block, size = new, FACTOR
end(8000)'
is "$(rules "$(echo "$grow" | sed 's/STEPS/8/; s/FACTOR/size * 3 \/\/ 2/')")" "doubling,0x10c9 " "doubling: 8 times"
is "$(rules "$(echo "$grow" | sed 's/STEPS/7/; s/FACTOR/size * 3 \/\/ 2/')")" "" "... not 7 times"
is "$(rules "$(echo "$grow" | sed 's/STEPS/30/; s/FACTOR/size + 6/')")" "small-steps,0x10c9 " "small steps"

small='
for i in range(19000): alloc("other%d" % (i % 50), 65 + i)
for i in range(COUNT): alloc("a", SIZE if i % 5 else 64)
end(8000)'
is "$(rules "$(echo "$small" | sed 's/COUNT/1250/; s/SIZE/64/')")" "many-small,0x1033 " "many small ones of 64 bytes"
is "$(rules "$(echo "$small" | sed 's/COUNT/1250/; s/SIZE/65/')")" "" "... not of 65"
is "$(rules "$(echo "$small" | sed 's/COUNT/990/; s/SIZE/64/')")" "" "... not fewer than 1000"

# Growth: what heaptap leaks says.
leak='
for i in range(40): alloc("other%d" % i, 1000)
for i in range(40):
    at(i * 200 + 100)
    b = alloc("a", 300)
    if not (KEPT): free(b)
end(8000)'
leaks() { "$HEAPTAP" leaks --json t | /usr/bin/python3 -c 'import json, sys
print(*(site["function"] for site in json.load(sys.stdin)["sites"] if site["verdict"] in ("leaks", "grows")))'; }
is "$(rules "$(echo "$leak" | sed 's/KEPT/True/')") $(leaks)" "growing,0x1029  0x1029" "growing: born throughout the run"
run "$HEAPTAP" advice --csv t
has out "23.1 % of what is alive (12 kB): 100 % of its blocks" "... with how much of what is alive, and the evidence"
run "$HEAPTAP" advice --csv t 'size>=8'
has out "23.1 % of what passes the filter (12 kB): 100 % of its blocks" "... under a filter, of what passes it"
run "$HEAPTAP" advice t
has out "Growth 12 kB, 23.1 % of what is left: 0x1029" "the growth is named first"
run "$HEAPTAP" advice --csv t collected=never
lacks out "growing" "... which means nothing under collected=never"
run "$HEAPTAP" advice --json t
/usr/bin/python3 - >got <<'EOF'
import json
for head in json.load(open("out"))["heads"]:
    print(*(head.get(key) for key in ("kind", "function", "bytes", "share", "point")))
EOF
grep -q '^leak 0x1029 12000 0.23[0-9]* 1$' got
ok $? "... with its point"
is "$(rules "$(echo "$leak" | sed 's/KEPT/i % 3 == 0/')") $(leaks)" "growing,0x1029  0x1029" "a third of the blocks"
run "$HEAPTAP" diagnose t
limit=$(sed -n 's/.*to keep: heaptap check after.ctf \(--max-live-at-end=.*\)/\1/p' out)
run "$HEAPTAP" check t "$limit"
is "$STATUS $limit" "1 --max-live-at-end=41kB" "the limit that keeps a leak mended fails while it is there"
# ... and of one in a run so short that it may only load.
rules "$(echo "$leak" | sed 's/KEPT/True/; s/i \* 200 + 100/i * 20 + 10/; s/end(8000)/end(800)/')" >/dev/null
run "$HEAPTAP" diagnose t
limit=$(sed -n 's/.*to keep: heaptap check after.ctf \(--max-live-at-end=.*\)/\1/p' out)
run "$HEAPTAP" check t "$limit"
is "$STATUS" 1 "... also where it may only be loaded: $limit"
is "$(rules "$(echo "$leak" | sed 's/KEPT/i < 20/')") $(leaks)" " " "... not if its births end before the run does"
is "$(rules "$(echo "$leak" | sed 's/KEPT/i > 36/')" | grep -o growing) $(leaks)" " " "... nor if only the last are left"
freed='
for i in range(20): free(alloc("other%d" % i, 1000))
kept = []
for i in range(40):
    at(i * 190 + 100)
    kept.append(alloc("a", 300))
at(7900)
for b in kept: free(b)
end(8000)'
has_rule() { rules "$1" | grep -o growing; }
is "$(has_rule "$freed")" growing "a program that frees all as it ends: judged before that"
run "$HEAPTAP" advice t
has out "Growth 12 kB, 100.0 % of what is alive as it ends: 0x1" "... which is said"
lacks out "of what is left" "... and nothing is left"

# Figures.
recording "$(echo "$short" | sed s/QUICK/9/)" >t
run "$HEAPTAP" advice t
cat >wanted <<'EOF'
t: 1 point of interest
Churn  900 B, 100.0 % of what is allocated and freed: 0x1014, point 1

 1. Short-lived blocks: 0x1014
    5.0 % of all bytes (1000 B in 10 blocks); 90 % of them dead within 80 ms,
    after 0 us on average.
    Reuse one block, keep it on the stack, or take the blocks from a pool.
EOF
same out wanted "text: the figures, and what helps"
run "$HEAPTAP" advice --json t
/usr/bin/python3 - >got <<'EOF'
import json
report = json.load(open("out"))
point, = report["points"]
print(report["count"], report["quick_us"], point["rule"], point["share"], point["part"], point["figures"]["bytes"],
      point["figures"]["quick_bytes"], point["condition"][:44])
EOF
is "$(cat got)" "1 80000 short-lived 0.05 0.9 1000 900 at least 5 % of all bytes are allocated here" "JSON"
run "$HEAPTAP" advice --markdown t
grep -q "^1\. " out && ! grep -q "^    " out
ok $? "Markdown: points have numbers, and nothing is indented as code would be"
run "$HEAPTAP" advice -n 0 t focus=0x9999
is "$STATUS" 0 "a filter that leaves nothing"

# OCaml.
"$MAKE_TRACE" promoted >p.ctf
run "$HEAPTAP" advice --csv p.ctf
cut -d, -f1-6 out >got
cat >wanted <<'EOF'
rule,function,file,line,share,part
promoted-dead,Int64.add,int64.ml,3,1,0.6
EOF
grep -E '^rule|promoted' got >one
same one wanted "promoted, and soon dead: 60 of 100 blocks"
has out "boxed-integers,Int64.add,int64.ml,3," "boxed integers, by the name of the function"
printf 'one\ntwo\n  let add = \033]0;x\007(* three *)\n' >int64.ml
run "$HEAPTAP" advice p.ctf
has out '    let add = \x1b]0;x\x07(* three *)' "the line of the source, without what a terminal would obey"
mkdir sources
mv int64.ml sources
run "$HEAPTAP" advice p.ctf
lacks out "three" "... which is looked for below the present folder"
has out "main.ml was not read: sources are read below the current folder only; run it there, or give --source-path DIR" "... and missed"
run "$HEAPTAP" advice --source-path sources --json p.ctf
has out "(* three *)" "... and below those that are named"
run "$HEAPTAP" advice --csv p.ctf ignore=Int64
lacks out "boxed" "... not of others"

run "$HEAPTAP" advice --csv -n 1 "$GOLDEN/valid/lists-and-sets-v1.ctf"
is "$(tail -n 1 out | cut -d, -f1-4)" "peak,Lists_and_sets,bin/lists_and_sets.ml,14" "the user's line, not that of OCaml's Stdlib"
run "$HEAPTAP" advice --csv -n 1 "$GOLDEN/valid/lists-and-sets-v1.ctf" allocators=show
is "$(tail -n 1 out | cut -d, -f1-4)" "peak,Stdlib__set.Make.bal,set.ml,125" "... which allocators=show keeps"

run "$HEAPTAP" advice --json "$GOLDEN/valid/lists-and-sets-v1.ctf"
has out "Each block is its fields and a header of one word" "remedies in OCaml's words"
lacks out "pool" "... not in those of C"

run "$HEAPTAP" advice --rules
cut -d' ' -f1 out >named
sed -n '/^\.SH RULES/,/^\.SH OPTIONS/s/^\.I \([a-z-]*\)$/\1/p' "$SOURCE/man/heaptap-advice.1" >described
same named described "--rules lists those of the manual"
printf 'heap_v2/1\n@ 0x1\n  t*: 1: 8 [0: 0]\n' >j.heap
run "$HEAPTAP" advice j.heap
is "$STATUS" 3 "a profile of values has no lives to look at"
on_terminal 40 "$HEAPTAP" advice t
tail -n +4 out >rows
[ "$(widest rows)" -le 40 ]
ok $? "lines fit the terminal"
# Estimates.
run "$HEAPTAP" advice -n 1 "$GOLDEN/valid/ocamlopt-v1.ctf"
tr '\n' ' ' <out | tr -s ' ' >flat
has flat "dead within 9.35 ms, after 5.81 ms on average; by 12014 samples." "evidence says on how many samples it rests"
run "$HEAPTAP" advice -n 1 --csv "$GOLDEN/valid/ocamlopt-v1.ctf"
is "$(head -n 1 out)" "rule,function,file,line,share,part,evidence,samples" "... in CSV"
is "$(tail -n 1 out | sed 's/.*,//')" 12014 "... a column"
run "$HEAPTAP" advice -n 1 --json "$GOLDEN/valid/ocamlopt-v1.ctf"
has out '"samples": 12014' "... in JSON"
run "$HEAPTAP" advice --json t
lacks out '"samples"' "an exact recording says nothing of samples"

done_testing
