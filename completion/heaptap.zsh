#compdef heaptap
# Completion of heaptap for zsh.  Commands, options and their values are asked of the program itself.

# The value of an option: one of $2, a folder or a file, or what $1 calls it.
_heaptap_value() {
    case $1 in
    COMMAND) print -r -- "command:(${(j: :)${(f)"$(heaptap help all 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p' | sort -u)"}})" ;;
    DIR*) print -r -- "folder:_files -/" ;;
    *FILE*) print -r -- "file:_files" ;;
    *) [[ -n $2 ]] && print -r -- "${(L)1}:($2)" || print -r -- "${(L)1}: " ;;
    esac
}

# Specifications for _arguments, of the options of command $1.
_heaptap_specs() {
    local line word letter takes values help
    local -a fields
    for line in "${(@f)$(heaptap ${=1} --complete 2>/dev/null)}"; do
        fields=("${(@ps:\t:)line}")
        word=$fields[1] letter=$fields[2] takes=$fields[3] values=$fields[4] help=$fields[5]
        help=${help//[\[\]:]/ }
        if [[ -n $takes ]]; then
            specs+=("${word}=[$help]:$(_heaptap_value $takes $values)")
            [[ -n $letter ]] && specs+=("${letter}+[$help]:$(_heaptap_value $takes $values)")
        else
            specs+=("${word}[$help]")
            [[ -n $letter ]] && specs+=("${letter}[$help]")
        fi
    done
    specs+=('(- *)--help[Give a help list]' '(- *)--usage[Give a short usage message]' '(- *)--version[Print program version]')
}

# A trace; after it, clauses of the filter, too.
_heaptap_arguments() {
    local -a clauses
    _files
    if (( CURRENT > 2 )); then
        clauses=(${(f)"$(heaptap help clauses 2>/dev/null)"})
        compadd -S '' -- $clauses
    fi
}

_heaptap() {
    local -a commands specs
    if (( CURRENT == 2 )); then
        commands=(${(f)"$(heaptap help all 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\)   *\(.*\)/\1:\2/p')"}
            fleet:'profiles of many programs' file:'a trace changed' help:'what a command does' --version:'print the version')
        _describe command commands
        return
    fi
    local command=$words[2]
    if [[ $command == help ]]; then
        commands=(${(f)"$(heaptap help all 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p' | sort -u)"} all filters json)
        _describe command commands
        return
    fi
    if [[ $command == fleet || $command == file ]]; then
        if (( CURRENT == 3 )); then
            commands=(${(f)"$(heaptap help all 2>/dev/null | sed -n "s/^  $command \([a-z][a-z-]*\)  *\(.*\)/\1:\2/p")"})
            _describe command commands
            return
        fi
        command+=" $words[3]"
        shift words
        (( CURRENT-- ))
    fi
    shift words
    (( CURRENT-- ))
    _heaptap_specs $command
    case $command in
    record | memtracer) _arguments -s -S $specs '*::command:_normal' ;;
    *) _arguments -s $specs '*:file or clause:_heaptap_arguments' ;;
    esac
}

_heaptap "$@"
