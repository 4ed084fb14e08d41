#!/bin/sh
# The program itself, and what all commands that write a trace do with their files.
. "$SOURCE/tests/cli/tap.sh"
TRACE=$GOLDEN/valid/lists-and-sets-v1.ctf
cd "$TMP" || exit 1

# lines FILE: how many.
lines() {
    wc -l <"$1" | tr -d ' '
}

# ---- Without a trace

run "$HEAPTAP"
is "$STATUS" 2 "no arguments: status 2"
has err "usage: heaptap COMMAND" "... and how to use it, as an error"
is "$(cat out)" "" "... and no output"
for asking in help --help -h "help help"; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" $asking
    is "$STATUS" 0 "heaptap $asking: status 0"
    has out "usage: heaptap COMMAND" "... as output"
done
for asking in --version -V "info --version"; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" $asking
    grep -qxE 'heaptap [0-9]+\.[0-9]+\.[0-9]+( \([0-9a-f]+\))?' out
    ok $? "heaptap $asking: version and revision"
done
for asking in "frob" "help frob" "-x"; do
    # shellcheck disable=SC2086
    run "$HEAPTAP" $asking
    is "$STATUS" 2 "heaptap $asking: status 2"
    has err "there is no command '${asking#help }'" "... and says so"
    is "$(lines err)" 1 "... in one line"
done
for word in "serve|fleet serve" "diff|compare --long" "callers|tree --callers" "report|view --output" "strip|file strip" "skill|agent --skill"; do
    run "$HEAPTAP" "${word%|*}" "$TRACE"
    is "$STATUS $(cat err)" "2 heaptap: there is no command '${word%|*}' any more: it is \`heaptap ${word#*|}\` now" "a word that has gone: ${word%|*}"
done
run "$HEAPTAP" fleet
is "$STATUS $(sed -n 1p err)" "2 heaptap: fleet needs one more word:" "half a command"
is "$(sed '1d; s/^  //' err | cut -c1-18)" "$("$HEAPTAP" help all | sed -n 's/^  \(fleet .*\)/\1/p' | cut -c1-18)" "... and those that there are"
run "$HEAPTAP" fleet frob
is "$STATUS $(sed -n 1p err)" "2 heaptap: fleet has no command 'frob'; it has:" "... of another word"
run "$HEAPTAP" tree "$TRACE" . --callers
cp out after
run "$HEAPTAP" tree --callers "$TRACE" .
is "$STATUS" 0 "an option that makes another command"
same after out "... wherever it stands"
rm after
run "$HEAPTAP" tree --calle "$TRACE" main
has err "is ambiguous" "... is written in full"
run "$HEAPTAP" compare --lon "$TRACE" "$TRACE"
is "$STATUS $(sed -n 1p err)" "2 heaptap compare: --long must be written in full" "... and says so"
run "$HEAPTAP" hotspot "$TRACE"
is "$STATUS $(cat err)" "2 heaptap: there is no command 'hotspot'; did you mean hotspots?" "a command that is misspelt: which was meant"
misspelt() { # COMMAND WORD MEANT
    run "$HEAPTAP" $1 "$2" x
    is "$STATUS $(cat err)" "2 heaptap $1: there is no option '${2%%=*}'; did you mean $3?" "$1 $2: an option that is misspelt"
}
misspelt top --topp --top
misspelt leaks --jsno --json
misspelt hotspots --calers=3 --callers
misspelt record --rte --rate
if "$HEAPTAP" record -o /dev/null true 2>/dev/null; then # a build with sanitizers has no recorder
    run "$HEAPTAP" record -o /dev/null sh -c 'echo "$0"' --jsno
    is "$STATUS $(cat out)" "0 --jsno" "... another program's are its own"
fi
run "$HEAPTAP" summary "$TRACE"
cp out summary
run "$HEAPTAP" "$TRACE"
same out summary "a file in place of a command: its summary"
run "$HEAPTAP" summary --json "$TRACE" live-at=peak
cp out summary
run "$HEAPTAP" "$TRACE" --json live-at=peak
same out summary "... with options and clauses"
is "$STATUS" 0 "... with status 0"
rm summary
is "$("$HEAPTAP" - --json live-at=peak <"$TRACE" | grep -c '"card"')" 4 "... from standard input"
run "$HEAPTAP" missing.ctf
has err "missing.ctf: cannot open: No such file or directory" "... that isn't there"
run "$HEAPTAP" help file convert
cp out help
run "$HEAPTAP" file convert --help
same out help "help COMMAND is COMMAND --help"
for command in info hotspots flamegraph stats dump "file convert" "file subsample" "file strip"; do
    run "$HEAPTAP" $command
    is "$STATUS" 2 "$command without a trace: status 2"
    has err "no trace given" "... and asks for it"
    run "$HEAPTAP" $command --frob "$TRACE"
    is "$STATUS" 2 "$command with an unknown option: status 2"
    has err "--frob" "... which it names"
    run "$HEAPTAP" $command "$TRACE" other
    is "$STATUS" 2 "$command with a word that is no file: status 2"
    case $command in # those of one file
    file*) has err "'other' is one too many" "... and says so" ;;
    *) has err "'other' is neither a file nor a clause of a filter" "... and says so" ;;
    esac
