bats_require_minimum_version 1.5.0
load support

# What cpack makes of this build: ci/release.sh does the same of its own.
pack() {
    cpack --config "${KGATE%/*}/CPackConfig.cmake" -G "$1" -B "$PWD/packed" >packed.log 2>&1 || { cat packed.log; return 1; }
}

# A gate by an unpacked kgate, which finds what it measures with beside itself.
tried() {
    suite_of <<YAML
  - name: program
    command: [$PLUGINS/scopes_program, "5"]
  - name: copy
    kernel: copy
    params: {bytes: 16KiB, version: plain}
YAML
    run -0 "$1" gate -c one.yaml -b baselines -o out --update-missing
    [[ "$output" == *"2 new"* ]]
    run -0 "$1" run -c one.yaml -o profiled.json -q --profile --set rounds.min=1
    "$1" report profiled.kgprof --format json | jq -e '[.paths[] | select(.name == "read") | .peak_bytes] | max > 3e6'
}

@test "release.sh and fresh.sh refuse what they do not know before they do anything" {
    run -0 "$SOURCE/ci/release.sh" --help
    [[ "$output" == *"SHA256SUMS"* ]]
    run -2 "$SOURCE/ci/release.sh" --dirt
    [[ "$output" == *"unknown argument '--dirt'"* ]]
    run -2 "$SOURCE/ci/fresh.sh" --packages "$PWD"
    [[ "$output" == *"has no packages of kgate; ci/release.sh makes them"* ]]
}

# bats test_tags=thorough
@test "the archive runs where it is unpacked" {
    pack TGZ
    mkdir "a place"
    tar -xzf packed/kgate-*.tar.gz -C "a place"
    mkdir elsewhere
    mv "a place"/kgate-* elsewhere/kgate
    tried elsewhere/kgate/bin/kgate
    PKG_CONFIG_PATH=$PWD/elsewhere/kgate/lib/pkgconfig run -0 pkg-config --cflags kgate-profiler
    [[ "$output" == *"$PWD/elsewhere/kgate/"*include* ]]
}

# bats test_tags=thorough
@test "the Debian packages have the program, and the profiler's headers and libraries" {
    pack DEB
    [ "$(ls packed/*.deb | wc -l)" -eq 2 ]
    version=$("$KGATE" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -n 1)
    [ "$(dpkg-deb -f packed/kgate_*.deb Package Version)" = "$(printf 'Package: kgate\nVersion: %s' "$version")" ]
    # kgate has the archives of its libraries; its kernels bring OpenBLAS
    depends=$(dpkg-deb -f packed/kgate_*.deb Depends)
    [[ "$depends" == *libc6* && "$depends" == *libopenblas0* && "$depends" != *libyaml* ]]
    dpkg-deb -x packed/kgate_*.deb program
    dpkg-deb -x packed/libkgate-profiler-dev_*.deb profiler
    # no file is in both
    [ -z "$(cd program && find . ! -type d | sort >../program.files; cd ../profiler && find . ! -type d | sort | comm -12 - ../program.files)" ]
    [ -f profiler/usr/include/kgate/plugin.h ]
    [ ! -e program/usr/include ]
    tried program/usr/bin/kgate
}
