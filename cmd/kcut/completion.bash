
# Sets the words of the command line up to the cursor. Bash also splits words at = and :, which
# belong to values of flags: such pieces become one word again.
__kcut_init_completion()
{
    COMPREPLY=()
    local line=${COMP_LINE:0:COMP_POINT} piece before="" i
    words=()
    for ((i = 0; i <= COMP_CWORD; i++)); do
        piece=${COMP_WORDS[i]}
        if [[ $line == [[:blank:]]* || ! $before$piece =~ ^[=:]|[=:]$ ]]; then
            line=${line#"${line%%[![:blank:]]*}"}
            words+=("")
        fi
        if ((i == COMP_CWORD)); then
            piece=$line
        fi
        line=${line#"$piece"}
        words[${#words[@]} - 1]+=$piece
        before=${COMP_WORDS[i]}
    done
    cword=$((${#words[@]} - 1))
    cur=${words[cword]}
    prev=""
    if ((cword > 0)); then
        prev=${words[cword - 1]}
    fi
}

# Offers folders, and files with one of the given endings, as of ending|ending|, or all files.
__kcut_filedir()
{
    if declare -F _filedir >/dev/null 2>&1; then
        _filedir "$@"
        return
    fi
    local path endings=${1-}
    compopt -o filenames 2>/dev/null
    while IFS= read -r path; do
        if [[ -d $path || -z $endings || $path =~ \.(${endings%|})$ ]]; then
            COMPREPLY+=("$path")
        fi
    done < <(compgen -f -- "$cur")
}
