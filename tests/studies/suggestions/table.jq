# The table of docs/evidence/suggestions.md. $turns has the results of all workloads measured in turn, the input
# is a stream of {cases, suggestions}, one for each time that a workload was measured by itself.
def median:
    sort | if length == 0 then null
           elif length % 2 == 1 then .[length / 2 | floor]
           else (.[length / 2 - 1] + .[length / 2]) / 2 end;
def times: if . == null then "-" elif . < 10 then "\(. * 100 | round / 100)x" else "\(. * 10 | round / 10)x" end;
def within($factor): . != null and . <= $factor and . >= 1 / $factor;
def rank: {critical: 0, high: 1, medium: 2, low: 3}[. // ""] // 4;

# What mending gains, by the case that counts, the last of its workload: each round of one beside the
# same round of the other, for as many items; or the memory that it has at its peak.
def cost($memory): if $memory then [.memory.peak_bytes]
                   else (.work.items // 1) as $items | .rounds.median_ns | map(. / $items) end;
def gain($bad; $mended; $memory):
    [($bad | cost($memory)), ($mended | cost($memory))] | transpose
    | map(select(.[0] != null and .[1] != null) | .[0] / .[1]) | median;

# What is said of a case and of the scopes in it, most time saved first.
def said($id): map(select(.operation == $id or .whole == $id));
# The suggestion's estimate for a call of the case, as a speedup, or for its memory.
def estimate($memory; $case_ns):
    if $memory then (if .estimated_bytes then .current_bytes / .estimated_bytes else null end)
    elif .saved_ns == null then null
    else $case_ns / ($case_ns - .saved_ns) end;

[inputs] as $alone
| $turns[0] as $all
| [ $all.cases | to_entries[] | select(.value.tags[1] == "bad") | .value.tags[0] ]
  | reduce .[] as $name ([]; if index($name) then . else . + [$name] end)
  | map(. as $pair
    | ([$all.cases[] | select(.tags[0] == $pair and .tags[1] == "bad")] | last) as $bad
    | ([$all.cases[] | select(.tags[0] == $pair and .tags[1] == "mended")] | last) as $mended
    | ($bad.tags | index("memory") != null) as $memory
    | [$bad.tags[] | select(startswith("cause.")) | ltrimstr("cause.")] as $causes
    | if $bad.status != "OK" or $mended.status != "OK" then
        {pair: $pair, causes: $causes,
         missing: first([$bad, $mended][] | select(.status != "OK") | .reason // .status)}
      else
        [ $alone[] | select(any(.cases[]; .id == $bad.id)) | . as $one
          | (first($one.cases[] | select(.id == $bad.id)) | .summary.median_ns) as $case_ns
          | ($one.suggestions | said($bad.id)) as $found | $found[0] as $first
          | {rule: $first.rule,
             named: ($first.rule as $rule | $causes | index($rule) != null),
             estimate: ($first // {} | estimate($memory; $case_ns)),
             others: [$found[1:][].rule]} ] as $asked
        | [ $alone[] | select(any(.cases[]; .id == $mended.id)) | .suggestions | said($mended.id)
            | min_by(.priority | rank) | {rule, priority} ] as $after
        | gain($bad; $mended; $memory) as $gain
        | {pair: $pair, causes: $causes, $asked, $after, $gain, $memory,
           named: ([$asked[] | select(.named)] | length),
           of: ($asked | length),
           first: $asked[0],
           estimate: ([$asked[].estimate | values] | median),
           worst: ($after | min_by(.priority | rank))}
        | .ratio = (if .estimate and .gain then .estimate / .gain else null end)
      end) as $rows
| [$rows[] | select(.missing | not)] as $measured
| def share($count): "\($count) of \($measured | length)";
  "\($all.machine.cpu_model), \($all.machine.cpu_count) CPUs, \($all.machine.kernel), "
  + "\($all.machine.compiler), \($all.created[0:10]):",
  "",
  "| pair | named first (true cause, if another) | estimated | measured | ratio | highest on the fixed |",
  "| :-- | :-- | --: | --: | --: | :-- |",
  ( $measured[]
    | "| \(.pair | gsub("_"; " ")) "
      + "| \(.first.rule // "nothing")\(if .of > 1 then " (\(.named) of \(.of) right)" elif .named == 0 then " ! (\(.causes | join(" or ")))" else "" end) "
      + "| \(.estimate | times)\(if .memory then " memory" else "" end) | \(.gain | times) "
      + "| \(if .ratio then .ratio * 100 | round / 100 else "-" end)\(if .ratio | within(1.5) then "" else " !" end) "
      + "| \(.worst | if .rule then "\(.priority): \(.rule)" else "none" end)"
      + "\(if (.worst.priority | rank) < 2 then " !" else "" end) |" ),
  "",
  "cause named first: \(share([$measured[] | select(.named * 2 > .of)] | length)) (goal: 9 of 10)",
  "estimate within a factor of 1.5: \(share([$measured[] | select(.ratio | within(1.5))] | length)) (goal: 8 of 10)",
  "nothing of priority high or above on the mended version: \(share([$measured[] | select((.worst.priority | rank) >= 2)] | length)) (goal: all)",
  ( $rows[] | select(.missing) | "not measured: \(.pair | gsub("_"; " ")): \(.missing)" )
