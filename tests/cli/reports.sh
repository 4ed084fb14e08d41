#!/bin/sh
# Reports of the model under filters: figures known by hand (tests/helpers/story.h), and on a real trace.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
"$MAKE_STORY" >story.ctf
REAL=$GOLDEN/valid/irmin-replay-v2.ctf

# ---- top

run "$HEAPTAP" top story.ctf
is "$STATUS" 0 "top"
sed -n '/^Showing/,$p' out >got
cat >wanted <<'EOT'
Showing nodes accounting for 1016B, 100% of 1016B total
      flat  flat%   sum%        cum   cum%
      512B 50.39% 50.39%       544B 53.54%  helper
      280B 27.56% 77.95%       280B 27.56%  map
      128B 12.60% 90.55%       128B 12.60%  ext_alloc (inline)
       64B  6.30% 96.85%      1016B   100%  main
       32B  3.15%   100%        32B  3.15%  iter
         0     0%   100%       128B 12.60%  wrap
EOT
same got wanted "... its figures"
run "$HEAPTAP" top --json story.ctf -s inuse_objects --filter 'focus=map'
json_is_valid out
ok $? "... as JSON"
is "$(field out 'd["sample_type"], d["unit"], d["filter"], round(d["nodes"][0]["flat"], 3), d["nodes"][0]["name"]')" \
    "('inuse_objects', 'count', 'focus=map', 0.97, 'map')" "... of a filter and sample type"
run "$HEAPTAP" top --csv story.ctf -g lines 'size>=8w' hide=helper
cat >wanted <<'EOT'
name,function,file,line,flat,flat_share,sum_share,cum,cum_share
main main.ml:10,main,main.ml,10,576,0.566929,0.566929,960,0.944882
map list.ml:20,map,list.ml,20,256,0.251969,0.818898,256,0.251969
ext_alloc ext.c:60,ext_alloc,ext.c,60,128,0.125984,0.944882,128,0.125984
wrap stubs.c:50,wrap,stubs.c,50,0,0,0.944882,128,0.125984
EOT
same out wanted "... as CSV, by lines, clauses behind the trace"
run "$HEAPTAP" top story.ctf --no-inlines focus=wrap
has out "wrap" "--no-inlines: the outer function"
lacks out "ext_alloc" "... alone"
run "$HEAPTAP" top story.ctf -n 1 --cum
has out "1016B   100%  main" "--cum, --node-count"
has out "Showing top 1 nodes out of 6" "... says what there is more"
run "$HEAPTAP" top story.ctf --node-fraction 10%
has out "Dropped 1 node (cum <= 101B)" "--node-fraction"

# ---- Every clause, as an option, an argument and in --filter

