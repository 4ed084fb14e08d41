#!/bin/sh
# Options, manual pages and completion say the same.
. "$SOURCE/tests/cli/tap.sh"
MAN=$SOURCE/man
COMMON='^(-[?V]|--(help|usage|version))$' # what every command takes; heaptap.1 has them
cd "$TMP" || exit 1

"$HEAPTAP" help all | grep '^  ' | cut -c3-19 | sed 's/ *$//' >commands
[ "$(wc -l <commands)" -ge 8 ]
ok $? "commands are found: $(tr '\n' ' ' <commands)"
# A page is of a command with those that an option makes of it.
sed 's/ --.*//' commands | sort -u >described
"$HEAPTAP" help | grep '^  ' | cut -c3-19 | sed 's/ *$//' >first
[ "$(wc -l <first)" -le 12 ] && ! grep -vxFf commands first
ok $? "the first help has a dozen of them at most"

# Lines of --help that begin with an option, at most as far as its explanation.
options_of_help() {
    # shellcheck disable=SC2086
    "$HEAPTAP" $1 --help | grep -E '^ {2,6}-' | sed 's/^ *//; s/  .*//' |
        grep -oE -- '(^|[ ,])--?[a-zA-Z?][a-z-]*' | tr -d ' ,' | sort -u
}

# What follows .TP in the section OPTIONS.
options_of_page() {
    sed -n '/^\.SH OPTIONS/,/^\.SH [^O]/p' "$1" | grep -A1 "^\.T[PQ]" |
        sed 's/\\fI.*//; s/\\-/-/g' | grep -oE -- '(^|[ ",])--?[a-zA-Z?][a-z-]*' | tr -d ' ,"' | sort -u
}

while read -r command; do
    page=heaptap-$(echo "$command" | tr ' ' -).1
    grep -E "^$command( --.*)?$" commands | while read -r each; do options_of_help "$each"; done |
        grep -vE -- "$COMMON" | sort -u >wanted
    options_of_page "$MAN/$page" | grep -vE -- "$COMMON" >got
    [ -s wanted ]
    ok $? "$command has options"
    same got wanted "$page names those that --help lists"
    grep -q "^  '$page',\$" "$MAN/meson.build"
    ok $? "... is installed"
    has "$MAN/heaptap.1" ".BR ${page%.1} (1)" "... heaptap.1 leads to it"
    summary=$("$HEAPTAP" help all | grep -E "^  $command +[^ -]" | cut -c21-)
    is "$(sed -n 's/^heaptap-[a-z-]* \\- //p' "$MAN/$page")" "$summary" "... has the command's summary"
done <described
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
    [ "$name" = heaptap.1 ] || [ "$name" = heaptap-filters.7 ] || tr ' ' - <described | grep -qx "${command%.1}"
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
    { sed 's/ .*//' commands; echo help; echo --version; } | sort -u >wanted
    same got wanted "completion: commands"
    is "$(completed "hot")" hotspots "... that begin so"
    is "$(completed file "su")" subsample "... a second word"
    completed help "" >got
    { sed 's/ .*//' commands; echo all; echo filters; echo json; } | sort -u >wanted
    same got wanted "... after help"
    while read -r command; do
        # shellcheck disable=SC2086
        completed $command -- >got
        options_of_help "$command" | grep '^--' >wanted
        same got wanted "... options of $command"
    done <described
    is "$(completed file convert --co)" --compress "... that begin so"
    is "$(completed file convert --compress g)" gzip "... values of an option"
    is "$(completed file convert --compress = g)" gzip "... also after ="
    is "$(completed file convert --compress =)" "$(printf '%s\n' gzip none zstd)" "... all of them"
    is "$(completed leaks -s in)" "$(printf '%s\n' inuse_objects inuse_space)" "... of a report's own option, by its letter"
    touch "a trace.ctf" b.ctf
    while read -r command; do
        # shellcheck disable=SC2086
        "$HEAPTAP" $command --complete | awk -F '\t' -v command="$command" '$4 { print command "\t" $1 "\t" $4 }'
    done <described >values
    is "$(($(wc -l <values) >= 30))" 1 "... and there are some"
    while IFS='	' read -r command option words; do
        for value in $words; do
            # shellcheck disable=SC2086
            "$HEAPTAP" $command "$option" "$value" 2>&1 </dev/null | grep -q " takes " &&
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
    ASAN_OPTIONS=detect_leaks=0 PATH=$TMP/bin:$PATH /usr/bin/python3 "$SOURCE/tests/helpers/complete_in_zsh.py" functions 'heaptap file subs' 'heaptap top --no-in' 'heaptap top --granularity=filef' \
        'heaptap leaks -s inuse_s' 'heaptap file convert --compress gz' 'heaptap top b.ctf live-at=pe' 'heaptap info b.c' 'heaptap help filt' >got
    printf '%s\n' 'heaptap file subsample' 'heaptap top --no-inlines' 'heaptap top --granularity=filefunctions' 'heaptap leaks -s inuse_space' \
        'heaptap file convert --compress gzip' 'heaptap top b.ctf live-at=peak' 'heaptap info b.ctf' 'heaptap help filters' >wanted
    same got wanted "completion in zsh: commands, options, values, clauses, files"
fi
done_testing
