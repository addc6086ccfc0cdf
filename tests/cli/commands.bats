load support

# What a command gets and gives: environment, directory, standard input, figures of its output.

figure() { jq -r --arg name "$2" '.cases[0].series[] | select(.name == $name) | .values[0]' "$1"; }

@test "a command gets variables, a directory beside the suite and standard input, with parameters in them" {
    mkdir -p bench/data
    echo "41 42" >bench/input-7.txt
    suite_of <<'YAML'
  - name: sh
    command: [sh, -c, 'test "$WORD" = "word 7" && test -e mark && read a b && test "$b" = 42']
    environment: {WORD: "word {n}", LC_ALL: C}
    directory: data
    stdin: input-{n}.txt
    params: {n: 7}
YAML
    mv one.yaml bench/suite.yaml
    touch bench/data/mark
    run kgate validate -c bench/suite.yaml
    [ "$status" -eq 0 ]
    run kgate run -c bench/suite.yaml -o r.json
    [ "$status" -eq 0 ]
    jq -e '.cases[0].status == "OK" and .cases[0].id == "sh/n=7/cpu"' r.json
}

@test "both sides of ab read the standard input that lies beside the suite" {
    mkdir base head
    printf '#!/bin/sh\nread -r line && [ "$line" = "the suite" ]\n' >base/program
    chmod +x base/program
    cp base/program head
    # the content of a checkout's own file is another case
    echo "the base" >base/in.txt
    echo "the suite" >in.txt
    suite_of <<<'  - {name: own, command: [./program], stdin: in.txt}'
    run kgate ab -c one.yaml --base base --head head -o out
    jq -e '.cases[0].status == "OK"' out/base.json
    jq -e '.cases[0].status == "OK"' out/head.json
}

@test "a program named by a relative path is found from where kgate was started, whatever its directory" {
    mkdir data
    printf '#!/bin/sh\ntest -e mark\n' >program
    chmod +x program
    touch data/mark
    suite_of <<<'  - {name: own, command: [./program], directory: data}'
    run kgate run -c one.yaml -o r.json
    [ "$status" -eq 0 ]
    jq -e '.cases[0].target == "./program"' r.json
}

@test "what is not there is said at its place: by validate, and as the case's reason" {
    suite_of <<<'  - {name: sh, command: ["true"], directory: nowhere}'
    run kgate validate -c one.yaml
    [ "$status" -eq 2 ]
    [[ $output == *"one.yaml:5:46: in workload 'sh': \`directory\`: 'nowhere': No such file or directory"* ]]
    run kgate run -c one.yaml -o r.json
    [ "$status" -eq 3 ]
    [[ $(jq -r '.cases[0].reason' r.json) == "cannot run 'true': its directory 'nowhere': No such file or directory" ]]
    suite_of <<<'  - {name: sh, command: ["true"], stdin: no-file}'
    run kgate run -c one.yaml -o r.json
    [[ $(jq -r '.cases[0].reason' r.json) == "cannot run 'true': its standard input 'no-file': "* ]]
}

@test "standard input from what is no file is refused at its place, before anything reads it" {
    mkdir folder
    mkfifo pipe
    ln -s /dev/zero endless
    for input in endless pipe folder /dev/zero; do
        suite_of <<<"  - {name: sh, command: [\"true\"], stdin: $input}"
        for command in "list -c one.yaml" "validate -c one.yaml" "gate -c one.yaml -o out" "run -c one.yaml -o r.json"; do
            # shellcheck disable=SC2086
            run timeout 60 "$KGATE" $command
            [ "$status" -eq 2 ]
            [[ $output == *"one.yaml:5:42: in workload 'sh': \`stdin\`: '$input' is not a regular file"* ]]
        done
    done
    # a link to a file is one
    echo 1 >data.txt
    ln -sf data.txt endless
    suite_of <<<'  - {name: sh, command: ["true"], stdin: endless}'
    kgate list -c one.yaml
}

