# Completion of heaptap for bash.  Commands and options are asked of the program itself.

_heaptap_commands() {
    heaptap help all 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p' | sort -u
}

# The second words of commands that begin with $1: serve, of fleet.
_heaptap_seconds() {
    heaptap help all 2>/dev/null | sed -n "s/^  $1 \([a-z][a-z-]*\) .*/\1/p"
}

# The options of command $1, of one word or two, a line each, with tabs between: --word, -letter, what its value is called, its values, help.
_heaptap_table() {
    # shellcheck disable=SC2086
    heaptap $1 --complete 2>/dev/null
    printf -- '--help\n--usage\n--version\n'
}

_heaptap_options() {
    _heaptap_table "$1" | cut -f1
}

# What option $2 of command $1 takes, where that is one of a few words.
_heaptap_values() {
    if [[ $1:$2 == memtracer:--report ]]; then
        _heaptap_commands | grep -vx 'record\|memtracer'
    else
        _heaptap_table "$1" | awk -F '\t' -v option="$2" '$1 == option || $2 == option { print $4 }'
    fi
}

# Adds the clauses that begin with $1, which has all of the word: bash may have taken live-at=pe for three.
_heaptap_clauses() {
    local word=$1 clauses before=
    if [[ ${COMP_WORDS[COMP_CWORD]} == = ]]; then
        before=${COMP_WORDS[COMP_CWORD - 1]}= word=$before
    elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}= word=$before$1
    fi
    mapfile -t clauses < <(compgen -W "$(heaptap help clauses 2>/dev/null)" -- "$word")
    if [[ $word == *=* && ${#clauses[@]} -gt 0 ]]; then
        COMPREPLY=() # no file has such a name
    fi
    COMPREPLY+=("${clauses[@]#"$before"}")
    if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace
    fi
}

_heaptap() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} values
    local command=${COMP_WORDS[1]} words=1 seconds
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$(_heaptap_commands) help --version" -- "$current")
        return
    fi
    if [[ ${COMP_WORDS[1]} == help ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_heaptap_commands) all filters json" -- "$current")
        return
    fi
    seconds=$(_heaptap_seconds "$command")
    if [[ $seconds && $COMP_CWORD == 2 ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$seconds" -- "$current")
        return
    elif [[ $seconds ]]; then
        command+=" ${COMP_WORDS[2]}" words=2
    fi
    # bash takes --format=csv for three words.
    if [[ $current == = ]]; then
        current=
    elif [[ $previous == = ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    [[ $previous == -* ]] && values=$(_heaptap_values "$command" "$previous")
    if [[ $previous == --debug-dir || $previous == --root ]]; then
        mapfile -t COMPREPLY < <(compgen -d -- "$current")
    elif [[ $values ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
    elif [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_heaptap_options "$command")" -- "$current")
    elif [[ $command == record || $command == memtracer ]]; then
        mapfile -t COMPREPLY < <(compgen -cf -- "$current" | sort -u)
    else
        # A trace; after it, clauses of the filter.
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        if ((COMP_CWORD > words + 1)); then
            _heaptap_clauses "$current"
        fi
    fi
}

complete -o filenames -F _heaptap heaptap
