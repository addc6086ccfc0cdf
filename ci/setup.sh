#!/usr/bin/env bash
# Installs what is missing (Debian packages) for the job named as the first argument: gate, test,
# all or release.
# Does nothing, and quickly, where everything is there. Sourced by ci/gate.sh and ci/test.sh.
set -euo pipefail

build_packages=(ca-certificates cmake gcc g++ libbz2-dev libc6-dev libcapstone-dev libdw-dev
                libopenblas-pthread-dev libseccomp-dev libsqlite3-dev libyaml-dev ninja-build
                valgrind)
test_packages=(bats binutils clang clang-format curl git gnuplot-nox hyperfine jq libbenchmark-dev
               libcmocka-dev libxml2-utils make pkgconf python3-jsonschema python3-yaml)
release_packages=(dpkg-dev file)
# Recommended packages are not installed, so the sanitizers' runtime of clang is named here.
all_packages=(chromium clang-tidy cmark-gfm fish libclang-rt-dev libomp-dev mandoc postgresql
              python3-prometheus-client strace zsh)
# A suite over several machines. Its tests are skipped without them.
fleet_packages=(munge parallel slurm-wlm)

packages_missing() {
    local package
    for package in "$@"; do
        dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
            echo "$package"
    done
}

# The packages of the HTML page, and for the job `all` also those of its tests, as package-lock.json pins them.
# No script of a package runs. A job goes on without them, except a release.
page_setup() {
    local job=$1 kept=node_modules/.package-lock.json omit=(--omit=dev) missing
    [ "$job" = all ] && omit=()
    if [ "$kept" -nt package-lock.json ] && { [ "$job" != all ] || [ -d node_modules/playwright-core ]; }; then
        return
    fi
    # Node.js of another source brings its npm along.
    mapfile -t missing < <(command -v npm >/dev/null || packages_missing nodejs npm)
    if { [ "${#missing[@]}" -eq 0 ] || packages_install; } && echo "ci: npm ci ${omit[*]}" >&2 &&
        npm ci --ignore-scripts --loglevel=error "${omit[@]}" >/dev/null; then
        return
    fi
    if [ "$job" = release ]; then
        echo "ci: a release needs the HTML page, and npm cannot install its packages" >&2
        return 2
    fi
    echo "ci: npm cannot install the HTML page's packages: kgate is built without the page, its tests are skipped" >&2
}

setup() {
    local wanted=("${build_packages[@]}") missing
    case $1 in
    # pictures among the suite's `reports`
    gate) grep -sEq '^(reports:.*| *- *)(png|svg)' config/default.yaml && wanted+=(gnuplot-nox) ;;
    release) wanted+=("${release_packages[@]}") ;;
    test) wanted+=("${test_packages[@]}") ;;
    all) wanted+=("${test_packages[@]}" "${all_packages[@]}" "${release_packages[@]}") ;;
    *)
        echo "ci: no job is called '$1'" >&2
        return 2
        ;;
    esac
    mapfile -t missing < <(packages_missing "${wanted[@]}")
    [ "${#missing[@]}" -eq 0 ] || packages_install
    if [ "$1" = all ]; then
        mapfile -t missing < <(packages_missing "${fleet_packages[@]}")
        [ "${#missing[@]}" -eq 0 ] || packages_install ||
            echo "ci: apt-get cannot install ${missing[*]}: tests of a fleet are skipped" >&2
    fi
    page_setup "$1"
}

# Debian's packages named in `missing`.
packages_install() {
    local sudo=()
    if ! command -v apt-get >/dev/null; then
        echo "ci: these packages are needed, and there is no apt-get: ${missing[*]}" >&2
        return 2
    fi
    [ "$(id -u)" -eq 0 ] || sudo=(sudo)
    echo "ci: installing ${missing[*]}" >&2
    "${sudo[@]}" apt-get update -qq &&
        "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}
