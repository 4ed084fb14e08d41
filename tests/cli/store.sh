#!/bin/sh
# heaptap fleet store, and reports of a store: the figures are those of the files that went into it.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
trace="$GOLDEN/valid/irmin-replay-v2.ctf"
ask() {
    sqlite3 "$1" "$2"
}
# total FILE [ARGUMENT...]: of a report.
total() {
    "$HEAPTAP" top --json "$@" | sed -n 's/^  "total": \([0-9]*\).*/\1/p'
}
"$MAKE_STORY" >story.ctf
"$HEAPTAP" pprof story.ctf -o story.pb.gz

run "$HEAPTAP" fleet store init app.db
is "$STATUS $(cat err)" "0 " "a store is made"
run "$HEAPTAP" fleet store init app.db
is "$STATUS $(cat err)" "0 " "... and left as it is where there is one"
run "$HEAPTAP" fleet store add app.db -l service=api -l version=1.3 -l host=a "$trace"
is "$STATUS $(cat out)" "0 app.db: 1 added, 0 there before" "a trace is added"
run "$HEAPTAP" fleet store add app.db -l host=a -l service=api -l version=1.3 "$trace"
is "$STATUS $(cat out)" "0 app.db: 0 added, 1 there before" "... once, whatever the order of labels"
gzip -c "$trace" >packed.ctf.gz
run "$HEAPTAP" fleet store add app.db -l service=api -l version=1.3 -l host=a packed.ctf.gz
is "$STATUS $(cat out)" "0 app.db: 0 added, 1 there before" "... and compressed it is the same"
run "$HEAPTAP" fleet store add app.db -l service=api -l version=1.3 -l host=b "$trace"
is "$STATUS $(cat out)" "0 app.db: 1 added, 0 there before" "of another host it is another"
run "$HEAPTAP" fleet store add app.db -l service=web -l version=1.4 story.pb.gz
is "$STATUS $(cat out)" "0 app.db: 1 added, 0 there before" "a profile"
run "$HEAPTAP" fleet store check app.db
has out "app.db: 3 profiles of 3 series, " "check says what there is"

# Sums.
for type in alloc_space alloc_objects inuse_space inuse_objects; do
    one=$(total -s $type "$trace")
    got=$(total -s $type store:app.db service=api host=a)
    [ $((one - got)) -ge -1 ] && [ $((one - got)) -le 1 ]
    ok $? "$type of one profile: $got, of the file $one"
    got=$(total -s $type store:app.db service=api)
    [ $((2 * one - got)) -ge -2 ] && [ $((2 * one - got)) -le 2 ]
    ok $? "... of two instances, twice that"
    is "$(total -s $type store:app.db service=web)" "$(total -s $type story.pb.gz)" "... of a profile, to the digit"
done
"$HEAPTAP" top -n 20 "$trace" | sed 1,/flat%/d >wanted
"$HEAPTAP" top -n 20 store:app.db host=a | sed 1,/flat%/d >got
same got wanted "functions"
"$HEAPTAP" top -n 5 "$trace" focus=rev_append | sed 1,/flat%/d >wanted
"$HEAPTAP" top -n 5 store:app.db host=a focus=rev_append | sed 1,/flat%/d >got
same got wanted "... under a filter"
run "$HEAPTAP" compare --long --json store:app.db host=a store:app.db host=b
is "$STATUS $(field out 'd["count"]')" "0 0" "diff of two hosts that are alike"
run "$HEAPTAP" flamegraph -f folded 'store:app.db service=web'
"$HEAPTAP" flamegraph -f folded story.pb.gz | sort >wanted
sort out >got
same got wanted "conditions within the name of the file; stacks"
run "$HEAPTAP" pprof store:app.db service!=api -o web.pb.gz
is "$STATUS $(total web.pb.gz)" "0 $(total -s alloc_space story.pb.gz)" "pprof of what is not of a service"

