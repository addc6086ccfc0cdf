# The commits that a change is judged by and compared with, and how they come into the clone. Sourced by
# begin.sh, which runs before anything of the change does.

# fetch WHAT...: as the checkout left the clone, else with the job's token: of a private repository a checkout
# with `persist-credentials: false` leaves no way to fetch. The token is in no argument.
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

# A fetch of depth 1 into a clone that has everything would cut what it has.
commit_get() {
    local depth=()
    git cat-file -e "$1^{commit}" 2>/dev/null && return
    ! is_shallow || depth=(--depth=1)
    fetch "${depth[@]}" origin "$1"
}

# The target's commit that the checkout has merged HEAD_SHA into; nothing where it is no such merge.
merged_into() {
    local parents
    mapfile -t parents < <(git cat-file commit HEAD 2>/dev/null | sed -n '/^$/q; s/^parent //p')
    [ "${#parents[@]}" -ne 2 ] || [ "${parents[1]}" != "$1" ] || echo "${parents[0]}"
}

# change_begin TARGET HEAD_SHA: the commit that the change began at. A checkout of the head alone does not
# have what the target branch gained since: compared with TARGET, that would be told of the change. No
# history but the whole one says for certain where two branches parted.
change_begin() {
    if is_shallow; then
        fetch --unshallow origin "$1" "$2" || return 1
    fi
    git merge-base "$1" HEAD
}

# commit_has COMMIT PATH: whether it has a file of that path. What git cannot say is none of both.
commit_has() {
    local found
    found=$(git ls-tree "$1" -- "$2") || die "git cannot say whether the target branch has '$2' (see above); a suite outside of the repository is no change's to edit: give trust: none"
    [ -n "$found" ]
}
