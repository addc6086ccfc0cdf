# What the tests of the action share: it is run as a runner does (tests/pipeline/act.py), against a stand-in of the
# services' APIs on loopback (tests/pipeline/api.py). Verdicts here come from budgets and from what is new, so that
# no time decides.

TOKEN=secret-4711
HEAD_SHA=1111111111111111111111111111111111111111

setup_file() {
    export no_proxy=127.0.0.1 NO_PROXY=127.0.0.1
}

# Begins the service; state.json is its state.
service() {
    echo '{"me": "github-actions[bot]", "comments": [], "checks": [], "files": [], "pulls": {}}' >state.json
    echo "$TOKEN" >token
    python3 "$SOURCE/tests/pipeline/api.py" "$PWD" 3>&- &
    SERVICE=$!
    while [ ! -s port ] && kill -0 "$SERVICE"; do
        sleep 0.05
    done
    export GITHUB_API_URL=http://127.0.0.1:$(<port)
}

teardown() {
    [ -z "${SERVICE:-}" ] || kill "$SERVICE"
}

# put FILTER: changes the service's state.
put() {
    jq "$@" state.json >state.new
    mv state.new state.json
}

# get FILTER: of the service's state.
get() {
    jq -r "$1" state.json
}

# A workflow's environment for a pull request, or for the event given as JSON.
workflow() {
    local default='{"pull_request": {"number": 7, "head": {"sha": "'$HEAD_SHA'"}, "base": {"sha": ""}}}'
    printf '%s' "${1:-$default}" >event.json
    export GITHUB_EVENT_PATH=$PWD/event.json GITHUB_REPOSITORY=owner/project GITHUB_SHA=$HEAD_SHA
    export GITHUB_STEP_SUMMARY=$PWD/summary.md RUNNER_TEMP=$PWD/temporary TEST_TOKEN=$TOKEN
    mkdir -p "$RUNNER_TEMP"
    : >summary.md
}

# The action with these inputs. Who judges is action_trust.bats's: here each folder judges itself.
act() {
    act_default trust=none "$@"
}

act_default() {
    : >"$GITHUB_STEP_SUMMARY"
    run python3 "$SOURCE/tests/pipeline/act.py" "$SOURCE/action.yml" "kgate=$KGATE" "token=$TOKEN" "suite=${SUITE:-one.yaml}" "$@"
    echo "$output"
}

# A suite of one program that passes, misses its budget, is FAILED, or is UNDECIDED.
suite_that() {
    local budget= command=true
    case $1 in
    passes) budget='budget: {time: "<= 100s"}' ;;
    misses) budget='budget: {time: "<= 1ns"}' ;;
    fails) command=false ;;
    undecided) ;;
    esac
    suite_of <<YAML
  - name: program
    command: ["$command"]
    ${budget:+$budget}
YAML
}
