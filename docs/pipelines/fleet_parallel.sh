#!/usr/bin/env bash
# Measures a suite on several machines by ssh and GNU parallel: fleet_parallel.sh HOST,HOST... SHARDS DIR ab|gate KGATE_OPTION...
# Every host needs kgate on its PATH, and this folder and DIR at the same path (NFS, sshfs).
set -euo pipefail
hosts=$1 shards=$2 out=$(realpath -m "$3")
shift 3
mkdir -p "$out/shards"
words=$(printf '%q ' "$@")
# One shard at a time per host. A regression (1) and an undecided case (4) are results: parallel must not try them again.
measure="cd $(printf %q "$PWD") && { kgate $words --shard {}/$shards -o $out/shards/{}; status=\$?; [ \$status -eq 1 ] || [ \$status -eq 4 ] || exit \$status; }"
seq "$shards" | parallel --sshlogin "$hosts" --jobs 1 --retries 2 --joblog "$out/joblog" "$measure" ||
    echo "fleet_parallel.sh: some shards were not measured. See $out/joblog" >&2
kgate merge "$out/shards" -o "$out"
