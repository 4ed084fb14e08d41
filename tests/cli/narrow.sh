#!/bin/sh
# Narrow terminals: nothing is wider, lines end between words, and what holds blocks is not cut for it.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
export LC_ALL=C.UTF-8 TERM=xterm
unset NO_COLOR COLUMNS
"$MAKE_STORY" >story.ctf
/usr/bin/python3 "$SOURCE/tests/helpers/add_holders.py" story.ctf held.ctf

cat >compare.py <<'EOT'
import re, sys
whole, narrow, width = open(sys.argv[1]).read(), open(sys.argv[2]).read(), int(sys.argv[3])
lines = re.sub("\033\\[[0-9;]*m", "", narrow).replace("\r", "").split("\n")
for line in lines:
    has_long_word = max(map(len, line.split()), default=0) > width - 16
    if len(line) > width and not has_long_word and not re.search("heaptap [a-z]", line):
        print("too wide:", line)
told = re.sub(r"\s+", " ", " ".join(lines))
for way in re.findall(r"[├└]─(.* -> .*\S)", whole) + re.findall(".* is held by another root as well: .*", whole):
    if way not in told:
        print("lost:", way)
if narrow.count("\033[2m") > narrow.count("\033[0m"):
    print("a colour goes on")
EOT
for command in summary leaks advice diagnose info holders; do
    run "$HEAPTAP" $command held.ctf
    cp out whole
    on_terminal 60 "$HEAPTAP" $command held.ctf
    is "$STATUS $(/usr/bin/python3 compare.py whole out 60)" "0 " "$command at 60 columns"
done
on_terminal 80 "$HEAPTAP" holders held.ctf
is "$STATUS $(/usr/bin/python3 compare.py whole out 80)" "0 " "holders at 80 columns"
run "$HEAPTAP" holders held.ctf
ok "$([ "$(grep -c -- ' -> ' out)" -gt 3 ]; echo $?)" "there are ways to lose"
on_terminal 60 "$HEAPTAP" holders --full-names held.ctf
ok "$(grep -q -- '─book (global, shop.c:8) -> ' out; echo $?)" "--full-names: each way on its line"

# A command to be typed is not broken.
"$HEAPTAP" file subsample --to 0.045 story.ctf -o before.ctf
on_terminal 40 "$HEAPTAP" compare held.ctf before.ctf
ok "$(grep -qE 'To keep it so: `heaptap check before.ctf --[a-z0-9.=MkB -]*`' out; echo $?)" "a command stays on one line"
done_testing
