# The builds that the store keeps, and gates that measure against them.
load support

# A suite of one plugin, a copy that the test may change.
plugin_suite() {
    cp "$PLUGINS/libreporting.so" libit.so
    cat >builds.yaml <<'YAML'
version: 1
suite: builds
defaults: {threshold: 30%, rounds: {min: 6, max: 16}, min_time: 4ms, threads: 1, timeout: 20s, metrics: [time]}
workloads:
  - {name: turns, plugin: libit.so}
YAML
}

@test "a build is kept by its hash, in a folder that git leaves alone" {
    plugin_suite
    kgate run -c builds.yaml -o a.json -q
    valid a.json results
    sum=$(sha256sum libit.so | cut -d' ' -f1)
    [ "$(jq -r '.cases[0].build' a.json)" = "$sum" ]
    run kgate baseline update a.json -b base
    [[ "$output" == *"kept 1 build; all that are kept take "* ]]
    cmp libit.so "base/builds/$sum/libit.so"
    valid base/*.json baseline
    git init -q . && git add -A
    [ -z "$(git ls-files base/builds)" ]
    run kgate baseline show -b base
    [[ "$output" == *"1 case, builds kept"*"1 build kept in base/builds, "* ]]
    rm -r "base/builds/$sum"
    run kgate baseline list -b base
    [[ "$output" == *"no builds kept"* ]]
}

@test "a build that changed since it was measured is not kept, and said" {
    plugin_suite
    kgate run -c builds.yaml -o a.json -q
    cp "$PLUGINS/libreporting_slow.so" libit.so
    run kgate baseline update a.json -b base
    [ "$status" -eq 0 ]
    [[ "$output" == *"not kept, since it has changed since it was measured: $PWD/libit.so"* ]]
    [ -z "$(find base/builds -name '*.so')" ]
}

@test "programs are kept; scripts, interpreters and the system's programs are not" {
    cp /bin/true app
    cp /bin/true python3.11
    printf '#!/bin/sh\nexit 0\n' >script && chmod +x script
    suite_of <<'YAML'
  - {name: app, command: [./app]}
  - {name: script, command: [./script]}
  - {name: interpreter, command: [./python3.11]}
  - {name: system, command: ["true"]}
YAML
    kgate run -c one.yaml -o a.json -q
    [ "$(jq -c '[.cases[] | has("build")]' a.json)" = '[true,false,false,false]' ]
    run kgate baseline update a.json -b base
    [[ "$output" == *"kept 1 build;"*"no build is kept for 3 cases: "* ]]
    [ -x base/builds/*/app ]
}

@test "room for builds: a limit, none, and what pruning removes" {
    plugin_suite
    kgate run -c builds.yaml -o a.json -q
    run kgate baseline update a.json -b base --keep-builds 0
    [ ! -e base/builds ]
    run kgate baseline update a.json -b base --keep-builds 1kB
    [[ "$output" == *"not kept, since there is no room (--keep-builds): $PWD/libit.so"* ]]
    kgate baseline update a.json -b base --pin first
    cp "$PLUGINS/libreporting_slow.so" libit.so
    kgate run -c builds.yaml -o b.json -q
    for _ in 1 2 3; do kgate baseline update b.json -b base -q --keep 2; done
    [ "$(find base/builds -name '*.so' | wc -l)" -eq 2 ]
    # the pinned run keeps its build until it goes
    kgate baseline prune -b base --keep 1
    [ "$(find base/builds -name '*.so' | wc -l)" -eq 2 ]
    run kgate baseline prune -b base --pin first
    [ "$output" = "removed 1 run and 1 build" ]
    [ "$(find base/builds -name '*.so' | wc -l)" -eq 1 ]
    run kgate baseline update a.json -b base --keep-builds much
    [ "$status" -eq 2 ]
}