# A level is a mean over time: a second profile of one instance, with the same in it.
"$HEAPTAP" pprof story.ctf --no-sizes -o again.pb.gz
"$HEAPTAP" fleet store init levels.db >/dev/null
"$HEAPTAP" fleet store add levels.db -l service=web story.pb.gz again.pb.gz >out
is "$(cat out)" "levels.db: 2 added, 0 there before" "two profiles of one instance"
is "$(total -s inuse_space store:levels.db)" "$(total -s inuse_space story.pb.gz)" "what is in use is not added up over time"
is "$(total -s alloc_space store:levels.db)" "$((2 * $(total -s alloc_space story.pb.gz)))" "... what was allocated is"

# Errors of sums are those of the recording.
"$HEAPTAP" export -f sqlite "$trace" -o run.db
is "$(ask app.db "SELECT printf('%.6g', sum(variance)) FROM sample JOIN type ON type.id = type WHERE name = 'alloc_space' AND profile = 1")" \
    "$(ask run.db "SELECT printf('%.6g', sum(squares) * (1 - sample_rate)) FROM sample JOIN sample_type ON sample_type.id = type, profile WHERE sample_type.name = 'alloc_space'")" \
    "variances are those of the samples"
is "$(ask app.db "SELECT samples FROM total JOIN type ON type.id = type WHERE name = 'alloc_space' AND profile = 1")" 10607 "... and their number"

# A profile of heaptap's own gives the same, also of blocks that have many samples each.
"$HEAPTAP" file subsample -f 4 story.ctf -o part.ctf
"$HEAPTAP" pprof part.ctf -o part.pb.gz
"$HEAPTAP" fleet store init errors.db >/dev/null
"$HEAPTAP" fleet store add errors.db part.ctf part.pb.gz >/dev/null
is "$(ask errors.db "SELECT group_concat(samples, ' '), count(DISTINCT round(variance / (1 - CASE profile WHEN 1 THEN 1.0 / 4 ELSE 1.0 / 32 END))) FROM total JOIN type ON type.id = type WHERE name = 'alloc_space'")" \
    "$(ask errors.db "SELECT samples || ' ' || samples FROM total JOIN type ON type.id = type WHERE name = 'alloc_space' AND profile = 1")|1" "... and a profile of that trace the same, but for the word's size"

# Services.
run "$HEAPTAP" fleet services --csv store:app.db
is "$STATUS $(cut -d, -f1,8,9 out | tr '\n' ' ')" "0 name,series,profiles api,2,2 web,1,1 " "services"
run "$HEAPTAP" fleet services --json store:app.db --by host
is "$STATUS $(field out '[row["name"] for row in d["services"]]')" "0 ['a', 'b', '']" "... by another label"
one=$(total "$trace")
is "$(field out 'int(d["services"][0]["allocated_bytes"])')" "$one" "... what each allocated"
is "$(field out '"%.5g" % d["services"][0]["allocated_standard_error"]')" \
    "$(ask run.db "SELECT printf('%.5g', sqrt(sum(squares) * (1 - sample_rate))) FROM sample JOIN sample_type ON sample_type.id = type, profile WHERE sample_type.name = 'alloc_space'")" \
    "... with its standard error"
is "$(field out '["%.3g" % (d["services"][0][key] / d["services"][0]["allocated_bytes"]) for key in ("allocated_low", "allocated_high")]')" \
    "$("$HEAPTAP" info --json "$trace" | field /dev/stdin '["%.3g" % (d["allocated"][key] / d["allocated"]["bytes"]) for key in ("bytes_low", "bytes_high")]')" \
    "... between the bounds that info gives"
run "$HEAPTAP" fleet services --json store:app.db --by host host=a
is "$(field out 'int(d["services"][0]["in_use_bytes"])')" "$(total -s inuse_space "$trace")" "... and what is in use"
run "$HEAPTAP" fleet services --json store:app.db host!=a service=api
is "$STATUS $(field out '[(row["name"], row["series"]) for row in d["services"]]')" "0 [('api', 1)]" "... under conditions"