# selects CLAUSE BYTES: what a clause leaves, however it is given.
selects() {
    word=${1%%[=<>!]*} value=${1#"${1%%[=<>!]*}"}
    for way in "--filter $1" "$1" "--$word=${value#=}"; do
        # shellcheck disable=SC2086
        run "$HEAPTAP" top --json story.ctf $way
        is "$(field out 'd["selected"]')" "$2" "$way"
    done
}
selects 'allocated<=20ms' 24
selects 'live-at=peak' 944
selects 'collected=never' 416
selects 'promoted!=never' 48
selects 'lifetime>=50ms' 176
selects 'size=2w..8w' 112
selects 'source=major' 112
selects 'domain=1' 384
selects 'thread=worker' 384
selects 'type=Node' 32
selects 'focus=map' 280
selects 'ignore=map' 736
selects 'hide=main' 952
selects 'show=ext_alloc' 128
selects 'show-from=helper' 544

# The same clauses on a real trace add up: what one leaves and what its opposite leaves is everything.
"$HEAPTAP" top --json "$REAL" >out
total=$(field out 'd["total"]')
for clause in allocated 'live-at:peak' 'collected:never' 'lifetime:..1ms' 'size:..64' 'source:external' 'focus:Tree' 'domain:0'; do
    word=${clause%%:*} value=${clause#*:}
    [ "$value" != "$clause" ] || value=..50%
    "$HEAPTAP" top --json "$REAL" "$word=$value" >one
    "$HEAPTAP" top --json "$REAL" "$word!=$value" >two
    is "$(/usr/bin/python3 -c 'import json, sys
parts = [json.load(open(name))["selected"] for name in ("one", "two")]
print(abs(sum(parts) - float(sys.argv[1])) < 1)' "$total")" True "a real trace: $word=$value and its opposite"
done
for word in type thread; do
    run "$HEAPTAP" top "$REAL" $word=x
    is "$STATUS:$(head -n 1 "$TMP/err")" "2:heaptap top: filter: $word: this trace has no ${word}s" "... $word=x: it has none"
done
"$HEAPTAP" info --json "$REAL" >info
"$HEAPTAP" top --json -s inuse_space "$REAL" >out
"$HEAPTAP" top --json "$REAL" live-at=end >two
is "$(field out 'd["selected"]')" "$(field two 'd["selected"]')" "... inuse_space is live-at=end"

# ---- The other reports

run "$HEAPTAP" tree story.ctf
sed -n '/^Showing/,$p' out >got
cat >wanted <<'EOT'
Showing stacks accounting for 1016B, 100% of 1016B total, callees below their callers
       cum   cum%       flat  flat%
     1016B   100%        64B  6.30%  main
      544B 53.54%       512B 50.39%  ├─helper
       32B  3.15%        32B  3.15%  │ iter
      280B 27.56%        24B  2.36%  ├─map
      256B 25.20%       256B 25.20%  │ map
      128B 12.60%          0     0%  └─wrap
      128B 12.60%       128B 12.60%    ext_alloc
EOT
same got wanted "tree"
run "$HEAPTAP" tree --markdown story.ctf
sed -n '/^|/p' out >got
cat >wanted <<'EOT'
| cum | cum% | flat | flat% | name |
|---:|---:|---:|---:|---|
| 1016B | 100.0 % | 64B | 6.3 % | main |
| 544B | 53.5 % | 512B | 50.4 % | &nbsp;&nbsp;helper |
| 32B | 3.1 % | 32B | 3.1 % | &nbsp;&nbsp;iter |
| 280B | 27.6 % | 24B | 2.4 % | &nbsp;&nbsp;map |
| 256B | 25.2 % | 256B | 25.2 % | &nbsp;&nbsp;map |
| 128B | 12.6 % | 0 | 0.0 % | &nbsp;&nbsp;wrap |
| 128B | 12.6 % | 128B | 12.6 % | &nbsp;&nbsp;ext\_alloc |
EOT
same got wanted "... as Markdown"
run env LC_ALL=C "$HEAPTAP" tree -n 3 story.ctf
sed -n '/^Showing/,$p' out | tail -n +4 >got
printf '%s\n' "     1016B   100%        64B  6.30%  main" "      544B 53.54%       512B 50.39%  |-helper" \
    "       32B  3.15%        32B  3.15%  | iter" >wanted
same got wanted "... where there is no UTF-8, and cut: bars lead on to what is not shown"
run "$HEAPTAP" tree -r story.ctf focus=map
sed -n '/^Showing/,$p' out >got
cat >wanted <<'EOT'
Showing stacks accounting for 280B, 27.56% of 1016B total, callers below their callees
       cum   cum%
      280B 27.56%  map
      256B 25.20%  ├─map
      256B 25.20%  │ main
       24B  2.36%  └─main
EOT
same got wanted "tree --reverse"
# As deep as a stack is, each line costs the same: these took minutes.  A fork at its top keeps its bar.
/usr/bin/python3 - >deep.json <<'EOT'
import json
print(json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json",
                  "shared": {"frames": [{"name": name} for name in ("main", "f", "leaf", "g")]},
                  "profiles": [{"type": "sampled", "name": "bytes", "unit": "bytes", "startValue": 0, "endValue": 1500,
                                "samples": [[0] + [1] * 300000 + [2], [0, 3]], "weights": [1000, 500]}]}))
EOT
for way in "" -r --markdown; do
    # shellcheck disable=SC2086
    run timeout 60 "$HEAPTAP" tree $way --node-fraction 0 deep.json
    is "$STATUS $(grep -cE '(^|[^a-z])(f|leaf|g)( \||$)' out)" "0 300002" "300 000 calls deep: tree $way"
done
run timeout 60 "$HEAPTAP" tree deep.json
tail -n 2 out >got
printf '%s\n' "     1000B 66.67%      1000B 66.67%  │ leaf" "      500B 33.33%       500B 33.33%  └─g" >wanted
same got wanted "... its bar leads past it"
run "$HEAPTAP" tree -o tree.svg story.ctf
is "$STATUS $(wc -c <out)" "0 0" "a picture by the output's name"
/usr/bin/python3 - >got <<'EOT'
import xml.etree.ElementTree as tree
SVG = "{http://www.w3.org/2000/svg}"
root = tree.parse("tree.svg").getroot()
print(root.find(SVG + "title").text)
for frame in list(root.find(f"{SVG}svg"))[:3]:
    print(frame.get("x"), frame.get("width"), frame.get("y"), frame.find(SVG + "title").text.replace("\n", ", "))
