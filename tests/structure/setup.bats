#!/usr/bin/env bats
# ci/setup.sh where npm cannot install the packages of the HTML page: a proxy refuses it, or it is not there.

bats_require_minimum_version 1.5.0

# A machine with every package of Debian's that is asked for, except those named.
setup() {
    cd "$BATS_TEST_TMPDIR"
    mkdir bin
    cat >bin/dpkg-query <<SH
#!/bin/sh
for package; do :; done
case " \$ABSENT " in *" \$package "*) exit 1 ;; esac
echo installed
SH
    printf '#!/bin/sh\necho "npm ERR! code SELF_SIGNED_CERT_IN_CHAIN" >&2\nexit 1\n' >bin/npm
    printf '#!/bin/sh\necho "apt-get: $*" >>apt.log\nexit 100\n' >bin/apt-get
    printf '#!/bin/sh\nexec "$@"\n' >bin/sudo
    chmod +x bin/*
    touch package-lock.json
    for tool in bash cat env id grep; do ln -s "$(command -v $tool)" bin; done
}

setup_run() {
    run --separate-stderr env PATH="$PWD/bin" ABSENT="$ABSENT" bash -c "source '$BATS_TEST_DIRNAME/../../ci/setup.sh'; setup $1; echo goes on"
}

@test "tests and gates go on without the page where npm is refused, and say so in one line" {
    for job in gate test all; do
        setup_run "$job"
        [ "$status" -eq 0 ]
        [ "$output" = "goes on" ]
        [ "$(grep -c 'kgate is built without the page, and its tests are skipped' <<<"$stderr")" -eq 1 ]
    done
}

@test "tests go on where npm is not there and no package brings it" {
    rm bin/npm
    ABSENT="nodejs npm" setup_run test
    [ "$status" -eq 0 ]
    [ "$output" = "goes on" ]
    [[ "$stderr" == *"its tests are skipped"* ]]
}

@test "a release without the page is refused" {
    setup_run release
    [ "$status" -eq 2 ]
    [ -z "$output" ]
    [[ "$stderr" == *"A release needs the page"* ]]
}

@test "a package that the build needs is not gone without" {
    ABSENT=cmake setup_run test
    [ "$status" -ne 0 ]
    [ -z "$output" ]
    grep -q '^apt-get: ' apt.log
}

@test "a gate whose suite names pictures installs gnuplot, and no other" {
    mkdir config
    echo 'reports: [markdown, png]' >config/default.yaml
    ABSENT=gnuplot-nox setup_run gate
    [ "$status" -ne 0 ]
    [[ "$stderr" == *"installing gnuplot-nox"* ]]
    echo 'reports: [markdown]' >config/default.yaml
    ABSENT=gnuplot-nox setup_run gate
    [ "$output" = "goes on" ]
}

@test "tests go on where Slurm cannot be installed, and say so" {
    ABSENT="slurm-wlm munge" setup_run all
    [ "$status" -eq 0 ]
    [ "$output" = "goes on" ]
    [[ "$stderr" == *"apt-get cannot install munge slurm-wlm: the tests of a fleet are skipped"* ]]
}
