# Completion of heaptap for bash.  Commands and options are asked of the program itself.

_heaptap_commands() {
    heaptap help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p'
}

_heaptap_options() {
    heaptap "$1" --help 2>/dev/null | grep -oE -- '(^|[ ,])--[a-z][a-z-]*' | tr -d ' ,' | sort -u
}

_heaptap() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$(_heaptap_commands) help --version" -- "$current")
        return
    fi
    if [[ ${COMP_WORDS[1]} == help ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_heaptap_commands)" -- "$current")
        return
    fi
    case $previous in
    --compress)
        mapfile -t COMPREPLY < <(compgen -W "none gzip zstd" -- "$current")
        return
        ;;
    --names)
        mapfile -t COMPREPLY < <(compgen -W "short templates full raw" -- "$current")
        return
        ;;
    --debug-dir)
        mapfile -t COMPREPLY < <(compgen -d -- "$current")
        return
        ;;
    esac
    if [[ ${COMP_WORDS[1]} == record && $current != -* ]]; then
        mapfile -t COMPREPLY < <(compgen -cf -- "$current" | sort -u)
        return
    fi
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_heaptap_options "${COMP_WORDS[1]}")" -- "$current")
        return
    fi
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
}

complete -o filenames -F _heaptap heaptap
