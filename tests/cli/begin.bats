bats_require_minimum_version 1.5.0
load support

# Beginning without a suite: two commands, two plugins, one command; and a suite that is found.

# Rounds that decide on a machine that does other things too: what is injected is many times the threshold.
LOOKED="--set disturbance=100% --threshold 50% --rounds 5 --set min_time=1ms --set metrics=time"
# A profile of a command takes longer than its rounds.
SURE="$LOOKED --set trace=no"
UNLOOKED="--set trace=no --set disturbance=100% --set min_time=1ms"

programs() {
    printf '#!/bin/sh\nexit 0\n' >old
    printf '#!/bin/sh\nexec sleep 0.02\n' >new
    printf '#!/bin/sh\necho it broke >&2\nexit 7\n' >broken
    chmod +x old new broken
}

@test "two commands: a line each, which is slower and by how much, exit 1; nothing is left behind" {
    programs
    before=$(ls -A)
    TMPDIR=$PWD run kgate ab './old --bench' './new --bench' $SURE
    [ "$status" -eq 1 ]
    grep -Eq '^  old  .* [mu]s ' <<<"$output"
    grep -Eq '^  new  .* ms ' <<<"$output"
    [[ "$output" == *"new is slower than old: "*" times the time (+"*" %, 95 % interval)"* ]]
    [ "$(ls -A)" = "$before" ]
}

@test "two commands, the other way round: faster, exit 0" {
    programs
    run kgate ab ./new ./old $SURE --name before --name after
    [ "$status" -eq 0 ]
    [[ "$output" == *"after is faster than before: "* ]]
}

