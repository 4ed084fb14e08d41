#!/bin/sh
# heaptap file symbolize, on traces that $TARGETS/self-trace writes of itself: two allocations, of 11 bytes by
# main > outermost > middle > innermost and of 20 bytes by main > outermost > innermost.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
unset DEBUGINFOD_URLS TMPDIR
cp "$TARGETS/self-trace" program
./program raw.ctf
dump() { "$HEAPTAP" dump "$1" | sed "s|$SOURCE/||g; s|$TMP/||g"; }
# The program's own frames of the allocation of LENGTH bytes.
frames() { # FILE LENGTH
    dump "$1" | grep "len=$2 " | grep -oE '[^ ]+@[^ ]*(self-trace|program)[^ ]*' | sed 's/:[0-9]*-[0-9]*$//' | paste -sd' '
}
hexes() { frames "$1" "$2" | grep -oE '(^| )program\+0x[0-9a-f]+@program:0' | wc -l; }

# In place.
cp raw.ctf t.ctf
chmod 640 t.ctf
run "$HEAPTAP" file symbolize t.ctf
is "$STATUS" 0 "in place: status 0"
is "$(cat out)" "" "... nothing on standard output"
source=tests/targets/self-trace.c
is "$(frames t.ctf 11 | sed 's/^_start@program:0 //; s/main@[^ ]* //')" \
    "outermost@$source:118 middle@$source:113 innermost@$source:108" "functions, files, lines, inlined or not"
is "$(frames t.ctf 20 | sed 's/^_start@program:0 //; s/main@[^ ]* //')" \
    "outermost@$source:119 innermost@$source:108" "... of the second stack, which shares its callers"
