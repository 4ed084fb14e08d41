#!/bin/bash
# The recorder as it is built here, in a Debian 11, whose glibc is older.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}
[ "$(uname -m)" = x86_64 ] || skip_all "the program of this test begins as on x86-64"
root=$("$SOURCE/scripts/debian" 11 2>why) || skip_all "$(tail -n 1 why)"
mkdir -p "$root/srv" && work=$(mktemp -d "$root/srv/heaptap.XXXXXX") || exit 1
trap 'rm -rf "$TMP" "$work"' EXIT
inside=${work#"$root"}
gcc -O2 -g -fno-builtin -nostartfiles "$SOURCE/tests/targets/old_libc.c" -o "$work/ends" || exit 1
gcc -O2 -g -fno-builtin -nostartfiles -DKILLED "$SOURCE/tests/targets/old_libc.c" -o "$work/killed" || exit 1
cp "$PRELOAD" "$work/preload.so"

# in_debian11 PROGRAM OUTPUT: as `heaptap record --all` would run it.
in_debian11() {
    { chroot "$root" env HEAPTAP_ALL=1 MEMTRACE="$inside/$2" LD_PRELOAD="$inside/preload.so" "$inside/$1" >out 2>err; } 2>/dev/null
}

for end in "ends 0" "killed 137"; do
    read -r program status <<<"$end"
    in_debian11 "$program" "$program.ctf"
    is "$? $(cat out err)" "$status " "a program in Debian 11 that $program"
    "$HEAPTAP" info --json "$work/$program.ctf" >info.json
    is "$(field info.json "'%d %d' % (d['allocated']['objects'], d['allocated']['bytes'])")" "1000 500500" "... all that it allocated"
    "$HEAPTAP" leaks --json "$work/$program.ctf" >leaks.json
    is "$(field leaks.json "d['at_end']['objects']")" 500 "... and what was left"
done
in_debian11 ends t.pb.gz
is "$? $(cat out err)" "0 " "... into a profile"
"$HEAPTAP" info --json "$work/t.pb.gz" >info.json
is "$(field info.json "[t['total'] for t in d['sample_types'] if t['type'] == 'alloc_space'][0]")" 500500 "... all that it allocated"
done_testing
