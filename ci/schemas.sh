#!/usr/bin/env bash
# Writes docs/schema/*.json from the field tables.
#
#   ci/schemas.sh [KGATE]     default: build/release/kgate
set -euo pipefail
cd "$(dirname "$0")/.."
kgate=$(realpath "${1:-build/release/kgate}")

rm -f docs/schema/*.schema.json
"$kgate" schema | while read -r name schema _; do
    "$kgate" schema "$name" >"docs/schema/${schema#kgate.}.schema.json"
done
