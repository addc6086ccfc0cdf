#!/usr/bin/env bash
# Measures, and says how it went in outputs; it fails only where it cannot even start. kgate's exit status
# is finish.sh's to tell, after everything was posted.
source "$(dirname "$0")/common.sh"

read -ra notes <<<"${KGATE_NOTES:-}"

# untrusted COMMAND...: what the change brings gets no token that is in the environment, and is not told of the
# files by which a step sets variables, PATH and outputs for those after it.
untrusted() {
    local name without=()
    while IFS= read -r -d '' name; do
        case ${name%%=*} in
        GITHUB_ENV | GITHUB_PATH | GITHUB_OUTPUT | GITHUB_STATE | GITHUB_STEP_SUMMARY) ;;
        GITHUB_TOKEN | GH_TOKEN | KGATE_TOKEN | INPUT_*TOKEN* | ACTIONS_*) ;;
        *) continue ;;
        esac
        without+=(-u "${name%%=*}")
    done < <(env -0)
    env "${without[@]}" "$@"
}

# This step writes outputs alone, when all else is done: what is there before was written by a build or by
# what was measured, which can find these files without being told.
runner_files_clear() {
    local name
    for name in GITHUB_ENV GITHUB_PATH GITHUB_OUTPUT GITHUB_STATE GITHUB_STEP_SUMMARY; do
        [ -s "${!name:-}" ] || continue
        warn "what was built or measured wrote to the file of $name: dropped"
        : >"${!name}"
    done
}

# What mode publish needs, in the artifact.
note_subject() {
    [ -z "$KGATE_NUMBER" ] || echo "$KGATE_NUMBER" >"$KGATE_OUTPUT/pull-request"
    echo "$1" >"$KGATE_OUTPUT/exit-status"
    echo "${notes[*]}" >"$KGATE_OUTPUT/notes"
}

# give_up NOTE MESSAGE: nothing was measured.
give_up() {
    notes+=("$1")
    note_subject 2
    runner_files_clear
    output notes "${notes[*]}"
    die "$2"
}

# Where a plugin's build finds kgate's headers: `pkg-config --cflags kgate-profiler`.
headers_path() {
    local prefix
    prefix=$(dirname "$(dirname "$(readlink -f "$(command -v "$KGATE")")")")
    printf "%s:" "$prefix/lib/pkgconfig" "$prefix/lib64/pkgconfig" "$prefix"/lib/*/pkgconfig
}

# build_in FOLDER SIDE; returns the build's status.
build_in() {
    local found
    [ -n "$KGATE_BUILD" ] || return 0
    [ -d "$1" ] || give_up "$2-build" "build is a command for a folder, and '$1' is none"
    found=$(headers_path)${PKG_CONFIG_PATH:-}
    (cd "$1" && PKG_CONFIG_PATH=$found untrusted bash -euo pipefail -c "$KGATE_BUILD") >&2
}

# A checkout of the base beside the head's, built by the same command.
base_build() {
    local folder
    folder=$(mktemp -d "$RUNNER_TEMP/kgate-base.XXXXXX") # a job may use the action twice
    [ -n "$KGATE_BASE_SHA" ] || die "the event names no base commit: give the input base"
    git worktree add --quiet --force --detach "$folder" "$KGATE_BASE_SHA" >&2
    KGATE_BASE=$folder
    # The base of the first pull request with a suite may have no rule for this build. kgate calls its cases NEW.
    if [ -z "$KGATE_TRUST" ] && [ ! -e "$folder/$KGATE_SUITE" ]; then
        warn "the base has no '$KGATE_SUITE': the base is not built, and every case is new"
        return
    fi
    # A benchmark that the change adds has no rule in the base: what is built before it can be compared.
    if ! build_in "$folder" base; then
        notes+=(base-build)
        warn "the base does not build: a case that needs its build is not compared"
    fi
}

arguments_make() {
    local line
    arguments=("$KGATE_MODE" -c "$KGATE_SUITE" -o "$KGATE_OUTPUT")
    if [ "$KGATE_MODE" = ab ]; then
        arguments+=(--base "$KGATE_BASE" --head "$KGATE_HEAD")
    else
        arguments+=(-b "$KGATE_BASELINES")
    fi
    [ -z "$KGATE_TRUST" ] || arguments+=(--trust "$KGATE_TRUST")
    [ -z "$KGATE_BUDGET" ] || arguments+=(--budget "$KGATE_BUDGET")
    [ -z "$KGATE_FAIL_ON" ] || arguments+=(--set "policy.fail_on=[$KGATE_FAIL_ON]")
    while IFS= read -r line; do
        line=${line%$'\r'}
        # Where no branch judges, as on a push, the change's own counts anyway, and kgate refuses the option.
        [[ -n $KGATE_TRUST || $line != --accept-from=* ]] || continue
        [ -z "$line" ] || arguments+=("$line")
    done <<<"$KGATE_ARGS"
}

# Outputs from the comparison; one that is not there, or is of an earlier run, says nothing.
outcome() {
    local status=$1 comparison=$KGATE_OUTPUT/comparison.json verdict=ERROR counts='{}'
    if [ -s "$comparison" ] && [[ $status =~ ^[0134]$ ]]; then
        verdict=$(jq -r .verdict "$comparison")
        counts=$(jq -c .counts "$comparison")
    fi
    output exit-code "$status"
    output verdict "$verdict"
    output counts "$counts"
    output notes "${notes[*]}"
    echo "kgate: $verdict, exit status $status"
}

# Read by kgate as any file that is not trusted, and written anew; notes are words that publish.sh knows.
published() {
    if [ -f "$KGATE_FROM/comparison.json" ]; then
        "$KGATE" report "$KGATE_FROM/comparison.json" --format json -o "$KGATE_OUTPUT/comparison.json" ||
            die "the artifact's comparison.json is none"
        outcome "$(jq -r .exit_status "$KGATE_OUTPUT/comparison.json")"
    elif [ "${notes[*]}" = nothing ]; then
        nothing
    else
        [ -e "$KGATE_FROM/exit-status" ] || notes=(no-report)
        outcome 3
    fi
}

nothing() {
    output exit-code 0
    output verdict NOTHING
    output counts '{}'
    output notes "${notes[*]}"
}

mkdir -p "$KGATE_OUTPUT"
rm -f "$KGATE_OUTPUT/comparison.json"
case $KGATE_MODE in
publish)
    read -ra notes < <(head -c 100 "$KGATE_FROM/notes" 2>/dev/null | tr -cd 'a-z \n-') || true
    published
    ;;
gate | ab)
    if [ "${notes[*]}" = nothing ]; then
        note_subject 0
        nothing
        exit 0
    fi
    if [ "$KGATE_MODE" = ab ] && [ -z "$KGATE_BASE" ]; then base_build; fi
    build_in "$KGATE_HEAD" head || give_up head-build "the head does not build"
    arguments_make
    status=0
    untrusted "$KGATE" "${arguments[@]}" || status=$?
    note_subject "$status"
    runner_files_clear
    outcome "$status"
    ;;
*) die "mode: '$KGATE_MODE' is none of gate, ab and publish" ;;
esac