EOT
cat >wanted <<'EOT'
alloc_space of story.ctf, callees below their callers
0% 100% 0 all that is shown
0% 100% 17 main, cum 1016B, cum% 100.0 %, flat 64B, flat% 6.3 %
0% 53.5433% 34 helper, cum 544B, cum% 53.5 %, flat 512B, flat% 50.4 %
EOT
same got wanted "... has frames as wide as what comes through them"
echo before >kept.svg
run "$HEAPTAP" tree --callers -o kept.svg story.ctf nothing_like_it
is "$STATUS $(cat kept.svg)" "1 before" "what can't be answered leaves the file as it was"
run "$HEAPTAP" tree --context --svg story.ctf
is "$STATUS" 2 "what is no tree has no picture"
run "$HEAPTAP" tree --callers story.ctf '^map$'
sed -n '/^Showing/,$p' out | tail -2 >got
printf '%s\n' "      280B 27.56%  map" "      280B 27.56%  main" >wanted
same got wanted "callers: recursion counts once"
run "$HEAPTAP" tree --callees --csv story.ctf helper
printf '%s\n' "number,parent,depth,name,total,self" "0,,0,helper,544,512" "1,0,1,iter,32,32" >wanted
same out wanted "callees"
run "$HEAPTAP" tree --nodes 3 --csv story.ctf
printf 'number,parent,depth,name,total,self\n0,,0,main,1016,64\n1,0,1,helper,544,512\n2,0,1,map,280,24\n' >wanted
same out wanted "tree --nodes: the heaviest calls"
run "$HEAPTAP" tree --nodes 3 --json story.ctf
is "$(tr -d ' \n' <out | grep -o '"hidden_calls":3,"hidden":416')" '"hidden_calls":3,"hidden":416' "... and what is not there"
run "$HEAPTAP" tree --merge-recursion --csv story.ctf
is "$(grep -o ',map,.*' out)" ",map,280,280" "tree --merge-recursion: a function once on a path"
run "$HEAPTAP" tree --callees --nodes 1 --csv story.ctf helper
is "$(tail -n 1 out)" "0,,0,helper,544,512" "tree --callees --nodes"
run "$HEAPTAP" tree --context --nodes 3 story.ctf
is "$STATUS" 2 "tree --context has no nodes"
run "$HEAPTAP" tree --json --max-depth 1 story.ctf
is "$(field out '[(n["name"], n["parent"], n["depth"], n["total"], n["pruned"]) for n in d["nodes"]]')" \
    "[('main', -1, 0, 1016, 952)]" "--max-depth, as JSON"
run "$HEAPTAP" peek story.ctf '^map$'
sed -n '/^---.*+---/,$p' out | sed -n '4,$p' >got
cat >wanted <<'EOT'
                                              280B   100% |   main
      280B 27.56% 27.56%       280B 27.56%                | map
----------------------------------------------------------+-------------
EOT
same got wanted "peek"
run "$HEAPTAP" peek --markdown story.ctf helper
sed -n '/^|/p' out >got
cat >wanted <<'EOT'
| flat | flat% | sum% | cum | cum% | calls | calls% | context |
|---:|---:|---:|---:|---:|---:|---:|---|
|  |  |  |  |  | 544B | 100.0 % | &nbsp;&nbsp;main |
| 512B | 50.4 % | 50.4 % | 544B | 53.5 % |  |  | helper |
|  |  |  |  |  | 32B | 5.9 % | &nbsp;&nbsp;iter |
EOT
same got wanted "... as Markdown"
run "$HEAPTAP" peek --csv story.ctf helper
printf '%s\n' name,kind,other,flat,value,share helper,caller,main,0,544,1 helper,function,helper,512,544,0.535433 \
    helper,callee,iter,0,32,0.058824 >wanted
same out wanted "... as CSV"
run "$HEAPTAP" peek --json story.ctf wrap
is "$(field out '[(c["name"], c["value"], c["inlined"]) for c in d["nodes"][0]["callees"]]')" \
    "[('ext_alloc', 128, True)]" "... as JSON"
run "$HEAPTAP" traces -n 1 story.ctf
sed -n '/^---/,$p' out >got
cat >wanted <<'EOT'
-----------+-------------------------------------------------------
      512B   helper
             main
-----------+-------------------------------------------------------
EOT
same got wanted "traces"
run "$HEAPTAP" traces --markdown -n 2 story.ctf
sed -n '/^|/p' out >got
cat >wanted <<'EOT'
| value | stack |
|---:|---|
| 512B | helper |
|  | main |
| 256B | map |
|  | map |
|  | main |
EOT
same got wanted "... as Markdown"
run "$HEAPTAP" traces --json -n 1 "$REAL"
is "$(field out '[(s["value"], s["samples"], s["stack"][0]["function"], len(s["stack"])) for s in d["stacks"]]')" \
    "[(1096000000, 137, 'Irmin__Tree.Make.Node.findv_aux', 23)]" "... as JSON, of a sampled trace"
