bats_require_minimum_version 1.5.0
load support
load action

# The workflow that `kgate init` writes, in a real small repository, run as a runner does.

commit() { git add -A && git commit -q -m "$1" && git rev-parse HEAD; }

# The inputs of the workflow's step, one NAME=VALUE a line.
inputs_of() {
    python3 -c 'import sys, yaml
step = yaml.safe_load(open(sys.argv[1]))["jobs"]["kgate"]["steps"][-1]
assert step["uses"] == "OWNER/kgate@v1"
print("\n".join(f"{name}={value}" for name, value in step["with"].items()))' .github/workflows/kgate.yml
}

act_workflow() {
    local inputs
    mapfile -t inputs < <(inputs_of)
    act_default "${inputs[@]}" "args=$(printf '%s\n' --set rounds.min=2 --set rounds.max=2 --set min_time=2ms --set disturbance=100% --set threshold=1000%)" "$@"
}

repository() {
    git -c init.defaultBranch=main init -q origin
    cd origin || return
    printf 'bench_words: bench_words.c\n\tcc -O1 bench_words.c -o bench_words\n' >Makefile
    echo 'int main(void) { return 0; }' >bench_words.c
    echo bench_words >.gitignore
    commit "a program" >/dev/null
    kgate init
    BASE=$(commit "a gate")
    git checkout -q -b change
    # other code, so that both sides are measured
    echo 'int main(void) { volatile int words = 1; return words - 1; }' >bench_words.c
    CHANGE=$(commit "other code")
    cd ..
    git clone -q origin work
    workflow '{"pull_request": {"number": 7, "head": {"sha": "'"$CHANGE"'"}, "base": {"sha": "'"$BASE"'"}}}'
    cd work && git checkout -q --detach "$CHANGE"
}

@test "the workflow that init writes builds and measures both sides of a pull request" {
    service
    repository
    validator=$SOURCE/node_modules/@action-validator/cli/cli.mjs
    [ ! -e "$validator" ] || node "$validator" .github/workflows/kgate.yml
    act_workflow
    [ "$status" -eq 0 ]
    [[ "$(jq -r '.cases[0].id' kgate-out/head.json)" == bench_words/cpu ]]
    jq -e '.cases[0].status == "OK"' kgate-out/base.json
    jq -e '.cases[0].status == "OK"' kgate-out/head.json
    # a build that makes something else: both sides lack the program, and the report asks for the build
    make -s clean 2>/dev/null || rm -f bench_words
    act_workflow build=true posture=required
    [ "$status" -eq 3 ]
    [[ "$output" == *"cannot run './bench_words': exec: No such file or directory; did the build make it?"* ]]
    grep -q 'did the build make it?' kgate-out/report.md
}
