load support

# The manual page, the completions and what kgate says of itself: all from the tables that parse the options.

subcommands() { kgate --help | sed -n '/^usage:/,/^`kgate/p' | sed -n 's/^  \([a-z]*\) .*/\1/p'; }
options_of() { kgate "$1" --help | sed -n 's/^  \(-., \|    \)--\([a-z-]*\).*/\2/p'; }

# Whether each option of each subcommand is in the file, as $2 makes it with %s for its name.
has_all() {
    local subcommand option count=0
    for subcommand in $(subcommands); do
        for option in $(options_of "$subcommand"); do
            grep -qF -e "$(printf -- "$2" "$option")" "$1" || { echo "$1 lacks --$option of $subcommand"; return 1; }
            count=$((count + 1))
        done
        grep -q "$subcommand" "$1" || { echo "$1 lacks $subcommand"; return 1; }
    done
    [ "$count" -gt 100 ]
}

@test "the manual page has every subcommand and option, and no warning" {
    kgate man >kgate.1
    sed 's/\\-/-/g; s/--help/& -h, --help/' kgate.1 >plain
    has_all plain '--%s'
    if command -v mandoc >/dev/null; then
        mandoc -T lint -W warning kgate.1
    fi
    if command -v man >/dev/null; then
        LC_ALL=C.UTF-8 MANWIDTH=100 man --warnings -l kgate.1 >page 2>said
        [ ! -s said ]
        grep -q -- '--threshold SHARE' page
    fi
}

