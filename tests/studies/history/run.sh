#!/usr/bin/env bash
# Judges the detector of lasting steps on recorded series (README.md). Leaves detections.csv in out/history.
#     tests/studies/history/run.sh SERIES [develop|report|all]     default: report
#     tests/studies/history/run.sh thresholds                      the table of the detector, some two minutes
# SERIES is a folder with the series and score.py. It is not in this repository.
set -euo pipefail
cd "$(dirname "$0")/../../.."
out=out/history
history=build/test/tests/history
series=${1:?folder of the series}
half=${2:-report}

cmake --preset test -G Ninja >/dev/null
if [ "$series" = thresholds ]; then
    cmake --build --preset test --target thresholds >/dev/null
    exec build/test/tests/thresholds
fi
cmake --build --preset test --target history >/dev/null
series=$(realpath "$series")
mkdir -p "$out"
folder=$series
if [ "$half" != all ]; then
    python3 tests/studies/history/halves.py "$series" "$out"
    folder=$(realpath "$out/$half")
fi
"$history" steps "$folder" >"$out/detections.csv"
python3 "$series/score.py" "$folder" "$out/detections.csv"
for subject in creep nodes; do
    printf '\n%s\n' "$subject"
    "$history" "$subject" "$folder"
done
"$history" drifts "$folder" >"$out/drifts.csv"
printf '\nalarms of the creep rule:'
python3 "$series/score.py" "$folder" "$out/drifts.csv" | grep quiet
printf '\ncauses: rows are labels, columns the causes that kgate names\n'
"$history" causes "$series" "$folder"
printf '\ncontrol\n'
"$history" control "$series"
printf '\nprior\n'
"$history" prior
printf '\ntime\n'
"$history" time
