#!/usr/bin/env bats
# portable.sh finds a library that would be missing on another machine.

bats_require_minimum_version 1.5.0

@test "a program of glibc alone is portable; one that takes a library of a package is not" {
    cd "$BATS_TEST_TMPDIR"
    echo 'int main(void) { return 0; }' >plain.c
    cc -o plain plain.c
    run -0 "$BATS_TEST_DIRNAME/portable.sh" "$PWD/plain"
    cc -o more plain.c -Wl,--no-as-needed -lyaml
    run -1 "$BATS_TEST_DIRNAME/portable.sh" "$PWD/plain" "$PWD/more"
    [[ "$output" == "$PWD/more needs libyaml-"*", which is not glibc's" ]]
    run -1 "$BATS_TEST_DIRNAME/portable.sh" "$PWD/plain.c"
}