@test "the keys of commands: each mistake has its line and column" {
    refused() {
        suite_of <<<"$1"
        run kgate validate -c one.yaml
        [ "$status" -eq 2 ]
        [[ $output == *"$2"* ]]
    }
    refused '  - {name: a, kernel: copy, stdin: x}' "one.yaml:5:29: 'stdin' goes with 'command', but workload 'a' is not a command"
    refused '  - {name: a, command: [x], environment: {1A: x}}' "5:43: a variable cannot be called '1A'"
    refused '  - {name: a, command: [x], environment: {KGATE_MARK: x}}' "kgate's own variable"
    refused '  - {name: a, command: [x], environment: [A]}' "'environment'"
    refused '  - {name: a, command: [x], exit_codes: [0, 256]}' "5:45: an exit status is '256', but must be a number from 0 to 255"
    refused '  - {name: a, command: [x], setup: []}' "'setup' needs at least one word"
    refused '  - {name: a, command: [x], directory: "{wrong}"}' "5:40: in workload 'a': \`directory\` has {wrong}"
    refused '  - {name: a, command: [x], counters: {c: {threshold: 1%, json: a/b}}}' "'json' is 'a/b', but must be a JSON pointer"
    refused '  - {name: a, command: [x], counters: {c: {threshold: 1%, regex: "(a"}}}' "'regex' is not an extended regular expression"
    refused '  - {name: a, command: [x], counters: {c: {threshold: 1%, regex: "a"}}}' "has no group"
    refused '  - {name: a, command: [x], counters: {c: {threshold: 1%, unit: parsec, json: /a}}}' "'unit' is 'parsec'"
    refused '  - {name: a, command: [x], counters: {c: {threshold: 1%, file: x}}}' "neither 'json' nor 'regex'"
    refused '  - {name: a, kernel: copy, counters: {c: {threshold: 1%, json: /a}}}' "read the output of a command"
    refused '  - {name: a, command: [x], counters: {c: {treshold: 1%}}}' "did you mean 'threshold'?"
    refused '  - {name: a, command: [x], counters: {c: {threshold: 1%, json: /a, unit: ms}}, budget: {c: "<= 3"}}' 'write for example "<= 5ms"'
}

@test "a parameter may stand in the environment alone" {
    suite_of <<<'  - {name: sh, command: ["true"], environment: {N: "{n}"}, matrix: {n: [1, 2]}}'
    run kgate list -c one.yaml
    [ "$output" = $'sh/n=1/cpu\nsh/n=2/cpu' ]
}

@test "exit statuses that are accepted are no failure; others are, 0 too" {
    suite_of <<<'  - {name: sh, command: [sh, -c, "exit 3"], exit_codes: [0, 3]}'
    run kgate run -c one.yaml -o r.json
    [ "$status" -eq 0 ]
    suite_of <<<'  - {name: sh, command: ["true"], exit_codes: [3]}'
    run kgate run -c one.yaml -o r.json
    [ "$status" -eq 3 ]
    [[ $(jq -r '.cases[0].reason' r.json) == "'true' exited with status 0" ]]
}

@test "setup and cleanup run once around a round's calls, untimed; cleanup also after a failure" {
    suite_of <<'YAML'
  - {name: sh, command: [sh, -c, "test -e made"], setup: [sh, -c, "test ! -e made && sleep 1 && touch made"], cleanup: [rm, made], rounds: {min: 1, max: 1}}
YAML
    run kgate run -c one.yaml -o r.json
    [ "$status" -eq 0 ]
    jq -e '.cases[0].rounds.max_ns[0] < 1e9' r.json
    [ ! -e made ]
    suite_of <<'YAML'
  - {name: sh, command: [sh, -c, "exit 9"], setup: [touch, made], cleanup: [rm, made]}
YAML
    run kgate run -c one.yaml -o r.json
    [ "$status" -eq 3 ]
    [[ $(jq -r '.cases[0].reason' r.json) == "'sh' exited with status 9" ]]
    [ ! -e made ]
    suite_of <<<'  - {name: sh, command: ["true"], setup: ["false"]}'
    run kgate run -c one.yaml -o r.json
    [ "$status" -eq 3 ]
    [[ $(jq -r '.cases[0].reason' r.json) == "'false' exited with status 1" ]]
}

@test "figures come from standard output or a file, by JSON pointer or regular expression, in their unit" {
    mkdir data
    suite_of <<'YAML'
  - name: app
    command: [sh, -c, 'echo "{{\"stats\": {{\"p/99\": [1.5, \"2.5\"]}}}}"; echo "latency: 7 us, frames: 30" >log-{n}.txt']
    directory: data
    params: {n: 3}
    counters:
      p99: {better: lower, threshold: 5%, json: /stats/p~199/1, unit: ms}
      frames: {better: higher, threshold: 5%, regex: 'frames: ([0-9.]+)', file: 'log-{n}.txt'}
      latency: {threshold: 5%, regex: 'latency: ([0-9]+) us', file: 'log-{n}.txt', unit: us}
    budget: {p99: "<= 3ms"}
YAML
    run kgate run -c one.yaml -o r.json --verbose
    [ "$status" -eq 0 ]
    [[ $output == *"2.50 ms"* ]]
    [ "$(figure r.json p99)" = 2500000 ]
    [ "$(figure r.json frames)" = 30 ]
    [ "$(figure r.json latency)" = 7000 ]
    jq -e '[.cases[0].series[] | select(.name == "p99") | .unit, .better] == ["ns", "lower"]' r.json
    valid r.json results
    # ten times the latency is a regression by the file alone
    jq '(.cases[0].series[] | select(.name == "p99").values) |= map(. * 10)' r.json >slow.json
    run kgate compare r.json slow.json
    [[ $output == *"p99"* ]]
    jq -e '.cases[0].budgets[0].limit == 3e6' r.json
}

