#!/usr/bin/env bash
# install.sh version: outputs whether kgate must be built, and a hash of its sources as a key of the cache.
# install.sh install: finds kgate or builds it into ~/.local/kgate, and outputs its path.
source "$(dirname "$0")/common.sh"
source_folder=$(cd "$(dirname "$0")/../.." && pwd)
built=$HOME/.local/kgate/bin/kgate

found=${KGATE_PROGRAM:-$(command -v kgate || true)}
case ${1:-} in
version)
    if [ -n "$found" ]; then
        output build no
    else
        output build yes
        output sources "$(cd "$source_folder" && find CMakeLists.txt cmake src include kernels package-lock.json -type f |
            LC_ALL=C sort | xargs sha256sum | sha256sum | cut -c1-16)"
    fi
    ;;
install)
    if [ -z "$found" ] && [ ! -x "$built" ]; then
        (
            cd "$source_folder"
            source ci/setup.sh
            setup gate
            cmake --preset release -G Ninja -B build/action \
                -DCMAKE_INSTALL_PREFIX="$HOME/.local/kgate" >/dev/null
            cmake --build build/action
            cmake --install build/action >/dev/null
        ) || die "the build of kgate failed on this runner. See the log above"
    elif [ -z "$found" ]; then
        # The cache restored kgate, but its libraries may be missing.
        (cd "$source_folder" && source ci/setup.sh && setup gate)
    fi
    found=${found:-$built}
    "$found" --version || die "'$found' does not run"
    output kgate "$found"
    # The files that later run with the token. action.yml checks that the build of the change did not modify them.
    output sum "$(cat "$found" "$(dirname "$0")"/*.sh | sha256sum | cut -c1-64)"
    ;;
*) die "usage: install.sh version|install" ;;
esac
