#!/bin/sh
# heaptap leaks, on a hand-made recording of 80 ms.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
# keep: 100 bytes every 10 ms, all kept; once: 4000 bytes at the start, 2 of 4 kept; gone: nothing kept.
cat >t <<'EOF'
v 10400 3
X ./prog
s 4 main
s 4 keep
s 4 once
s 4 gone
s 4 t.cc
s 4 work
i 10 0 1 5 1
i 20 0 2 5 2
i 30 0 3 5 3
i 40 0 4 5 4
i 50 0 6 5 5
t 1 0
t 5 1
t 2 2
t 3 1
t 4 1
a 64 3
a fa0 4
a 7 5
+ 1
+ 1
+ 1
+ 1
- 1
- 1
+ 0
c a
+ 0
+ 2
c 14
+ 0
- 2
c 1e
+ 0
c 28
+ 0
c 32
+ 0
c 3c
+ 0
c 46
+ 0
c 50
+ 2
- 2
EOF
run "$HEAPTAP" leaks t
is "$STATUS" 0 "status 0"
cat >wanted <<'EOF'
t: 8.6 kB in 10 objects alive at the end, after 80 ms; 16 kB allocated
80 ms, perhaps of loading alone: a longer run tells whether what grew goes on
1 place grew until the run ended (by chance in at most 5 of 100 programs that replace their old blocks)
keep (t.cc:2) grows:
    100 % of its blocks (69 % to 100 %) live longer than 10 ms, and stay, ever
    more of them: 9.8 kB a second (496 B to 19 kB)
2 of 2 places; callers below

 BYTES OBJECTS   SHARE  KEPT OLDEST MEAN AGE LIVE     VERDICT    FUNCTION PLACE
7.8 kB       2  90.9 %  50 %  80 ms    80 ms ████████ from start once     t.cc:3
7.8 kB       2 100.0 %                                           └─main   t.cc
 800 B       8   9.1 % 100 %  80 ms    45 ms ▂▃▄▅▆▇██ grows      keep     t.cc:2
 800 B       8 100.0 %                                           └─work   t.cc
EOF
same out wanted "bytes, part kept, ages, births, callers; what is gone isn't listed"
LC_ALL=C run "$HEAPTAP" leaks t
has out "23456788" "plain signs where the locale has no others"
run "$HEAPTAP" leaks -n 1 --callers=0 t
is "$(wc -l <out)" 10 "-n and --callers"
lacks out "callers below" "... isn't spoken of"
run "$HEAPTAP" leaks t 'lifetime>=60ms' 'focus=work'
has out "300 B in 3 objects" "clauses leave out what is young"
is "$(grep -o -e ' *└─.*' out | sed 's/^ *\( └\)/\1/; s/ t.cc//')" "$(printf ' └─work  \n └─main')" \
    "callers under a focus, which all stacks have: the nearest first"
is "$(awk '{ print index($0, "└─") }' out | grep -v '^0' | tr '\n' ' ' | awk '{ print $2 - $1 }')" 2 \
    "... and who calls that one below it"
run "$HEAPTAP" leaks --callers=1 t focus=work
is "$(grep -o -e '─.*' out)" "─work   t.cc" "... and no more than are asked for"
run "$HEAPTAP" leaks -s inuse_objects t
sed -n 10p out >first
has first "keep" "by objects, others come first"
run "$HEAPTAP" leaks --json t
/usr/bin/python3 - >got <<'EOF'
import json
report = json.load(open("out"))
print(report["sample_type"], report["total"], report["site_count"])
for site in report["sites"]:
    print(site["function"], site["line"], site["bytes"], site["objects"], site["kept"], site["oldest_us"],
          site["youngest_us"], site["mean_age_us"], site["born_bytes"], [caller["function"] for caller in site["callers"]])
EOF
cat >wanted <<'EOF'
inuse_space 8800 2
once 3 8000 2 0.5 80000 80000 80000 [8000, 0, 0, 0, 0, 0, 0, 0] ['main']
keep 2 800 8 1 80000 10000 45000 [100, 100, 100, 100, 100, 100, 100, 100] ['work']
EOF
same got wanted "JSON: the same figures"
run "$HEAPTAP" leaks --json t
is "$(field out 'round(d["sites"][1]["p_of_all"] * 3 ** 7, 9)')" 1.0 "7 of 7 trials, one site"
run "$HEAPTAP" summary --json t
is "$(field out '[card.get("grows") for card in d["cards"] if card["card"] == "left"]')" \
    "['80 ms, perhaps of loading alone: keep (t.cc:2) grows: 9.8 kB a second (496 B to 19 kB)']" "the summary's card says so"
