#!/usr/bin/env bash
# Writes the lists of subcommands and options into docs/cli.md, from the help texts of kgate.
#
#   ci/cli.sh [KGATE]             default: build/release/kgate
#   ci/cli.sh --print [KGATE]     prints the lists and writes nothing
set -euo pipefail
print=no
[ "${1:-}" != --print ] || { print=yes; shift; }
kgate=$(realpath "${1:-$(dirname "$0")/../build/release/kgate}")
cd "$(dirname "$0")/.."

# Prints the help of each subcommand after a line "= NAME".
help_of_all() {
    "$kgate" --help | awk '/^  [a-z]/ {print $1}' | while read -r name; do
        echo "= $name"
        "$kgate" "$name" --help
    done
}

# Prints the help texts as Markdown. awk reads the file twice. The most frequent meaning of a shared option goes into
# the list at the end. Its other meanings stay with their subcommands.
markdown() { # FILE
    awk '
        function option(names, meaning) { gsub(/, /, "`, `", names); return "- `" names "`: " meaning ".\n" }
        function name_of(names) { sub(/^-[a-z], /, "", names); sub(/ .*/, "", names); return names }
        # Splits a long list into two sentences.
        function also(list,    at) {
            if (length(list) <= 140) return "Also: `" list "`.\n"
            for (at = 100; substr(list, at, 1) != " ";) at++
            return "Also: `" substr(list, 1, at - 1) "`.\nAnd: `" substr(list, at + 1) "`.\n"
        }
        function options_end() {
            if (block == 2 && own) printf "\n%s", own
            if (block == 2 && common) printf "\n%s", also(common)
            part = "more"
        }
        FNR == 1 { pass++ }
        /^= / {
            if (part == "options") options_end()
            name = $2; part = "usage"; block = pass; gap = 0; own = common = rest = summary = ""
            next
        }
        { is_heading = /^(what to measure|input|how to judge|output):$/ }
        part == "usage" && /^usage: / { operands = substr($0, 8); sub(/ \[options\]$/, "", operands); next }
        part == "usage" && NF {
            if (!is_heading) { summary = summary ? summary : $0; rest = rest ($0 == summary ? "" : $0 "\n"); next }
            if (pass == 2) printf "\n### kgate %s\n\n%s%s\n", name, summary, operands == "kgate " name ? "" : "\n\n    " operands
            if (pass == 2 && rest) printf "\n```text\n%s```\n", rest
            part = "options"
            next
        }
        part == "options" && !NF { gap = 1; next }
        part == "options" && is_heading { gap = 0; next }
        part == "options" && gap { options_end(); next }
        part == "options" {
            names = meaning = substr($0, 3)
            sub(/^ +/, "", names)
            meaning = names
            sub(/   *.*/, "", names)
            meaning = substr(meaning, length(names) + 1)
            sub(/^ +/, "", meaning)
            long = name_of(names)
            if (long == "--help") next
            if (pass == 1) {
                if (++uses[names, meaning] > most[long]) { most[long] = uses[names, meaning]; shared[long] = names SUBSEP meaning }
            } else if (most[long] < 2 || shared[long] != names SUBSEP meaning) own = own option(names, meaning)
            else {
                common = common (common ? " " : "") long
                if (!listed[long]++) list = list option(names, meaning)
            }
        }
        END { if (part == "options") options_end(); printf "\n### Options of several commands\n\n%s", list }' "$1" "$1" | sed 1d
}

whole=$(mktemp)
trap 'rm -f "$whole"' EXIT
{ help_of_all; echo; } | awk '/^= / && NR > 1 {print ""} {print}' >"$whole"
if [ $print = yes ]; then
    markdown "$whole"
    exit
fi
page=$(sed '/<!-- options -->/q' docs/cli.md)
{
    printf '%s\n\n' "$page"
    markdown "$whole"
    printf '\n<!-- /options -->\n'
} >docs/cli.md.new
mv docs/cli.md.new docs/cli.md
