#!/bin/sh
# heaptap file convert
. "$SOURCE/tests/cli/tap.sh"
VALID=$GOLDEN/valid
cd "$TMP" || exit 1

# version FILE, encoding FILE
version() {
    "$HEAPTAP" info "$1" | sed -n 's/^Trace .*version //p'
}
encoding() {
    case $(head -c 4 "$1" | od -An -tx1 | tr -d ' ') in
    1f8b*) echo gzip ;;
    28b52ffd) echo zstd ;;
    c11ffcc1) echo none ;;
    *) echo unknown ;;
    esac
}

# dump FILE: all that the format's events say, but the common prefix, which is the writer's choice.
dump() {
    "$HEAPTAP" dump --format jsonl "$1" 2>&1
}

# ---- Versions

for trace in lists-and-sets-v1:3 ocamlopt-v1:3 irmin-replay-v2:2 ocamlopt-small-v2:2 ocamlopt-small-v3:3; do
    name=${trace%:*}
    dump "$VALID/$name.ctf" >wanted
    run "$HEAPTAP" file convert -o new.ctf "$VALID/$name.ctf"
    is "$STATUS,$(cat out err)" 0, "$name: nothing to say"
    is "$(version new.ctf)" "${trace#*:}" "... becomes version ${trace#*:}"
    dump new.ctf >got
    same got wanted "... with the same events, ids, stacks and names"
    for version in 2 3; do
        run "$HEAPTAP" file convert --to $version -o new.ctf "$VALID/$name.ctf"
        is "$STATUS,$(version new.ctf)" "0,$version" "$name to $version"
        dump new.ctf >got
        same got wanted "... with the same events, ids, stacks and names"
    done
done
for key in executable host pid runtime_params word_bits sample_rate start_us context initial_domain; do
    "$HEAPTAP" info --json "$VALID/ocamlopt-small-v3.ctf" | grep "^    \"$key\"" >>wanted.info
    "$HEAPTAP" info --json new.ctf | grep "^    \"$key\"" >>got.info
done
same got.info wanted.info "what the trace says of its program stays"
is "$(wc -l <got.info | tr -d ' ')" 9 "... all of it"
run "$HEAPTAP" file convert -t 3 -o again.ctf new.ctf
same again.ctf new.ctf "converting twice changes nothing"
for wrong in 1 4 x ""; do
    run "$HEAPTAP" file convert --to "$wrong" -o x "$VALID/irmin-replay-v2.ctf"
    is "$STATUS" 2 "--to '$wrong': status 2"
    has err "--to takes 2 or 3, not '$wrong'" "... and why"
done

# ---- Compression

TRACE=$VALID/lists-and-sets-v1.ctf
"$HEAPTAP" file convert -o plain.ctf "$TRACE"
while read -r file how wanted; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" file convert ${how#by-name} -o "$file" "$TRACE"
    is "$STATUS,$(encoding "$file")" "0,$wanted" "$file ${how#by-name}: $wanted"
    run "$HEAPTAP" file convert --compress none -o back.ctf "$file"
    same back.ctf plain.ctf "... and back"
done <<'LIST'
a.ctf by-name none
a.ctf.gz by-name gzip
a.gz by-name gzip
a.ctf.zst by-name zstd
a.gz.ctf by-name none
gz by-name none
a.ctf --compress=gzip gzip
a.ctf --compress=zstd zstd
a.ctf.gz --compress=none none
a.ctf.zst --compress=gzip gzip
LIST
gzip -dc <a.ctf.zst >back.ctf
same back.ctf plain.ctf "gzip reads ours"
"$HEAPTAP" file convert -o a.zst "$TRACE"
zstd -qdc a.zst >back.ctf
same back.ctf plain.ctf "zstd reads ours"
"$HEAPTAP" file convert --compress zstd -o - "$TRACE" >a
is "$(encoding a)" zstd "standard output can be compressed"
run "$HEAPTAP" file convert --compress lz4 -o x "$TRACE"
is "$STATUS" 2 "--compress lz4: status 2"
has err "--compress takes none, gzip or zstd, not 'lz4'" "... and why"