done

# ---- What can't be read

: >empty
echo "hello" >text
mkdir folder
for command in info hotspots flamegraph stats dump "file convert -o x" "file subsample -o x" "file strip -o x"; do
    while IFS='|' read -r file message; do
        # shellcheck disable=SC2086
        run "$HEAPTAP" $command "$file"
        is "$STATUS" 3 "$command $file: status 3"
        case $command,$file in # others take all that is in one, and read other formats
        info,text | hotspots,text | flamegraph,text | "file convert"*,text) message="byte 0: this is text, of none of the formats that heaptap reads (memtrace, " ;;
        file* | *,[!f]*) ;;
        *) message="this folder has no traces and no profiles" ;;
        esac
        has err "$file: $message" "... $message"
        is "$(lines err)" 1 "... in one line"
    done <<'LIST'
missing|cannot open: No such file or directory
folder|reading the trace: Is a directory
empty|byte 0: this is empty
text|byte 0: this is not a memtrace trace
LIST
done
is "$(ls)" "$(printf '%s\n' empty err folder help out text)" "no output is left of them"
run "$HEAPTAP" info ""
has err "no trace given" "an empty name is none"
run "$HEAPTAP" file convert -o "" "$TRACE"
has err "no output file" "... nor for the output"
if [ "$(id -u)" != 0 ]; then
    cp "$TRACE" secret && chmod 0 secret
    run "$HEAPTAP" info secret
    has err "secret: cannot open: Permission denied" "no permission to read"
fi

# ---- Names

for name in "with space.ctf" "Größe.ctf" "-dash.ctf" 'quote"%s.ctf'; do
    run "$HEAPTAP" file convert -o "./$name" "$TRACE"
    is "$STATUS" 0 "writes '$name'"
    run "$HEAPTAP" info -- "$name"
    is "$STATUS" 0 "... and reads it"
done
run "$HEAPTAP" file convert -o -dash.ctf "$TRACE"
is "$STATUS" 0 "an output named like an option"
run "$HEAPTAP" info -dash.ctf
is "$STATUS" 2 "an input named like an option is one"

# ---- Output

for command in help --version "info $TRACE" "dump $TRACE" "hotspots $TRACE"; do
    # shellcheck disable=SC2086
    "$HEAPTAP" $command >/dev/full 2>err
    is "$?" 4 "${command%% *} to a full disk: status 4"
    has err "writing the output: No space left on device" "... and says so"
    # shellcheck disable=SC2086
    "$HEAPTAP" $command >&- 2>err
    is "$?" 4 "${command%% *} to a closed output: status 4"
    # shellcheck disable=SC2086
    "$HEAPTAP" $command 2>err | head -n 1 >head
    is "$(lines head),$(lines err)" 1,0 "${command%% *} into head: no message"