run "$HEAPTAP" leaks --json t live-at=peak
is "$(field out 'd["sites"][0]["verdict"]')" None "no verdict where the filter chooses blocks by what becomes of them"
why() { run "$HEAPTAP" leaks "$@"; sed -n 's/^No verdict on what grows: //p' out; }
is "$(why t live-at=peak)" "the filter chooses blocks by what becomes of them" "... and why"
is "$(why t)" "" "nothing is said where there are verdicts"
grep -v '^c' t >short
is "$(why short)" "a run of 0 us is too short; they need 64 us" "none of a run that is too short"
{ grep -v '^[-+c]' t; printf '%s\n' '+ 0' '+ 0' 'c 10' '+ 0' '+ 1' 'c 1e' '- 0' '- 0' 'c 50' '- 0'; } >frees
is "$(why frees)" "from 28.8 ms to its end, after 80 ms, the program frees what is left; before that it would have to run for as long, 51.2 ms" \
    "none of one that mostly frees"
run "$HEAPTAP" leaks --csv -g functions t
cat >wanted <<'EOF'
function,file,line,bytes,objects,share,kept,oldest_us,mean_age_us,allocated_bytes,youngest_us,verdict,growth,stays,stays_us,freed_at_exit_bytes
once,,,8000,2,0.909091,0.5,80000,80000,16000,80000,from start,0,0.5,10000.125,0
keep,,,800,8,0.090909,1,80000,45000,800,10000,grows,9999.875,1,10000.125,0
EOF
same out wanted "CSV, by functions"
run "$HEAPTAP" leaks --markdown -n 1 t
tail -n 4 out >got
cat >wanted <<'EOF'
| BYTES | OBJECTS | SHARE | KEPT | OLDEST | MEAN AGE | LIVE | VERDICT | FUNCTION | PLACE |
|---:|---:|---:|---:|---:|---:|---|---|---|---|
| 7.8 kB | 2 | 90.9 % | 50 % | 80 ms | 80 ms | ████████ | from start | once | t.cc:3 |
| 7.8 kB | 2 | 100.0 % |  |  |  |  |  | &nbsp;&nbsp;main | t.cc |
EOF
same got wanted "Markdown: the same table"
run "$HEAPTAP" leaks -s alloc_space t
is "$STATUS" 2 "only what is in use can leak"
has err "takes inuse_space or inuse_objects" "... is said so"
printf 'heap_v2/1\n@ 0x1 0x2\n  t*: 1: 8 [0: 0]\n' >j.heap
run "$HEAPTAP" leaks j.heap
is "$STATUS" 0 "a profile without times has leaks, too"
has out "8 B 100.0 % 0x0" "... without ages"
# Suppressions, as LeakSanitizer has them.
cat >s.heap <<'END'
heap profile: 4: 1111 [5: 2000] @ heapprofile
1: 1000 [1: 1000] @ 0x11 0x31
#	0x10	plugin.load+0x1	/src/plugin.c:5
#	0x30	main.main+0x1	/src/main.c:5
1: 100 [1: 100] @ 0x21 0x31
#	0x20	cache.fill[int]+0x1	/src/cache.c:6
#	0x30	main.main+0x1	/src/main.c:5
2: 11 [3: 900] @ 0x31
#	0x30	main.main+0x1	/src/main.c:5
END
suppressed() { # LINES LEFT AMOUNT PATTERNS
    printf '%b' "$1" >s.txt
    run "$HEAPTAP" leaks --suppressions s.txt s.heap --csv
    is "$STATUS $(tail -n +2 out | cut -d, -f1,4 | tr '\n' ' ')" "0 $2" "suppressed, left: $2"
    has err "s.heap: note: $3 suppressed by $4 of s.txt" "... which is said"
}
suppressed '# known\n\nleak:load\n' 'cache.fill[int],100 main.main,11 ' '1000 B' '1 pattern'
suppressed 'leak:^plugin*load$\r\nleak:fill[int]' 'main.main,11 ' '1.1 kB' '2 patterns'
suppressed 'leak:/plugin.c\n' 'cache.fill[int],100 main.main,11 ' '1000 B' '1 pattern'
suppressed 'leak:^load\n' 'plugin.load,1000 cache.fill[int],100 main.main,11 ' '0 B' '1 pattern'
printf 'leak:load\n' >s.txt
run "$HEAPTAP" leaks --suppressions s.txt s.heap --json
is "$(field out '[d["suppressed"][k] for k in ("patterns", "value")] + [round(d["suppressed"]["share"], 4), d["selected"]]')" \
    "[1, 1000, 0.9001, 111]" "... in JSON"
printf 'leak:keep\n' >keep.txt
run "$HEAPTAP" leaks --suppressions keep.txt t --json
is "$(field out '[d["suppressed"][k] for k in ("patterns", "bytes", "objects")] + [d["selected"]]')" \
    "[1, 800, 8, 8000]" "... of a trace, with objects"
