# What the CPU is capable of: measured once, kept, and measured anew where what was kept is not to be believed.
load support

bats_require_minimum_version 1.5.0

kept() { echo cache/kgate/cpu-ceilings-*.json; }

# So few rounds that the probe has too little to say.
one_case() {
    looked_suite_of <<YAML
  - {name: copy, kernel: copy, params: {bytes: 16KiB, version: fast}${1:-}}
YAML
}

@test "the CPU's ceilings are in the results, and all that is there is a finite figure above 0" {
    one_case
    run -0 kgate run -c one.yaml -o r.json
    valid r.json results
    jq -e '.cpu_ceilings | .reason == null and (.measured | test("^20..-..-..T..:..:..Z$"))
        and all(.. | numbers; . > 0 and . < 1e17)
        and ([.one, .all][] | .scalar_flops_per_s and .vector_flops_per_s and .l1_bytes_per_s
            and .memory_bytes_per_s)
        and .one.threads == 1 and .page_fault_ns and .memory_latency_ns' r.json
    jq -e '.cpu_ceilings.all.threads == .machine.cpu_count' r.json
}

@test "a second run takes them from the cache" {
    one_case
    run -0 kgate run -c one.yaml -o r.json
    valid "$(kept)" cpu_ceilings
    jq -e --slurpfile kept "$(kept)" '.cpu_ceilings == $kept[0].ceilings' r.json
    sed -i 's/"page_fault_ns": [0-9.]*/"page_fault_ns": 1234.5/' "$(kept)"
    run -0 kgate run -c one.yaml -o r2.json
    jq -e '.cpu_ceilings.page_fault_ns == 1234.5' r2.json
    jq -e --slurpfile r r.json '.cpu_ceilings.one == $r[0].cpu_ceilings.one' r2.json
}

# bats test_tags=thorough
@test "what is kept and is broken, makes no sense or is of another machine is measured anew" {
    rm -rf cache
    one_case
    run -0 kgate run -c one.yaml -o r.json
    for edit in 's/{/{{/' 's/"cpus": "/"cpus": "99,/'; do
        sed -i "$edit" "$(kept)"
        run -0 kgate run -c one.yaml -o r.json
        jq -e '.cpu_ceilings | .reason == null and .page_fault_ns > 0 and (.measured | test("^20"))' r.json
        valid "$(kept)" cpu_ceilings
        [ "$(jq -r .cpus "$(kept)" | grep -c 99,)" = 0 ]
    done
}

# bats test_tags=thorough
@test "where nothing can be kept they are measured all the same" {
    rm -rf cache
    one_case
    mkdir cache && touch cache/kgate
    run -0 kgate run -c one.yaml -o r.json
    jq -e '.cpu_ceilings | .reason == null and .one.vector_flops_per_s > 0' r.json
    run -0 env -u HOME -u XDG_CACHE_HOME "$KGATE" run -c one.yaml -o r.json
    jq -e '.cpu_ceilings | .reason == null and .one.vector_flops_per_s > 0' r.json
}

# A plugin that says of itself that it moves 1e15 bytes a call: libboast.so, and honest: libhonest.so.
boast_build() {
    sed 's/work->items = .*/&\n    work->bytes = BYTES;/' "$SOURCE/docs/examples/plugin/spin.c" >boast.c
    cc -std=c17 -fPIC -shared -I"$SOURCE/include" -DBYTES=1e15 boast.c -o libboast.so
    cc -std=c17 -fPIC -shared -I"$SOURCE/include" -DBYTES=1e2 boast.c -o libhonest.so
}
IMPOSSIBLE='.status == "FAILED" and (.reason | test("^impossible: moving data at .* B/s is .* times the measured peak, .* B/s of the first level"))'

@test "a rate far above a ceiling is FAILED as impossible" {
    boast_build
    looked_suite_of <<<"  - {name: boast, plugin: libboast.so, workload: spin, rounds: {min: 1, max: 1}}"
    run -3 kgate run -c one.yaml -o r.json
    jq -e ".cases[0] | $IMPOSSIBLE" r.json
    # also where nothing else looks at what the CPU can do
    suite_of <<<"  - {name: boast, plugin: libboast.so, workload: spin, rounds: {min: 1, max: 1}}"
    run -3 kgate run -c one.yaml -o r.json
    jq -e ".cases[0] | $IMPOSSIBLE" r.json
}

# bats test_tags=thorough
@test "gate and ab judge by the same: an impossible rate is no improvement, in no report" {
    boast_build
    cp libhonest.so it.so
    looked_suite_of <<<"  - {name: boast, plugin: it.so, workload: spin, metrics: [time]}"
    run -0 kgate baseline record -c one.yaml -b store --runs 2
    cp libboast.so it.so
    for more in "" "--budget 20s"; do
        rm -rf out
        # shellcheck disable=SC2086
        run -3 kgate gate -c one.yaml -b store -o out $more
        jq -e ".cases[0] | $IMPOSSIBLE" out/results.json
        jq -e '.cases[0].change == "FAILED"' out/comparison.json
        grep -q 'impossible: moving data' out/report.md
        grep -q '<error' out/junit.xml
    done
    run -3 kgate gate -c one.yaml -b none -o out --update-missing
    [ ! -e none ] || [ "$(find none -name '*.json' | wc -l)" = 0 ]
    run -3 kgate ab -c one.yaml --base ./libhonest.so --head ./libboast.so -o pair
    jq -e ".cases[0] | $IMPOSSIBLE" pair/head.json
    jq -e '.cases[0].status == "OK"' pair/base.json
    jq -e '.cases[0].change == "FAILED"' pair/comparison.json
}

@test "ceilings that an earlier run measured too low fail nothing: they are measured again" {
    one_case ", disturbance: 100%, rounds: {min: 1, max: 1}, min_time: 1ms"
    run -0 kgate run -c one.yaml -o r.json
    jq '.ceilings |= (del(.note) | .one.l1_bytes_per_s = 1e6 | .all.l1_bytes_per_s = 1e6)' "$(kept)" >low
    cp low "$(kept)"
    run -0 kgate run -c one.yaml -o r.json
    jq -e '.cases[0].status == "OK" and .cpu_ceilings.one.l1_bytes_per_s > 1e8' r.json
    jq -e '.ceilings.one.l1_bytes_per_s > 1e8' "$(kept)"
}

@test "with trace: no nothing is measured or kept" {
    rm -rf cache
    one_case ', trace: no'
    run -0 kgate run -c one.yaml -o r.json
    valid r.json results
    jq -e '.cpu_ceilings // {} | .one.vector_flops_per_s == null and .measured == null' r.json
    [ ! -e cache/kgate ]
}

@test "the time-out of a case is not that of measuring the CPU, and pinned cases have one thread of all" {
    rm -rf cache
    one_case ', timeout: 500ms, threads: 1, pin: auto'
    # on a slow machine that is too short for the case, but never for the second
    echo '  - {name: calm, kernel: copy, params: {bytes: 16KiB}, pin: auto}' >>one.yaml
    run kgate run -c one.yaml -o r.json
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
    jq -e '.cpu_ceilings.reason == null and .cpu_ceilings.all.threads == .machine.cpu_count' r.json
}
