#!/bin/sh
# Heaptap_limits: tests of Alcotest with limits, of which each block is known.
. "$SOURCE/tests/cli/tap.sh"
. "$SOURCE/tests/ocaml/dune.sh"
cd "$TMP" || exit 1
[ -n "$OCAML_MORE" ] || skip_all "no Alcotest here (scripts/setup --tests installs it)"
program=$OCAML_BUILD/default/examples/limits.exe
export HEAPTAP

run "$program" --show-errors --color=never
is "$STATUS" 1 "tests over their limits fail"
sed -n 's/^ *\[\([A-Z]*\)\] *memory *[0-9] *\([a-z ]*\)\..*/\1 \2/p' out | sort -u | grep OK >got
printf '%s\n' "OK fine" "OK no limit" >wanted
same got wanted "... and those within them don't"
sed -n 's/.*\[exception\] //p; s/.*\[failure\] //p' out | sort -u | sed 's/Dune__exe__//g; s/\.(fun)//g; s/, [0-9.]* k*B Stdlib.*//' >got
cat >wanted <<'EOF'
allocated 805 kB is over 100 kB: 781 kB Limits.make examples/limits.ml:3, 23 kB Limits.allocates examples/limits.ml:6
heaptap check: --max-allocated takes a size such as 20MB, or a growth such as +5%, not 'much'
its own reason
live-at-end 8.0 kB is over 0 B: 7.8 kB Limits.make examples/limits.ml:3, 240 B Limits.leaks examples/limits.ml:7
objects 200 is over 150: 100 Limits.fine examples/limits.ml:5, 100 Limits.make examples/limits.ml:3
EOF
same got wanted "messages have the lines and their bytes, to the word"
is "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'heaptap*.ctf' -user "$(id -un)" -newer "$HEAPTAP" -newer wanted | wc -l)" 0 "no file is left"

run env HEAPTAP=/nonexistent/heaptap "$program" test memory 0 --show-errors --color=never
has out "[failure] heaptap can't be run: put it on PATH, or its path into HEAPTAP: " "without heaptap a test with a limit fails"
run env MEMTRACE=whole.ctf "$program" test memory 6 --color=never
is "$STATUS" 0 "a test without limits needs no heaptap"
done_testing
