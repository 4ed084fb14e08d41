#!/bin/sh
# A trace that is read while its process still writes it is not called complete, and copies of it aren't either.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
unset MEMTRACE MEMTRACE_RATE LD_PRELOAD DEBUGINFOD_URLS HEAPTAP_PRELOAD

cat >waits.c <<'EOF'
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) void *hold_some(void) { return malloc(100); }
__attribute__((noinline)) void *hold_others(void) { return malloc(50); }
int main(int count, char **arguments)
{
    void *volatile block;
    char byte;
    for (int i = 0; i < 1000; i++)
        block = hold_some(), block = hold_others();
    close(open(arguments[1], O_WRONLY | O_CREAT, 0600)); /* what there is to see is there */
    int fd = open(arguments[2], O_RDONLY);               /* a FIFO: waits for whoever lets it go on */
    while (read(fd, &byte, 1) > 0)
        ;
    (void)count, (void)block;
}
EOF
cc -O0 -g -o waits waits.c || exit 1
begin() { # NAME COMMAND...: records it; the recorder's pid is in $recorder
    local name=$1
    shift
    mkfifo "$name.go"
    "$HEAPTAP" record -q -r "${HEAPTAP_RATE:-1}" -o "$name.ctf" -- "$@" "$name.there" "$name.go" </dev/null >/dev/null 2>&1 &
    recorder=$!
    for _ in $(seq 200); do
        [ -e "$name.there" ] && return
        sleep 0.05
    done
}
complete() { # ARGUMENT...: what an answer in JSON says of itself
    "$HEAPTAP" "$@" --json 2>/dev/null | grep -m1 -o '"complete": [a-z]*'
}
NO='"complete": false' YES='"complete": true'

begin one ./waits
first=$recorder
for command in summary hotspots top leaks timeline flamegraph info; do
    is "$(complete $command one.ctf)" "$NO" "$command of a trace that is still written: not complete"
    run "$HEAPTAP" $command one.ctf
    is "$(cat out err | grep -c 'still being written')" 1 "... and once it is said why"
    lacks out "exact;" "... nothing is called exact"
    lacks out "are exact" "... nothing is called exact"
done
is "$(complete summary - <one.ctf)" "$NO" "as standard input, too"
is "$(cat one.ctf | complete summary -)" "$NO" "... and through a pipe"
ln -s one.ctf link.ctf
is "$(complete summary link.ctf)" "$NO" "... and by another name"
for command in summary hotspots tree leaks stats types timeline advice; do
    run "$HEAPTAP" $command one.ctf focus=hold_some
    is "$STATUS" 0 "$command: a filter by name"
    lacks err "nothing" "... finds what has the name"
done
run "$HEAPTAP" hotspots one.ctf focus=hold_some
has out "hold_some" "hotspots: finds that"
lacks out "hold_others" "... and nothing else"
# Its run goes on while its program is idle.
reached() { # FILE: where its run ends so far, in microseconds
    "$HEAPTAP" summary --json "$1" 2>/dev/null | sed -n 's/^ *"to_us": \([0-9]*\),*$/\1/p'
}
before=$(reached one.ctf)
sleep 0.5
after=$(reached one.ctf)
ok "$([ $((after - before)) -ge 500000 ] && [ "$after" -lt 100000000 ]; echo $?)" "its run ends when it is read, not at the last event ($before, $after)"

# Its peak is the recording's, not that of what is left of its blocks.
cat >peaks.c <<'EOF'
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
static void *kept[10000];
int main(int count, char **arguments)
{
    char byte;
    for (int i = 0; i < 10000; i++)
        kept[i] = malloc(1000);
    for (int i = 0; i < 10000; i++)
        free(kept[i]);
    for (int i = 0; i < 1000; i++)
        kept[i] = malloc(1000);
    close(open(arguments[count - 2], O_WRONLY | O_CREAT, 0600));
    int fd = open(arguments[count - 1], O_RDONLY);
    while (read(fd, &byte, 1) > 0)
        ;
}
EOF
cc -O0 -g -o peaks peaks.c || exit 1
for rate in 1 0.001; do
    HEAPTAP_RATE=$rate
    begin "peaks$rate" ./peaks
    for asked in "summary ." "summary collected!=never" "timeline ." "timeline collected!=never"; do
        command=${asked% *} filter=$(echo "${asked#* }" | sed 's/^\.$//')
        # shellcheck disable=SC2086
        "$HEAPTAP" $command --json "peaks$rate.ctf" $filter >growing.json 2>/dev/null
        cp "peaks$rate.ctf" still.ctf
        # shellcheck disable=SC2086
        "$HEAPTAP" $command --json still.ctf $filter >still.json 2>/dev/null
        /usr/bin/python3 - >got <<'EOF'