@test "output without the figure fails its case and says what was looked for" {
    suite_of <<<'  - {name: app, command: [echo, "{{}}"], counters: {c: {threshold: 5%, json: /a}}}'
    run kgate run -c one.yaml -o r.json
    [ "$status" -eq 3 ]
    [ "$(jq -r '.cases[0].reason' r.json)" = "counter 'c': standard output has no '/a'" ]
    suite_of <<<'  - {name: app, command: [echo, "no"], counters: {c: {threshold: 5%, regex: "x(.)"}}}'
    run kgate run -c one.yaml -o r.json
    [ "$(jq -r '.cases[0].reason' r.json)" = "counter 'c': nothing in standard output matches 'x(.)'" ]
    suite_of <<<'  - {name: app, command: [echo, "x-1"], counters: {c: {threshold: 5%, regex: "x(.*)"}}}'
    run kgate run -c one.yaml -o r.json
    [[ $(jq -r '.cases[0].reason' r.json) == *"is not a number from 0 up" ]]
    suite_of <<<'  - {name: app, command: [sh, -c, "echo what I said; exit 4"], counters: {c: {threshold: 5%, regex: "x(.*)"}}}'
    run kgate run -c one.yaml -o r.json
    [[ $(jq -r '.cases[0].stderr_tail' r.json) == *"what I said"* ]]
}

@test "user and system time are metrics, and their sum is the CPU time" {
    suite_of <<'YAML'
  - {name: sh, command: [sh, -c, "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done"], metrics: [time, cpu_time, user_time, system_time]}
YAML
    run kgate run -c one.yaml -o r.json --verbose
    [ "$status" -eq 0 ]
    [[ $output == *"user_time"* && $output == *"system_time"* ]]
    jq -e '.cases[0].rounds | (.user_ns[0] + .system_ns[0] - .cpu_ns[0] | fabs) <= 1e-6 * .cpu_ns[0]' r.json
    run kgate compare r.json r.json
    [[ $output != *"error"* ]]
    valid r.json results
}

@test "a round of too many iterations: the reason names them" {
    run kgate run --rounds 1 --set trace=no --set iterations=1000 --set timeout=500ms -o r.json -- sleep 0.05
    [ "$status" -eq 3 ]
    [[ $(jq -r '.cases[0].reason' r.json) == "timed out after 0.5 s (\`timeout:\` of the suite): raise it, or lower \`iterations\`" ]]
}

@test "a command that ignores SIGTERM is ended with all that it started" {
    suite_of <<'YAML'
  - {name: sh, command: [sh, -c, "trap '' TERM; setsid sh -c \"trap '' TERM; echo \\$\\$ >child; sleep 300\" & echo $$ >own; sleep 300; sleep 300"], timeout: 3s}
YAML
    run kgate run -c one.yaml -o r.json
    [ "$status" -eq 3 ]
    [[ $(jq -r '.cases[0].reason' r.json) == "timed out after 3 s"* ]]
    for pid in $(cat own child); do
        ended "$pid"
    done
    [ "$(cat own child | wc -l)" -eq 2 ]
}

@test "what a command gets is part of what it is: a changed variable makes the case NEW" {
    suite_of <<<'  - {name: sh, command: ["true"], environment: {A: "1"}}'
    run kgate list -c one.yaml --json
    one=$(jq -r '.[0].definition_hash' <<<"$output")
    sed -i 's/"1"/"2"/' one.yaml
    run kgate list -c one.yaml --json
    [ "$one" != "$(jq -r '.[0].definition_hash' <<<"$output")" ]
    suite_of <<<'  - {name: sh, command: ["true"], directory: data}'
    mkdir -p elsewhere && cp one.yaml elsewhere
    [ "$(kgate list -c one.yaml --json)" = "$(kgate list -c elsewhere/one.yaml --json)" ]
}
