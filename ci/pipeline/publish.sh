#!/usr/bin/env bash
# Posts the result: summary of the run, annotations, one comment that later runs update, and the check. If the token
# cannot post, as from a fork, a warning says so. The exit status still has the verdict.
source "$(dirname "$0")/common.sh"

marker=$(marked "$KGATE_ID")
comparison=$KGATE_OUTPUT/comparison.json
verdict=${KGATE_VERDICT:-ERROR}
post=$(mktemp -d)
trap 'rm -rf "$post"' EXIT
# A build may have left configuration files of jq or curl in the home folder.
export HOME=$post XDG_CONFIG_HOME=$post

# Prints the sentence of a note. Anybody may have written the notes of an artifact, so unknown words print nothing.
sentence() {
    case $1 in
    base-build) echo "**kgate: the base does not build** with this command. kgate does not compare the cases that need its build." ;;
    head-build) echo "**kgate: the head does not build**, so kgate measured nothing." ;;
    no-report) echo "**kgate**: the measuring run left no report. It was cancelled, or it failed earlier." ;;
    renamed) echo "Did you rename or remove a program of a FAILED case on purpose? The suite of the target branch still starts it. Keep both names in this change and edit the suite in the next one, or set \`trust: none\` in the workflow for this change." ;;
    merges) echo "This check is neutral, so GitHub lets the change merge, even if it is slower. \`undecided: fail\` in the suite's policy makes the check red." ;;
    own-suite) echo "**Judged by its own suite**: the target branch has no suite yet. After the merge the suite of the target branch judges." ;;
    esac
}

# Whether a case failed and the change edits the suite: the change may remove its program on purpose.
failed_and_edited() {
    [ -s "$comparison" ] && [ "$verdict" != ERROR ] &&
        jq -e '.trust and .counts.failed > 0 and (.edits | length) > 0' "$comparison" >/dev/null
}

text_make() {
    local note words
    for note in ${KGATE_NOTES:-}; do
        words=$(sentence "$note")
        [ -z "$words" ] || printf '%s\n\n' "$words"
    done
    case $verdict,${KGATE_NOTES:-} in
    NOTHING,*) echo "kgate: this change edits no measured file." ;;
    ERROR,*-build | ERROR,no-report) ;;
    ERROR,*) echo "**kgate** could not measure this change (exit status ${KGATE_STATUS:-none}); see the log of the measuring job." ;;
    *) "$KGATE" report "$comparison" --format markdown ;;
    esac
    if [ "$verdict,${KGATE_POSTURE:-}" = UNDECIDED,required ]; then printf '\n%s\n' "$(sentence merges)"; fi
    if failed_and_edited; then printf '\n%s\n' "$(sentence renamed)"; fi
}

# Whether a reviewer needs a comment: no PASS, or a change of a case.
changed() {
    [ "$verdict" != PASS ] && [ "$verdict" != NOTHING ] && return 0
    [ -s "$comparison" ] && jq -e '.counts | .regression + .improvement + .suspect + .failed > 0' "$comparison" >/dev/null
}

# Prints the number of the earlier comment with this id. Comments of other users do not count, even with the same mark.
comment_find() {
    local me
    # The token of a workflow belongs to no user.
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

# Prints the conclusion of the check. UNDECIDED is neutral; so is a regression under the posture advisory.
conclusion() {
    case $verdict in
    PASS | NOTHING) echo success ;;
    UNDECIDED) echo neutral ;;
    FAIL) [ "$KGATE_POSTURE" = advisory ] && [ "$KGATE_STATUS" != 3 ] && echo neutral || echo failure ;;
    *) echo failure ;;
    esac
}

# "kgate FAIL: 1 case regressed: w2/cpu: peak memory +200 % (1.00 -> 3.00 MiB)": the list of checks shows only the
# title.
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
    warn "no comment: the token of this job cannot write to the pull request. Add permissions: pull-requests: write; for forks use mode publish"
fi
if [ -n "$KGATE_CHECK_RUN" ] && ! check_end; then
    warn "the check stays in progress, because kgate could not update it"
fi
