#!/usr/bin/env bash
# Runs the commands of the README and of the pages on a bare Debian, in a chroot of its own. See --help.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
    cat <<'TEXT'
usage: ci/fresh.sh [--all] [--keep] [--packages FOLDER]

Makes a minimal Debian in a folder, with this machine's mirror, keys and proxy for packages (apt's and npm's),
clones HEAD into it, runs ci/gate.sh, ci/test.sh and then every command of README and docs (tests/docs/walk.py) there,
and removes it: whether a newcomer's machine has all that they take for granted. Uncommitted changes are not
in it, nor is CUDA. Says each one's exit status and time at the end; exits 0 where all passed, 1 where one
did not, 2 where there was nothing to run them in.

Needs root, and debootstrap, which is installed where it is missing. The folder is made in TMPDIR (or
/var/tmp) and takes some 3 GB.

  --all     runs ci/test.sh --all
  --keep    leaves the folder, and says where it is
  --packages FOLDER
            in the place of all that: installs the Debian packages that ci/release.sh left in FOLDER, and
            runs the first walk-through with them
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
packages=
given=("$@")
while [ $# -gt 0 ]; do
    case $1 in
    --all) test_arguments=--all ;;
    --keep) keep=yes ;;
    --packages)
        packages=$(realpath -- "${2:?--packages needs a folder}")
        ls "$packages"/kgate_*.deb "$packages"/libkgate-profiler-dev_*.deb >/dev/null || die "'$packages' has no packages: ci/release.sh makes them"
        shift
        ;;
    --help | -h)
        usage
        exit
        ;;
    *)
        usage >&2
        die "unknown argument '$1'"
        ;;
    esac
    shift
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
        "$PWD/ci/fresh.sh" "${given[@]}" &
    child=$!
    status=0
    wait "$child" || status=$?
    exit "$status"
fi
root=$KGATE_FRESH_INSIDE
node_certificates=/root/node-certificates.crt

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

# npm as on this machine: registry, proxies and the certificates that these may need, and nothing that signs in.
npm_copy() {
    local key value cafile
    command -v npm >/dev/null || return 0
    for key in registry proxy https-proxy noproxy strict-ssl; do
        value=$(npm config get "$key" 2>/dev/null) || continue
        case $value in '' | null | undefined) ;; *) echo "$key=$value" ;; esac
    done >"$root/root/.npmrc"
    cafile=$(npm config get cafile 2>/dev/null) || cafile=
    if [ -f "$cafile" ]; then
        cp -L "$cafile" "$root/root/npm-cafile.crt"
        echo "cafile=/root/npm-cafile.crt" >>"$root/root/.npmrc"
    fi
    if [ -f "${NODE_EXTRA_CA_CERTS-}" ]; then
        cp -L "$NODE_EXTRA_CA_CERTS" "$root$node_certificates"
    fi
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
    npm_copy
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
    [ -f "$root$node_certificates" ] && environment+=("NODE_EXTRA_CA_CERTS=$node_certificates")
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
    local what=${*//$'\n'/ }
    said+=("${what:0:90} exited $status after $((SECONDS - start)) s")
}

# What is built from the sources, and what the pages say.
try_sources() {
    timed ci/gate.sh
    # shellcheck disable=SC2086
    timed ci/test.sh $test_arguments
    # As preset release, which the pages speak of.
    timed cmake --preset release -G Ninja
    timed cmake --build --preset release
    timed python3 tests/docs/walk.py . /root/.local
}

# Somebody who has only the packages: a first gate and a second, and a plugin of their own. A machine that is
# too busy decides nothing: that is exit status 4.
try_packages() {
    mkdir "$root/root/packages"
    cp "$packages"/*.deb "$root/root/packages/"
    timed apt-get update -qq
    timed bash -c 'DEBIAN_FRONTEND=noninteractive apt-get install -y -qq /root/packages/*.deb >/dev/null'
    timed bash -c 'mkdir /root/first && cd /root/first && printf "#!/bin/sh\n" >bench_app && chmod +x bench_app && kgate --version && kgate init && kgate validate -c kgate.yaml &&
        { kgate gate -c kgate.yaml -b baselines -o out --update-missing || [ $? -eq 4 ]; }'
    timed bash -c 'cd /root/first && { kgate gate -c kgate.yaml -b baselines -o out || [ $? -eq 4 ]; } &&
        kgate report out/comparison.json --format html -o page.html && grep -q "<html" page.html'
    timed apt-get install -y -qq --no-install-recommends gcc git libc6-dev make pkgconf python3
    timed python3 tests/docs/walk.py . /usr docs/begin.md
    timed bash -c 'cc -std=c17 -O2 -fPIC -shared $(pkg-config --cflags kgate-profiler) docs/examples/plugin/spin.c -o /root/first/libgood.so &&
        cd /root/first && printf "version: 1\nworkloads:\n  - {name: spin, plugin: ./libgood.so}\n" >plugin.yaml &&
        { kgate gate -c plugin.yaml -b baselines --update-missing || [ $? -eq 4 ]; }'
}

root_make
if [ -n "$packages" ]; then try_packages; else try_sources; fi
printf 'ci/fresh.sh: %s\n' "${said[@]}"
exit "$failed"