run "$HEAPTAP" traces --csv story.ctf show=map
printf '%s\n' value,stack '256,map;map' '24,map' >wanted
same out wanted "... as CSV"
mkdir -p src && seq -f "line %g" 40 >src/list.ml
run "$HEAPTAP" list story.ctf '^map$' --source-path src
sed -n '2,$p' out >got
cat >wanted <<'EOT'
ROUTINE ======================== map in list.ml
      280B       280B (flat, cum) 27.56% of Total
         .          .     15:line 15
         .          .     16:line 16
         .          .     17:line 17
         .          .     18:line 18
         .          .     19:line 19
      280B       280B     20:line 20
         .          .     21:line 21
         .          .     22:line 22
         .          .     23:line 23
         .          .     24:line 24
         .          .     25:line 25
EOT
same got wanted "list"
mkdir -p project/src outside project/other && seq -f "line %g" 40 >outside/secret.c && cp outside/secret.c project/src/own.c
cp outside/secret.c project/other/else.c && ln -s ../../outside/secret.c project/src/link.c && mkfifo project/src/pipe.c
ln -s own.c project/src/alias.c && mkdir project/src/folder.c
# names_file NAME: a trace whose function f stands in that file.
names_file() {
    /usr/bin/python3 - "$SOURCE" "$1" >file.ctf <<'EOT'
import sys
sys.path.insert(0, sys.argv[1] + "/tests/helpers")
from make_trace import Writer
writer = Writer()
writer.locate(1, (b"f", sys.argv[2].encode(), 20))
writer.allocate(1, [1])
sys.stdout.buffer.write(writer.data())
EOT
}
# source_of NAME OPTION...: line 20 of what list shows for it, seen from project/src.
source_of() {
    names_file "$1"
    shift
    (cd project/src && timeout 20 "$HEAPTAP" list ../../file.ctf '^f$' "$@" >../../out 2>../../err)
    sed -n 's/.* 20://p' out
}
here=$PWD
is "$(source_of own.c)" "line 20" "a source below the present folder"
is "$(source_of "$here/project/src/own.c")" "line 20" "... by its whole name"
is "$(source_of /build/elsewhere/own.c)" "line 20" "... built elsewhere"
is "$(source_of alias.c)" "line 20" "... by a link within"
is "$(source_of ../src/own.c)" "line 20" "... by a way out and in again"
for name in /etc/passwd /etc/shadow ../../outside/secret.c "$here/outside/secret.c" link.c "$here/project/src/link.c" \
    ../../../../../../../../../../../etc/passwd outside/secret.c pipe.c folder.c /dev/zero /proc/self/environ \
    "$here/project/src/../../outside/secret.c" ../other/else.c; do
    is "$(source_of "$name")" "" "not read: ${name#"$here"}"
    has out "--source-path" "... and the option is named"
done
is "$(source_of "$here/outside/secret.c" --source-path ../../outside)" "line 20" "with --source-path it is read"
is "$(source_of ../other/else.c --source-path "/nowhere:$here/project")" "line 20" "... as are those of several folders"
is "$(source_of own.c --source-path ../other)" "line 20" "... beside those of the present one"
is "$(source_of /etc/passwd --source-path ../../outside)" "" "... and others are not"
run "$HEAPTAP" list --markdown story.ctf '^(map|main)$' --source-path src
sed -n '/^ROUTINE/,$p' out | grep -v '| \. | \. | 2[1-5] ' >got
cat >wanted <<EOT
ROUTINE ======================== main in main.ml

64B      1016B (flat, cum)   100% of Total

The source was not found below the present folder or those of --source-path; no others are read.

| flat | cum | line | source |
|---:|---:|---:|---|
| 64B | 1016B | 10 |  |

ROUTINE ======================== map in list.ml

280B       280B (flat, cum) 27.56% of Total

| flat | cum | line | source |
|---:|---:|---:|---|
$(for n in 15 16 17 18 19; do echo "| . | . | $n | line $n |"; done)
| 280B | 280B | 20 | line 20 |
EOT
same got wanted "... as Markdown: a table for each"
run "$HEAPTAP" list --json story.ctf '^main$'
is "$(field out '[(f["function"], f["source"], f["flat"], [(n["line"], n["cum"]) for n in f["lines"]]) for f in d["functions"]]')" \
    "[('main', None, 64, [(10, 1016)])]" "... as JSON"
