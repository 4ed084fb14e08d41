# What the scripts in this folder share.  Source it first:  . "$SOURCE/tests/cli/tap.sh"
# It makes a folder for the script's files, $TMP, removed at the end; done_testing ends a script.
# $HEAPTAP_INSTALLED is the prefix of an installed copy, to be tested instead of the build's.
set -u
TMP=$(mktemp -d)
trap 'rm -rf "$TMP"' EXIT
TESTS=0
GOLDEN=$SOURCE/tests/golden
if [ -n "${HEAPTAP_INSTALLED:-}" ]; then
    HEAPTAP=$HEAPTAP_INSTALLED/bin/heaptap
    PRELOAD=$(find "$HEAPTAP_INSTALLED" -name libheaptap-preload.so)
fi
unset COLUMNS NO_COLOR
export TERM=xterm LC_ALL=C.UTF-8

# ok STATUS NAME: a test that is passed when STATUS is 0.
ok() {
    TESTS=$((TESTS + 1))
    if [ "$1" = 0 ]; then
        printf '%s\n' "ok $TESTS - $2"
    else
        printf '%s\n' "not ok $TESTS - $2"
    fi
}

# changed FOLDER TURN FILE: the folder's program `before`, in FILE as TURN.diff changes it, if there is such a change.
changed() {
    local before="$TMP/changed"
    cp "$1"/before.* "$before"
    [ ! -f "$1/$2.diff" ] || patch -s "$before" "$1/$2.diff"
    mv "$before" "$3"
}

# For scripts/renew, which replaces in the script what was wanted by what it got: both, from files.
renew() {
    [ -n "${HEAPTAP_RENEW:-}" ] || return 0
    local pair
    pair=$(mktemp -d "$HEAPTAP_RENEW/XXXXXX")
    cat "$1" >"$pair/got"
    cat "$2" >"$pair/wanted"
    realpath "$0" >"$pair/script"
}

# is GOT WANTED NAME: the two texts are the same.
is() {
    if [ "$1" = "$2" ]; then
        ok 0 "$3"
    else
        ok 1 "$3"
        printf '%s\n' "got:    $1" "wanted: $2" | sed 's/^/# /'
        printf '%s\n' "$1" >"$TMP/.got"
        printf '%s\n' "$2" >"$TMP/.wanted"
        renew "$TMP/.got" "$TMP/.wanted"
    fi
}

# same FILE FILE NAME: the two files are the same.
same() {
    if cmp -s "$1" "$2"; then
        ok 0 "$3"
    else
        ok 1 "$3"
        diff "$1" "$2" 2>&1 | head -20 | sed 's/^/# /'
        renew "$1" "$2"
    fi
}

# has FILE TEXT NAME: some line of the file contains the text.
has() {
    if grep -qF -- "$2" "$1"; then
        ok 0 "$3"
    else
        ok 1 "$3"
        sed 's/^/# /' "$1" | head -40
    fi
}

# lacks FILE TEXT NAME: no line does.
lacks() {
    if grep -qF -- "$2" "$1"; then
        ok 1 "$3"
    else
        ok 0 "$3"
    fi
}

# skip NAME WHY: a test that can't be made here; it is counted as skipped.
skip() {
    TESTS=$((TESTS + 1))
    echo "ok $TESTS - $1 # SKIP $2"
}

# has_program NAME PROGRAM...: whether all are installed; else the test NAME is skipped.
has_program() {
    local name=$1 program
    shift
    for program; do
        command -v "$program" >/dev/null && continue
        skip "$name" "$program is not installed"
        return 1
    done
}

# run COMMAND...: its output is in $TMP/out and $TMP/err, its status in $STATUS.
run() {
    STATUS=0
    "$@" >"$TMP/out" 2>"$TMP/err" </dev/null || STATUS=$?
}

# on_terminal COLUMNS COMMAND...: the same on a terminal of that width; $TMP/out has both outputs.
on_terminal() {
    STATUS=0
    /usr/bin/python3 - "$@" >"$TMP/out" 2>"$TMP/err" <<'EOF' || STATUS=$?
import fcntl, os, select, struct, sys, termios
fd, inside = os.openpty()
fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
pid = os.fork()
if pid == 0:
    os.login_tty(inside)
    os.execvp(sys.argv[2], sys.argv[2:])
# The inside stays open here: what is still on its way when the program ends is not lost.
out, ended = b"", None
while True:
    if ended is None:
        done, status = os.waitpid(pid, os.WNOHANG)
        ended = status if done else None
    if select.select([fd], [], [], 0.05 if ended is not None else 0.01)[0]:
        out += os.read(fd, 65536)
    elif ended is not None:
        break
sys.stdout.buffer.write(out.replace(b"\r\n", b"\n"))
sys.exit(os.waitstatus_to_exitcode(ended))
EOF
}

# widest FILE: characters in its longest line, escape sequences aside.
widest() {
    /usr/bin/python3 -c '
import re, sys
text = open(sys.argv[1], encoding="utf-8").read()
print(max(map(len, re.sub("\033\\[[0-9;]*m", "", text).splitlines()), default=0))' "$1"
}

# field FILE EXPRESSION: a value out of a JSON file, d.
field() {
    /usr/bin/python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"
}

json_is_valid() {
    /usr/bin/python3 -m json.tool "$1" >"$TMP/json" 2>&1
}

sha_of() {
    sha256sum "$1" | cut -d' ' -f1
}

done_testing() {
    echo "1..$TESTS"
}

# json KEY...: what the document in $TMP/out says there.
json() {
    /usr/bin/python3 -c '
import json, sys
value = json.load(open(sys.argv[1]))
for key in sys.argv[2:]:
    value = value[int(key) if isinstance(value, list) else key]
print(value)' "$TMP/out" "$@"
}

# tells_what_is_written COMMAND: of those that write a trace, with --json.
tells_what_is_written() {
    run "$HEAPTAP" file "$1" --json -o told.ctf "$GOLDEN/valid/irmin-replay-v2.ctf"
    is "$(for key in output version allocations promotions collections; do json $key; done | tr '\n' ' ')$([ "$(json bytes)" -gt 0 ] && echo bytes)" \
        "told.ctf 2 10607 727 10606 bytes" "--json: what was written"
    run "$HEAPTAP" file "$1" --json -o - "$GOLDEN/valid/irmin-replay-v2.ctf"
    is "$STATUS" 2 "--json leaves standard output to itself"
}
