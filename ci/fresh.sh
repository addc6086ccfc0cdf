#!/usr/bin/env bash
# Tries kgate on a bare Debian in a chroot: build, tests, and the commands of README and docs. See --help.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
    cat <<'TEXT'
usage: ci/fresh.sh [--all] [--keep] [--packages FOLDER]

Tries kgate on a bare Debian, as a new user would. It finds packages that kgate needs but does not name.

 1. makes a minimal Debian in a folder. apt and npm get this machine's mirrors, keys and proxies
 2. clones HEAD into it; uncommitted changes are left out. There is no CUDA
 3. runs ci/gate.sh, ci/test.sh, and every command of README and docs (tests/docs/walk.py)
 4. prints exit status and time of each step, and removes the folder

Exit status: 0 all steps passed, 1 a step failed, 2 the folder could not be made.

Needs root, and installs debootstrap if it is missing. The folder is in TMPDIR (default: /var/tmp) and takes
about 3 GB.

  --all     run ci/test.sh --all
  --keep    keep the folder, and print its path
  --packages FOLDER
            instead of step 3: install the Debian packages of ci/release.sh from FOLDER, and run the commands
            of docs/begin.md with them
  --help    print this help

KGATE_FRESH_RELEASE is the release of Debian (default: bookworm, the oldest release that the README names).
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
        ls "$packages"/kgate_*.deb "$packages"/libkgate-profiler-dev_*.deb >/dev/null || die "'$packages' has no packages of kgate; ci/release.sh makes them"
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

[ "$(id -u)" -eq 0 ] || die "a chroot needs root: sudo ci/fresh.sh"
# Mounts and processes of the chroot live in namespaces of their own. After Ctrl-C or SIGKILL the kernel ends the
# processes and removes the mounts.
if [ -z "${KGATE_FRESH_INSIDE-}" ]; then
    root=$(mktemp -d "${TMPDIR:-/var/tmp}/kgate-fresh.XXXXXX")
    chmod 755 "$root" # apt drops to a user of its own
    remove() {
        if [ -n "$keep" ]; then
            echo "ci/fresh.sh: the folder is $root" >&2
        else
            # Killed processes may still write for a moment.
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
    # In the background, because bash handles signals only between commands. A job does not ignore Ctrl-C.
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

# Prints the first mirror of this machine's apt with the release's main component.
mirror_find() {
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        awk -v release="$release" '$2 == release && $3 == "main" {print $1; exit}'
}

# Copies the settings of apt: sources, keys, proxies and certificates.
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

# Copies the settings of npm: registry, proxies and certificates, but no credentials.
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
    [ -n "$mirror" ] || die "apt of this machine has no source of Debian $release, main"
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

# Runs a command in the chroot with a plain environment and the proxies.
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
steps=()
timed() {
    local status=0 start=$SECONDS
    echo "== $*"
    inside "$@" || status=$?
    [ "$status" -eq 0 ] || failed=1
    local words=${*//$'\n'/ }
    steps+=("${words:0:90} exited $status after $((SECONDS - start)) s")
}

# Builds and tests the sources, and runs the commands of the pages.
try_sources() {
    timed ci/gate.sh
    # shellcheck disable=SC2086
    timed ci/test.sh $test_arguments
    # The pages use preset release.
    timed cmake --preset release -G Ninja
    timed cmake --build --preset release
    timed python3 tests/docs/walk.py . /root/.local
}

# Installs the packages alone, and runs two gates and a plugin. On a busy machine a gate is undecided: exit status 4.
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
printf 'ci/fresh.sh: %s\n' "${steps[@]}"
exit "$failed"