@test "the words of a command are those of its quotes" {
    printf '#!/bin/sh\n[ "$#" = 3 ] && [ "$1" = "a b" ] && [ "$2" = "" ] && [ "$3" = "{x}" ]\n' >words
    chmod +x words
    run kgate ab "./words 'a b' \"\" {x}" './words a\ b "" {x}' $SURE
    passes_or_open
    run kgate run $UNLOOKED --set rounds.min=1 -- ./words 'a b' '' '{x}'
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "exports: the ending of a file says its format, and each is what it says" {
    programs
    run kgate ab ./old ./new $SURE --export a.json --export a.md --export a.csv --export a.xml --export a.txt -q
    [ "$status" -eq 1 ]
    valid a.json comparison
    grep -q REGRESSION a.md
    grep -q REGRESSION a.txt
    head -1 a.csv | grep -q ,
    xmllint --noout --schema "$SOURCE/tests/text/junit.xsd" a.xml
    # what cannot be drawn keeps nothing else from being written; gnuplot is needed for saying so
    run kgate ab ./broken ./new --export a.svg --export b.json
    [ "$status" -eq 3 ]
    [[ "$output" == *"note: no a.svg: there is nothing to draw"* ]]
    [ -s b.json ] && [ ! -e a.svg ]
    run kgate ab ./old ./new --export a.doc
    [ "$status" -eq 2 ]
    [[ "$output" == *"the file name must end in one of .txt .md .json"* ]]
    run kgate ab ./old ./new --export nowhere/a.md
    [ "$status" -eq 2 ]
    [[ "$output" == *"cannot write to 'nowhere/'"* ]]
}

@test "-o keeps the reports and both results of two commands" {
    programs
    run kgate ab ./old ./new $LOOKED -o out
    [ "$status" -eq 1 ]
    [[ "$output" == *"reports: out/report.md"* ]]
    valid out/base.json results
    valid out/head.json results
}

@test "the side that fails is named, with what it wrote; exit 3" {
    programs
    run kgate ab ./old ./broken
    [ "$status" -eq 3 ]
    [[ "$output" == *"broken wrote last:"*"| it broke"*"broken fails: './broken' exited with status 7"* ]]
    [[ "$output" != *"old fails"* ]]
    run kgate ab ./broken ./old
    [ "$status" -eq 3 ]
    [[ "$output" == *"broken fails: './broken' exited with status 7"* ]]
    run kgate ab './broken 1' './broken 2'
    [ "$status" -eq 3 ]
    [[ "$output" == *"./broken 1 fails: "*"./broken 2 fails: "* ]]
}

@test "what cannot be measured is refused before anything is" {
    programs
    refused() { # the words, then the arguments
        local words=$1
        shift
        run kgate ab "$@"
        echo "$output"
        [ "$status" -eq 2 ] && [[ "$output" == *"$words"* ]]
    }
    refused "cannot execute './nope'" './nope --bench' ./old
    refused "cannot find the program 'no-such-program'" ./old no-such-program
    refused "begins with \`env\`" 'N=1 ./old' ./old
    refused "a command is empty" '' ./old
    refused "a command is empty" ./old '  '
    refused "kgate starts no shell, so '|' has no special meaning" './old | cat' ./old
    refused "must be UTF-8 text" ./old $'./old \xff'
    refused "needs two sides" ./old
    refused "needs two sides" ./old ./new --base x --head y
    refused "unexpected argument" ./old ./new ./old
    refused "threshold=much" ./old ./new --threshold much
    refused "--rounds is '5..'" ./old ./new --rounds 5..
    refused "is a command: give two of the same kind" "$PLUGINS/libreporting.so" ./old
    echo x >text
    refused "nor an executable program" text ./old
}

@test "a library that is no plugin: what it is, and what to do" {
    printf 'int f(void) { return 1; }\n' >lib.c
    cc -shared -fPIC lib.c -o libf.so.1
    run kgate ab ./libf.so.1 ./libf.so.1
    [ "$status" -eq 2 ]
    [[ "$output" == *"is a shared library, not a plugin"*"docs/ab.md"* ]]
}

@test "the same command twice is no mistake, and no change" {
    programs
    run kgate ab ./old ./old $SURE
    passes_or_open
    [[ "$output" == *"the first"*"the second"* ]]
}

@test "--shell lets a shell read the command" {
    run kgate ab --shell 'sleep 0.01 | true' 'true; sleep 0.05' $SURE
    [ "$status" -eq 1 ]
    [[ "$output" == *"true; sleep 0.05 is slower than sleep 0.01 | true"* ]]
}

@test "--warmup: so many calls before the timed ones, in every round" {
    printf '#!/bin/sh\necho >>calls\n' >counted
    chmod +x counted
    once="--set rounds.min=1 --set rounds.max=1 --set min_time=0ns --set trace=no --set disturbance=100%"
    run kgate run $once -- ./counted
    plain=$(wc -l <calls)
    rm calls
    run kgate run $once --warmup 40 -- ./counted
    # one round, and where the machine is busy more of them
    [ "$(wc -l <calls)" -ge $((plain + 30)) ]
}

# Both builds write a letter per call into one file: warm-ups and three rounds are its last 60.
@test "iterations: long calls alternate one by one, an odd number too" {
    run kgate ab 'sh -c "echo a >>calls; sleep 0.005"' 'sh -c "echo b >>calls; sleep 0.005"' \
        --set trace=no --set disturbance=100% --set iterations=9 --measure-unchanged --rounds 3..3 -o ab
    jq -e '.cases[0].rounds.calls | length >= 3 and all(. == 9)' ab/base.json ab/head.json
    tr -d '\n' <calls | tail -c 60 >order
    run ! grep -E 'aaa|bbb' order
}

@test "iterations: so many calls per round, in paired rounds too" {
    UNTRACED="--set trace=no --set disturbance=100% --set iterations=11"
    run kgate run --rounds 2 $UNTRACED --export r.json -- true
    [ "$status" -eq 0 ]
    jq -e '.cases[0].rounds.calls | length >= 2 and all(. == 11)' r.json
    # short calls: whole samples
    run kgate run --kernel copy --param bytes=64B $UNTRACED --rounds 2 --export r.json
    jq -e '.cases[0].rounds | [.calls, .batch] | transpose | all(.[0] >= 11 and .[0] < 11 + .[1])' r.json
    run kgate ab true true $UNTRACED --measure-unchanged --rounds 3 -o ab
    jq -e '.cases[0].rounds.calls | length >= 3 and all(. == 11)' ab/base.json ab/head.json
    run kgate run --rounds 1 $UNTRACED --iterations 5 -- true
    [ "$status" -eq 2 ]
    [[ "$output" == *"use \`--set iterations=100\`"* ]]
}

@test "other metrics, and keys of a suite, by --set" {
    needs_valgrind
    run kgate ab 'seq 10' 'seq 20000' $UNLOOKED --set metrics=instructions --rounds 3
    [ "$status" -eq 1 ]
    [[ "$output" == *"seq 20000 takes "*" times the instructions"* ]]
}

@test "a signal ends two commands: 143, and nothing is left behind" {
    programs
    mkdir scratch
    cat >both <<EOF
#!/bin/sh
exec env TMPDIR=$PWD/scratch $KGATE ab 'touch started' 'touch started' --measure-unchanged --rounds 200..400 --set min_time=1s
EOF
    chmod +x both
    ./both >said 2>&1 &
    pid=$!
    for _ in $(seq 600); do
        [ -e started ] && break
        sleep 0.1
    done
    kill -TERM $pid
    status=0; wait $pid || status=$?
    cat said
    [ "$status" -eq 143 ]
    grep -q "kgate: interrupted" said
    [ -z "$(ls -A scratch)" ]
}

@test "two plugins: every workload that both have is a case, and the rest is said" {
    run --separate-stderr kgate ab "$PLUGINS/libreporting.so" "$PLUGINS/libreporting_slow.so" --set disturbance=100% --threshold 30% \
        --rounds 8..12 --set min_time=4ms --set metrics=time --set threads=1 --filter 'turns/*' --export a.json
    [ "$status" -eq 1 ]
    [[ "${lines[0]}" == FAIL* ]]
    jq -e '[.cases[] | [.id, .change]] == [["turns/cpu", "REGRESSION"]]' a.json
    [ ! -e out ]
    run kgate ab "$PLUGINS/libreporting.so" "$PLUGINS/scopes.so" --rounds 1
    [ "$status" -eq 2 ]
    [[ "$output" == *"have no workload of the same name"* ]]
}

@test "one command is measured without a suite" {
    run kgate run --rounds 2 $UNLOOKED --export r.json -- sleep 0.02
    [ "$status" -eq 0 ]
    [[ "$output" == *"sleep/cpu"* ]]
    valid r.json results
    jq -e '.cases[0].summary.median_ns > 2e7' r.json
    run kgate run -- ./nope
    [ "$status" -eq 2 ]
    [[ "$output" == *"cannot execute './nope'"* ]]
    run kgate run -c suite.yaml -- true
    [ "$status" -eq 2 ]
    run kgate run --
    [ "$status" -eq 2 ]
}

@test "kgate.yaml is found here and above, up to the repository, and that is said" {
    mkdir -p project/.git project/src/deep project/sub/.git
    cp suite.yaml project/kgate.yaml
    cd project
    run kgate list
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "kgate: suite kgate.yaml" ]
    cd src/deep
    run kgate validate
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "kgate: suite ../../kgate.yaml; its relative paths begin in this folder" ]
    [[ "${lines[1]}" == "../../kgate.yaml: good, "* ]]
    # another repository's is not this one's
    cd ../../sub
    run kgate list
    [ "$status" -eq 2 ]
    [[ "$output" == *"there is no suite: give one with -c SUITE"* ]]
    # what is given wins
    cd ../src
    run kgate list -c "$BATS_TEST_TMPDIR/suite.yaml"
    [ "$status" -eq 0 ]
    [[ "$output" != *"kgate: suite"* ]]
}