run "$HEAPTAP" list --csv story.ctf '^main$'
printf '%s\n' function,file,line,flat,cum,source main,main.ml,10,64,1016, >wanted
same out wanted "... without its source"
LC_ALL=C sed 's/ext_alloc/ex_malloc/g' story.ctf >wrapper.ctf
run "$HEAPTAP" hotspots --csv wrapper.ctf live-at=end -g function
is "$(cut -d, -f3,8 out | tr '\n' ' ')" "function,bytes map,256 wrap,128 iter,32 " "hotspots under a filter, an allocator left out"
run "$HEAPTAP" hotspots --csv wrapper.ctf live-at=end libraries=show -g function
is "$(cut -d, -f3,8 out | tr '\n' ' ')" "function,bytes map,256 ex_malloc,128 iter,32 " "... unless it is asked for"
"$HEAPTAP" hotspots --csv wrapper.ctf live-at=end allocators=show -g function | cmp -s - out
ok $? "... by the old name of the clause, too"
run "$HEAPTAP" hotspots --csv wrapper.ctf -n 4
is "$(cut -d, -f3,8 out | tr '\n' ' ')" "function,bytes helper,512 map,280 wrap,128 main,64 " "... without a filter, too"
run "$HEAPTAP" hotspots --csv story.ctf -n 4
is "$(cut -d, -f3,8 out | tr '\n' ' ')" "function,bytes helper,512 map,280 ext_alloc,128 main,64 " "... but not a program's own ext_alloc"
run "$HEAPTAP" leaks --csv wrapper.ctf
is "$(sed 1d out | cut -d, -f1-3 | grep -c alloc)" 0 "leaks leave allocators out"
run "$HEAPTAP" flamegraph story.ctf -s inuse_space hide=wrap
printf '%s\n' "main;ext_alloc 128" "main;helper;iter 32" "main;map;map 256" >wanted
same out wanted "flamegraph of what is in use, a function hidden"

# ---- tags: of a profile they are compared with pprof's

run "$HEAPTAP" tags story.ctf 'size<=64'
sed '1,/^Filter/d' out >got
cat >wanted <<'EOT'
 domain: Total 120.0B
         120.0B (  100%): 0

 size: Total 120.0B
       64.0B (53.33%): 64B
       32.0B (26.67%): 32B
       16.0B (13.33%): 16B
        8.0B ( 6.67%): 8B

 source: Total 120.0B
         64.0B (53.33%): major
         56.0B (46.67%): minor

 type: Total 32.0B
       32.0B (  100%): Node

EOT
same got wanted "tags of a trace"
run "$HEAPTAP" tags --csv story.ctf -s inuse_space
cat >wanted <<'EOT'
key,tag,unit,value,share
domain,1,,384,0.923077
domain,0,,32,0.076923
size,256,bytes,256,0.615385
size,128,bytes,128,0.307692
size,32,bytes,32,0.076923
source,minor,,288,0.692308
source,external,,128,0.307692
thread,worker,,384,1
type,Node,,32,1
EOT
same out wanted "... as CSV"
run "$HEAPTAP" tags --json -n 1 story.ctf
is "$(field out '[(k["key"], k["total"], k["tag_count"], [t.get("number", t.get("text")) for t in k["tags"]]) for k in d["keys"]][1:3]')" \
    "[('size', 1016, 7, [512]), ('source', 1016, 3, ['minor'])]" "... as JSON, the heaviest of each key"
run "$HEAPTAP" tags --markdown -n 1 story.ctf 'size<=64'
sed -n '/^|/,/more/p' out | head -n 8 >got
cat >wanted <<'EOT'
| Total | Share | Tag |
|---:|---:|---|
| 120B | 11.8 % | domain |
| 120B | 100.0 % | &nbsp;&nbsp;0 |
| 120B | 11.8 % | size |
| 64B | 53.3 % | &nbsp;&nbsp;64B |

(3 more)
EOT
same got wanted "... in Markdown: keys, and below each its tags"
run "$HEAPTAP" tags -n 1 story.ctf
has out "(6 more)" "... as text"

# ---- types

run "$HEAPTAP" types --csv story.ctf
cat >wanted <<'EOT'
type,bytes,share,objects,mean_bytes,live_bytes,live_objects,live_share,kept,mean_lifetime_us
(none),984,0.968504,4.951,198.746,384,1.911,0.923077,0.390244,30365.477
Node,32,0.031496,0.8,40,32,0.8,0.076923,1,
EOT
same out wanted "types: of a trace that has some, with lifetimes and what is left"
run "$HEAPTAP" types --csv "$GOLDEN/valid/lists-and-sets-v1.ctf" -n 0
is "$(awk -F, 'NR > 1 { n += $2; print $1 }' out | sort -n | tr '\n' ' ')" "$(cut -d, -f1 out | sed 1d | sort -n | tr '\n' ' ')" "... else of classes of sizes"
run "$HEAPTAP" types --json "$GOLDEN/valid/lists-and-sets-v1.ctf" -n 0
is "$(field out 'abs(sum(row["bytes"] for row in d["types"]) - d["selected"]) < 1e-6 * d["selected"], all(row["at_most_bytes"] & (row["at_most_bytes"] - 1) == 0 for row in map(lambda r: {"at_most_bytes": int(r["at_most_bytes"])}, d["types"]))')" "(True, True)" \
    "... whose bytes are all that was allocated, up to powers of two"
"$HEAPTAP" pprof -o values.pb.gz story.ctf
run "$HEAPTAP" types values.pb.gz
is "$STATUS" 3 "... not of a profile"

# ---- distributions