done
"$HEAPTAP" info - <&- >out 2>err
is "$?" 3 "a closed input: status 3"
has err "standard input: " "... named"
for command in "file convert" "file subsample" "file strip"; do
    "$HEAPTAP" $command -o - "$TRACE" >/dev/full 2>err
    is "$?" 4 "$command to a full disk: status 4"
    has err "standard output: No space left on device" "... and says so"
    run "$HEAPTAP" $command -o /dev/full "$TRACE"
    is "$STATUS" 4 "$command to a full disk by name: status 4"
    has err "/dev/full: No space left on device" "... and says so"
    run "$HEAPTAP" $command -o missing/x "$TRACE"
    is "$STATUS" 4 "$command into a folder that isn't there: status 4"
    has err "missing/x: there is no folder missing" "... and says so"
    run "$HEAPTAP" $command -o folder "$TRACE"
    is "$STATUS" 4 "$command onto a folder: status 4"
    has err "folder: is a folder, not a file" "... and says so"
    run "$HEAPTAP" $command "$TRACE"
    is "$STATUS" 2 "$command to nowhere: status 2"
    has err "no output file: use -o FILE" "... and asks"
    for name in - /dev/stdout; do
        on_terminal 80 "$HEAPTAP" $command -o "$name" "$TRACE"
        is "$STATUS" 4 "$command to a terminal, $name: status 4"
        has out "a trace is not for the terminal" "... and says so"
        is "$(lines out)" 1 "... and nothing else"
    done
    "$HEAPTAP" $command -o whole.ctf "$TRACE"
    "$HEAPTAP" $command -o - "$TRACE" >other.ctf
    same other.ctf whole.ctf "$command to standard output"
    "$HEAPTAP" $command -o /dev/stdout "$TRACE" >other.ctf
    same other.ctf whole.ctf "$command to /dev/stdout"
    "$HEAPTAP" $command -o - - <"$TRACE" | cat >other.ctf
    same other.ctf whole.ctf "$command from and to a pipe"
    "$HEAPTAP" $command -o other.ctf "$TRACE" 2>&- >&- <&-
    same other.ctf whole.ctf "$command with all standard descriptors closed"
    mkfifo pipe
    cat pipe >other.ctf &
    "$HEAPTAP" $command -o pipe "$TRACE"
    wait
    same other.ctf whole.ctf "$command to a named pipe"
    rm pipe

    # In its own place.
    cp "$TRACE" own.ctf
    chmod 640 own.ctf
    ln -sf own.ctf link.ctf
    run "$HEAPTAP" $command -o link.ctf own.ctf
    same own.ctf whole.ctf "$command onto the input, through a link"
    is "$(stat -c %a own.ctf),$(readlink link.ctf)" 640,own.ctf "... whose permissions stay, and the link"
    umask 027
    run "$HEAPTAP" $command -o fresh.ctf "$TRACE"
    is "$(stat -c %a fresh.ctf)" 640 "a new file obeys umask"
    umask 022
    rm fresh.ctf

    # What is damaged.
    head -c 9000 "$TRACE" >cut.ctf
    cp cut.ctf own.ctf
    run "$HEAPTAP" $command -o part.ctf cut.ctf
    is "$STATUS" 3 "$command of a cut trace: status 3"
    has err "cut.ctf: byte 9000: the trace ends here" "... and where it is cut"
    has err "part.ctf: has the part before" "... and what became of it"
    run "$HEAPTAP" dump part.ctf
    is "$STATUS" 0 "... what could be read is whole"
    "$HEAPTAP" dump cut.ctf 2>err | cut -c1-21 >wanted
    cut -c1-21 out >got
    same got wanted "... and has every event before the cut"
    run "$HEAPTAP" $command -o own.ctf own.ctf
    is "$STATUS" 3 "$command of a cut trace onto itself: status 3"
    same own.ctf cut.ctf "... it stays as it is"
    has err "own.ctf: is damaged, so it stays" "... and that is said"
done
is "$(find . -name '.heaptap-*')" "" "no temporary files are left"

# Ctrl-C: the file isn't complete, so it is removed.
mkfifo pipe
"$HEAPTAP" file convert -o stopped.ctf pipe 2>err &
process=$!
exec 9>pipe
head -c 9000 "$TRACE" >&9
for _ in 1 2 3 4 5 6 7 8 9 10; do
    [ -n "$(find . -name '.heaptap-*')" ] && break
    sleep 0.1
done
[ -n "$(find . -name '.heaptap-*')" ]
ok $? "a file that is being written has another name"
kill -TERM "$process"
wait "$process" 2>wait
is "$?" 143 "a signal ends the program"
exec 9>&-
is "$(find . -name '.heaptap-*' -o -name stopped.ctf)" "" "... and nothing is left"

# ---- Colours

for command in info hotspots; do
    on_terminal 100 "$HEAPTAP" $command "$TRACE"
    has out "$(printf '\033[')" "$command has colours on a terminal"
    on_terminal 100 env NO_COLOR=1 "$HEAPTAP" $command "$TRACE"
    lacks out "$(printf '\033[')" "... but not with NO_COLOR"
    for columns in 40 80; do
        on_terminal "$columns" "$HEAPTAP" $command "$GOLDEN/valid/irmin-replay-v2.ctf"
        is "$STATUS" 0 "$command on $columns columns"
    done
done

# ---- Libraries that are loaded when they are needed

mkdir broken
touch broken/libcurl.so.4 broken/libmicrohttpd.so.12 broken/libgnutls.so.30
for command in "info $TRACE" "view $TRACE" "fleet services store:clickhouse://127.0.0.1:1/x"; do
    # shellcheck disable=SC2086
    run env LD_LIBRARY_PATH="$PWD/broken" "$HEAPTAP" $command
    case $command in
    info*) is "$STATUS" 0 "without the libraries of HTTP: $command" ;;
    *) [ "$STATUS" != 0 ] && grep -q "needs a library that cannot be loaded: .*: file too short" err
        ok $? "... $command says what it needs" ;;
    esac
done
done_testing
