#!/bin/bash
# Where heaptap is installed, and where a trace goes.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
unset MEMTRACE MEMTRACE_RATE LD_PRELOAD DEBUGINFOD_URLS HEAPTAP_PRELOAD
export TMPDIR=$TMP
cat >blocks.c <<'END'
#include <stdlib.h>
#include <unistd.h>
int main(int count, char **arguments)
{
    if (count > 1)
        unlink(arguments[1]);
    for (int i = 0; i < 70000; i++)
        if (!malloc(77))
            return 1;
    return 3;
}
END
gcc -O1 -g -fno-builtin blocks.c -o blocks || exit 1

# A list of libraries to preload has spaces and colons between them.
for place in "a b" "a:b" " :"; do
    mkdir -p "$place/src/cli" "$place/src/tap/record"
    cp "$HEAPTAP" "$place/src/cli/"
    cp "${HEAPTAP%/cli/heaptap}/tap/record/libheaptap-preload.so" "$place/src/tap/record/"
    run "$place/src/cli/heaptap" record --all --no-symbols -o t.ctf -- sh -c './blocks; exit $?'
    is "$STATUS $("$HEAPTAP" dump t.[0-9]*.ctf | grep -c ' len=77 ')" "3 70000" "installed in '$place', it records, children too"
    rm -f ./*.ctf
done
is "$(stat -c %a heaptap-link-*)" 755 "the link that is preloaded lies where nobody else can put one"
rm -rf heaptap-link-*
ln -s /nonexistent "heaptap-link-$(id -u)"
run "a b/src/cli/heaptap" record --all --no-symbols -o t.ctf -- ./blocks
is "$STATUS $("$HEAPTAP" dump t.ctf | grep -c ' len=77 ')" "3 70000" "... and elsewhere, if its folder is another's"
rm -rf "/tmp/heaptap-link-$(id -u)"/*"$(basename "$TMP")"* 2>/dev/null

for place in - /dev/stdout /dev/stderr /proc/self/fd/1 out.txt; do
    "$HEAPTAP" record --all -o $place -- ./blocks >out.txt 2>err.txt
    is "$?" 2 "-o $place: refused, where standard output or standard error is that"
    is "$(cat out.txt)" "" "... before anything is written"
done 2>/dev/null

run "$HEAPTAP" record --all --no-symbols -o gone.ctf -- ./blocks gone.ctf
is "$STATUS" 3 "a trace that is removed meanwhile: the program goes on"
has err "gone.ctf: removed, renamed or out of reach" "... and that is said"
is "$(grep -c 'did not load' err)" 0 "... and not that it was not recorded"
sed 's/70000/100/' blocks.c >few.c
gcc -O1 -g -fno-builtin few.c -o few || exit 1
run "$HEAPTAP" record --all --no-symbols -o gone.ctf -- ./few gone.ctf
has err "a trace was begun here, but is missing" "... also of one that had room enough"
is "$(grep -c 'did not load' err)" 0 "... and not that it was not recorded"
run "$HEAPTAP" record --all --no-symbols -o gone.ctf -- sh -c './few; rm gone.ctf'
has err "a trace was begun here, but is missing" "... or of one of several processes"
# A name may have a newline in it.
odd=$'od\nd'
mkdir "$odd"
run "$HEAPTAP" record --all --no-symbols -o "$odd/a"$'\n'"b.ctf" -- ./few
is "$(ls "$odd" | wc -l) $(grep 'heaptap record' err)" "2 " "a newline in the trace's name, and in its folder's: all is well"
done_testing