# Over time, and through a place of the program.
run "$HEAPTAP" fleet services --json store:app.db --steps 4
is "$STATUS $(field out '[round(sum(row["allocated_by_step"]) / row["allocated_bytes"], 9) for row in d["services"]], len(d["services"][0]["in_use_by_step"])')" \
    "0 ([1.0, 1.0], 4)" "by steps, which add up to the whole"
is "$(field out 'max(d["services"][0]["in_use_by_step"]) > 0')" True "... with what is in use"
place=$("$HEAPTAP" top --json --cum -n 20 "$trace" | field /dev/stdin '[row["function"] for row in d["nodes"] if "function" in row][-1]')
run "$HEAPTAP" fleet services --json store:app.db --through "$place" service=api host=a
is "$STATUS $(field out 'd["through"]') $(field out 'int(d["services"][0]["allocated_bytes"])')" \
    "0 $place $("$HEAPTAP" top --json --cum -n 1000 "$trace" | field /dev/stdin "[int(row[\"cum\"]) for row in d[\"nodes\"] if row.get(\"function\") == \"$place\"][0]")" "what leads through a function, as top counts it"
run "$HEAPTAP" fleet services store:app.db --through nowhere
is "$STATUS $(grep -c "^Nothing selected comes through that: give a function's whole name, or FILE:LINE.$" out)" "0 1" "... of a function that is not there"
run "$HEAPTAP" fleet services store:app.db --through ''
is "$STATUS $(cat err)" "2 heaptap fleet services: store:app.db: no place is given: use a function, or FILE:LINE" "... without a name"
run "$HEAPTAP" timeline store:app.db --by host --steps 30
is "$STATUS $(grep -c '│' out) $(grep -c '^(none)$' out)" "0 12 1" "a timeline, by a label"
run "$HEAPTAP" timeline store:app.db 'focus=main'
is "$STATUS $(cat err)" "2 heaptap timeline: a store's timeline takes labels and times, such as service=api, and no filter" "... takes no filter"
run "$HEAPTAP" timeline "$trace" --by host
is "$STATUS $(cat err)" "2 heaptap timeline: --by is for a store: store:FILE" "... of a trace takes no label"

# Regressions.  What is sampled again of one recording is no change; a part of the run is one.
"$HEAPTAP" fleet store init versions.db >/dev/null
for version in 1 2; do
    "$HEAPTAP" file subsample -f 3 --seed $version "$trace" -o again.ctf
    "$HEAPTAP" fleet store add versions.db -l version=1.$version again.ctf >/dev/null
done
"$HEAPTAP" file subsample --from 20 "$trace" -o part.ctf
"$HEAPTAP" fleet store add versions.db -l version=2 part.ctf >/dev/null
run "$HEAPTAP" fleet regressions --json store:versions.db version=1.1 store:versions.db version=1.2
is "$STATUS $(field out '(d["found"], d["count"] > 100)')" "0 (0, True)" "regressions: none of two samplings of one run"
run "$HEAPTAP" fleet regressions --json store:versions.db version=1.1 store:versions.db version=2
is "$STATUS $(field out '(d["found"] > 0, d["found"] == len(d["sites"]), all(s["p_of_all"] <= 0.05 and s["new_share"] > s["base_share"] for s in d["sites"]))')" \
    "1 (True, True, True)" "... but of another part of it, with status 1"
found=$(field out 'd["found"]')
run "$HEAPTAP" fleet regressions --json --false-alarms 1e-9 store:versions.db version=1.1 store:versions.db version=2
[ "$(field out 'd["found"]')" -lt "$found" ]
ok $? "... fewer where false alarms are to be rarer"
run "$HEAPTAP" fleet regressions store:versions.db version=1.1 store:versions.db version=3
is "$STATUS $(cat err)" "2 heaptap fleet regressions: store:versions.db version=3: no profile of the store with these labels and times has alloc_space" "... of nothing"
# Versions that were built in folders of their own.  built FOLDER OTHER BYTES: what is allocated in a header of another folder.
string() { printf 's %x %s\n' ${#1} "$1"; }
built() {
    printf 'v 10400 3\nX ./prog\n'
    for text in main same here header main.c "$1a/util.c" "$1b/util.c" "$1main.c" "$2/header.h"; do
        string "$text"
    done
    cat <<EOF
i 10 0 1 8 1
i 20 0 2 6 2
i 30 0 2 7 3
i 40 0 3 5 4
i 50 0 4 9 5
t 1 0
t 2 1
t 3 1
t 4 1
t 5 1
a 100 2
a 200 3
a 40 4
a $3 5
+ 0
+ 1
+ 2
+ 3
EOF
}
built /build/1.3/src/ /opt/sdk-12 80 >v3
built /home/ci/work/1.4/ /opt/sdk-14 80 >v4
built /home/ci/work/1.5/ /opt/sdk-14 100000 >v5
"$HEAPTAP" fleet store init folders.db >/dev/null
for version in 3 4 5; do
    "$HEAPTAP" file convert v$version -o v$version.ctf
    "$HEAPTAP" fleet store add folders.db -l version=1.$version v$version.ctf >/dev/null
done
run "$HEAPTAP" fleet regressions --json store:folders.db version=1.3 store:folders.db version=1.4
is "$STATUS $(field out '(d["count"], d["found"])')" "0 (4, 0)" "the same program, built in another folder: nothing grew"
for version in 3 4; do
    run "$HEAPTAP" fleet regressions --json store:folders.db version=1.$version store:folders.db version=1.5
    is "$STATUS $(field out '(d["count"], [(s["function"], s["file"], s["base_value"], s["new_value"]) for s in d["sites"]])')" \
        "1 (4, [('header', '/opt/sdk-14/header.h', 128, 1048576)])" "... and what grew is named by the new version's path"
done

/usr/bin/python3 - story.pb.gz unknown.pb <<'PYTHON'
import gzip, sys
data = gzip.open(sys.argv[1]).read()
at, out = 0, b""
def varint(at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 128:
            return value, at
while at < len(data):
    first = at
    tag, at = varint(at)
    size, at = varint(at)
    at += size if tag & 7 == 2 else 0
    if tag >> 3 not in (11, 12):  # the period
        out += data[first:at]
open(sys.argv[2], "wb").write(out)
PYTHON
"$HEAPTAP" fleet store add versions.db -l version=4 unknown.pb >/dev/null
run "$HEAPTAP" fleet regressions store:versions.db version=1.1 store:versions.db version=4
is "$STATUS $(cat err)" "2 heaptap fleet regressions: store:versions.db version=4: a profile does not say how it was sampled, so that errors of sums are not known" "... of a profile without errors"
for wrong in "" "store:versions.db" "app.db store:app.db" "-s inuse_space store:app.db store:app.db" "--false-alarms 2 store:app.db store:app.db" \
    "store:app.db store:app.db store:app.db"; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" fleet regressions $wrong
    is "$STATUS $(grep -c '^heaptap fleet regressions: ' err)" "2 1" "refused: regressions $wrong"
done
for wrong in "" "app.db" "store:app.db --by 1" "store:app.db focus=x"; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" fleet services $wrong
    is "$STATUS $(grep -c '^heaptap fleet services: ' err)" "2 1" "refused: services $wrong"
done

# Times.
is "$(total store:app.db service=api time=2022-11-10)" "$(total store:app.db service=api)" "a day"
is "$(total store:app.db service=api time=2022-11-10T13:20..2022-11-10T14:00)" "$(total store:app.db service=api)" "from one time to another"
is "$(total store:app.db service=api 'time=..1668090000')" "$(total store:app.db service=api)" "... of the epoch"
for none in time=2022-11-11 "time=last 24h" "time=2022-11-10T14:00.." service=none; do
    run "$HEAPTAP" top store:app.db service=api "$none"
    is "$STATUS $(cat err)" "2 heaptap top: store:app.db service=api $none: no profile of the store has these labels and times" "$none"
done
for wrong in time=yesterday "time=last week" time=2022-11-11..2022-11-10 time=2022-13-40; do
    run "$HEAPTAP" top store:app.db "$wrong"
    is "$STATUS $(grep -c 'is no time: use' err)" "2 1" "$wrong is refused"
done

# Pruning.
cp app.db old.db
run "$HEAPTAP" fleet store prune --keep 9000d app.db
is "$STATUS $(cat out)" "0 app.db: 0 profiles removed" "nothing is that old"
before=$(total store:app.db service=web)
run "$HEAPTAP" fleet store prune --keep 30d app.db
has out "app.db: " "prune"
run "$HEAPTAP" fleet store check app.db
is "$STATUS" 0 "... leaves a store that holds together"
is "$(ask app.db "SELECT count(*) FROM profile WHERE series IN (SELECT series FROM series_label WHERE value = 'api')")" 0 "... without what is older"
[ "$before" ] && [ "$(ask app.db "SELECT count(*) FROM node")" -lt "$(ask old.db "SELECT count(*) FROM node")" ]
ok $? "... and without the stacks of that"

# What can't be.
cp old.db broken.db
ask broken.db "DELETE FROM node WHERE id = (SELECT max(node) FROM sample)"
run "$HEAPTAP" fleet store check broken.db
is "$STATUS $(grep -c 'samples have no stack' err)" "3 1" "check finds samples without their stacks"
ask old.db "UPDATE total SET value = value + 1000000 WHERE profile = 1"
run "$HEAPTAP" fleet store check old.db
is "$STATUS $(grep -c 'totals are not the sums' err)" "3 1" "... and wrong totals"
ask old.db "DELETE FROM total WHERE profile = 1"
cp old.db older.db
ask older.db "DELETE FROM total"
for file in old.db older.db; do
    for question in summary top tags advice "hotspots --json" "view -o /dev/null" flamegraph traces "check --max-live=1G" timeline; do
        # shellcheck disable=SC2086
        run "$HEAPTAP" $question store:$file
        is "$STATUS $(cut -d: -f2- err)" "3  store:$file: the store is damaged: it has profiles without totals" "$file has lost totals: ${question%% *} says so"
    done
done
run "$HEAPTAP" fleet services store:old.db
is "$STATUS $(cat err)" "3 heaptap fleet services: store:old.db: the store is damaged: it has profiles without totals" "... and fleet services"
head -c 30000 broken.db >cut.db
run "$HEAPTAP" fleet store check cut.db
[ "$STATUS" -ge 3 ] && [ "$(wc -l <err)" = 1 ]
ok $? "... and files that are cut: $(cat err)"
run "$HEAPTAP" top store:run.db
is "$STATUS $(cat err)" "2 heaptap top: store:run.db: this is no store of profiles; \`heaptap fleet store init\` makes one" "another database"
run "$HEAPTAP" fleet store init run.db
is "$STATUS $(ask run.db "PRAGMA journal_mode")" "2 $(ask run.db "PRAGMA journal_mode" | sed s/wal/not-wal/)" "... which is not made one"
run "$HEAPTAP" top store:none.db
[ "$STATUS" -ge 2 ] && grep -q "heaptap top: store:none.db: " err && [ ! -e none.db ]
ok $? "a store that is not there: $(cat err)"
echo "not a profile" >text
run "$HEAPTAP" fleet store add app.db text
is "$STATUS $(wc -l <err)" "3 1" "what is no profile: $(cat err)"
for wrong in "init" "add app.db" "check app.db story.ctf" "prune app.db" "prune --keep soon app.db" "init -l a=b x.db" "add -l 1=2 app.db story.ctf" \
    "add -l a app.db story.ctf" "add -l a= app.db story.ctf" "forget app.db" "check --keep 3d app.db"; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" fleet store $wrong
    is "$STATUS $(grep -c '^heaptap fleet store: ' err)" "2 1" "refused: $wrong"
done
done_testing
