#!/bin/sh
# A store in ClickHouse answers as one in SQLite, and as the profile that went into it.
. "$SOURCE/tests/cli/tap.sh"
PATH=$PATH:/usr/sbin
command -v clickhouse-server >/dev/null || { echo "1..0 # SKIP no clickhouse-server here"; exit 0; }
cd "$TMP" || exit 1
server=""
trap '[ -z "$server" ] || kill -9 "$server" 2>/dev/null; rm -rf "$TMP"' EXIT
port=$(/usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
cat >config.xml <<XML
<yandex>
<logger><level>warning</level><log>$TMP/log</log><errorlog>$TMP/errors</errorlog></logger>
<http_port>$port</http_port><listen_host>127.0.0.1</listen_host>
<path>$TMP/data/</path><tmp_path>$TMP/tmp/</tmp_path><mark_cache_size>16777216</mark_cache_size>
<users_config>users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
</yandex>
XML
cat >users.xml <<XML
<yandex><profiles><default></default></profiles><quotas><default></default></quotas>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default>
<reader><password>open:se@same</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></reader></users>
</yandex>
XML
clickhouse-server --config-file=config.xml >server.out 2>&1 &
server=$!
# sql QUERY: what the server answers, in the database of the store; nothing where it does not.
sql() {
    /usr/bin/python3 - "http://127.0.0.1:$port/?database=${2:-fleet}" "$1" 2>/dev/null <<'PYTHON'
import sys, urllib.request
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
sys.stdout.write(opener.open(sys.argv[1], sys.argv[2].encode(), timeout=30).read().decode())
PYTHON
}
tries=0
until [ "$(sql "SELECT 1" default)" = 1 ] || [ $tries = 100 ]; do
    tries=$((tries + 1))
    sleep 0.2
done
store=clickhouse://127.0.0.1:$port/fleet
trace="$GOLDEN/valid/irmin-replay-v2.ctf"
"$MAKE_STORY" >story.ctf
"$HEAPTAP" pprof story.ctf -o story.pb.gz
"$HEAPTAP" pprof story.ctf --no-sizes -o again.pb.gz
for part in 1 2; do
    "$HEAPTAP" file subsample -f 3 --seed $part "$trace" -o "part$part.ctf"
done

run "$HEAPTAP" fleet store check "$store"
is "$STATUS $(cat err)" "2 heaptap fleet store: $store: this is no store of profiles; \`heaptap fleet store init\` makes one" "what is not there is no store"
for name in "$store" app.db "$store"; do
    run "$HEAPTAP" fleet store init "$name"
    is "$STATUS $(cat err)" "0 " "init"
done
for name in "$store" app.db; do
    for host in a b; do
        run "$HEAPTAP" fleet store add "$name" -l service=api -l version=1.3 -l host=$host "$trace"
        is "$STATUS $(cat out)" "0 $name: 1 added, 0 there before" "a trace is added"
    done
    run "$HEAPTAP" fleet store add "$name" -l service=api -l version=1.3 -l host=a "$trace"
    is "$STATUS $(cat out)" "0 $name: 0 added, 1 there before" "... once"
    run "$HEAPTAP" fleet store add "$name" -l service=web -l 'title=a "b\' story.pb.gz again.pb.gz
    is "$STATUS $(cat out)" "0 $name: 2 added, 0 there before" "two profiles of one instance"
    run "$HEAPTAP" fleet store add "$name" -l service=part -l version=1 part1.ctf
    run "$HEAPTAP" fleet store add "$name" -l service=part -l version=2 part2.ctf
    run "$HEAPTAP" fleet store check "$name"
    sed 's/^.*: \(.*\), .*/\1/' out >"figures.${name##*[/.]}"
done
same figures.fleet figures.db "check counts the same"

# A sample's variance has 24 bits there.
# both NAME COMMAND [ARGUMENT...]: the two stores answer alike; @ stands for the store.
both() {
    name=$1 command=$2
    shift 2
    for at in "$store" app.db; do
        for argument; do
            shift
            case $argument in @*) argument="store:$at" ;; esac
            set -- "$@" "$argument"
        done
        "$HEAPTAP" "$command" "$@" >all 2>>all
        echo "status $?" >>all
        sed "s|store:$at|STORE|g; s|\"fleet |\"STORE |; s|\"trace\": .*||; s|\(standard_error\": [0-9.]\{9\}\)[0-9]*|\1|; s|\(\"p[_a-z]*\": [0-9.]\{4\}\)[0-9]*|\1|" all >"answer.${at##*[/.]}"
        for argument; do # back again, for the other
            shift
            case $argument in store:*) argument=@ ;; esac
            set -- "$@" "$argument"
        done
    done
    same answer.fleet answer.db "$name"
}
for type in alloc_space alloc_objects inuse_space inuse_objects; do
    both "top, $type" top --json -n 1000 -s $type @
    both "... of two instances" top --json -n 1000 -s $type @ service=api
    both "... of one instance, twice" top --json -n 1000 -s $type @ service=web
    is "$("$HEAPTAP" top --json -s $type "store:$store" service=part version=1 | field /dev/stdin 'd["total"]')" \
        "$("$HEAPTAP" top --json -s $type part1.ctf | field /dev/stdin 'int(d["total"])')" "... of one profile, that of its file"