run "$HEAPTAP" leaks t --json
is "$(field out '"suppressed" in d')" False "... which has nothing of it without a file"
run "$HEAPTAP" leaks --suppressions s.txt s.heap focus=fill --csv
is "$(tail -n +2 out | cut -d, -f1,4)" "cache.fill[int],100" "... beside other clauses"
has err "note: 0 B suppressed" "... which come first"
run "$HEAPTAP" check --max-live-at-end 500 s.heap
is "$STATUS" 1 "a check of all"
run "$HEAPTAP" check --max-live-at-end 500 --suppressions s.txt s.heap
is "$STATUS" 0 "... and of what is not suppressed"
has err "s.heap: note: 1000 B suppressed by 1 pattern of s.txt" "... which is said"
run "$HEAPTAP" check --json --max-live-at-end 500 --suppressions s.txt s.heap
is "$(field out 'd["suppressed"], d["broken"]')" "([{'file': 's.heap', 'patterns': 1, 'value': 1000}], 0)" "... in JSON, too"
run "$HEAPTAP" check --json --max-live-at-end 500 s.heap
is "$(field out '"suppressed" in d')" False "... which has nothing of it without a file"
printf 'leak:a\nrace:b\n' >s.txt
run "$HEAPTAP" leaks --suppressions s.txt s.heap
is "$STATUS" 2 "another kind of suppression"
has err "s.txt:2: a suppression is leak: and a pattern, not 'race:b'" "... is refused"
run "$HEAPTAP" leaks --suppressions missing s.heap
is "$STATUS" 3 "a file that is not there"
has err "missing: No such file" "... is named"
printf 'v 10400 3\nX ./p\n' >empty
run "$HEAPTAP" leaks empty
is "$(cat out)" "empty: 0 B in 0 objects alive at the end, after 0 us; 0 B allocated" "nothing leaks of nothing"
on_terminal 60 "$HEAPTAP" leaks t
tail -n +4 out >rows
[ "$(widest rows)" -le 60 ]
ok $? "as narrow as the terminal"

# What is made as code is loaded stays, ever more of it, and is no leak: each place keeps 100 bytes every 10 ms.  What a module makes by
# its own functions may be one.
/usr/bin/python3 - >loaded <<'EOF'
IMPORTLIB, LIBRARY, OWN = "<frozen importlib._bootstrap>", "/usr/lib/python3.11/re.py", "app.py"
LINKER = "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"
PLACES = [  # from the outermost caller to the place: function, file
    [("<module>", OWN), ("_find_and_load", IMPORTLIB), ("_new_module", IMPORTLIB)],
    [("_setup", IMPORTLIB), ("<module>", "app/once.py")],
    [("_find_and_load", IMPORTLIB), ("<module>", LIBRARY), ("compile", LIBRARY)],
    [("_find_and_load", IMPORTLIB), ("<module>", "app/own.py"), ("remember", "app/own.py")],
    [("<module>", "app/table.py")],
    [("open_plugin", "app.c"), ("_dl_open", LINKER), ("_dl_new_object", LINKER)],
    [("_dl_init", LINKER), ("set_up", "app.c")],
]
strings = []
def number(text):
    if text not in strings:
        strings.append(text)
        print("s", format(len(text), "x"), text)
    return format(strings.index(text) + 1, "x")
print("v 10400 3\nX ./prog")
frames, nodes = 0, 0
for place in PLACES:
    parent = 0
    for function, file in place:
        words = [number(text) for text in (function, file)]
        frames += 1
        print("i", format(frames * 16, "x"), 0, words[0], words[1], format(frames, "x"))
        nodes += 1
        print("t", format(frames, "x"), format(parent, "x"))
        parent = nodes
    print("a 64", format(nodes, "x"))
for step in range(9):
    print("c", format(step * 10, "x"))
    for place in range(len(PLACES)):
        print("+", format(place, "x"))
EOF
run "$HEAPTAP" leaks --json loaded libraries=show
cat >wanted <<'EOF'
<module> app/once.py loaded
<module> app/table.py grows
_dl_new_object /usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2 loaded
_new_module <frozen importlib._bootstrap> loaded
compile /usr/lib/python3.11/re.py loaded
remember app/own.py grows
set_up app.c grows
EOF
/usr/bin/python3 -c 'import json
print("\n".join(sorted("{function} {file} {verdict}".format(**site) for site in json.load(open("out"))["sites"])))' >got
same got wanted "code that is loaded is no leak"
run "$HEAPTAP" leaks --json loaded libraries=show focus=_new_module
has out "100 % of what stays was made as code was loaded, which is done once" "... and the evidence says why"
# What has no place: what holds it can be told.
run "$HEAPTAP" leaks t
lacks out "no place in the program" "all blocks have places"
sed 's/^s 4 once$/s d (no location)/' t >nowhere
run "$HEAPTAP" leaks nowhere
grep -q '^[0-9.]* % has no place in the program: `heaptap holders` of one made with --holders tells what holds it$' out
ok $? "of others, heaptap holders is named"
done_testing