# ---- Domains

# Events of several domains in true order without domain and block, as they should be merged.
events() {
    "$HEAPTAP" dump --order true --format jsonl "$1" |
        sed 's/,"id":[0-9]*,"domain":[0-9]*//'
}
"$GENERATE_TRACE" three.ctf 100k 3
"$HEAPTAP" file convert -o copy.ctf three.ctf
dump three.ctf >wanted
dump copy.ctf >got
same got wanted "three domains to version 3: the same events, in the same order of the file"
run "$HEAPTAP" file convert -t 2 -o merged.ctf three.ctf
is "$STATUS,$(version merged.ctf),$(cat out err)" 0,2, "three domains to version 2"
events three.ctf >wanted
events merged.ctf >got
same got wanted "... merges their events in true order"
"$HEAPTAP" dump --format alloc-stats merged.ctf | awk '$3 != "P" && $3 != "C" { print $2 + 0 }' >ids
seq 0 "$(($(wc -l <ids) - 1))" >wanted
same ids wanted "... and numbers blocks from 0"
for trace in three.ctf merged.ctf; do
    "$HEAPTAP" info "$trace" | sed -n '/^Allocated/,/^At the end/p' | grep -v '^Peak' >"$trace.info"
done
same merged.ctf.info three.ctf.info "... with the same figures"
"$HEAPTAP" dump --format csv three.ctf | awk -F, '$2 == "alloc"' | wc -l >wanted
"$HEAPTAP" dump --format csv merged.ctf | awk -F, '$2 == "alloc" && $4 == 0' | wc -l >got
same got wanted "... in one domain"
"$HEAPTAP" file convert -t 2 -o - - <three.ctf >stream.ctf
same stream.ctf merged.ctf "... also from standard input"

# Ends of blocks that the trace doesn't show being allocated.
"$MAKE_TRACE" odd >odd.ctf
run "$HEAPTAP" file convert -o new.ctf odd.ctf
dump odd.ctf >wanted
dump new.ctf >got
same got wanted "events of unknown blocks are copied"
run "$HEAPTAP" file convert -t 2 -o new.ctf - <odd.ctf
"$HEAPTAP" file convert -t 2 -o new.ctf - <odd.ctf 2>err
has err "standard input: note: 3 events of blocks" "... but can't be merged"
"$MAKE_TRACE" empty >empty.ctf
for version in 2 3; do
    run "$HEAPTAP" file convert -t $version -o new.ctf empty.ctf
    is "$STATUS,$("$HEAPTAP" dump new.ctf)" 0, "a trace without events, to version $version"
done

# ---- Metadata

# Everything of `info --json` that follows from metadata.
metadata() {
    "$HEAPTAP" info --json "$1" | sed -n '/^  "properties"/,/^  "notes"/p'
}
"$MAKE_TRACE" domains >domains.ctf
metadata domains.ctf >wanted
has wanted '"reader <1>"' "a trace with metadata"
"$HEAPTAP" pprof -o domains.pb.gz domains.ctf
for file in domains.ctf domains.pb.gz; do
    for command in hotspots flamegraph; do
        "$HEAPTAP" $command --json $file >json 2>err
        has json '"complete": false' "$command $file: samples were dropped"
    done
done
"$HEAPTAP" info domains.pb.gz >info
has info "samples that are missing, as they had to be dropped: 3" "... as many as the trace says"
for version in 2 3; do
    "$HEAPTAP" file convert -t $version -o new.ctf domains.ctf
    metadata new.ctf >got
    same got wanted "metadata stays in version $version"
done

tells_what_is_written convert
run "$HEAPTAP" file convert --compress gzips -o plural.gz "$GOLDEN/valid/lists-and-sets-v1.ctf"
is "$STATUS" 2 "an encoding is a word as it stands"
has err "takes none, gzip or zstd, not 'gzips'; did you mean gzip?" "... and the nearest is named"

done_testing