run "$HEAPTAP" distributions --csv story.ctf
cat >wanted <<'EOT'
of,from,below,bytes,share,objects,sampled_blocks
size,8,10,8,0.007874,0.5,1
size,16,20,16,0.015748,0.667,1
size,32,40,32,0.031496,0.8,1
size,64,80,64,0.062992,0.889,1
size,128,160,128,0.125984,0.941,1
size,256,320,256,0.251969,0.97,1
size,512,640,512,0.503937,0.985,1
lifetime,8192,10240,8,0.007874,0.5,1
lifetime,16384,20480,64,0.062992,0.889,1
lifetime,28672,32768,512,0.503937,0.985,1
lifetime,57344,65536,16,0.015748,0.667,1
domain,0,,632,0.622047,3.84,5
domain,1,,384,0.377953,1.911,2
EOT
same out wanted "distributions: sizes, lifetimes and domains"
run "$HEAPTAP" distributions --json "$REAL"
is "$(field out 'd["all"]["bytes"] == sum(row["bytes"] for row in d["sizes"]) == sum(row["bytes"] for row in d["lifetimes"]) + d["unended"]["bytes"] == sum(row["bytes"] for row in d["domains"]), d["unended"]["bytes"] == sum(row["live_bytes"] for row in d["domains"])')" \
    "(True, True)" "... each is all that was allocated"
is "$(field out '[row["from_bytes"] for row in d["sizes"][1:]] == [row["below_bytes"] for row in d["sizes"][:-1]]')" True "... in JSON without gaps"
run "$HEAPTAP" distributions --json -s inuse_space "$REAL"
is "$(field out 'd["lifetimes"], d["all"] == d["unended"]')" "([], True)" "... what is alive has no lifetime"
run "$HEAPTAP" distributions values.pb.gz
is "$STATUS" 3 "... not of a profile"

# ---- Labels as frames: check_reports.py compares them with pprof's

run "$HEAPTAP" top story.ctf --tagroot=pid
is "$STATUS $(cat err)" "2 heaptap top: story.ctf: blocks of a trace have no labels: --tagroot and --tagleaf are for profiles" "--tagroot of a trace"
run "$HEAPTAP" hotspots story.ctf --tagleaf=pid
is "$STATUS" 2 "... also where it is not read into a model"
run "$HEAPTAP" top values.pb.gz --tagroot=nothing
is "$STATUS $(cat err)" "0 heaptap top: values.pb.gz: note: no sample has a label that --tagroot or --tagleaf names; \`heaptap tags\` lists labels" "... of a key that nothing has"

# ---- Every form has the same figures

/usr/bin/python3 "$SOURCE/tests/helpers/check-forms" "$HEAPTAP" "$BUILD/examples/read_profile" story.ctf "$REAL" "$GOLDEN/valid/lists-and-sets-v1.ctf" values.pb.gz >forms
is "$?" 0 "text, Markdown, CSV and JSON of each report, the page and the library have the same rows and figures"
sed 's/^/# /' forms

# ---- What is wrong

run "$HEAPTAP" top story.ctf -F 'size>=1k lifetme>1s'
is "$STATUS" 2 "a wrong filter is wrong usage"
cat >wanted <<'EOT'
heaptap top: filter: no clause is called 'lifetme'; did you mean lifetime?
    size>=1k lifetme>1s
             ^^^^^^^
EOT
same err wanted "... the message points at the word"
run "$HEAPTAP" top story.ctf tag=x
has err "tag: objects of a trace have no labels" "a clause that a trace cannot answer"
"$HEAPTAP" pprof story.ctf -o story.pb.gz
run "$HEAPTAP" top story.pb.gz 'size>=1w' 'lifetime>1s'
is "$STATUS" 2 "a clause that a profile cannot answer"
has err "lifetime: this profile has values by stack only" "... is named"
run "$HEAPTAP" top story.pb.gz --json 'tag:bytes=64..128'
is "$(field out 'd["selected"]')" 192 "labels of a profile"
run "$HEAPTAP" top story.pb.gz --json 'size=64..128'
is "$(field out 'd["selected"]')" 192 "... sizes are their label bytes"
run "$HEAPTAP" top story.ctf -s heap
has err "there is no sample type 'heap'; there are: alloc_space, alloc_objects, inuse_space" "a wrong sample type"
type_of() { "$HEAPTAP" top --json "$@" >out 2>err && field out 'd["sample_type"]'; }
is "$(type_of story.ctf -s objects) $(type_of story.ctf -s inuse) $(type_of story.ctf -s 3)" \
    "alloc_objects inuse_space inuse_objects" "sample types by a part of their names, and by number"
is "$(type_of story.pb.gz -s 0) $(type_of story.pb.gz -s inuse) $(type_of story.pb.gz -s lifetime)" \
    "alloc_objects inuse_space lifetime" "... of a profile"
