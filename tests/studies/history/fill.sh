#!/usr/bin/env bash
# Cost of a history with many points, in SQLite and in PostgreSQL: its size, the time to add a run of 1,000 cases, and
# the time to show a case. Prints a markdown table. Ten machines share the points; each run has 1,000 cases.
#     tests/studies/history/fill.sh [PATH_OF_KGATE [POINTS [FOLDER]]]
# Ten million points, the default, take some ten minutes and 3 GB in FOLDER (default: TMPDIR).
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")/../../.."
kgate=$(realpath "${1:-build/release/kgate}")
runs=$((${2:-10000000} / 10000)) # per machine
folder=$(mktemp -d "${3:-${TMPDIR:-/tmp}}/kgate-fill-XXXXXX")
programs=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
export PYTHONDONTWRITEBYTECODE=1

as() { if [ "$(id -u)" -eq 0 ]; then setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; else "$@"; fi; }

server() { # start OPTIONS... or stop
    local options="-c listen_addresses='' -c unix_socket_directories=$folder/pg -c shared_buffers=128MB"
    if [ "$1" = start ]; then
        (cd "$folder/pg" && as "$programs/pg_ctl" -D "$folder/pg/data" -s -w -l "$folder/pg/log" \
            -o "$options ${*:2}" start)
    else
        (cd "$folder/pg" && as "$programs/pg_ctl" -D "$folder/pg/data" -s -m fast stop)
    fi
}

finish() {
    [ ! -e "$folder/pg/data/postmaster.pid" ] || server stop || true
    rm -rf "$folder"
}
trap finish EXIT

# The kernel forgets the files, so the next read comes from the disk.
forget() { find "$@" -type f -exec dd if={} iflag=nocache count=0 status=none \; ; }

milliseconds() { # COMMAND...
    local begin
    begin=$(date +%s%N)
    "$@" >"$folder/out" 2>"$folder/err" || { cat "$folder/err" >&2; exit 1; }
    echo $((($(date +%s%N) - begin) / 1000000))
}

# "median (least to most)" of 20 added runs.
adds() { # PLACE
    local i
    for i in $(seq 20); do
        sed "s/\"created\": \"[^\"]*\"/\"created\": \"2027-01-$(printf %02d "$i")T00:00:00Z\"/" \
            "$folder/many.json" >"$folder/one.json"
        milliseconds "$kgate" history add "$folder/one.json" --history "$1" -q
    done | sort -n | awk '{ms[NR] = $1} END {printf "%d (%d to %d)", ms[int((NR + 1) / 2)], ms[1], ms[NR]}'
}

show() { # PLACE MACHINE...
    milliseconds "$kgate" history show many/n=500/cpu --json --history "$1" "${@:2}"
}

cat >"$folder/suite.yaml" <<'YAML'
version: 1
suite: many
defaults: {trace: no, sample_time: 0ns, rounds: {min: 10, max: 10}, min_time: 2ms, disturbance: 100%, metrics: [time]}
workloads: [{name: copy, kernel: copy, params: {bytes: 16KiB}}]
YAML
"$kgate" run -c "$folder/suite.yaml" -o "$folder/few.json" -q
jq '.machine.host = "0000000000000001" | .machine.fingerprint = "many-8cpu-16gib-00000000" | .suite = "many"
    | .cases[0] as $case | .cases = [range(1000) as $i | $case | .id = "many/n=\($i)/cpu"
        | .definition_hash = ("0000000000000000" + ($i | tostring))[-16:]]' "$folder/few.json" >"$folder/many.json"

places=("$folder/history.db")
if [ -n "$programs" ]; then
    mkdir "$folder/pg"
    chmod 755 "$folder"
    [ "$(id -u)" -ne 0 ] || chown 65534:65534 "$folder/pg"
    (cd "$folder/pg" && as "$programs/initdb" -D "$folder/pg/data" -A trust -U kgate --no-sync --locale=C.UTF-8 -E UTF8 >"$folder/out")
    server start -c fsync=off -c max_wal_size=4GB
    places+=("postgresql:///postgres?host=$folder/pg&user=kgate")
fi

seconds=()
for machine in $(seq 10); do
    python3 tests/studies/history/rows.py "$machine" "$runs" >"$folder/rows.csv"
    for i in "${!places[@]}"; do
        took=$(milliseconds "$kgate" history import "$folder/rows.csv" --history "${places[i]}")
        seconds[i]=$((${seconds[i]:-0} + took))
        echo "machine $machine: ${places[i]%%\?*} $took ms" >&2
    done
done
rm "$folder/rows.csv"

echo "| database | points | MiB | import, points/s | add 1,000 cases, ms: median (range of 20) | show, 1 machine, cold, ms | again | 10 machines, cold | again |"
echo "| :-- | --: | --: | --: | --: | --: | --: | --: | --: |"
for i in "${!places[@]}"; do
    place=${places[i]}
    files=("$folder/history.db")
    if [ "$i" -eq 1 ]; then
        files=("$folder/pg/data")
        psql="$programs/psql"
        "$psql" -q -c 'VACUUM ANALYZE' "$place"
        server stop
        server start
        size=$("$psql" -At -c "SELECT pg_database_size('postgres') / 1048576" "$place")
        name=PostgreSQL
    else
        size=$(($(stat -c %s "$folder/history.db") / 1048576))
        name=SQLite
    fi
    cold=()
    for machine in one all; do
        only=()
        [ "$machine" = all ] || only=(--machine 0000000000000002)
        [ "$i" -eq 0 ] || server stop
        forget "${files[@]}"
        [ "$i" -eq 0 ] || server start
        cold+=("$(show "$place" "${only[@]}")" "$(show "$place" "${only[@]}")")
    done
    echo "| $name | $((runs * 10000)) | $size | $((runs * 10000000 / (seconds[i] + 1))) | $(adds "$place") | ${cold[0]} | ${cold[1]} | ${cold[2]} | ${cold[3]} |"
done