done
both "under conditions" top --json @ service=api host!=a
both "a day" top --json @ time=2022-11-10
both "from one time to another" top --json @ time=2022-11-10T13:20..2022-11-10T14:00
both "no profile at that time" top @ time=2022-11-11
both "no such service" top @ service=none
both "tree" tree --json @ service=api
both "diff" diff --json @ host=a @ service=part
both "services" services --json @
both "services, by host" services --json @ --by host
both "services over time" services --json @ --steps 20
both "a timeline, by host" timeline --json @ --by host service=api
for place in $("$HEAPTAP" top --json --cum -n 12 store:app.db | field /dev/stdin '" ".join(row["function"] for row in d["nodes"] if "function" in row)'); do
    both "services through $place" services --json @ --through "$place" --steps 3
done
both "services through a line" services --json @ --through "it's\\here.c:10"
both "regressions" regressions --json @ service=part version=1 @ service=part version=2
both "regressions between programs" regressions --json @ service=part @ service=web
both "regressions of what is not there" regressions @ service=part @ service=none
"$HEAPTAP" flamegraph -f folded "store:$store" host=a | sort >got
"$HEAPTAP" flamegraph -f folded store:app.db host=a | sort >wanted
same got wanted "stacks"

# An attempt that ended before its profile was there, and one that two servers made at once.
before=$("$HEAPTAP" top --json "store:$store" service=api | field /dev/stdin 'd["total"]')
sql "INSERT INTO sample SELECT series, attempt + 1, type, stack, value, samples, variance, day FROM sample" >/dev/null
is "$("$HEAPTAP" top --json "store:$store" service=api | field /dev/stdin 'd["total"]')" "$before" "samples without their profile are not counted"
sql "INSERT INTO total SELECT series, attempt + 1, type, value, samples, variance, day FROM total" >/dev/null
sql "INSERT INTO profile SELECT series, attempt + 1, hash, from_us, until_us, day FROM profile" >/dev/null
is "$("$HEAPTAP" top --json "store:$store" service=api | field /dev/stdin 'd["total"]')" "$before" "a profile that two servers took is counted once"
run "$HEAPTAP" fleet store check "$store"
is "$STATUS" 0 "... and the store holds together"

