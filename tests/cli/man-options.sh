#!/bin/sh
# Options, manual pages and completion say the same.
. "$SOURCE/tests/cli/tap.sh"
MAN=$SOURCE/man
COMMON='^(-[?V]|--(help|usage|version))$' # what every command takes; heaptap.1 has them
cd "$TMP" || exit 1

"$HEAPTAP" help | sed -n 's/^  \([a-z][a-z-]*\)  *[a-z].*/\1/p' >commands
[ "$(wc -l <commands)" -ge 8 ]
ok $? "commands are found: $(tr '\n' ' ' <commands)"

# Lines of --help that begin with an option, at most as far as its explanation.
options_of_help() {
    "$HEAPTAP" "$1" --help | grep -E '^ {2,6}-' | sed 's/^ *//; s/  .*//' |
        grep -oE -- '(^|[ ,])--?[a-zA-Z?][a-z-]*' | tr -d ' ,' | sort -u
}

# What follows .TP in the section OPTIONS.
options_of_page() {
    sed -n '/^\.SH OPTIONS/,/^\.SH [^O]/p' "$1" | grep -A1 "^\.T[PQ]" |
        sed 's/\\fI.*//; s/\\-/-/g' | grep -oE -- '(^|[ ",])--?[a-zA-Z?][a-z-]*' | tr -d ' ,"' | sort -u
}

for command in $(cat commands); do
    page=heaptap-$command.1
    options_of_help "$command" | grep -vE -- "$COMMON" >wanted
    options_of_page "$MAN/$page" | grep -vE -- "$COMMON" >got
    [ -s wanted ]
    ok $? "$command has options"
    same got wanted "$page names those that --help lists"
    grep -q "^  '$page',\$" "$MAN/meson.build"
    ok $? "... is installed"
    has "$MAN/heaptap.1" ".BR heaptap-$command (1)" "... heaptap.1 leads to it"
    summary=$("$HEAPTAP" help | sed -n "s/^  $command  *//p")
    is "$(sed -n 's/^heaptap-[a-z-]* \\- //p' "$MAN/$page")" "$summary" "... has the command's summary"
done
options_of_page "$MAN/heaptap.1" >got
options_of_help info | grep -E -- "$COMMON" >wanted
same got wanted "heaptap.1 names the options of all commands"
for page in "$MAN"/*.[17]; do
    name=${page##*/}
    if command -v man >/dev/null; then
        man --warnings -l "$page" >/dev/null 2>warnings
        is "$(cat warnings)" "" "$name is clean"
    fi
    command=${name#heaptap-}
    [ "$name" = heaptap.1 ] || [ "$name" = heaptap-filters.7 ] || grep -qx "${command%.1}" commands
    ok $? "$name is about a command"
    # What it refers to is there.
    for other in $(sed -n 's/^\.BR \(heaptap[a-z-]*\) (1).*/\1/p' "$page" | sort -u); do
        [ -e "$MAN/$other.1" ]
        ok $? "... $other(1) exists"
    done
    ! grep -q '^\.BR heaptap-filters (7)' "$page" || [ -e "$MAN/heaptap-filters.7" ]
    ok $? "... and heaptap-filters(7), if it does"
done

# ---- Completion

if command -v bash >/dev/null; then
    mkdir bin
    ln -s "$HEAPTAP" bin/heaptap
    cat >complete.bash <<'EOT'
# complete WORD...: what the last word, not finished, could become.
source "$SOURCE/completion/heaptap.bash"
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
$(complete -p heaptap | sed 's/.*-F \([^ ]*\).*/\1/')
((${#COMPREPLY[@]} == 0)) || printf '%s\n' "${COMPREPLY[@]}"
EOT
    # completed WORD...
    completed() {
        PATH=$TMP/bin:$PATH bash complete.bash heaptap "$@" | sort
    }
    completed "" >got
    { cat commands; echo help; echo --version; } | sort >wanted
    same got wanted "completion: commands"
    is "$(completed "su")" subsample "... that begin so"
    completed help "" >got
    { cat commands; echo filters; echo answers; } | sort >wanted
    same got wanted "... after help"
    for command in $(cat commands); do
        completed "$command" -- >got
        options_of_help "$command" | grep '^--' >wanted
        same got wanted "... options of $command"
    done
    is "$(completed convert --co)" --compress "... that begin so"
    is "$(completed convert --compress g)" gzip "... values of an option"
    is "$(completed convert --compress = g)" gzip "... also after ="
    is "$(completed convert --compress =)" "$(printf '%s\n' gzip none zstd)" "... all of them"
    is "$(completed leaks -s in)" "$(printf '%s\n' inuse_objects inuse_space)" "... of a report's own option, by its letter"
    touch "a trace.ctf" b.ctf
    for command in $(cat commands); do
        "$HEAPTAP" "$command" --complete | awk -F '\t' -v command="$command" '$4 { print command, $1, $4 }'
    done >values
    is "$(($(wc -l <values) >= 40))" 1 "... and there are some"
    while read -r command option words; do
        for value in $words; do
            "$HEAPTAP" "$command" "$option" "$value" 2>&1 </dev/null | grep -q " takes " &&
                echo "$command $option $value"
        done
    done <values >refused
    is "$(cat refused)" "" "... each is taken"
    is "$(completed info a)" "a trace.ctf" "... files"
    is "$(completed top b.ctf live-at=pe)" live-at=peak "... a clause"
    is "$(completed top b.ctf live-at = pe)" peak "... which bash may have taken for three words"
    is "$(completed top b.ctf show)" "$(printf '%s\n' show-from= show=)" "... its word"
fi

if command -v zsh >/dev/null; then
    mkdir functions
    cp "$SOURCE/completion/heaptap.zsh" functions/_heaptap
    # LeakSanitizer, which stops the process at its end, never gets there in a shell that completes.
    ASAN_OPTIONS=detect_leaks=0 PATH=$TMP/bin:$PATH /usr/bin/python3 "$SOURCE/tests/helpers/complete_in_zsh.py" functions 'heaptap subs' 'heaptap top --no-in' 'heaptap top --granularity=filef' \
        'heaptap leaks -s inuse_s' 'heaptap convert --compress gz' 'heaptap top b.ctf live-at=pe' 'heaptap info b.c' 'heaptap help filt' >got
    printf '%s\n' 'heaptap subsample' 'heaptap top --no-inlines' 'heaptap top --granularity=filefunctions' 'heaptap leaks -s inuse_space' \
        'heaptap convert --compress gzip' 'heaptap top b.ctf live-at=peak' 'heaptap info b.ctf' 'heaptap help filters' >wanted
    same got wanted "completion in zsh: commands, options, values, clauses, files"
fi
done_testing
