load support

# Programs that are built with AddressSanitizer want to be the first that replaces malloc.
preload_refused() {
    ! LD_PRELOAD=${KGATE%/*}/libkgate_memory.so "$KGATE" --version >/dev/null 2>&1
}

# The program of tests/plugins/scopes.c, recorded N times into $1.
record() {
    local file="$1" program="$2" runs="${3:-1}" i
    rm -f part.*.kgprof
    for ((i = 0; i < runs; i++)); do
        KGATE_PROFILE="part.$i.kgprof" "$program" 100
    done
    cat part.*.kgprof >"$file"
}

# bats test_tags=thorough
@test "run --profile records kernels, plugins and programs in a pass of its own" {
    suite_of <<YAML
  - name: bfs
    kernel: bfs
    params: {vertices: 4096}
  - name: gemm
    kernel: gemm
    params: {m: 96, n: 96, k: 96}
  - name: staged
    plugin: $PLUGINS/scopes.so
  - name: program
    command: [$PLUGINS/scopes_program, "20"]
  - name: silent
    command: ["true"]
YAML
    run kgate run -c one.yaml -o out.json --profile
    [ "$status" -eq 0 ]
    [[ "$output" == *"profile: out.kgprof"* ]]
    # its table follows, of each case one, with its own total
    [[ "$output" == *"component "*" calls "*" total "*" avg "*" min "*" max "*" share"*pack_b*" 100.0 %"* ]]
    valid out.json results
    [ "$(jq -r .profile out.json)" = out.kgprof ]
    [ -s out.kgprof ]
    [ -z "$(ls -d out.kgprof.* 2>/dev/null)" ]
    run kgate report out.kgprof --format tree
    [ "$status" -eq 0 ]
    [[ "$output" == *"bfs/vertices=4096/cpu"*level_* ]]
    [[ "$output" == *"gemm/m=96,n=96,k=96/cpu"*pack_b* ]]
    [[ "$output" == *staged*stages*compute* ]]
    [[ "$output" == *main*stages* ]]
    # by way of the results too
    run kgate report out.json --format folded
    [ "$status" -eq 0 ]
    [[ "$output" == *"main;stages;compute"* ]]
    kgate report out.json --format trace -o trace.json
    jq -e '.traceEvents | length > 10' trace.json
    # of one case
    run kgate report out.json --format tree --filter 'bfs/*'
    [ "$status" -eq 0 ]
    [[ "$output" == *bfs*level_* ]]
    [[ "$output" != *stages* ]]
    kgate report out.kgprof --filter 'program/*' --format csv | grep -q ,stages,
    run kgate report out.kgprof --filter 'nothing/*'
    [ "$status" -eq 2 ]
    [[ "$output" == *"no process"*"nothing/*"* ]]
    # each process says which case it was
    kgate report out.kgprof --format json -o profile.json
    valid profile.json profile
    [ "$(jq -r '[.processes[].label] | unique | .[]' profile.json | grep -c /cpu)" -ge 4 ]
}

@test "run --profile of programs without scopes says so, and is not advised again" {
    suite_of <<YAML
  - name: silent
    command: ["true"]
YAML
    run kgate run -c one.yaml -o r.json --profile
    [ "$status" -eq 0 ]
    [[ "$output" == *"note: nothing was recorded: no program of these cases has scopes"*"kgate explain"* ]]
    [ ! -e r.kgprof ]
    valid r.json results
    jq -e '(.no_profile | length > 0) and .profile == null' r.json
    for command in "explain silent/cpu" suggest; do
        run kgate $command r.json
        [ "$status" -eq 0 ]
        [[ "$output" != *--profile* ]]
        [[ "$output" == *"no program of these cases has scopes"* ]]
    done
    # where nobody tried, it is advice
    kgate run -c one.yaml -o r.json -q
    run kgate explain silent/cpu r.json
    [[ "$output" == *--profile* ]]
}

# Allocated and at the peak by scope $2 of the recording $1, in bytes of the largest of its processes.
memory_of() {
    kgate report "$1" --format json | jq -r --arg name "$2" \
        '[.paths[] | select(.name == $name)] | [map(.allocated_bytes // 0), map(.peak_bytes // 0)] | map(max) | @tsv'
}

@test "run --profile tells what scopes allocate, of plugins and of programs, without anything preloaded by hand" {
    if preload_refused; then skip "this kgate cannot be run with a library preloaded"; fi
    suite_of <<YAML
  - name: staged
    plugin: $PLUGINS/scopes.so
YAML
    kgate run -c one.yaml -o plugin.json -q --profile --set rounds.min=1
    run memory_of plugin.kgprof read
    read -r allocated peak <<<"$output"
    [ "$peak" -ge 3145728 ]
    [ "$peak" -lt 4194304 ]
    [ "$allocated" -ge 31457280 ] # of each call
    suite_of <<YAML
  - name: program
    command: [$PLUGINS/scopes_program, "20"]
YAML
    kgate run -c one.yaml -o program.json -q --profile --set rounds.min=1
    run memory_of program.kgprof read
    read -r allocated peak <<<"$output"
    [ "$peak" -ge 3145728 ]
    [ "$peak" -lt 4194304 ]
}

@test "what the user preloads stays; a program that does not run beside kgate's library is recorded without it" {
    if preload_refused; then skip "this kgate cannot be run with a library preloaded"; fi
    cat >picky <<PICKY
#!/bin/sh
echo "\$LD_PRELOAD" >>'$PWD/preloaded'
case "\$LD_PRELOAD" in *libkgate_memory*) exit 9 ;; esac
unset LD_PRELOAD
exec $PLUGINS/scopes_program 20
PICKY
    chmod +x picky
    suite_of <<YAML
  - name: picky
    command: [$PWD/picky]
YAML
    LD_PRELOAD=libm.so.6 run kgate run -c one.yaml -o out.json --profile --set rounds.min=1
    [ "$status" -eq 0 ]
    [[ "$output" == *"profile: out.kgprof"* ]]
    [ "$(jq -r '.cases[0].status' out.json)" = OK ]
    [ "$(kgate report out.kgprof --format json | jq '[.paths[] | select(.name == "read")] | length')" -ge 1 ]
    grep -qx 'libm.so.6' preloaded # in its rounds
    grep -qx "libm.so.6:.*/libkgate_memory.so" preloaded
}

# A round here is two milliseconds.
@test "run --profile records longer than a round, however short that is, and as the time-out allows" {
    suite_of <<YAML
  - name: long
    kernel: copy
    params: {bytes: 4MiB, version: plain}
  - name: hurried
    kernel: copy
    params: {bytes: 4MiB, version: plain}
    timeout: 5s
YAML
    run kgate run -c one.yaml -o out.json -q --profile --set rounds.min=1
    [ "$status" -eq 0 ]
    kgate report out.kgprof --format json -o profile.json
    jq -e '[.paths[] | select(.depth == 0)] | map({(.name): .}) | add
        | .["long/bytes=4MiB,version=plain/cpu"] as $long
        | .["hurried/bytes=4MiB,version=plain/cpu"] as $hurried
        | ($long.total_ns > 0.5e9 or $long.calls == 10000)
          and $hurried.total_ns > 0.1e9 and $hurried.total_ns < 0.9e9' profile.json
    run kgate run --help
    [[ "$output" == *"one second per case"* ]]
}

@test "run --profile leaves the timed rounds alone, and KGATE_PROFILE does not reach them" {
    suite_of <<YAML
  - name: program
    command: [$PLUGINS/scopes_program, "20"]
YAML
    KGATE_PROFILE=leaked.kgprof kgate run -c one.yaml -o out.json -q
    [ ! -e leaked.kgprof ]
    [ "$(jq .profile out.json)" = null ]
    run kgate report out.json --format tree
    [ "$status" -eq 2 ]
    [[ "$output" == *"run --profile"* ]]
}

@test "run --profile writes the results where the recording cannot be written, says so, and keeps an old one" {
    suite_of <<<'  - {name: copy, kernel: copy, params: {bytes: 16KiB}}'
    mkdir -p out.kgprof/kept # which nobody can put a file in the place of, root neither
    run --separate-stderr kgate run -c one.yaml -o out.json --profile --export out.csv
    [ "$status" -eq 3 ]
    [ "$stderr" = "kgate: cannot write 'out.kgprof': Is a directory" ]
    [[ "$output" == *"copy/bytes=16KiB/cpu"* ]]
    [ -d out.kgprof/kept ]
    # and what was measured is there, in the results and in what else was asked for
    valid out.json results
    jq -e '.complete and .profile == null and (.cases[0].rounds.median_ns | length) == 2' out.json
    [ ! -e out.json.journal ]
    grep -q copy/bytes=16KiB/cpu out.csv
    [ -z "$(ls -d out.kgprof.* 2>/dev/null)" ]
}

@test "run --profile with no room for the recording writes results all the same" {
    suite_of <<'YAML'
  - {name: copy, kernel: copy, params: {bytes: 16KiB}}
  - {name: again, kernel: copy, params: {bytes: 16KiB}}
YAML
    # the recordings of both cases are longer together, results and journal are not
    run --separate-stderr bash -c "ulimit -f 64; '$KGATE' run -c one.yaml -o out.json --profile"
    [ "$status" -eq 3 ]
    [[ "$stderr" == "kgate: profiling '"*"': cannot write 'out.kgprof': File too large" ]]
    [ "${#stderr_lines[@]}" -eq 1 ]
    jq -e '.complete and .profile == null' out.json
    [ ! -e out.kgprof ]
}

@test "a recording of any program becomes table, tree, ranking, trace, stacks, lines and JSON" {
    record run.kgprof "$PLUGINS/scopes_program"
    run kgate report run.kgprof
    [ "$status" -eq 0 ]
    [[ "$output" == *calls*total*avg*min*max*"% time"* ]]
    run kgate report run.kgprof --format tree
    [[ "$output" == *main*stages*read* ]]
    kgate report run.kgprof --format top | grep -q 'main > stages > compute'
    run kgate report run.kgprof --format top --top 1
    [[ "$output" == *"1 of "*" paths with time of their own are shown"* ]]
    run kgate report run.kgprof --format markdown
    [[ "$output" == *"| main;stages;compute | 300 |"* ]]
    run kgate report run.kgprof --format markdown --top 1
    [[ "$output" == *"… and "*" more"* ]]
    rows=$(kgate report run.kgprof --format json | jq '.paths | length')
    run kgate report run.kgprof --format markdown --top $((rows - 1))
    [[ "$output" == *"… and 1 more"* ]]
    kgate report run.kgprof --format csv -o run.csv
    [ "$(wc -l <run.csv)" -ge 602 ]
    kgate report run.kgprof --format folded >run.folded
    grep -Eq '^main;stages;compute [0-9]+$' run.folded
    kgate report run.kgprof --format json -o run.json
    valid run.json profile
    [ "$(jq '.names[] | select(.name == "compute") | .calls' run.json)" -eq 300 ]
}

# bats test_tags=thorough
@test "text, tree and markdown end in the bottleneck of each case, which JSON has too" {
    suite_of <<YAML
  - name: pipeline
    kernel: gemm_pipeline
    params: {version: plain}
  - name: copy
    kernel: copy
    params: {bytes: 16KiB, version: plain}
YAML
    kgate run -c one.yaml -o out.json -q --profile
    for format in text markdown; do
        kgate report out.kgprof --format "$format" >"report.$format"
        grep -Eq '^(  |- )bottleneck: (hidden|output)' "report.$format"
        grep '^. *bottleneck: ' "report.$format" | tail -n 1 | grep -q 'no inner scope has 1 % of its time' # of copy
    done
    kgate report out.kgprof --format tree | tail -n 2 >last
    grep -Eq '^bottleneck of pipeline/version=plain/cpu: (hidden|output)' last
    grep -q 'bottleneck of copy/bytes=16KiB,version=plain/cpu: ' last
    kgate report out.kgprof --format json -o profile.json
    valid profile.json profile
    [ "$(jq -r '.paths[.bottlenecks[0].path].name' profile.json)" = pipeline/version=plain/cpu ]
    jq -e '.bottlenecks | length == 2 and .[0].share > 0.2 and .[0].kind == "scope"' profile.json
    # a program's own report at its end
    KGATE_PROFILE=run.txt "$PLUGINS/scopes_program" 10
    tail -n 1 run.txt | grep -q '^bottleneck of main: '
}

@test "a JSON profile gives the same reports as its recording" {
    record run.kgprof "$PLUGINS/scopes_program"
    kgate report run.kgprof --format json -o run.json
    for format in text tree top folded csv trace markdown; do
        kgate report run.kgprof --format "$format" -o "a.$format"
        kgate report run.json --format "$format" -o "b.$format"
        # a trace has whole nanoseconds, which what was rounded before may miss by one
        [ "$format" = trace ] || cmp "a.$format" "b.$format"
    done
    [ "$(jq -c '[.traceEvents[] | [.ph, .name]]' a.trace)" = "$(jq -c '[.traceEvents[] | [.ph, .name]]' b.trace)" ]
    jq . run.json >indented.json
    kgate report indented.json --format tree | cmp - a.tree
}

@test "a JSON profile with a damaged entry is not copied as JSON" {
    record run.kgprof "$PLUGINS/scopes_program"
    kgate report run.kgprof --format json -o run.json
    kgate report run.json --format json | cmp - run.json
    entry=$(($(grep -n '"entries": \[' run.json | cut -d: -f1) + 3))
    sed "${entry}s/\"start_ns\":[0-9.e+]*/\"start_ns\":/" run.json >value.json
    sed "${entry}s/},\$/}/" run.json >comma.json
    sed "$(($(wc -l <run.json) - 2))s/}\$/},/" run.json >last.json
    for damaged in value comma last; do
        if cmp -s run.json "$damaged.json"; then false; fi
        run kgate report "$damaged.json" --format json -o copy.json
        [ "$status" -eq 2 ]
        [[ "$output" == *"$damaged.json:"*"malformed JSON"* ]]
        [ ! -e copy.json ]
    done
}

@test "KGATE_PROFILE's ending chooses the report, and the recording goes away" {
    for ending in json trace.json folded csv txt; do
        KGATE_PROFILE="run.$ending" "$PLUGINS/scopes_program" 10
        [ -s "run.$ending" ]
        [ ! -e "run.$ending.kgprof" ]
    done
    valid run.json profile
    jq -e .traceEvents run.trace.json >/dev/null
    grep -q stages run.txt
}

@test "KGATE_PROFILE=- prints the tree to standard error at the end, and leaves no file" {
    KGATE_PROFILE=- run --separate-stderr "$PLUGINS/scopes_program" 10
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    [[ "$stderr" == "scopes_program: 1 process, 1 thread, "*"path "*" calls "*main*stages*compute*"bottleneck of main: "* ]]
    [[ "$stderr" != *"did not end"* ]]
    [ -z "$(ls -d *kgprof* 2>/dev/null)" ]
}

@test "a recording without nesting: standard deviation, components, a bottleneck" {
    # multiply may wait for a CPU for longer than search works
    for try in 1 2 3 4 5; do
        KGATE_PROFILE=flat.kgprof "$PLUGINS/scopes_names" flat
        run kgate report flat.kgprof
        [ "$status" -eq 0 ]
        [[ "$output" != *"bottleneck: search, "* ]] || break
    done
    [[ "$output" == *" std dev "*"% time"*search*multiply* ]]
    [[ "$output" == *"bottleneck: search, "*" % of the time of all scopes"* ]]
    run kgate report flat.kgprof --format components
    [[ "$output" == *"all scopes: "*component*"std dev"*search*"bottleneck: search, "* ]]
    run kgate report flat.kgprof --format markdown
    [[ "$output" == *"std dev"*"bottleneck: search, "* ]]
    kgate report flat.kgprof --format json -o flat.json
    valid flat.json profile
    jq -e '.paths as $paths | [.bottlenecks[] | [.flat, .kind, $paths[.component].name, $paths[.second].name]]
           == [[true, "scope", "search", "multiply"]]' flat.json
    jq -e '.bottlenecks[0].words | startswith("bottleneck: search, ")' flat.json
}

# bats test_tags=thorough
@test "KGATE_PROFILE's report has the process's number where asked for, and a file of its own beside another's" {
    KGATE_PROFILE='t.%p.json' "$PLUGINS/scopes_program" 10
    [ "$(ls t.[0-9]*.json | wc -l)" -eq 1 ]
    [ "$(ls t.* | wc -l)" -eq 1 ]
    KGATE_PROFILE=pipe.json "$PLUGINS/scopes_program" 3000 | KGATE_PROFILE=pipe.json "$PLUGINS/scopes_program" 3000
    for report in pipe.json*; do valid "$report" profile; done
    [ -z "$(ls pipe.json*kgprof* 2>/dev/null)" ]
}

@test "a share that is none records nothing, and says so" {
    for share in abc 1.5 0 -1 1x; do
        KGATE_PROFILE=s.kgprof KGATE_PROFILE_SAMPLE=$share run "$PLUGINS/scopes_program" 10
        [ "$status" -eq 0 ]
        [[ "$output" == *"KGATE_PROFILE_SAMPLE is '$share'"* ]]
        [ ! -e s.kgprof ]
    done
    KGATE_PROFILE=s.kgprof KGATE_PROFILE_SAMPLE=50% "$PLUGINS/scopes_program" 10
    [ "$(kgate report s.kgprof --format json | jq '.processes[0].sample')" = 0.5 ]
}

@test "a file that cannot grow: what was dropped is told" {
    (
        ulimit -f 16
        KGATE_PROFILE=small.kgprof "$PLUGINS/scopes_program" 20000
    )
    run kgate report small.kgprof
    [ "$status" -eq 0 ]
    [[ "$output" == *Lost:*"entries dropped"* ]]
    # recorded and dropped together are all scopes, and the pauses of the profiler
    kgate report small.kgprof --format json >small.json
    total=$(jq '.entry_count + .losses.dropped - ([.names[] | select(.name == "(profiler)") | .calls] | add // 0)' small.json)
    [ "$total" -ge 120001 ]
    [ "$total" -le 120300 ]
}

@test "KGATE_PROFILE that cannot be written is a warning, and the program runs" {
    KGATE_PROFILE=/nonexistent/x.kgprof run "$PLUGINS/scopes_program" 10
    [ "$status" -eq 0 ]
    [[ "$output" == *"/nonexistent/x.kgprof"*"kgate records nothing"* ]]
}

@test "a program that a recorded one starts does not write over its recording" {
    KGATE_PROFILE=run.kgprof "$PLUGINS/scopes_program" 5
    # the same path, while a first process holds it
    (
        flock -x 9
        KGATE_PROFILE=run.kgprof "$PLUGINS/scopes_program" 7
    ) 9<run.kgprof
    [ "$(ls run.kgprof.* | wc -l)" -eq 1 ]
    kgate report run.kgprof --format csv | grep -c ,stages, | grep -qx 5
}

@test "compare takes two profiles: exit 1 and the slower stage by name" {
    record run.kgprof "$PLUGINS/scopes_program" 6
    kgate report run.kgprof --format json -o run.json
    # Eight quiet processes of 1 ms, whatever this machine does. The least effect is a share of their time.
    jq '(.paths[].rounds_ns) = [1e6, 1.01e6, 0.99e6, 1.02e6, 0.98e6, 1.005e6, 0.995e6, 1e6]
        | (.paths[] | select(.depth == 0) | .total_ns) = 6e6' run.json >base.json
    jq '(.paths[] | select(.name == "compute") | .rounds_ns) |= map(. * 1.3)' base.json >head.json
    run kgate compare base.json head.json -o out
    [ "$status" -eq 1 ]
    [[ "$output" == *"1 regressed"* ]]
    [[ "$output" == *"main;stages;compute"*"+30.0 %"*REGRESSION* ]]
    valid out/comparison.json comparison
    grep -q compute out/report.md
    run grep -E 'machine:|Machine' out/report.md
    [ "$status" -eq 1 ]
    run kgate compare base.json head.json --threshold 40%
    [ "$status" -eq 0 ]
    run kgate compare head.json base.json
    [ "$status" -eq 0 ]
    [[ "$output" == *IMPROVEMENT* ]]
    # a profile against itself
    run kgate compare base.json base.json
    [ "$status" -eq 0 ]
    [[ "$output" != *REGRESSION* ]]
}

@test "compare says of one process each that it is one" {
    record run.kgprof "$PLUGINS/scopes_program"
    run kgate compare run.kgprof run.kgprof
    [ "$status" -eq 0 ]
    [[ "$output" == *"kgate splits the calls of a single process into parts"* ]]
}

@test "compare refuses profiles that lost entries, and says which process was cut off" {
    record run.kgprof "$PLUGINS/scopes_program" 2
    kgate report run.kgprof --format json -o base.json
    jq '.processes[1].losses.dropped = 4500' base.json >lost.json
    run kgate compare base.json lost.json
    [ "$status" -eq 2 ]
    [[ "$output" == *"the current profile lost 4500 entries"* ]]
    run kgate compare lost.json base.json
    [ "$status" -eq 2 ]
    [[ "$output" == *"the base lost 4500 entries"* ]]
    jq '.processes[1].complete = false' base.json >crashed.json
    run kgate compare base.json crashed.json
    [ "$status" -eq 0 ] || [ "$status" -eq 4 ] # two processes may leave it open
    [[ "$output" == *"1 of 2 processes of the current profile did not end their recording"* ]]
}

@test "compare refuses profiles with nothing in common" {
    record run.kgprof "$PLUGINS/scopes_program"
    kgate report run.kgprof --format json -o base.json
    jq '(.paths[] | select(.name == "main") | .name) = "other"' base.json >other.json
    run kgate compare base.json other.json
    [ "$status" -eq 2 ]
    [[ "$output" == *"no path in common"* ]]
    jq '.paths = [] | .names = [] | .thread_shares = [] | .entries = []' base.json >nothing.json
    run kgate compare base.json nothing.json
    [ "$status" -eq 2 ]
    [[ "$output" == *"the current profile has no entries"* ]]
    jq '(.paths[] | select(.name == "read") | .name) = "load"' base.json >renamed.json
    run kgate compare base.json renamed.json --json
    [ "$status" -eq 0 ] || [ "$status" -eq 4 ] # one process on a busy machine may leave it open
    [[ "$output" == *"in the baseline, but not in the candidate"* && "$output" != *"in the suite"* ]]
}

@test "compare refuses a profile against results, and --set for profiles" {
    record base.kgprof "$PLUGINS/scopes_program"
    kgate run -c suite.yaml -o r.json -q
    run kgate compare base.kgprof r.json
    [ "$status" -eq 2 ]
    [[ "$output" == *"only be compared with another profile"* ]]
    run kgate compare base.kgprof base.kgprof --set threshold=5%
    [ "$status" -eq 2 ]
    run kgate compare base.kgprof base.kgprof --threshold 5
    [ "$status" -eq 2 ]
}

@test "what is no profile, cut off or damaged is read as far as it goes, or refused" {
    record run.kgprof "$PLUGINS/scopes_program"
    head -c 200 run.kgprof >cut.kgprof
    run kgate report cut.kgprof
    [ "$status" -eq 0 ]
    (cat cut.kgprof run.kgprof) >joined.kgprof
    [ "$(kgate report joined.kgprof --format csv | grep -c ,stages,)" -eq 100 ]
    [[ "$(kgate report joined.kgprof --format tree)" == *"2 processes"*"1 process did not end the recording"* ]]
    (head -c 300 run.kgprof; head -c 4000 /dev/urandom) >damaged.kgprof
    run kgate report damaged.kgprof
    [ "$status" -eq 2 ]
    [[ "$output" == *damaged.kgprof* ]]
    run kgate report run.kgprof --format tee
    [ "$status" -eq 2 ]
    [[ "$output" == *"did you mean 'tree'?"* ]]
}

@test "what is no file of kgate's is called what it is" {
    record run.kgprof "$PLUGINS/scopes_program"
    : >empty.kgprof
    head -c 4000 /dev/zero | tr '\0' '\245' >garbage
    for command in "report empty.kgprof" "compare run.kgprof empty.kgprof"; do
        run kgate $command
        [ "$status" -eq 2 ]
        [[ "$output" == *"'empty.kgprof' is empty"* ]]
    done
    for command in "report garbage" "compare garbage run.kgprof"; do
        run kgate $command
        [ "$status" -eq 2 ]
        [[ "$output" == *"'garbage' is neither JSON nor a recording"* ]]
    done
    for path in - /dev/stdin; do
        run bash -c "cat run.kgprof | '$KGATE' report $path"
        [ "$status" -eq 2 ]
        [[ "$output" == *"is not a regular file"* ]]
    done
    run kgate report missing.kgprof
    [ "$status" -eq 2 ]
    [[ "$output" == *"cannot read 'missing.kgprof'"* ]]
    run kgate report /dev/stdin <run.kgprof
    [ "$status" -eq 0 ]
}

@test "a report onto a full disk is an error, and what was there stays" {
    record run.kgprof "$PLUGINS/scopes_program"
    run kgate report run.kgprof --format csv -o /dev/full
    [ "$status" -eq 3 ]
    echo old >out.csv
    run bash -c "ulimit -f 1; trap '' XFSZ; '$KGATE' report run.kgprof --format csv -o out.csv"
    [ "$status" -eq 3 ]
    [ "$(cat out.csv)" = old ]
}

@test "Ctrl-C during the profile pass keeps the results" {
    suite_of <<YAML
  - name: program
    command: [$PLUGINS/scopes_program, "20"]
  - name: stops
    command: [sh, stop.sh]
YAML
    stop_when INT '[ -n "$KGATE_PROFILE" ] && ls -d out.kgprof.*'
    stopped run -c one.yaml -o out.json --profile -q
    [ "$status" -eq 130 ]
    valid out.json results
    jq -e '.cases[1].rounds.median_ns | length >= 2' out.json
    [ -z "$(ls -d out.kgprof.* 2>/dev/null)" ]
}