# What bash offers for a command line, whose last word is begun; bash ends words at '=' too.
offered() {
    PATH=${KGATE%/*}:$PATH bash --norc -c '. ./kgate.bash
        COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; compopt() { :; }
        for word; do
            while [[ $word == *=* ]]; do COMP_WORDS+=("${word%%=*}" =); word=${word#*=}; done
            COMP_WORDS+=("$word")
        done
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _kgate; printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}

@test "kgate complete answers with the candidates for the last word, and with status 1 where a file is due" {
    for subcommand in $(subcommands); do
        kgate complete '' | grep -q "^$subcommand"$'\t'
        [ "$(kgate complete "$subcommand" - | sed -n 's/^--\([^\t]*\)\t.*/\1/p' | sort | xargs)" = "$(options_of "$subcommand" | sort | xargs)" ]
    done
    [[ "$(kgate complete gate --budget 5m --upd)" == *"--update-missing"$'\t'"record cases"* ]]
    [[ "$(kgate complete gate -q -)" == *"-c"$'\t'"suite, a YAML file"* ]]
    [ "$(kgate complete baseline --machine x '' | xargs)" = "record update list show prune" ]
    [ -z "$(kgate complete gate --budget '')" ]
    for words in "gate -c" "gate --suite=s" "baseline update" "report" "run --" "run -- ls -" "none"; do
        run kgate complete $words ''
        [ "$status" -eq 1 ]
        [ -z "$output" ]
    done
}

@test "bash completes subcommands, their options and words; values and files are left to it" {
    kgate completion bash >kgate.bash
    bash -n kgate.bash
    [ "$(offered kgate ga)" = gate ]
    [ "$(offered kgate ab --sh | sort | xargs)" = "--shard --shell" ]
    [ "$(offered kgate baseline up)" = update ]
    [ "$(offered kgate completion '' | xargs)" = "bash zsh fish" ]
    [ -z "$(offered kgate gate --budget '')" ]
    [ -z "$(offered kgate report res)" ]
    # for every subcommand what --help has
    for subcommand in $(subcommands); do
        [ "$(offered kgate "$subcommand" -- | sort | xargs)" = "$(options_of "$subcommand" | sed 's/^/--/' | sort | xargs)" ]
    done
}

@test "bash completes what values may be: formats, columns, metrics, and the cases of the suite" {
    kgate completion bash >kgate.bash
    [ "$(offered kgate report r.json --format m)" = markdown ]
    [ "$(offered kgate report r.json --format=m)" = markdown ]
    [[ " $(offered kgate report r.json --format '' | xargs) " == *" json "*" html "* ]]
    [ "$(offered kgate report --columns p9)" = p95 ]
    [ "$(offered kgate report --columns median,p9)" = median,p95 ]
    [ "$(offered kgate import a.json --format n)" = nvbench ]
    [ "$(offered kgate suggest r.json --only crit)" = critical ]
    [ "$(offered kgate gate --accept-from '' | xargs)" = "trust head" ]
    [ "$(offered kgate accept --metric peak)" = peak_memory ]
    # of an id what is behind its last '=', as bash has begun a word there
    [ "$(offered kgate accept -c suite.yaml copy | xargs)" = "copy/bytes=16KiB,version=plain/cpu copy/bytes=16KiB,version=fast/cpu" ]
    [ "$(offered kgate accept -c suite.yaml copy/bytes=16KiB,version=pl)" = plain/cpu ]
    [ "$(offered kgate accept --suite=suite.yaml copy/bytes=16KiB,version=pl)" = plain/cpu ]
    [ "$(offered kgate accept --list -c suite.yaml copy/bytes=16KiB,version=pl)" = plain/cpu ]
    [ "$(offered kgate gate -c suite.yaml --filter copy | wc -l)" -eq 2 ]
    cp suite.yaml kgate.yaml
    [ "$(offered kgate quarantine copy | wc -l)" -eq 2 ]
    # where a file is due it is left to bash; without a suite there are no cases
    [ -z "$(offered kgate accept --from c)" ]
    [ -z "$(offered kgate gate -c s)" ]
    [ -z "$(offered kgate accept -c none.yaml '')" ]
}

@test "zsh completes them" {
    kgate completion zsh >_kgate
    command -v zsh >/dev/null || skip "no zsh"
    zsh -n _kgate
    # a shell within the shell, since completion works at a prompt alone
    cat >ask.zsh <<'ZSH'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PROMPT=ready; unsetopt zle_bracketed_paste; LISTMAX=1000; fpath=($PWD \$fpath); autoload -U compinit; compinit -u -D"
zpty -w shell "zstyle ':completion:*' list-colors 'no=<'; zstyle ':completion:*' insert-tab false"
zpty -n -w shell $'kgate gate --bud\t'
zpty -r shell budget '*--budget*'
zpty -n -w shell $'5m --upd\t'
zpty -r shell update '*--update-missing*'
zpty -n -w shell $'\nkgate report r.json --format mark\t'
zpty -r shell format '*--format markdown*'
zpty -n -w shell $'\nkgate report --columns median,p9\t'
zpty -r shell columns '*median,p95*'
zpty -n -w shell $'\nkgate accept -c suite.yaml copy/bytes=16KiB,version=pl\t'
zpty -r shell case '*version=plain/cpu*'
zpty -n -w shell $'\nkgate gate --suite=suit\t'
zpty -r shell file '*suite.yaml*'
zpty -d shell
print -r -- $budget $update $format $columns $case $file
ZSH
    PATH=${KGATE%/*}:$PATH run timeout 60 zsh -f ask.zsh
    echo "$output"
    [[ "$output" == *"--budget"* && "$output" == *"--update-missing"* ]]
    [[ "$output" == *"--format markdown"* && "$output" == *"median,p95"* && "$output" == *"version=plain/cpu"* && "$output" == *"--suite=suite.yaml"* ]]
}

@test "fish completes them, with what --help says of each" {
    kgate completion fish >kgate.fish
    command -v fish >/dev/null || skip "no fish"
    mkdir home
    ask() { PATH=${KGATE%/*}:$PATH HOME=$PWD/home fish --no-config -c "source kgate.fish; complete -C '$1'"; }
    run ask "kgate ga"
    [[ "$output" == "gate"* ]]
    run ask "kgate gate --bud"
    [[ "$output" == "--budget"*"time limit for measuring"* ]]
    run ask "kgate baseline upd"
    [[ "$output" == "update"* ]]
    run ask "kgate report r.json --format mark"
    [[ "$output" == "markdown"* ]]
    run ask "kgate report --columns median,p9"
    [[ "$output" == "median,p95"* ]]
    run ask "kgate accept -c suite.yaml copy/bytes=16KiB,version=pl"
    [[ "$output" == "copy/bytes=16KiB,version=plain/cpu"* ]]
    run ask "kgate gate --accept-from h"
    [[ "$output" == "head"* ]]
    run ask "kgate gate --suite=suit"
    [ "$output" = "--suite=suite.yaml" ]
    run ask "kgate gate --budget "
    [ -z "$output" ]
}

@test "a shell that there is no completion for" {
    run kgate completion basj
    [ "$status" -eq 2 ]
    [[ "$output" == *"did you mean 'bash'?"* ]]
    run kgate completion
    [ "$status" -eq 2 ]
}

@test "--version --json: what kgate is, and what it can do here" {
    kgate --version --json >version.json
    [ "kgate $(jq -r .version version.json)" = "$(kgate --version)" ]
    jq -e '(.compiler | length > 0) and (.features | keys == ["callgrind", "cuda", "html", "pictures"])' version.json
    PATH=/nowhere "$KGATE" --version --json >bare.json
    jq -e '.features | .pictures == false and .callgrind == false' bare.json
    run kgate --version --jsno
    [ "$status" -eq 2 ]
}
