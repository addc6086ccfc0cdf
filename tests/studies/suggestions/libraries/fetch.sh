#!/usr/bin/env bash
# Fetches what Debian has of these libraries into FOLDER, by apt: the sources of four, and SQLite as it
# is packaged. Nothing on the machine changes: lists and packages stay in FOLDER. Where that cannot be,
# says why in a sentence and fails. Twenty seconds once, 60 MB.
#     tests/studies/suggestions/libraries/fetch.sh FOLDER
set -euo pipefail
folder=$1
sources=(zlib expat jansson xxhash)
skip() {
    echo "skipped: $1" >&2
    exit 1
}
[ ! -e "$folder/fetched" ] || exit 0
for tool in apt-get dpkg-source dpkg-deb; do
    command -v $tool >/dev/null || skip "libraries are fetched from Debian, and there is no $tool"
done
# shellcheck source=/dev/null
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
# shellcheck disable=SC2016
mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk -v release="$release" '$2 == release && $3 == "main" {print $1; exit}')
[ -n "$mirror" ] || skip "no source of this machine's apt has Debian's main part"

rm -rf "$folder"
mkdir -p "$folder/lists/partial"
cd "$folder"
printf '%s\n' "deb $mirror $release main" "deb-src $mirror $release main" >sources.list
apt=(apt-get -q -o Dir::Etc::SourceList="$PWD/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o Dir::State::Lists="$PWD/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
    -o Acquire::Languages=none -o APT::Sandbox::User="$(id -un)")
{
    "${apt[@]}" update && "${apt[@]}" source "${sources[@]}" &&
        "${apt[@]}" download libsqlite3-0 libsqlite3-dev
} >fetch.log 2>&1 || skip "Debian's sources cannot be fetched here: see $PWD/fetch.log"

for name in "${sources[@]}"; do
    mv "$name"-[0-9]*/ "$name"
done
for package in libsqlite3*.deb; do
    dpkg-deb -x "$package" sqlite
done
# What configure would write; all that it finds out is said to the compiler instead.
touch expat/expat/lib/expat_config.h jansson/src/jansson_private_config.h
cp jansson/android/jansson_config.h jansson/src
touch fetched
