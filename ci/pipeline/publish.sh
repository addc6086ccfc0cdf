#!/usr/bin/env bash
# Posts what was measured: the run's summary, annotations, one comment that is kept up to date, and the
# check. What may not be posted, as from a fork, is a warning: the gate's own status tells the verdict.
source "$(dirname "$0")/common.sh"

marker=$(marked "$KGATE_ID")
comparison=$KGATE_OUTPUT/comparison.json
verdict=${KGATE_VERDICT:-ERROR}
post=$(mktemp -d)
trap 'rm -rf "$post"' EXIT
# A build may have left files there that jq, curl and others read unasked.
export HOME=$post XDG_CONFIG_HOME=$post

# What a note of the steps before says. The word may be of an artifact, which anybody can have written.
sentence() {
    case $1 in
    base-build) echo "**kgate: the base does not build** by this command. A case that needs its build is not compared." ;;
    head-build) echo "**kgate: the head does not build**, so nothing was measured." ;;
    no-report) echo "**kgate**: the run that measures left no report: it was cancelled, or failed before." ;;
    renamed) echo "Is what FAILED renamed or removed on purpose? The target branch's suite still starts it: let both names work in one change and edit the suite in the next, or set \`trust: none\` in the workflow for this one." ;;
    merges) echo "This check is neutral, so GitHub lets the change merge: a slower one can pass so. \`undecided: fail\` in the suite's policy makes it red." ;;
    own-suite) echo "**Judged by its own suite**: the target branch has none yet. Once this is merged, changes are judged by the target branch's." ;;
    esac
}

# A workload that fails under the target branch's suite, and may have been meant to go.
failed_and_edited() {
    [ -s "$comparison" ] && [ "$verdict" != ERROR ] &&
        jq -e '.trust and .counts.failed > 0 and (.edits | length) > 0' "$comparison" >/dev/null
}

text_make() {
    local note said
    for note in ${KGATE_NOTES:-}; do
        said=$(sentence "$note")
        [ -z "$said" ] || printf '%s\n\n' "$said"
    done
    case $verdict,${KGATE_NOTES:-} in
    NOTHING,*) echo "kgate: nothing that is measured was changed." ;;
    ERROR,*-build | ERROR,no-report) ;;
    ERROR,*) echo "**kgate** could not measure this change (exit status ${KGATE_STATUS:-none}); the log of the job that measures says why." ;;
    *) "$KGATE" report "$comparison" --format markdown ;;
    esac
    if [ "$verdict,${KGATE_POSTURE:-}" = UNDECIDED,required ]; then printf '\n%s\n' "$(sentence merges)"; fi
    if failed_and_edited; then printf '\n%s\n' "$(sentence renamed)"; fi
}

# Of the comparison's counts, what a reviewer should hear of even where the gate passes.
changed() {
    [ "$verdict" != PASS ] && [ "$verdict" != NOTHING ] && return 0
    [ -s "$comparison" ] && jq -e '.counts | .regression + .improvement + .suspect + .failed > 0' "$comparison" >/dev/null
}

# The comment of this id that this token's user wrote: nobody else's is touched, whatever it begins with.
comment_find() {
    local me
    # A workflow's own token belongs to no user.
    me=$(api GET "$GITHUB_API_URL/user" 2>/dev/null | jq -r .login) || me='github-actions[bot]'
    api_all "issues/$KGATE_NUMBER/comments" ".[] | {id, body, login: .user.login} | tojson" >"$post/comments" || return 1
    jq -r --arg marker "$marker" --arg me "$me" \
        'select((.body | startswith($marker)) and .login == $me) | .id' "$post/comments" | sed -n 1p
}

comment_post() {
    local id
    id=$(comment_find) || return 1
    jq -n --arg marker "$marker" --rawfile text "$post/text" '{body: ($marker + "\n" + $text)}' >"$post/comment"
    if [ -n "$id" ]; then
        api PATCH "issues/comments/$id" "$post/comment" >/dev/null
    elif [ "$KGATE_COMMENT" = always ] || changed; then
        api POST "issues/$KGATE_NUMBER/comments" "$post/comment" >/dev/null
    fi
}

# Advisory or not, the check tells what was found; neutral is for what was not decided.
conclusion() {
    case $verdict in
    PASS | NOTHING) echo success ;;
    UNDECIDED) echo neutral ;;
    FAIL) [ "$KGATE_POSTURE" = advisory ] && [ "$KGATE_STATUS" != 3 ] && echo neutral || echo failure ;;
    *) echo failure ;;
    esac
}

# "kgate FAIL: 1 case regressed: w2/cpu: peak memory +200 % (1.00 -> 3.00 MiB)": the list of checks shows the title alone.
title() {
    local reason=
    if [ -s "$comparison" ] && [ "$verdict" != ERROR ] && [ "$verdict" != NOTHING ]; then
        reason=$(jq -r '.verdict_reasons[0] // "" | gsub("[[:cntrl:]]"; " ") | if length > 200 then .[:199] + "…" else . end' "$comparison")
    fi
    echo "kgate $verdict${reason:+: $reason}"
}

check_end() {
    jq -n --arg conclusion "$(conclusion)" --arg title "$(title)" --rawfile text "$post/text" \
        '{status: "completed", conclusion: $conclusion, output: {title: $title, summary: $text}}' >"$post/check"
    api PATCH "check-runs/$KGATE_CHECK_RUN" "$post/check" >/dev/null
}

text_make >"$post/text"
cat "$post/text" >>"$GITHUB_STEP_SUMMARY"
if [ -s "$comparison" ] && [ "$KGATE_MODE" != publish ] && [ "$verdict" != NOTHING ]; then
    "$KGATE" report "$comparison" --format github
fi
if [ -n "$KGATE_NUMBER" ] && [ "$KGATE_COMMENT" != never ] && ! comment_post; then
    warn "no comment: this job's token may not write to the pull request (permissions: pull-requests: write; forks: mode publish)"
fi
if [ -n "$KGATE_CHECK_RUN" ] && ! check_end; then
    warn "the check stays 'in progress': it could not be written"
fi
