load support

# A command whose work is the locale's: strcoll has a short way under C.
sorting_suite() { # METRICS
    seq 1 3000 | awk '{ print $1 * 7919 % 3001 }' >in.txt
    suite_of <<YAML
  - {name: sort, command: [sort, in.txt], metrics: [$1]}
YAML
}

@test "a gate in another locale says so first, and its verdict stays" {
    [ -z "$SANITIZED" ] || skip "Valgrind does not run under AddressSanitizer"
    needs_valgrind
    sorting_suite instructions
    LC_ALL=C kgate gate -c one.yaml --update-missing -b st -o first -q || true
    run env LC_ALL=C.UTF-8 "$KGATE" gate -c one.yaml -b st -o out
    [ "$status" -eq 1 ]
    [[ "$output" == *"note: environment: LC_ALL is 'C.UTF-8' here, was 'C'"* ]]
    [[ "$output" == *"possible cause: LC_ALL is 'C.UTF-8' here, was 'C'; the code and its "*" unchanged"* ]]
    [[ "$output" == *"instructions rose from "*" per call: LC_ALL is 'C.UTF-8' here, was 'C'"* ]]
    [[ "$output" != *"more work"* ]]
    jq -e '.cases[0].metrics[] | select(.name == "instructions") | .change == "REGRESSION" and .doubt == "environment"' out/comparison.json
    valid out/results.json results
    valid out/comparison.json comparison
    valid "$(ls st/*.json)" baseline
    # the same as when it was recorded
    run env LC_ALL=C "$KGATE" gate -c one.yaml -b st -o out
    [ "$status" -eq 0 ]
    [[ "$output" != *"environment:"* ]]
}

@test "what the suite sets is no news, and neither is anything in ab" {
    suite_of <<'YAML'
  - {name: set, command: ['true'], environment: {LC_ALL: C}}
YAML
    LC_ALL=C OMP_NUM_THREADS=3 kgate run -c one.yaml -o a.json -q
    LC_ALL=C.UTF-8 OMP_NUM_THREADS=2 kgate run -c one.yaml -o b.json -q
    jq -e '.cases[0].own_variables | contains(["LC_ALL", "OMP_NUM_THREADS"])' b.json
    run kgate compare a.json b.json
    [[ "$output" != *"environment:"* ]]
    LC_ALL=C MALLOC_ARENA_MAX=1 kgate run -c one.yaml -o b.json -q
    run kgate compare a.json b.json
    [[ "$output" == *"note: environment: MALLOC_ARENA_MAX is '1' here, was not set"* ]]
    run env MALLOC_ARENA_MAX=1 "$KGATE" ab -c one.yaml --base /bin/true --head /bin/true --measure-unchanged -o out
    [[ "$output" != *"environment:"* ]]
    jq -e '.environment.variables.MALLOC_ARENA_MAX == "1"' out/base.json out/head.json
}

@test "no secret of the environment is in any file" {
    sorting_suite time
    run env GITHUB_TOKEN=ghp_hidden NVIDIA_API_KEY=nvapi_hidden LC_SECRET=lc_hidden \
        JAVA_TOOL_OPTIONS=-Dpassword=java_hidden LD_LIBRARY_PATH=/home/path_hidden \
        "$KGATE" gate -c one.yaml --update-missing -b st -o out
    ls st/*.json
    jq -e '.environment.variables | (.JAVA_TOOL_OPTIONS, .LD_LIBRARY_PATH) | test("^hash [0-9a-f]{8}$")' out/results.json
    run grep -rl "_hidden" out st
    [ -z "$output" ]
}
