#!/bin/sh
# Where results go is looked at before a program is run for them, and a file is there whole or not at all.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1
unset MEMTRACE MEMTRACE_RATE LD_PRELOAD DEBUGINFOD_URLS HEAPTAP_PRELOAD LOX_LOG
PATH=$(dirname "$LOX"):$PATH
mkdir folder
cat >made.lox <<'EOF'
var a = [1, 2, 3];
print "ran";
EOF

# Nothing runs whose result would be lost.
refused() { # MESSAGE NAME COMMAND...
    message=$1
    name=$2
    shift 2
    rm -f ran
    run "$@"
    is "$STATUS $(sed 's/^heaptap [a-z]*: //' err)" "4 $message" "$name"
    is "$(cat out; ls ran 2>/dev/null)" "" "... nothing ran"
}
for command in record memtracer; do
    refused "$TMP/none/t.ctf: there is no folder $TMP/none" "$command -o: a folder that is missing" \
        "$HEAPTAP" $command -o "$TMP/none/t.ctf" -- sh -c 'touch ran'
    refused "$TMP/folder: is a folder, not a file" "$command -o: a folder" \
        "$HEAPTAP" $command -o "$TMP/folder" -- sh -c 'touch ran'
    if [ "$(id -u)" != 0 ]; then
        touch fixed && chmod a-w fixed
        refused "$TMP/fixed: Permission denied" "$command -o: a file that may not be written" \
            "$HEAPTAP" $command -o "$TMP/fixed" -- sh -c 'touch ran'
    fi
done
refused "none/report: there is no folder none" "--output-file: a folder that is missing" \
    "$HEAPTAP" memtracer --output-file none/report -- sh -c 'touch ran'
refused "folder: is a folder, not a file" "--output-file: a folder" \
    "$HEAPTAP" memtracer --output-file folder -- sh -c 'touch ran'
mkdir gone
(cd gone && rmdir "$TMP/gone" && "$HEAPTAP" record -- true 2>"$TMP/err")
has err "the present folder: No such file or directory; go to another, or give -o a path that begins with /" "a present folder that is gone"

# All that write files say it alike.
trace=$GOLDEN/valid/ocamlopt-v3.ctf
[ -f "$trace" ] || trace=$(find "$GOLDEN/valid" -name '*.ctf' | sort | head -1)
for command in "file convert" "file strip" "file symbolize" "file subsample -f 2" "pprof" "graph" "flamegraph" "stats" "view" "export -f folded"; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" $command -o none/x "$trace"
    is "$STATUS $(grep -c 'none/x: there is no folder none' err)" "4 1" "$command: a folder that is missing"
done

# A store of a fleet is not overwritten, nor what the command is made of.
"$HEAPTAP" fleet store init store.db >/dev/null
cp store.db store.before
for command in "file convert" "file strip" "pprof" "graph" "flamegraph" "view" "export -f folded" "export -f sqlite"; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" $command -o store.db "$trace"
    is "$STATUS $(grep -c 'store.db: is a fleet.s store, which is not overwritten; name another file' err)" "4 1" "$command: a store"
done
printf 'touch ran\n' >script.sh
for command in record memtracer; do
    refused "$TMP/store.db: is a fleet's store, which is not overwritten; name another file" "$command -o: a store" \
        "$HEAPTAP" $command -o "$TMP/store.db" -- sh -c 'touch ran'
done
for words in "sh script.sh" "./script.sh"; do
    chmod +x script.sh
    # shellcheck disable=SC2086
    refused "$TMP/script.sh: is the command's own file, or one that it is given; name another with -o" "record -o: $words" \
        "$HEAPTAP" record -o "$TMP/script.sh" -- $words
done
is "$(cat script.sh)" "touch ran" "... and is as it was"
ok "$(cmp -s store.db store.before; echo $?)" "... and so is the store"

# Nor is what the command reads, whatever it is called; what rewrites a trace may put the new one in its place.
"$HEAPTAP" help all | grep '^  ' | cut -c3-19 | sed 's/ *$//' >commands
mkdir given
while read -r command; do
    arguments=
    option=$("$HEAPTAP" $command --help | grep -oE -- '--(output|stacks)=FILE' | head -n 1)
    case $command in
    record | memtracer | view | agent* | fleet*) continue ;; # run a program, serve, or read no file
    "file subsample") arguments="-f 1" ;;
    export) arguments="-f folded" ;;
    dump) arguments="--format=csv" ;;
    esac
    [ "$option" ] || continue
    case $command in
    "tree --callers" | "tree --callees" | peek) after=. ;;
    "compare --long") arguments=--flamegraph after=$trace ;;
    *) after= ;;
    esac
    cp "$trace" given/t.ctf
    ln -sf given/t.ctf link.ctf
    for output in given/t.ctf link.ctf; do
        # shellcheck disable=SC2086
        run "$HEAPTAP" $command $arguments "${option%=FILE}=$output" given/t.ctf $after
        case $command in
        file*) is "$STATUS $("$HEAPTAP" info --csv given/t.ctf >info 2>&1; echo $?)" "0 0" "$command: a trace takes the place of its own" ;;
        *)
            is "$STATUS $(grep -c "$output: is read by this command, which would replace it; name another file" err)" "4 1" "$command ${option%=FILE}: its own input"
            ok "$(cmp -s "$trace" given/t.ctf; echo $?)" "... which is as it was"
            ;;
        esac
    done
