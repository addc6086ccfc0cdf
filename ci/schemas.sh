#!/usr/bin/env bash
# Writes what is generated of the tables of fields: docs/schema/*.json and the reference in docs/files.md.
#
#   ci/schemas.sh [KGATE]     default: build/release/kgate
set -euo pipefail
cd "$(dirname "$0")/.."
kgate=$(realpath "${1:-build/release/kgate}")

rm -f docs/schema/*.schema.json
"$kgate" schema | while read -r name schema _; do
    "$kgate" schema "$name" >"docs/schema/${schema#kgate.}.schema.json"
done

page=$(sed '/<!-- fields -->/q' docs/files.md)
{
    printf '%s\n\n' "$page"
    "$kgate" schema --format markdown
    printf '\n<!-- /fields -->\n'
} >docs/files.md