import json
def peaks(value, path=""):
    if isinstance(value, dict):
        if value.get("card") == "peak":
            yield path + "card", [value.get(key) for key in ("value", "value_low", "value_high")]
        if value.get("name") == "peak" or value.get("measure") == "peak":
            yield path + "figure", [value.get(key) for key in ("bytes", "bytes_low", "bytes_high", "samples")]
        for key, part in value.items():
            if key.startswith("peak_") and isinstance(part, (int, float)):
                yield path + key, part
            yield from peaks(part, path + key + ".")
    elif isinstance(value, list):
        for part in value:
            yield from peaks(part, path)
growing, still = (list(peaks(json.load(open(name)))) for name in ("growing.json", "still.json"))
print("same" if growing and growing == still else [pair for pair in zip(growing, still) if pair[0] != pair[1]])
EOF
        is "$(cat got)" same "$command $filter at rate $rate: the peak of a trace that is still written is that of its copy"
    done
    echo >"peaks$rate.go"
    wait $recorder
    run "$HEAPTAP" summary "peaks$rate.ctf"
    ok "$(grep -q '^At the peak .* █▁▁▁▁▁▁▁▁▁▁▁ ' out; echo $?)" "... and the bars have it, however short it was"
done
unset HEAPTAP_RATE

# The page says what the commands do, and no longer when the trace is finished.
begin seen ./waits
seen=$recorder
if [ -n "${VIEWER:-}" ]; then
    cat >page.py <<'END'
