# A comparison as lines of gates.csv, one a case. $changed: the files of the cases that are slower,
# "" for all.
($changed | split(" ") | map(rtrimstr(".so"))) as $some | . as $all | .cases[] | .metrics[0] as $metric |
[$time, $program, $machine, $gate, $state, $mode,
 (if $changed == "" or (.workload as $name | $some | index($name)) then $slow else "0" end), $status, $all.verdict, $seconds,
 ($all.cases | length), .workload, .change, $metric.name, $metric.ratio, $metric.interval_low,
 $metric.interval_high, $metric.p_value, .rounds, .confirming_rounds, $metric.suspected,
 ($metric.reason // .reason // $error)] | @csv
