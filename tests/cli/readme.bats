load support

# The README's commands: that they are there as written and run. ci/gate.sh builds, so it is run on its
# own tree's build; ci/test.sh is what runs this.
@test "README: the two commands exist and are scripts that parse" {
    run sed -n '/<!-- commands -->/,/<!-- \/commands -->/p' "$SOURCE/README.md"
    [[ "$output" == *ci/gate.sh*ci/test.sh* ]]
    for script in ci/gate.sh ci/test.sh ci/fresh.sh ci/fuzz.sh ci/gpu.sh ci/setup.sh .ci/run; do
        bash -n "$SOURCE/$script"
    done
}

@test "ci: --help says what a script does, and an unknown option is bad usage" {
    for script in test fresh; do
        run "$SOURCE/ci/$script.sh" --help
        [ "$status" -eq 0 ]
        [[ "$output" == "usage: ci/$script.sh"*--all* ]]
        run "$SOURCE/ci/$script.sh" --everything
        [ "$status" -eq 2 ]
        [[ "$output" == *"unknown argument '--everything'"* ]]
    done
}

@test "README: the files that it links are there" {
    cd "$SOURCE"
    sed -n 's/[^]]*](\([^)#]*\)[^)]*)/\1\n/gp' README.md CONTRIBUTING.md | grep -v '^http' | grep -E '^[A-Za-z]' >"$BATS_TEST_TMPDIR/links"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/links")" -gt 10 ]
    while read -r link; do
        echo "$link"
        [ -e "$link" ]
    done <"$BATS_TEST_TMPDIR/links"
}

@test "README: init, validate and gate work as written" {
    rm -f kgate.yaml
    printf '#!/bin/sh\n' >bench_app
    cp bench_app bench_other
    chmod +x bench_app bench_other
    kgate init
    kgate validate -c kgate.yaml
    run kgate gate -c kgate.yaml -b baselines --update-missing --set rounds.max=5 --set min_time=2ms
    # what waited too much for a CPU is not recorded, and says so
    [[ "$status" -eq 0 && "$output" == *"recorded 2 new cases"* || "$output" == *"machine is too busy"* ]]
}

@test "README: the profile example shows stages" {
    cd "$SOURCE"
    run sed -n 's/^kgate run \(.*\) -o results.json --profile.*/\1/p' README.md
    [ -n "$output" ]
    eval "kgate run $output -o '$BATS_TEST_TMPDIR/results.json' --profile -q --set rounds.max=2 --set rounds.min=2 --set disturbance=100%"
    kgate report "$BATS_TEST_TMPDIR/results.json" --format tree | grep -q '^ *attention '
}

@test "README: the default suite is good and has at least 12 cases" {
    run kgate list -c "$SOURCE/config/default.yaml"
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -ge 12 ]
}

@test "docs: the commands of baselines.md and ci.md run" {
    kgate run -c suite.yaml -o measured.json -q
    agreeing measured.json >results.json
    kgate baseline record -c suite.yaml --runs 1 -b recorded -q
    kgate baseline update results.json -b baselines
    kgate baseline update results.json -b baselines --pin v1.2
    kgate baseline list -b baselines
    kgate baseline show -b baselines
    kgate baseline prune -b baselines --keep 3
    kgate compare results.json results.json -o out
    [ -s out/report.md ]
}

@test "docs: the plugin page's commands run" {
    cc -std=c17 -O2 -fPIC -shared -I"$SOURCE/include" "$SOURCE/docs/examples/plugin/spin.c" -o libgood.so
    sed -n '/^version: 1/,/^```/p' "$SOURCE/docs/plugins.md" | sed '$d' >plugins.yaml
    run kgate run -c plugins.yaml -o r.json --set rounds.min=2 --set min_time=2ms --set disturbance=100%
    [ "$status" -eq 0 ]
}

@test "docs: the commands of suggestions.md run" {
    page=$SOURCE/docs/suggestions.md
    cp suite.yaml kgate.yaml
    sed -n '/^```sh/,/^```/p' "$page" | sed -n '/kgate run/,/^```/p' | grep '^kgate ' >commands
    [ "$(wc -l <commands)" -ge 6 ]
    while read -r command; do
        echo "$command"
        eval "$command" </dev/null
        cp results.kgprof frames.kgprof
    done <commands
    [ -s suggestions.md ]
    # the suite of the explained case is one, with the case that is shown
    sed -n '/<!-- explained -->/,/^```$/p' "$page" | sed '1,/```yaml/d;/^```$/d' >page.yaml
    run kgate list -c page.yaml
    [ "$status" -eq 0 ]
    [[ "$output" == *"$(sed -n '/^transpose.*plain.cpu$/p' "$page")"* ]]
}
