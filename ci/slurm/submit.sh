#!/usr/bin/env bash
# Measures a suite on the nodes of a Slurm cluster: jobs for the shards, then a job that merges them. See --help.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export KGATE=${KGATE:-kgate}

usage() {
    cat <<'TEXT'
usage: ci/slurm/submit.sh --shards N -o DIR [options] [SBATCH_OPTION...] -- gate|ab KGATE_OPTION...

Submits `kgate gate` or `kgate ab` as N shards with a node each, and a job that merges the shards. Prints the
ids of the jobs.

  -o DIR         folder for plan.json, shards/, log/ and the merged reports, on a file system of all nodes
  --steps NODES  one allocation of so many nodes, with a step of srun per shard, instead of an array
  --only LIST    runs these shards of DIR again, such as 3,6, and merges again
  --wait         waits for the merge, prints its summary and exits with its status
  --help         prints this

An option of sbatch is one word: --partition=bench --time=30 --gpus=1 --cpu-freq=Performance --gpu-freq=high
--no-requeue. The job that merges gets only --partition, --account and --qos. KGATE is the program of kgate.
TEXT
}

die() {
    echo "ci/slurm/submit.sh: $*" >&2
    exit 2
}

shards='' out='' only='' nodes='' partition='' wait=() common=() options=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    case $1 in
    --shards | -o | --only | --steps) [ $# -gt 1 ] || die "$1 needs a value" ;;&
    --shards) shards=$2 && shift ;;
    -o) out=$2 && shift ;;
    --only) only=$2 && shift ;;
    --steps) nodes=$2 && shift ;;
    --wait) wait=(--wait) ;;
    --help | -h) usage && exit ;;
    --partition=*) partition=${1#*=} && common+=("$1") ;;
    --account=* | --qos=*) common+=("$1") ;;
    --*) options+=("$1") ;;
    *) die "unknown argument '$1'; join an sbatch option and its value, such as --time=30" ;;
    esac
    shift
done
[ $# -gt 1 ] || { usage >&2 && die "-- gate|ab is missing"; }
shift
[[ $shards =~ ^[1-9][0-9]*$ ]] || die "--shards must be a number from 1"
[ -n "$out" ] || die "-o DIR is missing"
case $1 in gate | ab) ;; *) die "'$1' must be gate or ab" ;; esac

# Appends to an array the options among "$@" that another command of kgate shares, with their values.
shared_options() { # ARRAY NAMES WORD...
    local -n found=$1
    local names=" $2 "
    shift 2
    while [ $# -gt 0 ]; do
        case $names in
        *" $1 "*) found+=("$1" "${2-}") && shift ;;
        *" ${1%%=*} "*) found+=("$1") ;;
        esac
        shift
    done
}

# The ids of the array's tasks: they count from 0, as `--shard auto/N` reads them; shards count from 1.
tasks() {
    local shard list=
    [ -n "$only" ] || { echo "0-$((shards - 1))" && return; }
    for shard in ${only//,/ }; do
        if [[ ! $shard =~ ^[1-9][0-9]*$ ]] || [ "$shard" -gt "$shards" ]; then
            die "--only has '$shard', but shards are 1 to $shards"
        fi
        list+=,$((shard - 1))
    done
    echo "${list#,}"
}

# A partition that gives a node to several jobs may overrule --exclusive: the jobs then disturb each other's times.
sharing_warn() {
    scontrol --oneliner show partition ${partition:+"$partition"} | awk -v named="$partition" '
        !named && !/ Default=YES/ { next }
        match($0, / OverSubscribe=[^ ]*/) {
            value = substr($0, RSTART + 15, RLENGTH - 15)
            if (value != "NO" && value != "EXCLUSIVE")
                print "ci/slurm/submit.sh: warning: jobs may share a node: " $1 " has OverSubscribe=" value ". Use a partition with OverSubscribe=EXCLUSIVE."
        }' >&2
}

plan=() judge=()
shared_options plan "-c --suite -b --baseline --filter --device --set --trust" "${@:2}"
shared_options judge "-b --baseline --accepted --trust --accept-from" "${@:2}"
array=$(tasks)
mkdir -p "$out/shards" "$out/log"
out=$(realpath "$out")
if [ -z "$only" ]; then
    # Shards of another commit cannot be merged with the new ones.
    [ -z "$(ls "$out/shards")" ] || die "'$out/shards' has shards; give a new folder, or --only"
    "$KGATE" plan "${plan[@]}" --shards "$shards" -o "$out/plan.json" --quiet
fi
sharing_warn
if [ -n "$nodes" ]; then
    job=$(sbatch --parsable "${common[@]}" "${options[@]}" --nodes="$nodes" --output="$out/log/steps-%j.log" \
        "$here/steps.sbatch" "${only:-all}" "$shards" "$out" "$@")
else
    job=$(sbatch --parsable "${common[@]}" "${options[@]}" --array="$array" --output="$out/log/shard-%A_%a.log" \
        "$here/shard.sbatch" "$shards" "$out" "$@")
fi
echo "shards: job ${job%;*}"
status=0
# afterany: a shard that failed, was cancelled or was lost is in the report too.
merge=$(sbatch --parsable "${wait[@]}" "${common[@]}" --dependency="afterany:${job%;*}" --output="$out/log/merge.log" \
    "$here/merge.sbatch" "$out" "${judge[@]}") || status=$?
[ -n "$merge" ] || exit "$status"
echo "merge: job ${merge%;*}, report: $out/report.md"
[ "${#wait[@]}" -eq 0 ] || cat "$out/log/merge.log"
exit "$status"
