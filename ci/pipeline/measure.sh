#!/usr/bin/env bash
# Measures and writes outputs. It fails only if it cannot start. finish.sh exits with kgate's status after everything is
# posted.
source "$(dirname "$0")/common.sh"

read -ra notes <<<"${KGATE_NOTES:-}"

# untrusted COMMAND...: runs code of the change without the tokens of the environment, and without the names of the
# files that set variables, PATH and outputs of later steps.
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

# Empties the files of the runner. This step writes its outputs last, so earlier text comes from a build or from
# measured code. Both can find these files without their names.
runner_files_clear() {
    local name
    for name in GITHUB_ENV GITHUB_PATH GITHUB_OUTPUT GITHUB_STATE GITHUB_STEP_SUMMARY; do
        [ -s "${!name:-}" ] || continue
        warn "the build or the measured code wrote to the file of $name. The text is dropped"
        : >"${!name}"
    done
}

# Writes the input of mode publish into the artifact.
note_subject() {
    [ -z "$KGATE_NUMBER" ] || echo "$KGATE_NUMBER" >"$KGATE_OUTPUT/pull-request"
    echo "$1" >"$KGATE_OUTPUT/exit-status"
    echo "${notes[*]}" >"$KGATE_OUTPUT/notes"
}

# give_up NOTE MESSAGE: ends the step without a measurement.
give_up() {
    notes+=("$1")
    note_subject 2
    runner_files_clear
    output notes "${notes[*]}"
    die "$2"
}

# Prints the folders where pkg-config finds kgate-profiler, for builds of plugins.
headers_path() {
    local prefix
    prefix=$(dirname "$(dirname "$(readlink -f "$(command -v "$KGATE")")")")
    printf "%s:" "$prefix/lib/pkgconfig" "$prefix/lib64/pkgconfig" "$prefix"/lib/*/pkgconfig
}

# build_in FOLDER SIDE: builds, and returns the status of the build.
build_in() {
    local found
    [ -n "$KGATE_BUILD" ] || return 0
    [ -d "$1" ] || give_up "$2-build" "build needs a folder, but '$1' is not a folder"
    found=$(headers_path)${PKG_CONFIG_PATH:-}
    (cd "$1" && PKG_CONFIG_PATH=$found untrusted bash -euo pipefail -c "$KGATE_BUILD") >&2
}

# Checks out the base beside the head, and builds it with the same command.
base_build() {
    local folder
    folder=$(mktemp -d "$RUNNER_TEMP/kgate-base.XXXXXX") # a job may use the action twice
    [ -n "$KGATE_BASE_SHA" ] || die "the event names no base commit. Give the input base"
    git worktree add --quiet --force --detach "$folder" "$KGATE_BASE_SHA" >&2
    KGATE_BASE=$folder
    # The base of the first pull request with a suite may have no rule for this build. kgate calls its cases NEW.
    if [ -z "$KGATE_TRUST" ] && [ ! -e "$folder/$KGATE_SUITE" ]; then
        warn "the base has no '$KGATE_SUITE'. kgate does not build the base, and every case is new"
        return
    fi
    # The base may lack the rule of a new benchmark. kgate compares the programs that were built before the error.
    if ! build_in "$folder" base; then
        notes+=(base-build)
        warn "the base does not build. kgate does not compare the cases that need its build"
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
        # Without a judging branch, as on a push, kgate refuses this option. The accepted changes of the checkout count
        # anyway.
        [[ -n $KGATE_TRUST || $line != --accept-from=* ]] || continue
        [ -z "$line" ] || arguments+=("$line")
    done <<<"$KGATE_ARGS"
}

# Outputs verdict and counts of the comparison; ERROR if there is none.
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

# Publishes the artifact of an untrusted run. kgate reads and rewrites its comparison; publish.sh knows the notes.
published() {
    if [ -f "$KGATE_FROM/comparison.json" ]; then
        "$KGATE" report "$KGATE_FROM/comparison.json" --format json -o "$KGATE_OUTPUT/comparison.json" ||
            die "comparison.json of the artifact is not a comparison of kgate"
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
*) die "mode is '$KGATE_MODE', but must be gate, ab or publish" ;;
esac
