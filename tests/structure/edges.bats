#!/usr/bin/env bats
# edges.sh finds each fault that it is there for: on a copy of the sources with one line added.

setup() {
    cp -r "$BATS_TEST_DIRNAME"/../../{src,kernels,include} "$BATS_TEST_TMPDIR"
    cd "$BATS_TEST_TMPDIR"
}

edges() {
    run "$BATS_TEST_DIRNAME/edges.sh" "$BATS_TEST_TMPDIR"
}

# The same with another table: edges.txt after `sed` with these arguments.
edges_of_table() {
    mkdir structure
    cp "$BATS_TEST_DIRNAME/edges.sh" structure
    sed "$@" "$BATS_TEST_DIRNAME/edges.txt" >structure/edges.txt
    run structure/edges.sh "$BATS_TEST_TMPDIR"
}

@test "the sources as they are have no wrong edge" {
    edges
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

@test "the table has eleven rows, each with a sentence, and a folder for each row" {
    rows=$(grep '^[a-z]' "$BATS_TEST_DIRNAME/edges.txt")
    [ "$(wc -l <<<"$rows")" -eq 11 ]
    [ "$(grep -cE '^[a-z]+ *\|[a-z ]*\| [A-Z].*\.$' <<<"$rows")" -eq 11 ]
    diff <(cut -d' ' -f1 <<<"$rows" | sort) <(ls "$BATS_TEST_DIRNAME/../../src")
}

@test "README and CONTRIBUTING print the table's rooms and sentences" {
    table=$(sed -nE 's,^([a-z]+) *\|[a-z ]*\| (.*)$,| `src/\1/` | \2 |,p' "$BATS_TEST_DIRNAME/edges.txt")
    for page in README.md CONTRIBUTING.md; do
        printed=$(grep -E '^\| `src/[a-z]+/` \|' "$BATS_TEST_DIRNAME/../../$page")
        diff <(echo "$table") <(echo "$printed")
    done
}

@test "a room that takes from one above it is found by file and line" {
    echo '#include "show/formats.h"' >src/base/statistics/holm.c
    edges
    [ "$status" -eq 1 ]
    [[ "$output" == *'src/base/statistics/holm.c:1: base may not take from show ("show/formats.h")'* ]]
}

@test "kernels that take from more than base and device are found" {
    echo '#include "model/suite.h"' >>kernels/common/common.c
    edges
    [ "$status" -eq 1 ]
    [[ "$output" == *'kernels/common/common.c:'*': kernels may not take from model ("model/suite.h")'* ]]
}

@test "production code that takes from tests is found" {
    echo '#include "test_support.h"' >>kernels/common/common.c
    edges
    [ "$status" -eq 1 ]
    [[ "$output" == *'kernels/common/common.c:'*'"test_support.h" is in none of src, kernels and include'* ]]
}

@test "a folder without a row is found" {
    mkdir src/extra
    echo '#include "base/text.h"' >src/extra/extra.c
    edges
    [ "$status" -eq 1 ]
    [[ "$output" == *'the folder extra has no row in edges.txt'* ]]
}

@test "a row that allows what nothing uses is found" {
    grep -rl '"profiler/' src/judge | xargs sed -i '/"profiler\//d'
    edges
    [ "$status" -eq 1 ]
    [[ "$output" == *'judge takes nothing from profiler: remove it'* ]]
}

@test "a row that allows a room above it is found" {
    edges_of_table '/^base/s/|   /| cli/'
    [ "$status" -eq 1 ]
    [[ "$output" == *'base may take only from rooms below it, not from cli'* ]]
}

@test "a row without a sentence is found" {
    edges_of_table '/^model/s/|[^|]*$//'
    [ "$status" -eq 1 ]
    [[ "$output" == *'a row is: room | takes | sentence'* ]]
}

@test "an include with .. in it is refused" {
    mkdir -p tests/unit
    touch tests/unit/test_support.h
    echo '#include "../../tests/unit/test_support.h"' >>src/base/text.c
    echo '#include <../tests/unit/test_support.h>' >>kernels/common/common.c
    edges
    [ "$status" -eq 1 ]
    [[ "$output" == *'src/base/text.c:'*'"../../tests/unit/test_support.h" has .. in it'* ]]
    [[ "$output" == *'kernels/common/common.c:'*'"../tests/unit/test_support.h" has .. in it'* ]]
}

@test "angle brackets around a header of the project hide nothing" {
    echo '#include <run/run.h>' >src/base/statistics/holm.c
    edges
    [ "$status" -eq 1 ]
    [[ "$output" == *'src/base/statistics/holm.c:1: base may not take from run ("run/run.h")'* ]]
}
