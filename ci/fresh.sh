#!/usr/bin/env bash
# Runs the commands of the README and of the pages on a bare Debian, in a chroot of its own. See --help.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
    cat <<'TEXT'
usage: ci/fresh.sh [--all] [--keep]

Makes a minimal Debian in a folder, with this machine's mirror, keys and proxy for packages, clones HEAD
into it, runs ci/gate.sh, ci/test.sh and then every command of README and docs (tests/docs/walk.py) there,
and removes it: whether a newcomer's machine has all that they take for granted. Uncommitted changes are not
in it, nor is CUDA. Says each one's exit status and time at the end; exits 0 where all passed, 1 where one
did not, 2 where there was nothing to run them in.

Needs root, and debootstrap, which is installed where it is missing. The folder is made in TMPDIR (or
/var/tmp) and takes some 3 GB.

  --all     runs ci/test.sh --all
  --keep    leaves the folder, and says where it is
  --help    prints this

KGATE_FRESH_RELEASE is the release of Debian (default: bookworm, which the README promises).
TEXT
}

die() {
    echo "ci/fresh.sh: $*" >&2
    exit 2
}

test_arguments=
keep=
for argument in "$@"; do
    case $argument in
    --all) test_arguments=--all ;;
    --keep) keep=yes ;;
    --help | -h)
        usage
        exit
        ;;
    *)
        usage >&2
        die "unknown argument '$argument'"
        ;;
    esac
done
release=${KGATE_FRESH_RELEASE:-bookworm}

[ "$(id -u)" -eq 0 ] || die "needs root, for a chroot: sudo ci/fresh.sh"
# Mounts and processes of the chroot are in namespaces of this script's own. However it ends, Ctrl-C and
# SIGKILL included, the kernel ends the processes and takes the mounts away.
if [ -z "${KGATE_FRESH_INSIDE-}" ]; then
    root=$(mktemp -d "${TMPDIR:-/var/tmp}/kgate-fresh.XXXXXX")
    chmod 755 "$root" # apt drops to a user of its own
    remove() {
        if [ -n "$keep" ]; then
            echo "ci/fresh.sh: left in $root" >&2
        else
            # Processes that were killed may be writing for a moment.
            rm -rf --one-file-system "$root" "$root.log" 2>/dev/null ||
                { sleep 2; rm -rf --one-file-system "$root" "$root.log"; }
        fi
    }
    stop() {
        kill -KILL "$child" 2>/dev/null || true
        wait "$child" 2>/dev/null || true
        exit "$1"
    }
    trap remove EXIT
    trap 'stop 130' INT
    trap 'stop 143' TERM HUP
    # In the background, since a signal is only seen between commands; as a job, which does not ignore Ctrl-C.
    set -m
    KGATE_FRESH_INSIDE=$root unshare --mount --pid --fork --kill-child --mount-proc \
        "$PWD/ci/fresh.sh" "$@" &
    child=$!
    status=0
    wait "$child" || status=$?
    exit "$status"
fi
root=$KGATE_FRESH_INSIDE

# The first mirror of this machine's apt that has the release's main part.
mirror_find() {
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        awk -v release="$release" '$2 == release && $3 == "main" {print $1; exit}'
}

# apt as on this machine: sources, keys, proxies, and the certificates that its mirrors may need.
apt_copy() {
    rm -f "$root/etc/apt/sources.list"
    cp -a /etc/apt/sources.list.d /etc/apt/trusted.gpg.d "$root/etc/apt/"
    for path in /etc/apt/sources.list /etc/apt/trusted.gpg /etc/apt/keyrings /etc/apt/preferences.d; do
        [ -e "$path" ] && cp -a "$path" "$root/etc/apt/"
    done
    cp -an /usr/share/keyrings "$root/usr/share/" 2>/dev/null || true
    apt-config dump | grep -iE '^Acquire::.*(proxy|cainfo|verify-)' \
        >"$root/etc/apt/apt.conf.d/99host" || true
    if [ -f /etc/ssl/certs/ca-certificates.crt ]; then
        mkdir -p "$root/etc/ssl/certs"
        cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
    fi
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
}

root_make() {
    local mirror
    if ! command -v debootstrap >/dev/null; then
        command -v apt-get >/dev/null || die "debootstrap is missing, and there is no apt-get"
        apt-get update -qq && apt-get install -y -qq --no-install-recommends debootstrap >/dev/null ||
            die "debootstrap is missing, and apt-get cannot install it"
    fi
    mirror=$(mirror_find)
    [ -n "$mirror" ] || die "no source of this machine's apt has Debian $release, main"
    echo "== a minimal Debian $release"
    debootstrap --variant=minbase "$release" "$root" "$mirror" >"$root.log" 2>&1 || {
        tail -n 20 "$root.log" >&2
        die "debootstrap failed"
    }
    apt_copy
    git clone -q --no-hardlinks "$PWD" "$root/root/kgate"
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount --rbind /dev "$root/dev"
}

# What the shell of a newcomer knows, and how to reach the network.
inside() {
    local variable environment=()
    for variable in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
        [ -n "${!variable-}" ] && environment+=("$variable=${!variable}")
    done
    chroot "$root" /usr/bin/env -i HOME=/root TERM=dumb \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${environment[@]}" \
        /bin/bash -c 'cd /root/kgate && exec "$@"' bash "$@"
}

failed=0
said=()
timed() {
    local status=0 start=$SECONDS
    echo "== $*"
    inside "$@" || status=$?
    [ "$status" -eq 0 ] || failed=1
    said+=("$* exited $status after $((SECONDS - start)) s")
}

root_make
timed ci/gate.sh
# shellcheck disable=SC2086
timed ci/test.sh $test_arguments
# As preset release, which the pages speak of.
timed cmake --preset release -G Ninja -DBUILD_TESTING=OFF
timed cmake --build --preset release
timed python3 tests/docs/walk.py . /root/.local
printf 'ci/fresh.sh: %s\n' "${said[@]}"
exit "$failed"
