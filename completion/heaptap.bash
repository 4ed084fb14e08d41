# Completion of heaptap for bash.  Commands and options are asked of the program itself.

_heaptap_commands() {
    heaptap help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p'
}

_heaptap_options() {
    heaptap "$1" --help 2>/dev/null | grep -oE -- '(^|[ ,])--[a-z][a-z-]*' | tr -d ' ,' | sort -u
}

# What option $2 of command $1 takes, where that is one of a few words.
_heaptap_values() {
    case $1:$2 in
    convert:--compress) echo none gzip zstd ;;
    pprof:--compress) echo quick small ;;
    convert:-t | convert:--to) echo 2 3 ;;
    dump:-f | dump:--format) echo memtrace alloc-stats csv jsonl ;;
    dump:--order) echo file true ;;
    flamegraph:-f | flamegraph:--format) echo folded svg json memtrace ;;
    flamegraph:-w | flamegraph:--weight) echo bytes samples objects ;;
    flamegraph:--sample | hotspots:--sample)
        echo alloc_objects alloc_space inuse_objects inuse_space promoted_objects promoted_space lifetime
        ;;
    flamegraph:--colour) echo file function ;;
    hotspots:--by) echo bytes samples objects ;;
    hotspots:-f | hotspots:--format) echo text json csv markdown memtrace ;;
    hotspots:-g | hotspots:--granularity) echo lines functions files ;;
    leaks:-s | leaks:--sample) echo inuse_space inuse_objects ;;
    export:-f | export:--format) echo speedscope callgrind dhat folded heapprofile sqlite ;;
    info:-f | info:--format) echo text memtrace ;;
    *:-s | *:--sample)
        echo alloc_space alloc_objects inuse_space inuse_objects promoted_space promoted_objects collected_space collected_objects
        ;;
    *:-g | *:--granularity) echo functions filefunctions files lines addresses ;;
    memtracer:--report) _heaptap_commands | grep -vx 'record\|memtracer' ;;
    memtracer:--sort) echo size count live peak ;;
    memtracer:-f | memtracer:--format) echo table histogram typehistogram calltree json csv markdown ;;
    record:--names | symbolize:--names) echo short templates full raw ;;
    esac
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
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$(_heaptap_commands) help --version" -- "$current")
        return
    fi
    if [[ ${COMP_WORDS[1]} == help ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_heaptap_commands) filters answers" -- "$current")
        return
    fi
    # bash takes --format=csv for three words.
    if [[ $current == = ]]; then
        current=
    elif [[ $previous == = ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    values=$(_heaptap_values "${COMP_WORDS[1]}" "$previous")
    if [[ $previous == --debug-dir ]]; then
        mapfile -t COMPREPLY < <(compgen -d -- "$current")
    elif [[ $values ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
    elif [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_heaptap_options "${COMP_WORDS[1]}")" -- "$current")
    elif [[ ${COMP_WORDS[1]} == record || ${COMP_WORDS[1]} == memtracer ]]; then
        mapfile -t COMPREPLY < <(compgen -cf -- "$current" | sort -u)
    else
        # A trace; after it, clauses of the filter.
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        if ((COMP_CWORD > 2)); then
            _heaptap_clauses "$current"
        fi
    fi
}

complete -o filenames -F _heaptap heaptap
