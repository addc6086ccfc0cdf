# The recipes for schedulers that no test here can run: they parse, and name a form of --shard and the merge.
load ../cli/support
load page

bats_require_minimum_version 1.5.0

RECIPES="fleet_github.yml fleet_gitlab.yml fleet_buildkite.yml fleet_kubernetes.yaml fleet_parallel.sh"

@test "every recipe of a fleet has a file here, and the page names it" {
    [ "$(cd "$SOURCE/docs/pipelines" && echo fleet_*)" = "$(printf '%s\n' $RECIPES | sort | paste -sd' ')" ]
    for recipe in $RECIPES; do grep -q "(pipelines/$recipe)" "$SOURCE/docs/fleet.md"; done
}

@test "recipes parse" {
    for recipe in "$SOURCE"/docs/pipelines/fleet_*.y*ml; do
        python3 -c 'import sys, yaml; assert all(isinstance(part, dict) for part in yaml.safe_load_all(open(sys.argv[1])))' "$recipe"
    done
    bash -n "$SOURCE/docs/pipelines/fleet_parallel.sh"
    for script in submit.sh shard.sbatch steps.sbatch merge.sbatch; do bash -n "$SOURCE/ci/slurm/$script"; done
    # ReFrame itself is no package of Debian
    python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$SOURCE/ci/slurm/kgate_reframe.py"
}

@test "shell inside the recipes parses" {
    python3 - "$SOURCE"/docs/pipelines/fleet_*.y*ml <<'PY'
import re, subprocess, sys, yaml

def scripts(part):
    """Every text under run, command or script, and the last word of `sh -c`."""
    if isinstance(part, dict):
        for key, value in part.items():
            if key in ("run", "command", "script"):
                yield value if isinstance(value, str) else value[-1] if value[:2] == ["sh", "-c"] else "\n".join(value)
            else:
                yield from scripts(value)
    elif isinstance(part, list):
        for one in part:
            yield from scripts(one)

for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        found = [re.sub(r"\$\{\{.*?\}\}", "1", text) for part in yaml.safe_load_all(file) for text in scripts(part)]
    assert found, path
    for text in found:
        subprocess.run(["bash", "-n"], input=text, text=True, check=True)
PY
}

@test "every recipe merges, and its form of --shard is one that kgate reads" {
    for recipe in $RECIPES; do
        grep -q 'kgate,\? merge' "$SOURCE/docs/pipelines/$recipe"
        # what the service fills in is a number
        form=$(sed 's/\${{ matrix.shard }}/1/; s/{}/1/; s/\$shards/8/' "$SOURCE/docs/pipelines/$recipe" | grep -o -- '--shard [^ ]*' | cut -d' ' -f2)
        [ -n "$form" ]
        # the index and count of each service
        run env CI_NODE_INDEX=1 CI_NODE_TOTAL=8 JOB_COMPLETION_INDEX=0 "$KGATE" run -c suite.yaml --shard "$form" -o "$recipe.json" -q
        [ "$status" -eq 0 ]
    done
}

@test "the recipe for GNU parallel measures each shard and merges" {
    command -v parallel >/dev/null || skip "no GNU parallel"
    mkdir bin
    cat >bin/kgate <<'SH'
#!/bin/sh
echo "$*" >>"$CALLS"
case $1-$* in *"--shard 2/3"*) exit 1 ;; *"--shard 3/3"*) exit 3 ;; merge-*) exit 4 ;; esac
SH
    chmod +x bin/kgate
    export CALLS=$PWD/calls
    # `:` is this machine, without ssh
    run env PATH="$PWD/bin:$PATH" bash "$SOURCE/docs/pipelines/fleet_parallel.sh" : 3 out gate -c 'a suite.yaml'
    echo "$output"
    [ "$status" -eq 4 ]
    # only the shard that failed is tried again
    [ "$(grep -c -- '--shard 2/3' calls)" -eq 1 ]
    [ "$(grep -c -- '--shard 3/3' calls)" -eq 2 ]
    grep -q -- "^gate -c a suite.yaml --shard 1/3 -o $PWD/out/shards/1\$" calls
    [ "$(tail -n 1 calls)" = "merge $PWD/out/shards -o $PWD/out" ]
    [[ "$output" == *"some shards were not measured"* ]]
}

@test "docs/fleet.md: the commands without Slurm run" {
    suite_make 8
    page_run "kgate plan"
    [ "$status" -eq 0 ]
    [ "$(jq '.cases | length' plan.json)" -eq 8 ]
    page_run "kgate merge"
    [ "$status" -eq 0 ]
    [ "$(jq -c '[.cases[].change] | group_by(.) | map([.[0], length])' out/comparison.json)" = '[["NO_CHANGE",7],["REGRESSION",1]]' ]
}
