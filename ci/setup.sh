#!/usr/bin/env bash
# Installs what is missing (Debian packages) for the job named as the first argument: gate, test or all.
# Does nothing, and quickly, where everything is there. Sourced by ci/gate.sh and ci/test.sh.
set -euo pipefail

build_packages=(ca-certificates cmake gcc g++ libc6-dev libcapstone-dev libdw-dev libjansson-dev
                libopenblas-pthread-dev libseccomp-dev libyaml-dev ninja-build valgrind)
test_packages=(bats binutils clang clang-format jq libcmocka-dev make pkgconf python3-jsonschema)
# Recommended packages are not installed, so the sanitizers' runtime of clang is named here.
all_packages=(clang-tidy libclang-rt-dev libomp-dev strace)

packages_missing() {
    local package
    for package in "$@"; do
        dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
            echo "$package"
    done
}

setup() {
    local wanted=("${build_packages[@]}") missing sudo=()
    case $1 in
    gate) ;;
    test) wanted+=("${test_packages[@]}") ;;
    all) wanted+=("${test_packages[@]}" "${all_packages[@]}") ;;
    *)
        echo "ci: no job is called '$1'" >&2
        return 2
        ;;
    esac
    mapfile -t missing < <(packages_missing "${wanted[@]}")
    [ "${#missing[@]}" -eq 0 ] && return
    if ! command -v apt-get >/dev/null; then
        echo "ci: these packages are needed, and there is no apt-get: ${missing[*]}" >&2
        return 2
    fi
    [ "$(id -u)" -eq 0 ] || sudo=(sudo)
    echo "ci: installing ${missing[*]}" >&2
    "${sudo[@]}" apt-get update -qq
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}
