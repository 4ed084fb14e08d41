#!/bin/sh
# A trace that is cut short while it is written: the program goes on as without heaptap, whatever it does about SIGBUS, and
# what is missing is said.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
cc -O1 -fno-builtin -pthread -o cut "$SOURCE/tests/targets/cut.c" || exit 1

# Prints the program's output and status, of which both may be a shell's "128 + signal".
plain() {
    ./cut "$@" 2>/dev/null
    echo $?
}
recorded() {
    options=$1
    shift
    # shellcheck disable=SC2086
    "$HEAPTAP" record --no-symbols $options -o x.ctf -- ./cut "$@" 2>err
    echo $?
}
for way in plain threads child handler info dispositions fault killed; do
    is "$(for bytes in 0 1 4096 5000 100000; do
        for options in --all "--rate 1e-2" "--all --no-follow"; do
            rm -f x*.ctf
            without=$(plain $way x.ctf $bytes)
            rm -f x*.ctf
            with=$(recorded "$options" $way x.ctf $bytes)
            [ "$with" = "$without" ] || echo "$bytes bytes, $options: $with, and $without without"
            case $options in
            --all*) grep -q 'cut short by another program; the recording ends here' err || echo "$bytes bytes, $options: not said" ;;
            esac
        done
    done 2>/dev/null)" "" "$way: as without heaptap, and said"
done
rm -f x.ctf
run "$HEAPTAP" record --no-symbols --all -o x.ctf -- ./cut plain x.ctf 100000
ok "$([ "$("$HEAPTAP" dump x.ctf 2>/dev/null | grep -c ' alloc')" -gt 1000 ]; echo $?)" "what was recorded before the cut is read"
run "$HEAPTAP" info --json x.ctf
has out '"complete": false' "... and isn't called complete"
has out 'cut short by another program' "... with the reason"
done_testing
