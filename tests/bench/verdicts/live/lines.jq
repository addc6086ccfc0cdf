# A comparison as lines of gates.csv, one a case.
. as $all | .cases[] | .metrics[0] as $metric |
[$time, $program, $machine, $gate, $state, $mode, $slow, $status, $all.verdict, $seconds,
 ($all.cases | length), .workload, .change, $metric.name, $metric.ratio, $metric.interval_low,
 $metric.interval_high, $metric.p_value, .rounds, .confirming_rounds, $metric.suspected,
 ($metric.reason // .reason // $error)] | @csv