done <commands
cp "$trace" given/t.ctf
cp "$trace" base.ctf
"$HEAPTAP" pprof "$trace" -o t.pb.gz
cp t.pb.gz before.pb.gz
replaced() { # OUTPUT COMMAND...
    output=$1
    shift
    cp "$output" before
    run "$HEAPTAP" "$@"
    is "$STATUS $(grep -c "$output: is read by this command" err)" "4 1" "$*: refused"
    ok "$(cmp -s "$output" before; echo $?)" "... and nothing is lost"
}
replaced given/t.ctf export -f folded -o given/t.ctf given
replaced given/t.ctf export -f sqlite -o given/t.ctf "$trace" given/t.ctf
replaced base.ctf view -o base.ctf --base base.ctf "$trace"

# Nor is another trace, by what is none: two names, the first of them after an option that takes a file.
cp "$trace" other.ctf
gzip -c "$trace" >other.ctf.gz
for other in other.ctf other.ctf.gz; do
    cp "$other" before
    for command in "flamegraph -o" "stats -o" "graph -o" "pprof -o" "view -o" "export -f folded -o" "export -f sqlite -o" "dump --format=csv --stacks"; do
        # shellcheck disable=SC2086
        run "$HEAPTAP" $command "$other" "$trace"
        is "$STATUS $(grep -c "$other: is a trace, which .* would replace; name another file" err) $(cmp -s "$other" before; echo $?)" "4 1 0" "$command $other"
    done
    run "$HEAPTAP" file convert -o "$other" "$trace"
    is "$STATUS" 0 "file convert: a trace takes the place of another"
done
refused "other.ctf: is a trace, which this would replace; name another file" "--output-file: a trace" \
    "$HEAPTAP" memtracer --output-file other.ctf -- sh -c 'touch ran'
replaced t.pb.gz pprof -o t.pb.gz t.pb.gz
run "$HEAPTAP" flamegraph -o /dev/fd/3 t.pb.gz 3<>t.pb.gz
is "$STATUS $(grep -c "/dev/fd/3: is read by this command" err) $(cmp -s t.pb.gz before.pb.gz; echo $?)" "4 1 0" "a descriptor of what is read"
run sh -c '"$HEAPTAP" flamegraph -o t.pb.gz - <t.pb.gz'
is "$STATUS $(grep -c "t.pb.gz: is read by this command" err) $(cmp -s t.pb.gz before.pb.gz; echo $?)" "4 1 0" "standard input that is that file"
run "$HEAPTAP" file symbolize -o t.pb.gz t.pb.gz
is "$STATUS $("$HEAPTAP" info t.pb.gz >info 2>&1; echo $?)" "0 0" "file symbolize: a profile takes the place of its own"
echo before >given/out.folded
run "$HEAPTAP" export -f folded -o given/out.folded given
is "$STATUS $(grep -c '^before$' given/out.folded)" "0 0" "a file in the folder that is not read is replaced"

# An output that cannot be written to its end leaves what was there.
echo before >kept
for command in "flamegraph -o" "stats --svg -o" "view -o" "export -f folded -o"; do
    for blocks in 1 8; do
        # shellcheck disable=SC2086
        (ulimit -f $blocks; trap '' XFSZ; exec "$HEAPTAP" $command kept "$trace" >/dev/null 2>err)
        is "$? $(cat kept) $(cut -d: -f2- err)" "4 before  kept: File too large" "${command%% *}: room for $blocks kB: what was there stays, and it is said why"
    done
done

# Standard output is either the program's or the report's.
run "$HEAPTAP" memtracer --json made.lox
is "$(/usr/bin/python3 -c 'import json, sys; print(len(json.load(open(sys.argv[1]))["processes"]))' out)" 1 "--json: standard output is JSON and nothing else"
has err ran "... the program's own goes to standard error"
run "$HEAPTAP" memtracer --json --output-file report.json made.lox
is "$(cat out)" ran "--json with --output-file: the program's output stays where it was"
ok "$(json_is_valid report.json; echo $?)" "... and the file is JSON"

# Endings of names mean the same in capital letters, or it is said that they don't.
for letters in svg SVG; do
    "$HEAPTAP" flamegraph -o "letters.$letters" "$trace"
done
same letters.SVG letters.svg "-o NAME.SVG is the picture that NAME.svg is"
for letters in ctf.gz CTF.GZ; do
    "$HEAPTAP" file convert -o "letters.$letters" "$trace"
done
same letters.CTF.GZ letters.ctf.gz "-o NAME.CTF.GZ is compressed as NAME.ctf.gz is"
run "$HEAPTAP" record -q -o letters.PB.GZ -- true
has err "letters.PB.GZ: note: the ending is not taken for .pb.gz" "record -o NAME.PB.GZ: it is no profile, which is said"

# A name that is empty, and what cannot be written, are told as what they are.
run "$HEAPTAP" record -o '' -- true
has err "-o '': the name is empty" "record -o '': the name is empty"
for command in flamegraph "view" "pprof" "export -f folded"; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" $command -o '' "$trace"
    has err "-o '': the name is empty" "$command -o '': the same"
    lacks err "note:" "... and nothing is said of what it would have had"
done
run "$HEAPTAP" view -o folder "$trace"
is "$STATUS $(grep -c . err)" "4 1" "view -o of a folder: that alone is told"
"$HEAPTAP" agent --skill >/dev/full 2>err
is "$?" 4 "agent --skill without room: the status says so"
lacks err "out of memory" "... which is not for lack of memory"
run "$HEAPTAP" record --duration 1e30 -- true
has err "a number of seconds over 0 and at most 1e9" "--duration: its bounds are told"
done_testing