is "$(frames t.ctf 11 | grep -oE '^_start@program:0 main@[^: ]*')" "_start@program:0 main@$source" "... from the outermost"
dump raw.ctf | sed 's/: .*//' >raw.events
dump t.ctf | sed 's/: .*//' >t.events
same t.events raw.events "ids, times, lengths, domains stay"
for file in raw.ctf t.ctf; do
    is "$("$HEAPTAP" summary $file | grep -cF "are addresses still: \`heaptap file symbolize $file\` looks up their names")" \
        "$([ $file = t.ctf ]; echo $?)" "$file: the first screen says whether names are to be looked up"
done
"$HEAPTAP" info raw.ctf | grep -vE '^(Trace|File|  *[0-9.]+ bytes an event)' >raw.info
"$HEAPTAP" info t.ctf | grep -vE '^(Trace|File|  *[0-9.]+ bytes an event)' >t.info
same t.info raw.info "what info says stays"
is "$(stat -c %a t.ctf)" 640 "permissions stay"
is "$(find . -name '*.tmp')" "" "no file is left over"
cp t.ctf again.ctf
run "$HEAPTAP" file symbolize again.ctf
is "$STATUS" 0 "once more: status 0"
is "$(cat err)" "$(cat err | grep -v 'again.ctf')" "... nothing is said of the trace"
same again.ctf t.ctf "... it is left as it is"
cp raw.ctf real.ctf
ln -s real.ctf link.ctf
run "$HEAPTAP" file symbolize link.ctf
ok "$([ -L link.ctf ]; echo $?)" "a link stays a link"
same real.ctf t.ctf "... the file behind it is rewritten"

# Elsewhere.
run "$HEAPTAP" file symbolize -o other.ctf raw.ctf
is "$STATUS" 0 "-o: status 0"
same other.ctf t.ctf "... the same trace"

run "$HEAPTAP" file symbolize -o copied.ctf t.ctf
same copied.ctf t.ctf "... a copy, where nothing is left to do"
STATUS=0
"$HEAPTAP" file symbolize - <raw.ctf >piped.ctf || STATUS=$?
is "$STATUS" 0 "standard input and output: status 0"
same piped.ctf t.ctf "... the same trace"
cat raw.ctf | "$HEAPTAP" file symbolize -o piped2.ctf -
same piped2.ctf t.ctf "from a pipe to a file"
mkfifo fifo
cat raw.ctf >fifo &
run "$HEAPTAP" file symbolize fifo
is "$STATUS" 2 "a named pipe needs -o"
wait
for how in gz zst; do
    "$HEAPTAP" file convert -o "raw.ctf.$how" raw.ctf
    cp "raw.ctf.$how" "t.ctf.$how"
    run "$HEAPTAP" file symbolize "t.ctf.$how"
    is "$STATUS" 0 ".$how in place: status 0"
    is "$(od -An -tx1 -N2 "t.ctf.$how")" "$(od -An -tx1 -N2 "raw.ctf.$how")" "... stays compressed"
    "$HEAPTAP" file convert -o "plain.$how.ctf" "t.ctf.$how"
    same "plain.$how.ctf" t.ctf "... the same trace"
done
cp raw.ctf.gz misnamed.ctf
run "$HEAPTAP" file symbolize misnamed.ctf
is "$(od -An -tx1 -N2 misnamed.ctf)" " 1f 8b" "compression that the name doesn't tell stays, too"

# Stripped, and symbols that come later.
id=$(readelf -n program | sed -n 's/.*Build ID: //p')
rest=${id#??}
mkdir -p "debug/.build-id/${id%"$rest"}" empty
objcopy --only-keep-debug program "debug/.build-id/${id%"$rest"}/$rest.debug"
mv program whole
strip whole -o program
cp raw.ctf s.ctf
run "$HEAPTAP" file symbolize s.ctf
is "$STATUS" 0 "stripped: status 0"
is "$(hexes s.ctf 11)" 3 "... addresses stay"
is "$(grep -c "$TMP/program: note: " err)" 1 "... with one note"
cp s.ctf s2.ctf
run "$HEAPTAP" file symbolize --debug-dir empty --debug-dir debug s2.ctf
is "$STATUS" 0 "--debug-dir: status 0"
is "$(frames s2.ctf 11 | sed 's/^_start@program:0 //')" "$(frames t.ctf 11 | sed 's/^_start@program:0 //')" \
    "... completes the trace later"
lacks err "$TMP/program" "... without a note"
run "$HEAPTAP" file symbolize --names raw --debug-dir=debug -o raw-names.ctf raw.ctf
is "$(frames raw-names.ctf 20 | sed 's/^_start@program:0 //')" "$(frames t.ctf 20 | sed 's/^_start@program:0 //')" \
    "--names on C changes nothing"

# Another build, no build at all.
mv whole program
./program wrong.ctf wrong
cp wrong.ctf w.ctf
run "$HEAPTAP" file symbolize w.ctf
is "$STATUS" 0 "another build: status 0"
is "$(hexes w.ctf 11)" 3 "... is not used"
is "$(grep "$TMP/program: note: " err | grep -ciE 'build')" 1 "... with one note"
./program gone.ctf
rm program
run "$HEAPTAP" file symbolize gone.ctf
is "$STATUS" 0 "the program is gone: status 0"
is "$(hexes gone.ctf 11)" 3 "... addresses stay"
is "$(grep -c "$TMP/program: note: " err)" 1 "... with one note"

# Traces without modules.
cp "$GOLDEN/valid/ocamlopt-v1.ctf" ocaml.ctf
run "$HEAPTAP" file symbolize ocaml.ctf
is "$STATUS" 0 "an OCaml trace: status 0"
has err "30 addresses stay as they are" "... a note on code that it does not describe"
same ocaml.ctf "$GOLDEN/valid/ocamlopt-v1.ctf" "... it is left as it is"

# What is wrong.
head -c $(($(wc -c <raw.ctf) - 3)) raw.ctf >cut.ctf
cp cut.ctf cut2.ctf
run "$HEAPTAP" file symbolize cut2.ctf
is "$STATUS" 3 "a cut trace: status 3"
has err "left as it is; -o FILE writes what can be read of it" "... told"
same cut2.ctf cut.ctf "... it is left as it is"
run "$HEAPTAP" file symbolize -o rest.ctf cut.ctf
is "$STATUS" 3 "... -o: status 3"
is "$(grep -c 'byte [0-9]*: ' err)" 1 "... told once"
run "$HEAPTAP" dump rest.ctf
is "$STATUS" 0 "... what could be read is a sound trace"
run "$HEAPTAP" file symbolize no-such.ctf
is "$STATUS" 3 "no such file: status 3"
echo nonsense >nonsense.ctf
run "$HEAPTAP" file symbolize nonsense.ctf
is "$STATUS" 3 "not a trace: status 3"
is "$(cat nonsense.ctf)" nonsense "... it is left as it is"
run "$HEAPTAP" file symbolize -o /no/such/folder/t.ctf raw.ctf
is "$STATUS" 4 "an output that can't be written: status 4"
for wrong in "" "raw.ctf raw.ctf" "--names long raw.ctf" "--debug-dir /no/such raw.ctf" "--debug-dir raw.ctf raw.ctf" "--what raw.ctf"; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" file symbolize $wrong
    is "$STATUS" 2 "wrong: $wrong"
done
done_testing
