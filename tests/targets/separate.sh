#!/bin/sh
# Makes the forms in which programs reach users, from a program with debug information:
#   separate.sh PROGRAM OTHER SPLIT OUTPUT_DIRECTORY STAMP
# linked + linked.debug           stripped, found by .gnu_debuglink
# bare + debug/.build-id/...      stripped, found by build id
# stripped                        no symbols but the dynamic ones
# symbols                         no debug information, all symbols
# mini                            stripped, its symbols in .gnu_debugdata
# compressed                      compressed debug sections
# compressed_zstd                 the same by zstd, where objcopy can
# linked_zstd + linked_zstd.debug stripped, found by .gnu_debuglink, that file's sections compressed by zstd
# shared1, shared2 + common.debug what both have in common moved to a third file by dwz
# unshared                        shared1 when that file is lost
# unsplit                         split debug information when the .dwo files are lost
# OBJCOPY, STRIP: those of the programs' architecture.
set -eu
OBJCOPY=${OBJCOPY:-objcopy} STRIP=${STRIP:-strip}
program=$1 other=$2 split=$3 out=$4 stamp=$5
rm -rf "$out"
mkdir -p "$out/debug/.build-id"

"$OBJCOPY" --only-keep-debug "$program" "$out/linked.debug"
"$STRIP" "$program" -o "$out/stripped"
"$STRIP" -g "$program" -o "$out/symbols"
(cd "$out" && "$OBJCOPY" --add-gnu-debuglink=linked.debug stripped linked)

cp "$out/stripped" "$out/bare"
id=$(readelf -n "$program" | sed -n 's/.*Build ID: //p')
mkdir "$out/debug/.build-id/${id%"${id#??}"}"
cp "$out/linked.debug" "$out/debug/.build-id/${id%"${id#??}"}/${id#??}.debug"

"$STRIP" -g "$program" -o "$out/mini.symbols"
xz -f "$out/mini.symbols"
"$OBJCOPY" --add-section .gnu_debugdata="$out/mini.symbols.xz" "$out/stripped" "$out/mini"

"$OBJCOPY" --compress-debug-sections=zlib "$program" "$out/compressed"
if "$OBJCOPY" --compress-debug-sections=zstd "$program" "$out/compressed_zstd" 2>"$out/no_zstd"; then
    "$OBJCOPY" --compress-debug-sections=zstd "$out/linked.debug" "$out/linked_zstd.debug"
    (cd "$out" && "$OBJCOPY" --add-gnu-debuglink=linked_zstd.debug stripped linked_zstd)
fi

cp "$other" "$out/shared1"
cp "$other" "$out/shared2"
(cd "$out" && dwz -m common.debug -M "$PWD/common.debug" shared1 shared2)
LC_ALL=C sed 's/common\.debug/nowhere.debu/g' "$out/shared1" >"$out/unshared"
LC_ALL=C sed 's/\.c\.dwo/.c.owd/g; s/chain\.dwo/chain.owd/g' "$split" >"$out/unsplit"
touch "$stamp"
