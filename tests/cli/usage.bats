load support

@test "help and version exit 0; every subcommand has help" {
    run kgate --help
    [ "$status" -eq 0 ]
    [[ "$output" == *"exit status: 0 pass, 1 regression"* ]]
    for subcommand in gate run compare ab baseline calibrate doctor report validate list init; do
        run kgate $subcommand --help
        [ "$status" -eq 0 ]
        [[ "${lines[0]}" == "usage: kgate $subcommand"* ]]
    done
    run kgate --version
    [[ "$output" == kgate\ * ]]
}

@test "wrong usage exits 2 and names the nearest right one" {
    run kgate
    [ "$status" -eq 2 ]
    run kgate gaet
    [ "$status" -eq 2 ]
    [[ "$output" == *"did you mean 'gate'?"* ]]
    run kgate gate --sutie x
    [ "$status" -eq 2 ]
    [[ "$output" == *"did you mean '--suite'?"* ]]
    run kgate gate
    [ "$status" -eq 2 ]
    [[ "$output" == *"there is no suite: give one with -c SUITE, or write a kgate.yaml here"* ]]
    run kgate run -c suite.yaml
    [ "$status" -eq 2 ]
    run kgate gate -c suite.yaml extra
    [ "$status" -eq 2 ]
    run kgate gate -c suite.yaml --top x
    [ "$status" -eq 2 ]
    run kgate compare one.json
    [ "$status" -eq 2 ]
    run kgate baseline updte
    [ "$status" -eq 2 ]
    run kgate report x.json --format pdf
    [ "$status" -eq 2 ]
    run kgate gate -c suite.yaml --shard 3/2
    [ "$status" -eq 2 ]
}

@test "a wrong suite exits 2 with file, line, column and the nearest key" {
    sed -i 's/threshold: 50%/treshold: 50%/' suite.yaml
    place=$(awk '(at = index($0, "treshold")) { print NR ":" at }' suite.yaml)
    run kgate validate -c suite.yaml
    [ "$status" -eq 2 ]
    [[ "$output" == "kgate: suite.yaml:$place: "*"did you mean 'threshold'?"* ]]
    run kgate gate -c none.yaml
    [ "$status" -eq 2 ]
    suite_of <<<'  - {name: copy, kernel: cpoy}'
    run kgate validate -c one.yaml
    [ "$status" -eq 2 ]
    [[ "$output" == "kgate: one.yaml:5:26: "*"did you mean 'copy'?"* ]]
    suite_of <<<'  - {name: copy, kernel: copy, params: {byte: 4KiB}}'
    run kgate validate -c one.yaml
    [ "$status" -eq 2 ]
    [[ "$output" == *"did you mean 'bytes'?"* ]]
    suite_of <<<'  - {name: copy, kernel: copy, params: {bytes: 7B}}'
    run kgate validate -c one.yaml
    [ "$status" -eq 2 ]
    [[ "$output" == *"multiple of 4"* ]]
}

@test "validate, list and init agree" {
    run kgate validate -c suite.yaml
    [ "$status" -eq 0 ]
    [[ "$output" == "suite.yaml: good, 1 workload, 2 cases, "* ]]
    run kgate list -c suite.yaml
    [ "${lines[0]}" = "copy/bytes=16KiB,version=plain/cpu" ]
    [ "${lines[1]}" = "copy/bytes=16KiB,version=fast/cpu" ]
    kgate list -c suite.yaml --json | jq -e 'length == 2 and (.[0].definition_hash | length == 16)'
    printf '#!/bin/sh\n' >bench_app
    chmod +x bench_app
    run kgate init
    [ "$status" -eq 0 ]
    run kgate validate -c kgate.yaml
    [ "$status" -eq 0 ]
    run kgate init
    [ "$status" -eq 2 ]
}

@test "the suite may come from standard input, and --set changes defaults" {
    run bash -c "'$KGATE' validate -c - <suite.yaml"
    [ "$status" -eq 0 ]
    run kgate validate -c suite.yaml --set rounds.mni=3
    [ "$status" -eq 2 ]
    [[ "$output" == *"--set"* ]]
    kgate run -c suite.yaml -o r.json -q --set rounds.min=5
    jq -e '.cases[0].rounds.median_ns | length == 5' r.json
}

@test "ids are whole in a pipe and a file; on a terminal both their ends are left" {
    suite_of <<'YAML'
  - name: a_workload_with_a_long_name_to_begin_with
    kernel: gemm
    params: {m: 32, n: 32, type: f32, version: blocked}
    matrix: {k: [16, 32]}
YAML
    kgate list -c one.yaml >ids
    [ "$(head -n 1 ids | wc -c)" -gt 72 ]
    kgate run -c one.yaml -o r.json | cat >shown
    while read -r id; do grep -qF "  $id  " shown; done <ids
    ! grep -q … shown
    kgate run -c one.yaml -o s.json -q
    kgate report r.json -o report.txt
    while read -r id; do grep -qF "  $id  " report.txt; done <ids
    script -qec "stty cols 80; '$KGATE' report r.json" /dev/null >shown
    [ "$(grep -c '  a_workload.*….*/cpu  ' shown)" -eq 2 ]
    [ "$(grep -o 'a_workload[^ ]*' shown | sort -u | wc -l)" -eq 2 ]
}

@test "validate: on a terminal a long path is cut and the sentence wrapped; a pipe has both whole" {
    long=a_folder_with_a_long_name/another_folder_with_a_long_name/and_one_more_of_them
    mkdir -p $long && cp suite.yaml $long
    script -qec "stty cols 80; '$KGATE' validate -c '$PWD/$long/suite.yaml'" /dev/null >shown
    grep -q '^/.*….*/suite.yaml:' shown
    [ "$(wc -L <shown)" -le 80 ]
    run kgate validate -c "$PWD/$long/suite.yaml"
    [ "$output" = "$PWD/$long/suite.yaml: good, 1 workload, 2 cases, 0 cannot run on this machine" ]
}

@test "no colour and no bar where there is no terminal; NO_COLOR on one" {
    run kgate gate -c suite.yaml -b base -o out
    [[ "$output" != *$'\x1b'* ]]
    run script -qec "NO_COLOR=1 '$KGATE' report out/comparison.json" /dev/null
    [[ "$output" != *$'\x1b[3'* ]]
    run env TERM=xterm script -qec "'$KGATE' report out/comparison.json" /dev/null
    [[ "$output" == *$'\x1b[3'* ]]
}

@test "on a terminal without UTF-8 the text is ASCII; files and pipes have UTF-8" {
    kgate run -c suite.yaml -o r.json -q
    kgate compare r.json r.json -o out >/dev/null || true
    run env LC_ALL=C script -qec "'$KGATE' report out/comparison.json --verbose; '$KGATE' report r.json; '$KGATE' explain fast r.json" /dev/null
    [[ "$output" == *"..."* && "$output" == *"+-"* ]]
    [ -z "$(grep -P '[^\x00-\x7F]' <<<"$output")" ]
    run env LC_ALL=C.UTF-8 script -qec "'$KGATE' report r.json; '$KGATE' report out/comparison.json --verbose" /dev/null
    [[ "$output" == *"±"* && "$output" == *"…"* ]]
    LC_ALL=C kgate report r.json >piped
    grep -q '±' piped
}
