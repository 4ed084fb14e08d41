#!/bin/sh
# heaptap file strip: what must be gone is looked for in the bytes of the file.
. "$SOURCE/tests/cli/tap.sh"
VALID=$GOLDEN/valid
cd "$TMP" || exit 1

# figures FILE: all that `info` counts.
figures() {
    "$HEAPTAP" info --json "$1" | sed -n '/^  "events"/,/^  "properties"/p;/unknown_\|odd_/p'
}

# trace_key FILE KEY: what the file says of itself.
trace_key() {
    "$HEAPTAP" info --json "$1" | sed -n "s/^    \"$2\": \(.*[^,]\),*$/\1/p"
}

# leaks.py HEAPTAP ORIGINAL STRIPPED: names, addresses and times of the first that are in the second.
cat >leaks.py <<'EOT'
import json, subprocess, sys
heaptap, original, stripped = sys.argv[1:4]
def run(*arguments):
    return subprocess.run([heaptap, *arguments], stdout=subprocess.PIPE, check=True).stdout.decode()
data = open(stripped, "rb").read()
trace = json.loads(run("info", "--json", original))["trace"]
texts = {trace["executable"], trace["host"], trace["context"]}
numbers = {trace["start_us"], trace["pid"]}
for line in run("dump", "--format", "jsonl", original).splitlines():
    for frame in json.loads(line).get("stack", []):
        texts |= {frame.get("file"), frame.get("function")}
        if "code" in frame:
            numbers.add(int(frame["code"], 16))
texts = {text for text in texts if text and len(text) > 3}
found = [text for text in texts if text.encode() in data]
found += [hex(number) for number in numbers if number > 1 << 24 and
          number.to_bytes(8, "little").rstrip(b"\0")[-6:] in data]
if trace["pid"] and trace["pid"].to_bytes(8, "little") in data:
    found.append("pid")
print("# looked for %d names and %d numbers" % (len(texts), len(numbers)))
for leak in found:
    print("# found:", leak)
sys.exit(len(found) > 0 or len(texts) < 3)
EOT

for name in irmin-replay-v2 ocamlopt-small-v3 lists-and-sets-v1; do
    trace=$VALID/$name.ctf
    run "$HEAPTAP" file strip -o new.ctf "$trace"
    is "$STATUS,$(cat out err)" 0, "$name: nothing to say"
    /usr/bin/python3 leaks.py "$HEAPTAP" "$trace" new.ctf
    ok $? "... no name, address, pid or time of day is left in its bytes"
    /usr/bin/python3 leaks.py "$HEAPTAP" "$trace" "$trace" >control
    is "$?" 1 "... which all are found in the original"
    figures "$trace" >wanted
    figures new.ctf >got
    same got wanted "... the figures stay"
    for key in sample_rate word_bits runtime_params initial_domain; do
        is "$(trace_key new.ctf $key)" "$(trace_key "$trace" $key)" "... so does $key"
    done
    is "$(trace_key new.ctf executable),$(trace_key new.ctf host),$(trace_key new.ctf context)" \
        '"<anonymous>","<anonymous>",""' "... executable, host and context say nothing"
    is "$(trace_key new.ctf pid),$(($(trace_key new.ctf start_us) / 256))" 0,0 "... nor do pid and start, but for what estimates rest on"

    # The shape of stacks: each name is replaced by one and the same other.
    "$HEAPTAP" dump --format jsonl "$trace" >whole
    "$HEAPTAP" dump --format jsonl new.ctf >part
    /usr/bin/python3 - whole part <<'EOT'
import json, re, sys
maps = {"file": ({}, {}), "function": ({}, {}), "position": ({}, {})}
def pair(kind, old, new):
    there, back = maps[kind]
    if there.setdefault(old, new) != new or back.setdefault(new, old) != old:
        print("#", kind, old, "became", new, "and also", there[old], back[new])
        sys.exit(1)
known = 0
for old, new in zip(open(sys.argv[1]), open(sys.argv[2]), strict=True):
    old, new = json.loads(old), json.loads(new)
    old_stack, new_stack = old.pop("stack", []), new.pop("stack", [])
    assert old == new, (old, new)
    for a, b in zip(old_stack, new_stack, strict=True):
        assert ("code" in a) == ("code" in b)
        if "code" in a:
            pair("function", a["code"], b["code"])
            continue
        assert re.fullmatch("m[0-9]+", b["file"]) and re.fullmatch("f[0-9]+", b["function"])
        pair("file", a["file"], b["file"])
        pair("function", (a["file"], a["function"]), b["function"])
        place = tuple(a[key] for key in ("file", "function", "line", "start_char", "end_char"))
        pair("position", place, (b["function"], b["line"], b["start_char"], b["end_char"]))
        known += 1
assert known > 1000
EOT
    ok $? "... names are replaced one for one, all else stays"
done

# ---- Options

TRACE=$VALID/ocamlopt-small-v3.ctf
"$HEAPTAP" file strip --params -o new.ctf "$TRACE"
is "$(trace_key new.ctf runtime_params)" '""' "--params leaves out the runtime's parameters"
figures "$TRACE" >wanted
figures new.ctf >got
same got wanted "... nothing else"
"$HEAPTAP" file strip --no-stacks -o new.ctf "$TRACE"
figures new.ctf >got
same got wanted "--no-stacks keeps the figures"
"$HEAPTAP" dump --format jsonl new.ctf >got
"$HEAPTAP" dump --format jsonl "$TRACE" | sed 's/"stack":\[.*\]/"stack":[]/' >wanted
same got wanted "... and all of the events but their stacks"
grep -aq 'f1' new.ctf
is "$?" 1 "... not even names that say nothing"

# ---- Domains and metadata

"$MAKE_TRACE" domains >domains.ctf
"$HEAPTAP" file strip -o new.ctf domains.ctf
"$HEAPTAP" dump domains.ctf | sed 's/\(dom=[0-9]*[^:]*:\).*/\1/' >wanted
"$HEAPTAP" dump new.ctf | sed 's/\(dom=[0-9]*[^:]*:\).*/\1/' >got
same got wanted "events of several domains keep their order, domains and ids"
for text in make_trace /usr/bin/prog "reader <1>" table; do
    grep -aqF -- "$text" domains.ctf && ! grep -aqF -- "$text" new.ctf
    ok $? "metadata is left out: $text"
done
"$HEAPTAP" info new.ctf >out
has out "3 samples of domain 1: no memory" "... but how many samples were dropped"
"$GENERATE_TRACE" three.ctf 100k 3
"$HEAPTAP" file strip -o new.ctf three.ctf
figures three.ctf >wanted
figures new.ctf >got
same got wanted "figures of three domains stay"

# ---- Again, and compressed

"$HEAPTAP" file strip -o one.ctf "$TRACE"
"$HEAPTAP" file strip -o two.ctf one.ctf
same two.ctf one.ctf "stripping twice changes nothing"
"$HEAPTAP" file strip -o two.gz - <"$TRACE"
gzip -dc two.gz >two.ctf
same two.ctf one.ctf "from standard input, compressed by the name of the output"

tells_what_is_written strip
done_testing
