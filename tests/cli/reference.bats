# docs/cli.md: the commands and options of kgate's own tables.
load support

@test "docs/cli.md has the options of the tables: else run ci/cli.sh" {
    diff <("$SOURCE/ci/cli.sh" --print "$KGATE") \
        <(sed '1,/<!-- options -->/d; /<!-- \/options -->/,$d' "$SOURCE/docs/cli.md" | sed '1d; $d')
}

@test "docs/cli.md has every command, with every option of its help" {
    kgate --help | sed -n 's/^  \([a-z]\{1,\}\) .*/\1/p' >names
    [ "$(wc -l <names)" -ge 19 ]
    while read -r name; do
        sed -n "/^### kgate $name\$/,/^###* [^k]/p" "$SOURCE/docs/cli.md" >part
        kgate "$name" --help | sed -n 's/^  \(-[a-z], \|    \)--\([a-z-]*\).*/\2/p' | grep -vx help >options || true
        while read -r option; do
            echo "$name --$option"
            grep -q -- "[ \`]--$option[ \`]" part
        done <options
    done <names
}
