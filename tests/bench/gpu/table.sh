#!/usr/bin/env bash
# The table of docs/gpu.md from what ci/gpu.sh left: a row a kernel and size, cold and hot beside each
# other, with the share of the device's measured ceiling, the CPU's time over the GPU's, and how far two
# runs of the same code lie apart. Needs jq.
#
#   tests/bench/gpu/table.sh out/gpu
set -euo pipefail
folder=${1:?usage: tests/bench/gpu/table.sh FOLDER}
jq -rn --slurpfile results "$folder/results.json" --slurpfile again "$folder/again.json" \
    --slurpfile cpu "$folder/cpu.json" '
def duration:
    if . == null then "-"
    elif . < 1e3 then "\(. * 10 | round / 10) ns"
    elif . < 1e6 then "\(. / 1e1 | round / 100) us"
    else "\(. / 1e4 | round / 100) ms" end;
def percent: if . == null then "-" else "\(. * 1000 | round / 10) %" end;
# What is the same work, however it is timed and wherever it runs.
def what: "\(.workload) \(.params | to_entries | map("\(.key)=\(.value)") | join(" "))";
def times: [.[0].cases[] | select(.status == "OK")];
def find($cases; $key; $timing):
    first($cases[] | select(what == $key and .timing == $timing)) // null;
# The share that says most: of the copy, unless arithmetic is what the case is for.
def share:
    .work | if (.flops // 0) > 2 * (.bytes // 0)
            then (.tensor_share // .fma_share)
            else .bandwidth_share end;

($results | times) as $first | ($again | times) as $second | ($cpu | times) as $host |
$results[0] as $run | $run.machine.gpus[$run.machine.gpu_chosen] as $gpu |
"\($gpu.name), driver \($run.machine.nvidia_driver), \($run.created[0:10]); " +
"ceilings of this device by kgate: copies \($run.ceilings.copy_bytes_per_s / 1e9 | round) GB/s, " +
"multiply-adds \($run.ceilings.fma_flops_per_s / 1e12 * 10 | round / 10) TFLOP/s, " +
"tensor cores (\($run.ceilings.tensor_by)) \($run.ceilings.tensor_flops_per_s / 1e12 | round) TFLOP/s.",
"",
"| case | cold | hot | of the ceiling | CPU over GPU | two runs apart |",
"| --- | --: | --: | --: | --: | --: |",
( $first | map(what) |
  reduce .[] as $k ([]; if index([$k]) then . else . + [$k] end) | .[] as $key |
  find($first; $key; "cold") as $cold | find($first; $key; "hot") as $hot |
  ($cold // $hot // first($first[] | select(what == $key))) as $case |
  first($second[] | select(.id == $case.id)) as $other |
  (find($host; $key; null)) as $processor |
  "| \($key) | \($cold.summary.median_ns | duration) | \($hot.summary.median_ns | duration) " +
  "| \($case | share | percent) " +
  "| \(if $processor == null then "-"
      else $processor.summary.median_ns / $case.summary.median_ns * 10 | round / 10 end) " +
  "| \($other.summary.median_ns / $case.summary.median_ns - 1 | fabs | percent) |" )
'
