# The table of docs/kernels.md from the results of suite.yaml, one file for each number of threads.
def duration:
    if . < 1e3 then "\(. * 10 | round / 10) ns"
    elif . < 1e6 then "\(. / 1e1 | round / 100) us"
    else "\(. / 1e4 | round / 100) ms" end;
def percent: "\(. * 100 | round) %";
# A share, or how many times as fast.
def ratio: if . < 2 then percent else "\(. * 10 | round / 10) x" end;
def median:
    sort | if length % 2 == 1 then .[length / 2 | floor]
           else (.[length / 2 - 1] + .[length / 2]) / 2 end;
def name: .workload | split(".")[0] | gsub("_"; " ");
def size:
    .params | to_entries
    | map(select(.key != "version" and .key != "what") | "\(.key)=\(.value)") | join(" ");
def peer_name: .params.what // name | gsub("_"; " ");
def peer_time($group):
    if $group | startswith("rate.")
    then "\(.work.flops / .summary.median_ns | round) GFLOP/s"
    else .summary.median_ns | duration end;
# What a round is compared by, the less the better: time, or time for each operation.
def cost($group):
    (if $group | startswith("rate.") then .work.flops else 1 end) as $work
    | .rounds.median_ns | map(. / $work);

# A round of one is measured beside the same round of the other: their ratio is free of what
# changed in between, and its median deviation says how free.
def row($group; $peers; $threads):
    cost($group) as $own
    | ($peers | min_by(cost($group) | median)) as $peer
    | ([$own, ($peer | cost($group))] | transpose | map(.[1] / .[0])) as $ratios
    | ($ratios | median) as $ratio
    | "| \(name) | \(size) | \($threads) | \(.summary.median_ns | duration) | \($peer | peer_name) " +
      "| \($peer | peer_time($group)) | \($ratio | ratio) " +
      "| \($ratios | map(. - $ratio | fabs) | median / $ratio | . * 1000 | round / 10) % |";

.[0] as $first
| "\($first.machine.cpu_model), \($first.machine.cpu_count) CPUs, \($first.created[0:10]), OpenBLAS for \($core):",
  "",
  "| kernel | size | threads | time | peer | its time | of the peer | scatter |",
  "| :-- | :-- | --: | --: | :-- | --: | --: | --: |",
  ( to_entries[] | (if .key == 0 then "1" else "all" end) as $threads
    | [.value.cases[] | select(.status == "OK")] as $cases
    | $cases[] | select(.tags[0] == "fast") | . as $case
    | .tags[1:][] as $group
    | [$cases[] | select(.tags[0] == "peer" and (.tags[1:] | index($group)))] as $peers
    | select($peers != []) | $case | row($group; $peers; $threads) ),
  ( .[].cases[] | select(.status != "OK")
    | "not measured: \(.id): \(.reason // .status)" )
