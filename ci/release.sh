#!/usr/bin/env bash
# Makes the files of a release: Debian packages, a tar archive, checksums. See --help.
set -euo pipefail
cd "$(dirname "$0")/.."
source ci/setup.sh

usage() {
    cat <<'TEXT'
usage: ci/release.sh [--dirty] [FOLDER]

Installs missing packages, builds kgate, empties FOLDER (default: build/dist), and writes into it:

  kgate_VERSION_amd64.deb                   the program, for this release of Debian
  libkgate-profiler-dev_VERSION_amd64.deb   headers and libraries for the profiler and for plugins
  kgate-VERSION-linux-x86_64.tar.gz         both, for any Linux with glibc 2.36; unpack it anywhere
  SHA256SUMS                                checksums of the three; check with sha256sum -c SHA256SUMS

`ci/fresh.sh --packages FOLDER` tests the packages on a bare Debian.

  --dirty   allow uncommitted changes
  --help    print this help
TEXT
}

die() {
    echo "ci/release.sh: $*" >&2
    exit 2
}

dirty=
folder=build/dist
for argument in "$@"; do
    case $argument in
    --dirty) dirty=yes ;;
    --help | -h)
        usage
        exit
        ;;
    -*)
        usage >&2
        die "unknown argument '$argument'"
        ;;
    *) folder=$argument ;;
    esac
done
[ -n "$dirty" ] || [ -z "$(git status --porcelain)" ] ||
    die "there are uncommitted changes; --dirty packs them too"

# build FOLDER PRESET: builds kgate without its tests.
build() {
    echo "== $1"
    cmake --preset "$2" -G Ninja -DKGATE_COMMIT="$(git rev-parse HEAD)" -B "$1" >/dev/null
    cmake --build "$1"
}

setup release
build build/package release
build build/package-portable portable
tests/structure/portable.sh build/package-portable/kgate build/package-portable/kgate-kernels/*.so*
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
rm -f "$folder"/*.deb "$folder"/*.tar.gz "$folder"/SHA256SUMS
cpack --config build/package/CPackConfig.cmake -G DEB -B "$folder"
cpack --config build/package-portable/CPackConfig.cmake -G TGZ -B "$folder"
rm -rf "$folder/_CPack_Packages"
cd "$folder"
sha256sum -- *.deb *.tar.gz >SHA256SUMS
ls -l
