#!/usr/bin/env bash
# setup JOB: installs the missing Debian packages of a job: gate, test, all or release. Other scripts of ci/ source
# this file.
set -euo pipefail

build_packages=(ca-certificates cmake gcc g++ libbz2-dev libc6-dev libcapstone-dev libdw-dev
                libopenblas-pthread-dev libseccomp-dev libsqlite3-dev libyaml-dev ninja-build
                valgrind)
test_packages=(bats binutils clang clang-format curl git gnuplot-nox hyperfine jq libbenchmark-dev
               libcmocka-dev libxml2-utils make pkgconf python3-jsonschema python3-yaml)
release_packages=(dpkg-dev file)
# apt installs no recommended packages, so the list names the runtime of clang's sanitizers.
all_packages=(chromium clang-tidy cmark-gfm fish libclang-rt-dev libomp-dev mandoc postgresql
              python3-prometheus-client strace zsh)
# For a suite over several machines. Without these packages its tests are skipped.
fleet_packages=(munge parallel slurm-wlm)

packages_missing() {
    local package
    for package in "$@"; do
        dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
            echo "$package"
    done
}

# Installs the npm packages of the HTML page, and for the job `all` also those of its tests. package-lock.json pins
# their versions. No script of a package runs. Only a release fails without them.
page_setup() {
    local job=$1 kept=node_modules/.package-lock.json omit=(--omit=dev) missing
    [ "$job" = all ] && omit=()
    if [ "$kept" -nt package-lock.json ] && { [ "$job" != all ] || [ -d node_modules/playwright-core ]; }; then
        return
    fi
    # Node.js from another source brings its own npm.
    mapfile -t missing < <(command -v npm >/dev/null || packages_missing nodejs npm)
    if { [ "${#missing[@]}" -eq 0 ] || packages_install; } && echo "ci: npm ci ${omit[*]}" >&2 &&
        npm ci --ignore-scripts --loglevel=error "${omit[@]}" >/dev/null; then
        return
    fi
    if [ "$job" = release ]; then
        echo "ci: npm cannot install the packages of the HTML page. A release needs the page" >&2
        return 2
    fi
    echo "ci: npm cannot install the packages of the HTML page. kgate is built without the page, and its tests are skipped" >&2
}

setup() {
    local wanted=("${build_packages[@]}") missing
    case $1 in
    # the suite's `reports` have pictures
    gate) grep -sEq '^(reports:.*| *- *)(png|svg)' config/default.yaml && wanted+=(gnuplot-nox) ;;
    release) wanted+=("${release_packages[@]}") ;;
    test) wanted+=("${test_packages[@]}") ;;
    all) wanted+=("${test_packages[@]}" "${all_packages[@]}" "${release_packages[@]}") ;;
    *)
        echo "ci: unknown job '$1'; jobs are gate, test, all and release" >&2
        return 2
        ;;
    esac
    mapfile -t missing < <(packages_missing "${wanted[@]}")
    [ "${#missing[@]}" -eq 0 ] || packages_install
    if [ "$1" = all ]; then
        mapfile -t missing < <(packages_missing "${fleet_packages[@]}")
        [ "${#missing[@]}" -eq 0 ] || packages_install ||
            echo "ci: apt-get cannot install ${missing[*]}: the tests of a fleet are skipped" >&2
    fi
    page_setup "$1"
}

# Installs the Debian packages in `missing`.
packages_install() {
    local sudo=()
    if ! command -v apt-get >/dev/null; then
        echo "ci: apt-get is missing. Install these packages by hand: ${missing[*]}" >&2
        return 2
    fi
    [ "$(id -u)" -eq 0 ] || sudo=(sudo)
    echo "ci: installing ${missing[*]}" >&2
    "${sudo[@]}" apt-get update -qq &&
        "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}
