# The table of docs/evidence/kernels.md from the results of suite.yaml, first with one thread, then with all;
# $blas says which OpenBLAS they were measured beside.
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
# What a round is compared by, the less the better: time, or time for each operation.
def cost($group):
    (if $group | startswith("rate.") then .work.flops else 1 end) as $work
    | .rounds.median_ns | map(. / $work);
# A round's time; where rates are compared, with the rate.
def time($group; $at):
    .rounds.median_ns[$at] as $ns | ($ns | duration)
    + if $group | startswith("rate.") then ", \(.work.flops / $ns | round) GFLOP/s" else "" end;

# A round of one is measured beside the same round of the other: their ratio is free of what
# changed in between, and its median deviation says how free. The row is the round whose ratio is
# in the middle, so that its columns agree; more than a tenth of scatter is marked.
def row($group; $peers):
    cost($group) as $own
    | ($peers | min_by(cost($group) | median)) as $peer
    | ([$own, ($peer | cost($group))] | transpose | map(.[1] / .[0])) as $ratios
    | ($ratios | to_entries | sort_by(.value) | .[(length - 1) / 2 | floor]) as $middle
    | ($ratios | map(. - $middle.value | fabs) | median / $middle.value) as $scatter
    | {kernel: name, size: size, group: $group, peer: ($peer | peer_name),
       time: time($group; $middle.key),
       ratio: "\($middle.value | ratio)\(if $scatter > 0.1 then " !" else "" end)"};
def rows:
    [.cases[] | select(.status == "OK")] as $cases
    | [ $cases[] | select(.tags[0] == "fast") | . as $case
        | .tags[1:][] as $group
        | [$cases[] | select(.tags[0] == "peer" and (.tags[1:] | index($group)))] as $peers
        | select($peers != []) | $case | row($group; $peers) ];
def cells: if . == null then "- | -" else "\(.time) | \(.ratio)" end;

.[0] as $first
| "\($first.machine.cpu_model), \($first.machine.cpu_count) CPUs. \($first.machine.kernel), "
  + "\($first.machine.compiler). \($first.created[0:10]), \($blas):",
  "",
  "| kernel | size | peer | one thread | share of peer | all threads | share of peer |",
  "| :-- | :-- | :-- | --: | --: | --: | --: |",
  ( map(rows) as $tables
    | [$tables[][] | {kernel, size, group}]
    | reduce .[] as $key ([]; if index([$key]) then . else . + [$key] end) | .[] as $key
    | [$tables[] | map(select({kernel, size, group} == $key))[0]] as [$one, $all]
    | ([$one.peer, $all.peer | values]
       | if length == 2 and .[0] != .[1] then "\(.[0]); all: \(.[1])" else .[0] end) as $peer
    | "| \($key.kernel) | \($key.size) | \($peer) | \($one | cells) | \($all | cells) |" ),
  ( .[].cases[] | select(.status != "OK")
    | "not measured: \(.id): \(.reason // .status)" )