# The server of profiles.
# serve STORE ERRORS [OPTION...]: a server, whose process is $serving and its address in the file `address`.
serve() {
    local store=$1 errors=$2
    shift 2
    rm -f address
    "$HEAPTAP" fleet serve "--store=$store" --listen 127.0.0.1:0 "$@" >address 2>"$errors" &
    serving=$!
    tries=0
    until [ -s address ] || [ $tries = 100 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
}
serve "$store" err --max-age 9999d
for time in first again; do
    /usr/bin/python3 - "$(cat address)/profiles?service=sent" story.pb.gz >"$time" 2>&1 <<'PYTHON'
import sys, urllib.request
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
print(opener.open(sys.argv[1], open(sys.argv[2], "rb").read(), timeout=60).status)
PYTHON
done
kill "$serving"
wait "$serving"
is "$(cat first again)" "$(printf '200\n200')" "serve takes a profile, and takes it again"
is "$("$HEAPTAP" top --json "store:$store" service=sent | field /dev/stdin 'd["total"]')" \
    "$("$HEAPTAP" top --json story.pb.gz | field /dev/stdin 'd["total"]')" "... and counts it once"

# While profiles arrive, a question counts those that were there when it began, with all of their stacks.
for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
    "$HEAPTAP" file subsample -f 2 --seed $seed "$trace" -o "busy$seed.ctf" 2>/dev/null
done
(for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
    "$HEAPTAP" fleet store add "$store" -l service=busy "busy$seed.ctf"
done) >added 2>&1 &
adding=$!
asked=0
while kill -0 $adding 2>/dev/null; do
    "$HEAPTAP" top --json "store:$store" service=busy >out 2>err
    status=$?
    if [ $status = 0 ]; then
        asked=$((asked + 1))
        # The root's weight comes from samples, the services' from profiles.
        field out 'sum(node["flat"] for node in d["nodes"]) <= d["total"] * 1.000001' >>sums
    elif ! grep -q 'no profile of the store has these' err; then
        cat err >>broken
    fi
done
wait $adding
: >>broken
is "$(cat broken) $(sort -u sums) $([ $asked -gt 2 ] && echo asked)" " True asked" "questions are answered while profiles arrive"
"$HEAPTAP" fleet store add app.db -l service=busy busy?.ctf busy??.ctf >/dev/null
is "$("$HEAPTAP" top --json "store:$store" service=busy | field /dev/stdin 'round(d["total"])')" \
    "$("$HEAPTAP" top --json store:app.db service=busy | field /dev/stdin 'round(d["total"])')" "... and count all in the end"

# A password is used, and not shown.
secret="clickhouse://reader:open%3Ase%40same@127.0.0.1:$port/fleet"
shown="clickhouse://reader@127.0.0.1:$port/fleet"
run "$HEAPTAP" fleet store check "$secret"
is "$STATUS $(cut -d' ' -f1 out)" "0 $shown:" "a store with a user and a password"
run "$HEAPTAP" top --json "store:$secret" service=part
is "$STATUS $(field out 'd["total"] > 0') $(grep -c 'Ase' out err | tr '\n' ' ')" "0 True out:0 err:0 " "... whose reports do not show the password"
run "$HEAPTAP" top "store:$secret" service=none
is "$STATUS $(cat err)" "2 heaptap top: store:$shown service=none: no profile of the store has these labels and times" "... nor messages"
run "$HEAPTAP" fleet store check "clickhouse://reader:wrong@127.0.0.1:$port/fleet"
is "$STATUS $(grep -c "store: $shown: ClickHouse answers .*password" err) $(grep -c wrong@ err)" "3 1 0" "... not even a wrong one"
serve "$secret" err
is "$(tr '\0' ' ' <"/proc/$serving/cmdline" | grep -c Ase)" 0 "... nor a list of processes"
kill "$serving"
wait "$serving"

# Sums that have no room, and units.
/usr/bin/python3 - <<'PYTHON'
import os, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests/helpers")
from values_profile import values_profile
open("large.pb", "wb").write(values_profile([("alloc_space", "bytes")], [[2**63 - 1]] * 4))
open("small.pb", "wb").write(values_profile([("alloc_space", "KiB"), ("alloc_objects", "count"), ("wait", "ms")], [[3, 1, 5]]))
PYTHON
for name in "$store" app.db; do
    run "$HEAPTAP" fleet store add "$name" -l service=large large.pb
    run "$HEAPTAP" fleet store add "$name" -l service=small small.pb
done
both "sums that have no room" top --json @ service=large
both "... in services" services --json @ service=large
both "kilobytes become bytes" top --json @ service=small
both "... in services" services --json @ service=small
both "milliseconds become nanoseconds" top --json -s wait @ service=small

# What can't be, and what is old.
sql "INSERT INTO sample SELECT series, attempt, type, toUInt64(1), value, samples, variance, day FROM sample LIMIT 3" >/dev/null
run "$HEAPTAP" fleet store check "$store"
is "$STATUS $(grep -c "$store: .*3 samples have no stack" err)" "3 1" "check finds samples without their stacks"
run "$HEAPTAP" fleet store prune --keep 30d "$store"
is "$STATUS $(sql "SELECT count() FROM sample WHERE day < toDate('2022-11-12')") $(sql "SELECT count() FROM profile WHERE day < toDate('2022-11-12')")" \
    "0 0 0" "prune drops what is old"
run "$HEAPTAP" top "store:$store" service=api
is "$STATUS $(cat err)" "2 heaptap top: store:$store service=api: no profile of the store has these labels and times" "... whose profiles are gone"
for wrong in clickhouse:// clickhouse://host clickhouse:///db clickhouse://host/ "clickhouse://host/a;b" "clickhouse://host/a?b"; do
    run "$HEAPTAP" fleet store init "$wrong"
    is "$STATUS $(grep -c 'a store in ClickHouse is clickhouse://HOST:PORT/DATABASE' err)" "2 1" "refused: $wrong"
done
serve "$store" lost
# ready: what /readyz answers.
ready() {
    /usr/bin/python3 - "$(cat address)/readyz" <<'PYTHON'
import sys, urllib.error, urllib.request
try:
    print(urllib.request.build_opener(urllib.request.ProxyHandler({})).open(sys.argv[1], timeout=30).read().decode().strip())
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode().strip())
PYTHON
}
is "$(ready)" "ready" "/readyz"
later=clickhouse://127.0.0.1:$port/later
"$HEAPTAP" fleet store init "$later" >/dev/null
sql "INSERT INTO heaptap_version VALUES (7)" later >/dev/null
run "$HEAPTAP" fleet store check "$later"
is "$STATUS $(cat err)" "2 heaptap fleet store: $later: this is a store of version 7; this heaptap knows version 2" "one of a later heaptap"
kill -9 "$server"
wait "$server" 2>/dev/null
server=""
run "$HEAPTAP" top "store:$store"
is "$STATUS $(cat err)" "3 heaptap top: store:$store: ClickHouse: Couldn't connect to server" "a server that is down"
tries=0
while [ "$(ready)" = ready ] && [ $tries != 50 ]; do
    tries=$((tries + 1))
    sleep 0.2
done
is "$(ready)" "503 ClickHouse: Couldn't connect to server" "... /readyz"
kill "$serving"
wait "$serving"
is "$? $(cat lost)" "0 heaptap fleet serve: $store: the store can't be reached: ClickHouse: Couldn't connect to server" "... and a line of heaptap fleet serve"
done_testing
