#!/bin/sh
# heaptap store, and reports of a store: the figures are those of the files that went into it.
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

run "$HEAPTAP" store init app.db
is "$STATUS $(cat err)" "0 " "a store is made"
run "$HEAPTAP" store init app.db
is "$STATUS $(cat err)" "0 " "... and left as it is where there is one"
run "$HEAPTAP" store add app.db -l service=api -l version=1.3 -l host=a "$trace"
is "$STATUS $(cat out)" "0 app.db: 1 added, 0 there before" "a trace is added"
run "$HEAPTAP" store add app.db -l host=a -l service=api -l version=1.3 "$trace"
is "$STATUS $(cat out)" "0 app.db: 0 added, 1 there before" "... once, whatever the order of labels"
gzip -c "$trace" >packed.ctf.gz
run "$HEAPTAP" store add app.db -l service=api -l version=1.3 -l host=a packed.ctf.gz
is "$STATUS $(cat out)" "0 app.db: 0 added, 1 there before" "... and compressed it is the same"
run "$HEAPTAP" store add app.db -l service=api -l version=1.3 -l host=b "$trace"
is "$STATUS $(cat out)" "0 app.db: 1 added, 0 there before" "of another host it is another"
run "$HEAPTAP" store add app.db -l service=web -l version=1.4 story.pb.gz
is "$STATUS $(cat out)" "0 app.db: 1 added, 0 there before" "a profile"
run "$HEAPTAP" store check app.db
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
run "$HEAPTAP" diff --json store:app.db host=a store:app.db host=b
is "$STATUS $(field out 'd["count"]')" "0 0" "diff of two hosts that are alike"
run "$HEAPTAP" flamegraph -f folded 'store:app.db service=web'
"$HEAPTAP" flamegraph -f folded story.pb.gz | sort >wanted
sort out >got
same got wanted "conditions within the name of the file; stacks"
run "$HEAPTAP" pprof store:app.db service!=api -o web.pb.gz
is "$STATUS $(total web.pb.gz)" "0 $(total -s alloc_space story.pb.gz)" "pprof of what is not of a service"

# A level is a mean over time: a second profile of one instance, with the same in it.
"$HEAPTAP" pprof story.ctf --no-sizes -o again.pb.gz
"$HEAPTAP" store init levels.db >/dev/null
"$HEAPTAP" store add levels.db -l service=web story.pb.gz again.pb.gz >out
is "$(cat out)" "levels.db: 2 added, 0 there before" "two profiles of one instance"
is "$(total -s inuse_space store:levels.db)" "$(total -s inuse_space story.pb.gz)" "what is in use is not added up over time"
is "$(total -s alloc_space store:levels.db)" "$((2 * $(total -s alloc_space story.pb.gz)))" "... what was allocated is"

# Errors of sums are those of the recording.
"$HEAPTAP" export -f sqlite "$trace" -o run.db
is "$(ask app.db "SELECT sum(variance) FROM sample JOIN type ON type.id = type WHERE name = 'alloc_space' AND profile = 1")" \
    "$(ask run.db "SELECT sum(squares) * (1 - sample_rate) FROM sample JOIN sample_type ON sample_type.id = type, profile WHERE sample_type.name = 'alloc_space'")" \
    "variances are those of the samples"
is "$(ask app.db "SELECT samples FROM total JOIN type ON type.id = type WHERE name = 'alloc_space' AND profile = 1")" 10607 "... and their number"

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
run "$HEAPTAP" store prune --keep 9000d app.db
is "$STATUS $(cat out)" "0 app.db: 0 profiles removed" "nothing is that old"
before=$(total store:app.db service=web)
run "$HEAPTAP" store prune --keep 30d app.db
has out "app.db: " "prune"
run "$HEAPTAP" store check app.db
is "$STATUS" 0 "... leaves a store that holds together"
is "$(ask app.db "SELECT count(*) FROM profile WHERE series IN (SELECT series FROM series_label WHERE value = 'api')")" 0 "... without what is older"
[ "$before" ] && [ "$(ask app.db "SELECT count(*) FROM node")" -lt "$(ask old.db "SELECT count(*) FROM node")" ]
ok $? "... and without the stacks of that"

# What can't be.
cp old.db broken.db
ask broken.db "DELETE FROM node WHERE id = (SELECT max(node) FROM sample)"
run "$HEAPTAP" store check broken.db
is "$STATUS $(grep -c 'samples have no stack' err)" "3 1" "check finds samples without their stacks"
ask old.db "UPDATE total SET value = value + 1000000 WHERE profile = 1"
run "$HEAPTAP" store check old.db
is "$STATUS $(grep -c 'totals are not the sums' err)" "3 1" "... and wrong totals"
head -c 30000 broken.db >cut.db
run "$HEAPTAP" store check cut.db
[ "$STATUS" -ge 3 ] && [ "$(wc -l <err)" = 1 ]
ok $? "... and files that are cut: $(cat err)"
run "$HEAPTAP" top store:run.db
is "$STATUS $(cat err)" "2 heaptap top: store:run.db: this is no store of profiles; \`heaptap store init\` makes one" "another database"
run "$HEAPTAP" top store:none.db
[ "$STATUS" -ge 2 ] && grep -q "heaptap top: store:none.db: " err && [ ! -e none.db ]
ok $? "a store that is not there: $(cat err)"
echo "not a profile" >text
run "$HEAPTAP" store add app.db text
is "$STATUS $(wc -l <err)" "3 1" "what is no profile: $(cat err)"
for wrong in "init" "add app.db" "check app.db story.ctf" "prune app.db" "prune --keep soon app.db" "init -l a=b x.db" "add -l 1=2 app.db story.ctf" \
    "add -l a app.db story.ctf" "add -l a= app.db story.ctf" "forget app.db" "check --keep 3d app.db"; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" store $wrong
    is "$STATUS $(grep -c '^heaptap store: ' err)" "2 1" "refused: $wrong"
done
done_testing