import json, os, re, subprocess, sys, time, urllib.request
server = subprocess.Popen([os.environ["HEAPTAP"], "view", "--no-browser", "--live", "seen.ctf"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
url = server.stdout.readline().decode().strip()
def until(growing):
    for _ in range(200):
        try:
            about = json.load(urllib.request.urlopen(url + "api/about"))
            if about["files"] and about["files"][0]["growing"] == growing:
                return about["files"][0]
        except OSError:
            pass
        time.sleep(0.05)
    return {"remark": "never", "duration_us": 0}
try:
    about = until(True)
    print("growing", about["remark"], about["duration_us"] > 0)
    text = json.dumps(json.load(urllib.request.urlopen(url + "api/answer?report=hotspots")))
    print('"complete": false' in text)
finally:
    open("seen.go", "w").write("\n")
print("done", until(False)["remark"])
server.terminate()
server.wait()
END
    /usr/bin/python3 page.py >got
    is "$(cat got)" "growing None True
True
done None" "the page of --live knows that it is still written, until it is not"
else
    echo >seen.go
fi
wait $seen

# A file that a FIFO takes the place of is looked at again when there is one.
if [ -n "${VIEWER:-}" ]; then
    cat >fifo.py <<'END'
import json, os, signal, subprocess, time, urllib.request
os.system("cp one.ctf shown.ctf")
server = subprocess.Popen([os.environ["HEAPTAP"], "view", "--no-browser", "--live", "shown.ctf"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
url = server.stdout.readline().decode().strip()
def objects():
    for _ in range(100):
        try:
            return json.load(urllib.request.urlopen(url + "api/answer?report=hotspots"))["total"]["objects"]
        except OSError:
            time.sleep(0.1)
before = objects()
os.remove("shown.ctf")
os.mkfifo("shown.ctf")
time.sleep(1.5)
os.remove("shown.ctf")
os.system("cp peaks1.ctf shown.ctf")
for _ in range(100):
    after = objects()
    if after != before:
        break
    time.sleep(0.1)
print(before, after)
server.send_signal(signal.SIGTERM)
try:
    server.wait(5)
    print("ended")
except subprocess.TimeoutExpired:
    server.kill()
    print("hangs")
END
    /usr/bin/python3 fifo.py >got
    is "$(cat got)" "2000 11000
ended" "view --live: a FIFO in the file's place is passed over, and what comes after it is shown"
fi

"$HEAPTAP" file convert -o copy.ctf.gz one.ctf 2>err
"$HEAPTAP" file strip -o bare.ctf one.ctf 2>err
"$HEAPTAP" file convert -o copy.pb.gz one.ctf 2>err
cp one.ctf taken.ctf
gzip -c one.ctf >taken.ctf.gz
for taken in taken.ctf taken.ctf.gz; do
    for command in summary hotspots top stats info diagnose; do
        is "$(complete $command $taken)" "$NO" "$command of $taken, a copy that cp or gzip made meanwhile: not complete"
    done
    run "$HEAPTAP" summary $taken
    is "$(grep -c "$taken: note: it is not finished: it is being written, or was when it was copied" err)" 1 "... and once it is said why"
    lacks out "exact" "... nothing is called exact"
done

"$HEAPTAP" record -q --all -o whole.ctf -- true
is "$(complete summary whole.ctf)" "$YES" "a trace that is finished is complete meanwhile"
begin two ./waits
is "$(complete summary whole.ctf one.ctf two.ctf)" "$NO" "several, of which two are written: not complete"
run "$HEAPTAP" hotspots whole.ctf one.ctf two.ctf focus=hold_some
has out "2.0 k objects" "... by names they are found in both"
is "$(complete summary whole.ctf taken.ctf)" "$NO" "... nor with a copy of one of them"
echo >two.go
wait $recorder
is "$(complete summary two.ctf)" "$YES" "... that which has ended is complete"
is "$(complete summary two.ctf one.ctf)" "$NO" "... together with the other it is not"
is "$(complete summary two.ctf whole.ctf)" "$YES" "... without that it is"
echo >one.go
wait "$first"
is "$(complete summary one.ctf)" "$YES" "the other is complete at its end"
run "$HEAPTAP" summary one.ctf
lacks err "still being written" "... and nothing else is said of it"
"$HEAPTAP" file convert -o of_taken.ctf taken.ctf 2>err
"$HEAPTAP" pprof -o of_taken.pb.gz taken.ctf 2>err
for copy in copy.ctf.gz bare.ctf copy.pb.gz taken.ctf taken.ctf.gz of_taken.ctf of_taken.pb.gz; do
    is "$(complete hotspots $copy)" "$NO" "... but $copy, made before, is not"
done
run "$HEAPTAP" summary one.ctf whole.ctf
lacks err "not finished" "several that are finished are"

# Without `heaptap record` beside it, nobody finishes a trace: its program does, unless it is killed.
alone() { # NAME: killed, or ended as usual
    mkfifo $1.go
    MEMTRACE=$1.ctf HEAPTAP_ALL=1 LD_PRELOAD=$PRELOAD ./waits $1.there $1.go &
    local process=$!
    for _ in $(seq 200); do
        [ -e $1.there ] && break
        sleep 0.05
    done
    [ $1 = killed ] && kill -KILL $process
    [ $1 = ended ] && echo >$1.go
    wait $process 2>log
}
if [ -n "${PRELOAD:-}" ]; then
    alone ended
    is "$(complete summary ended.ctf)" "$YES" "by the library alone: a program that ends finishes its trace"
    alone killed
    is "$(complete summary killed.ctf)" "$NO" "... one that is killed does not"
    run "$HEAPTAP" summary killed.ctf
    has err "or its program was killed without \`heaptap record\`" "... and it is said why"
fi
begin dies ./waits
kill -KILL "$(/usr/bin/python3 -c 'import struct; print(struct.unpack("<Q", open("dies.ctf", "rb").read()[30:38])[0])')"
wait $recorder
is "$(complete summary dies.ctf)" "$YES" "beside \`heaptap record\`: it finishes the trace of a program that is killed"

cat >waits.py <<'EOF'
import sys
kept = [bytearray(100) for _ in range(1000)]
open(sys.argv[1], "w").close()
open(sys.argv[2]).read()
EOF
begin guest /usr/bin/python3 waits.py
is "$(complete summary guest.ctf)" "$NO" "a trace of Python that is still written: not complete"
echo >guest.go
wait $recorder
is "$(complete summary guest.ctf)" "$YES" "... and at its end it is"

# Tracers that don't map their trace have it open: here a process whose number is put into a trace.
cat >holds.py <<'EOF'
import os, struct, subprocess, sys
heaptap, source = sys.argv[1:]
data = open(source, "rb").read()
own = data.replace(data[30:38], struct.pack("<Q", os.getpid()))
def complete():
    done = subprocess.run([heaptap, "summary", "--json", "open.ctf"], capture_output=True, text=True, check=False)
    return "\"complete\": true" in done.stdout
with open("open.ctf", "wb") as file:
    file.write(own)
    file.flush()
    print(complete())
with open("open.ctf", "rb"):
    print(complete())
EOF
/usr/bin/python3 holds.py "$HEAPTAP" "$GOLDEN/valid/ocamlopt-small-v3.ctf" >out 2>err
is "$(echo $(cat out))" "False True" "a trace that its process has open for writing: not complete; for reading: complete"
done_testing
