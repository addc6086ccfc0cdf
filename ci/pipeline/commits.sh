# Finds and fetches the commits that a change is judged by and compared with. begin.sh sources this file, before any
# code of the change runs.

# fetch REF...: first with the credentials of the clone, then with the job's token. A private repository needs the
# token after a checkout with `persist-credentials: false`. No argument contains the token.
fetch() {
    local words=(git fetch --quiet --no-tags --no-recurse-submodules "$@") basic
    export GIT_TERMINAL_PROMPT=0
    "${words[@]}" 2>/dev/null && return
    basic=$(printf 'x-access-token:%s' "${KGATE_TOKEN:-}" | base64 -w0)
    GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=http.${GITHUB_SERVER_URL:-https://github.com}/.extraheader \
        GIT_CONFIG_VALUE_0="Authorization: Basic $basic" "${words[@]}"
}

is_shallow() {
    [ "$(git rev-parse --is-shallow-repository)" = true ]
}

# A fetch of depth 1 into a complete clone would cut its history.
commit_get() {
    local depth=()
    git cat-file -e "$1^{commit}" 2>/dev/null && return
    ! is_shallow || depth=(--depth=1)
    fetch "${depth[@]}" origin "$1"
}

# merged_into HEAD_SHA: prints the target commit if the checkout is a merge of HEAD_SHA, else nothing.
merged_into() {
    local parents
    mapfile -t parents < <(git cat-file commit HEAD 2>/dev/null | sed -n '/^$/q; s/^parent //p')
    [ "${#parents[@]}" -ne 2 ] || [ "${parents[1]}" != "$1" ] || echo "${parents[0]}"
}

# change_begin TARGET HEAD_SHA: prints the merge base. A checkout of the head lacks later commits of the target branch.
# A comparison with TARGET would blame the change for them. Only the whole history has a certain merge base.
change_begin() {
    if is_shallow; then
        fetch --unshallow origin "$1" "$2" || return 1
    fi
    git merge-base "$1" HEAD
}

# commit_has COMMIT PATH: whether the commit has the file. An error of git ends the step.
commit_has() {
    local found
    found=$(git ls-tree "$1" -- "$2") || die "git cannot look for '$2' in the target branch (see above). No change can edit a suite outside the repository: give trust: none"
    [ -n "$found" ]
}