printf 'heap profile: 1: 10 [2: 20] @ heap/1\n 1: 10 [2: 20] @ 0x10\n' >old.heap
is "$(type_of old.heap -s inuse_space)" inuse_space "... of a text profile"
run "$HEAPTAP" top story.ctf -s 8
has err "there is no sample type '8'; there are: alloc_space" "a number that is too large"
run "$HEAPTAP" top story.ctf --unit ms
is "$STATUS" 2 "a unit of another kind"
has err "story.ctf: alloc_space is in bytes, which can't be printed in 'ms'" "... is refused"
# Counts have no unit: one of sizes, as it is given for several reports at once, leaves them as they are (but not the sizes that tags are).
for report in top tree traces 'peek main' 'list main'; do
    name=${report%% *} more=${report#"$name"}
    for type in alloc_objects inuse_objects; do
        for unit in B kB MB ms; do
            # shellcheck disable=SC2086
            "$HEAPTAP" $name story.ctf $more -s $type >wanted 2>&1
            # shellcheck disable=SC2086
            run "$HEAPTAP" $name story.ctf $more -s $type --unit=$unit
            cp out got
            is "$STATUS" 0 "$name -s $type --unit=$unit"
            same got wanted "... prints what it does without"
        done
    done
done
run "$HEAPTAP" top story.ctf -s alloc_objects --unit=furlong
is "$STATUS:$(cat err)" "2:heaptap top: story.ctf: alloc_objects is in count, which can't be printed in 'furlong'" "what is no unit is refused"
run "$HEAPTAP" peek story.ctf nowhere
is "$STATUS" 1 "no function matches"
run "$HEAPTAP" peek story.ctf '('
is "$STATUS" 2 "a wrong expression"
has err "'(' is not a regular expression: missing closing parenthesis" "... is told"
run "$HEAPTAP" peek story.ctf
has err "no functions given" "no expression"
for command in peek "tree --callers" "tree --callees" list; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" $command story.ctf focus=main
    is "$STATUS $(tr -s ' \n' '  ' <err | grep -c "'focus=main' is a clause of a filter: in front of it, after the trace, a regular expression (REGEX) is missing")" "2 1" \
        "$command: a clause where the expression should be"
done
run "$HEAPTAP" peek story.ctf 'site::|main'
is "$STATUS" 0 "... but not a name of C++"
for command in hotspots advice compare; do
    run "$HEAPTAP" $command story.ctf -o x.svg
    is "$STATUS:$(cat err)" "2:heaptap $command: there is no picture for 'x.svg'; graph, flamegraph, stats, timeline, tree and compare --long draw one" \
        "$command draws no picture"
    run "$HEAPTAP" $command --output=x.txt story.ctf
    is "$STATUS $(grep -c 'there is no option -o: .* by > x.txt$' err)" "2 1" "... and has no file of its own"
done
run "$HEAPTAP" top - <story.ctf
run sh -c "cat story.ctf | \"$HEAPTAP\" top --json - live-at=end"
is "$(field out 'd["selected"]')" 416 "from a pipe"
head -c 700 story.ctf >cut.ctf
run "$HEAPTAP" top cut.ctf
is "$STATUS" 3 "a cut trace"
for words in "hotspots -g lines --node-count 1" "leaks -g line --top 1" "top -g file --top=2" "traces --top 1"; do
    run "$HEAPTAP" $words story.ctf
    is "$STATUS" 0 "the same words in all commands: $words"
done
run "$HEAPTAP" help json
is "$STATUS $(grep "^## " out | sort | uniq -d)" "0 " "help json: each report once"
is "$(awk '/^(`|Members|Other)/ { table++ } /^\| `/ { split($0, cell, " *[|] *"); print table, cell[2], cell[5] == "only" }' out | sort | uniq -d)" "" \
    "help json: each key of a table once"
sed -n 's/^## \([a-z]\)/\1/p' out | grep -v , >reports
while read -r report; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" help json $report
    is "$STATUS $(sed -n 's/^## //p' out)" "0 $report" "help json $report"
done <reports
run "$HEAPTAP" help json tree --callers
is "$STATUS $(sed -n 's/^## //p' out)" "0 tree, tree --callers, tree --callees" "help json of a report that stands with others"
for report in summary top "tree --callers" leaks advice tags; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" help json $report
    is "$(grep -c '^| `complete` ' out)" 1 "help json $report: with its head"
done
run "$HEAPTAP" help json view
is "$STATUS $(cat err)" "2 heaptap: 'view' is no report; see \`heaptap help all\`" "help json view"
run "$HEAPTAP" help filters
is "$STATUS $(grep -cw diff out)" "0 0" "help filters"
for word in allocated live-at collected promoted lifetime size source domain thread type tag focus ignore hide show show-from own libraries; do
    grep -q "^  $word=" out && grep -q "^.BR ${word%-*}.*= " "$SOURCE/man/heaptap-filters.7"
    ok $? "... and heaptap-filters(7) name $word"
done
on_terminal 50 "$HEAPTAP" tree story.ctf
[ "$(sed -n '/cum%/,$p' out >body; widest body)" -le 61 ]
ok $? "a narrow terminal: names are cut"
# A filter that leaves nothing says so, in the report's own format all the same.
for command in top tree traces tags leaks hotspots timeline; do
    run "$HEAPTAP" $command --csv story.ctf focus=nothing
    is "$STATUS $(cat err)" "0 heaptap $command: story.ctf: note: the filter leaves nothing of it: 'focus=nothing' matches none of its names" "$command: nothing is left"
done
# The remark is in the answer, too, for who reads nothing else: JSON, Markdown.
run "$HEAPTAP" diagnose --json story.ctf focus=helpr
remark="story.ctf: the filter leaves nothing of it: 'focus=helpr' matches none of its names; did you mean helper?"
is "$(field out 'd["remark"], len(d["causes"])')" "(\"$remark\", 0)" "JSON has the remark"
run "$HEAPTAP" compare --json story.ctf story.ctf focus=helpr
is "$(field out 'd["remark"]')" "$remark" "... of two files that are the same, once"
run "$HEAPTAP" leaks --markdown story.ctf focus=helpr
has out "the filter leaves nothing of it" "Markdown, too"
run "$HEAPTAP" leaks --json story.ctf focus=helper
is "$(field out '"remark" in d')" False "... and none where something is left"
# Why nothing is left: names in other letters, threads, domains, programs, times.
while IFS='|' read -r filter why; do
    run "$HEAPTAP" top story.ctf "$filter"
    is "$STATUS:$(sed 's/^heaptap top: story.ctf: note: //' err)" "0:$why" "$filter"
done <<'EOT'
focus=HELPER|the filter leaves nothing of it: 'focus=HELPER' matches none of its names; with (?i) before it, it matches small and capital letters alike
focus:function="^Helper$"|the filter leaves nothing of it: 'focus:function="^Helper$"' matches none of its names; with (?i) before it, it matches small and capital letters alike
thread=zzz|the filter leaves nothing of it: 'thread=zzz' matches none of its threads; there are: worker
domain=7|the filter leaves nothing of it: 'domain=7' matches none of its domains; there are: 0 and 1
lifetime>=1h|the filter leaves nothing of it: 'lifetime>=1h' reaches beyond the end of the run, which took 100 ms
lifetime>=3600|the filter leaves nothing of it: 'lifetime>=3600' reaches beyond the end of the run, which took 100 ms (a number without a unit is in seconds)
live-at=99s|'live-at=99s' reaches beyond the end of the run, which took 100 ms
lifetime<99|'lifetime<99' reaches beyond the end of the run, which took 100 ms (a number without a unit is in seconds)
lifetime<=99s|
allocated<=50%|
domain!=7|
EOT
# Profiles whose own values differ are told by these, and by what compares others.
run "$HEAPTAP" compare old.heap story.pb.gz
is "$STATUS:$(cat err)" "2:heaptap compare: story.pb.gz: its values are alloc_space, those of the other file inuse_space: they can't be \
compared; --long compares those that --sample chooses" "profiles of different values"
run "$HEAPTAP" compare --long -s inuse_space old.heap story.pb.gz
is "$STATUS" 0 "... --long compares those that --sample chooses"
# Estimates name the samples that they rest on, exact figures none.
bounds="; 95 % bounds of their sum: 77.54GB to 80.54GB"
for command in top tree "tree --context" traces "tree --callers @ rev_append" "peek @ rev_append" "list @ rev_append"; do
    case $command in *@*) words="${command%@*}$REAL${command#*@}" ;; *) words="$command $REAL" ;; esac
    # shellcheck disable=SC2086
    run "$HEAPTAP" $words
    has out "Samples: 10607 of 7.63MB each$bounds" "$command: samples"
done
run "$HEAPTAP" top -s inuse_space "$REAL"
has out "Samples: 1 of 7.63MB each, too few to tell more" "top: one sample"
run "$HEAPTAP" top --mean "$REAL"
is "$(grep Samples: out)" "Samples: 10607 of 7.63MB each" "top --mean: samples"
run "$HEAPTAP" graph "$REAL"
has out "Samples: 10607 of 7.63MB each$bounds" "graph: samples"
run "$HEAPTAP" top story.ctf
lacks out "Samples" "top: none where every block is there"
run "$HEAPTAP" top --json "$REAL"
has out '"sample_bytes": 8000000,' "top --json: what a sample stands for"

# Means: sums divided once they are ordered.
run "$HEAPTAP" top --mean -n 2 --csv "$REAL"
is "$(cut -d, -f1,5 out)" 'name,flat
Irmin__Tree.Make.Node.findv_aux,72
Stdlib__Map.Make.bal,48' "top --mean"
done_testing
