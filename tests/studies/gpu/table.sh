#!/usr/bin/env bash
# The table of docs/evidence/kernels.md from what ci/gpu.sh left: a row a kernel and size, its ways of timing beside each
# other, with the share of the device's measured ceiling, the CPU's time over the GPU's, and how far two
# runs of the same code lie apart. Of parts that have not run there is nothing, or `-`. Needs jq.
#
#   tests/studies/gpu/table.sh out/gpu
set -euo pipefail
folder=${1:?usage: tests/studies/gpu/table.sh FOLDER}
suites=("$folder"/suite-*/results.json)
[ -s "${suites[0]}" ] || { echo "table.sh: no part of the suite has results in $folder" >&2; exit 1; }

# A file of a part, or an empty one.
of() { if [ -s "$folder/$1" ]; then echo "$folder/$1"; else echo /dev/null; fi; }

jq -rs --slurpfile first "$(of scatter/first.json)" --slurpfile second "$(of scatter/second.json)" \
    --slurpfile cpu "$(of cpu/results.json)" '
def duration:
    if . == null then "-"
    elif . < 1e3 then "\(. * 10 | round / 10) ns"
    elif . < 1e6 then "\(. / 1e1 | round / 100) us"
    else "\(. / 1e4 | round / 100) ms" end;
def percent: if . == null then "-" else "\(. * 1000 | round / 10) %" end;
def figure($unit; $name): if . == null then "not measured" else "\(. / $unit * 10 | round / 10) \($name)" end;
# What is the same work, however it is timed and wherever it runs.
def what: "\(.workload) \(.params // {} | to_entries | map("\(.key)=\(.value)") | join(" "))";
def times: [.[].cases[] | select(.status == "OK")];
def find($cases; $key; $timing):
    first($cases[] | select(what == $key and ($timing == null or .timing == $timing))) // null;
# The share that says most: of the copy, unless arithmetic is what the case is for.
def share:
    .work // {} | if (.flops // 0) > 2 * (.bytes // 0)
                  then (.tensor_share // .fma_share)
                  else .bandwidth_share end;

times as $all | ($first | times) as $one | ($second | times) as $two | ($cpu | times) as $host |
.[0].machine as $machine | $machine.gpus[$machine.gpu_chosen // 0] as $gpu |
(first(.[].ceilings | select(. != null)) // {}) as $most |
"\($gpu.name), driver \($machine.nvidia_driver), \(.[0].created[0:10]); ceilings of this device by kgate: " +
"copies \($most.copy_bytes_per_s | figure(1e9; "GB/s")), " +
"multiply-adds \($most.fma_flops_per_s | figure(1e12; "TFLOP/s")), " +
"tensor cores (\($most.tensor_by)) \($most.tensor_flops_per_s | figure(1e12; "TFLOP/s")).",
"",
"| case | cold | hot | graph | wall | of the ceiling | CPU over GPU | two runs apart |",
"| --- | --: | --: | --: | --: | --: | --: | --: |",
( $all | map(what) |
  reduce .[] as $k ([]; if index([$k]) then . else . + [$k] end) | .[] as $key |
  (["cold", "hot", "graph", "wall"] | map(find($all; $key; .))) as $ways |
  first($ways[] | select(. != null)) as $case |
  (first($one[] | select(.id == $case.id)) // null) as $before |
  (first($two[] | select(.id == $case.id)) // null) as $after |
  find($host; $key; null) as $processor |
  "| \($key) " + ($ways | map("| \(.summary.median_ns? | duration) ") | join("")) +
  "| \($case | share | percent) " +
  "| \(if $processor == null then "-"
      else $processor.summary.median_ns / $case.summary.median_ns * 10 | round / 10 end) " +
  "| \(if $before == null or $after == null then "-"
      else $after.summary.median_ns / $before.summary.median_ns - 1 | fabs | percent end) |" )
' "${suites[@]}"
