#!/usr/bin/env bash
# Before measuring: which commit and which pull request this is, what judges it, whether the change touches
# anything that is measured, and a check that says "in progress".
source "$(dirname "$0")/common.sh"
source "$(dirname "$0")/commits.sh"

FILES_LISTED=3000 # the service lists no more of a pull request's

# The commits and the number that the event tells. The merge commit that a pull request's workflow has
# checked out is nobody's head: checks belong on the pull request's own.
subject_of_event() {
    number=$(event .pull_request.number)
    head_sha=$(event '.pull_request.head.sha // .merge_group.head_sha')
    target_sha=$(event '.pull_request.base.sha // .merge_group.base_sha')
    base_sha=${target_sha:-$(event .before)}
    head_sha=${head_sha:-$GITHUB_SHA}
    [[ ! $base_sha =~ ^0+$ ]] || base_sha= # a branch that is new
    is_change='' is_paired=''
    [ -z "$number$(event .merge_group.head_sha)" ] || is_change=yes
    [ "$KGATE_MODE" != ab ] || [ -n "$KGATE_BASE" ] || is_paired=yes
}

# Brings the base into the clone, and the commit that judges. Asks git nothing where neither is wanted.
subject_in_clone() {
    case $KGATE_TRUST in
    base) trust=${is_change:+base} ;;
    none) trust= ;;
    *) trust=$KGATE_TRUST ;;
    esac
    [ -n "$is_paired" ] || [ "$trust" = base ] || return 0
    git rev-parse --git-dir >/dev/null ||
        die "the working directory is no checkout that git reads (see above): trust: base takes suite, thresholds, baselines and accepted changes from the target branch, and mode ab its code; trust: none judges by the change's own"
    if [ -n "$is_change" ]; then
        target_find
    elif [ -n "$base_sha" ]; then
        commit_get "$base_sha" || die "the base, $base_sha, cannot be fetched: check out with fetch-depth: 0"
    fi
    if [ "$trust" = base ]; then trust_decide; fi
}

# The event's commit of the target branch may be older than what the checkout was merged into: what others
# have merged between would be told of this change, and may hide what it costs.
target_find() {
    local merged=
    [ -z "$number" ] || merged=$(merged_into "$head_sha")
    target_sha=${merged:-$target_sha}
    base_sha=$target_sha
    commit_get "$target_sha" ||
        die "the target branch's commit, '$target_sha', cannot be fetched: check out with fetch-depth: 0"
    [ "$(git rev-parse HEAD)" != "$target_sha" ] ||
        die "what is checked out is the target branch and not the change: start the workflow on pull_request, or check out the pull request"
    if [ -n "$is_paired" ] && [ -n "$number" ] && [ -z "$merged" ]; then
        base_sha=$(change_begin "$target_sha" "$head_sha") ||
            die "where the change began is not known: check out with fetch-depth: 0, or the pull request's merge commit (actions/checkout without ref)"
    fi
}

# The first change with a suite cannot be judged by a branch that has none.
trust_decide() {
    if commit_has "$target_sha" "$KGATE_SUITE"; then
        trust=git:$target_sha
    else
        trust=
        notes+=(own-suite)
        warn "the target branch has no '$KGATE_SUITE' yet: this change is judged by its own; once it is merged, changes are judged by the target branch's"
    fi
}

# What was measured without a token is published from a run of its own. The number is in the artifact,
# which the measured code may have written: it counts only where that pull request has the very commit
# that the other run was started for. A run that left no artifact has a commit all the same.
subject_of_artifact() {
    head_sha=$(event .workflow_run.head_sha)
    number=$(cat "$KGATE_FROM/pull-request" 2>/dev/null || true)
    [ -n "$head_sha" ] || die "mode publish is for workflows that start on workflow_run"
    [ -n "$number" ] || return 0
    [[ $number =~ ^[0-9]{1,9}$ ]] || die "'$KGATE_FROM/pull-request' is no pull request's number"
    local theirs
    theirs=$(api GET "pulls/$number" | jq -r .head.sha) || die "pull request $number cannot be read"
    [ "$theirs" = "$head_sha" ] ||
        die "pull request $number is at $theirs, and what was measured is $head_sha: nothing is posted"
}

# Whether a path matches one of the patterns, one a line; `*` matches slashes too.
ignored() {
    local pattern
    while IFS= read -r pattern; do
        pattern=${pattern%$'\r'}
        # shellcheck disable=SC2053
        if [ -n "$pattern" ] && [[ $1 == $pattern ]]; then return 0; fi
    done <<<"$KGATE_IGNORE_PATHS"
    return 1
}

# A list that cannot be read, and one that may have been cut, decides nothing: then everything is measured.
only_ignored() {
    local files path
    [ -n "$KGATE_IGNORE_PATHS" ] && [ -n "$number" ] || return 1
    files=$(api_all "pulls/$number/files" '.[] | [.filename, .previous_filename // empty] | tojson') || return 1
    [ -n "$files" ] && [ "$(wc -l <<<"$files")" -lt "$FILES_LISTED" ] || return 1
    while IFS= read -r path; do
        ignored "$path" || return 1
    done < <(jq -r '.[]' <<<"$files")
}

check_begin() {
    local body
    body=$(mktemp)
    jq -n --arg name "$KGATE_ID" --arg sha "$head_sha" \
        '{name: $name, head_sha: $sha, status: "in_progress"}' >"$body"
    api POST check-runs "$body" | jq -r .id
}

number='' base_sha='' trust='' notes=()
if [ "$KGATE_MODE" = publish ]; then
    subject_of_artifact
else
    subject_of_event
    if only_ignored; then
        echo "every changed path is in ignore-paths: nothing is measured"
        notes+=(nothing)
    else
        subject_in_clone
    fi
fi
output head-sha "$head_sha"
output base-sha "$base_sha"
output trust "$trust"
output number "$number"
output notes "${notes[*]}"
if [ "$KGATE_CHECK" = true ]; then
    if check=$(check_begin) && [[ $check =~ ^[0-9]+$ ]]; then
        output check-run "$check"
    else
        warn "no check on the commit: this job's token may not write checks (permissions: checks: write; forks: mode publish)"
    fi
fi
