#!/usr/bin/env bash
# Runs before the measurement. Finds the commit, the pull request and the judging branch. Decides whether anything needs
# measuring, and sets the check to "in progress".
source "$(dirname "$0")/common.sh"
source "$(dirname "$0")/commits.sh"

FILES_LISTED=3000 # GitHub lists at most this number of files of a pull request

# Reads commits and number of the pull request from the event. A workflow checks out a merge commit, but the check
# belongs on the head of the pull request.
subject_of_event() {
    number=$(event .pull_request.number)
    head_sha=$(event '.pull_request.head.sha // .merge_group.head_sha')
    target_sha=$(event '.pull_request.base.sha // .merge_group.base_sha')
    base_sha=${target_sha:-$(event .before)}
    head_sha=${head_sha:-$GITHUB_SHA}
    [[ ! $base_sha =~ ^0+$ ]] || base_sha= # a new branch
    is_change='' is_paired=''
    [ -z "$number$(event .merge_group.head_sha)" ] || is_change=yes
    [ "$KGATE_MODE" != ab ] || [ -n "$KGATE_BASE" ] || is_paired=yes
}

# Fetches the base and the judging commit, if they are needed.
subject_in_clone() {
    case $KGATE_TRUST in
    base) trust=${is_change:+base} ;;
    none) trust= ;;
    *) trust=$KGATE_TRUST ;;
    esac
    [ -n "$is_paired" ] || [ "$trust" = base ] || return 0
    git rev-parse --git-dir >/dev/null ||
        die "git cannot read the working directory (see above). trust: base and mode ab need a checkout. trust: none judges by the suite, thresholds, baselines and accepted changes of the change itself"
    if [ -n "$is_change" ]; then
        target_find
    elif [ -n "$base_sha" ]; then
        commit_get "$base_sha" || die "git cannot fetch the base, $base_sha. Check out with fetch-depth: 0"
    fi
    if [ "$trust" = base ]; then trust_decide; fi
}

# The event's target commit may be older than the parent of the merge commit. The report would then blame this change
# for the work of others, or hide its cost.
target_find() {
    local merged=
    [ -z "$number" ] || merged=$(merged_into "$head_sha")
    target_sha=${merged:-$target_sha}
    base_sha=$target_sha
    commit_get "$target_sha" ||
        die "git cannot fetch the target branch's commit, '$target_sha'. Check out with fetch-depth: 0"
    [ "$(git rev-parse HEAD)" != "$target_sha" ] ||
        die "the checkout is the target branch, not the change. Start the workflow on pull_request, or check out the pull request"
    if [ -n "$is_paired" ] && [ -n "$number" ] && [ -z "$merged" ]; then
        base_sha=$(change_begin "$target_sha" "$head_sha") ||
            die "git cannot find the merge base of the change. Check out with fetch-depth: 0, or check out the merge commit of the pull request (actions/checkout without ref)"
    fi
}

# A branch without a suite cannot judge the first change that adds one.
trust_decide() {
    if commit_has "$target_sha" "$KGATE_SUITE"; then
        trust=git:$target_sha
    else
        trust=
        notes+=(own-suite)
        warn "the target branch has no '$KGATE_SUITE' yet. The suite of this change judges. After the merge the target branch judges"
    fi
}

# A second run publishes the measurements of a run without a token. Measured code may have written the number in the
# artifact. So the number counts only if the head of its pull request is the measured commit. A run without an artifact
# still has a commit.
subject_of_artifact() {
    head_sha=$(event .workflow_run.head_sha)
    number=$(cat "$KGATE_FROM/pull-request" 2>/dev/null || true)
    [ -n "$head_sha" ] || die "mode publish is for workflows that start on workflow_run"
    [ -n "$number" ] || return 0
    [[ $number =~ ^[0-9]{1,9}$ ]] || die "'$KGATE_FROM/pull-request' is not the number of a pull request"
    local theirs
    theirs=$(api GET "pulls/$number" | jq -r .head.sha) || die "pull request $number cannot be read"
    [ "$theirs" = "$head_sha" ] ||
        die "pull request $number is at $theirs, but the measured commit is $head_sha. Nothing is posted"
}

# Whether a path matches a pattern. There is one pattern per line, and `*` matches slashes too.
ignored() {
    local pattern
    while IFS= read -r pattern; do
        pattern=${pattern%$'\r'}
        # shellcheck disable=SC2053
        if [ -n "$pattern" ] && [[ $1 == $pattern ]]; then return 0; fi
    done <<<"$KGATE_IGNORE_PATHS"
    return 1
}

# Whether all changed files are ignored. If the list is unreadable or may be incomplete, kgate measures everything.
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
        echo "ignore-paths has every changed path, so kgate measures nothing"
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
        warn "no check on the commit: the token of this job cannot write checks. Add permissions: checks: write; for forks use mode publish"
    fi
fi
