#!/usr/bin/env bats
# edges.sh finds each thing that it is there for: on a copy of the sources with one line added.

setup() {
    cp -r "$BATS_TEST_DIRNAME"/../../{src,kernels,include} "$BATS_TEST_TMPDIR"
    cd "$BATS_TEST_TMPDIR"
}

edges() {
    run "$BATS_TEST_DIRNAME/edges.sh" "$BATS_TEST_TMPDIR"
}

@test "the sources as they are have no wrong edge" {
    edges
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

@test "a folder that takes from one above it is found by file and line" {
    echo '#include "show/report.h"' >src/base/statistics/holm.c
    edges
    [ "$status" -eq 1 ]
    [[ "$output" == *'src/base/statistics/holm.c:1: stats may not take from report ("show/report.h")'* ]]
}

@test "a header that is a folder's own is found" {
    echo '#include "plan/private.h"' >>src/run/measurement.c
    touch src/plan/private.h
    edges
    [ "$status" -eq 1 ]
    [[ "$output" == *'"plan/private.h" is not a header of plan that outsiders may include'* ]]
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
    grep -rl '"base/statistics/stats.h"' src/timing | xargs sed -i '/"stats\/stats.h"/d'
    edges
    [ "$status" -eq 1 ]
    [[ "$output" == *'timing takes nothing from stats: remove it'* ]]
}

@test "a main header that does not name another public header is found" {
    sed -i 's/journal\.h/journals/' src/model/results.h
    edges
    [ "$status" -eq 1 ]
    [[ "$output" == *'src/model/results.h:1: its first comment does not name journal.h'* ]]
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
    echo '#include <run/measurement.h>' >src/base/statistics/holm.c
    edges
    [ "$status" -eq 1 ]
    [[ "$output" == *'src/base/statistics/holm.c:1: stats may not take from measure ("run/measurement.h")'* ]]
}

@test "a main header that is not called like its folder names the other public headers too" {
    sed -i 's/pairing\.h/pairs/' src/run/measurement.h
    sed -i 's/sources\.def/sources/' src/model/suite.h
    edges
    [ "$status" -eq 1 ]
    [[ "$output" == *'src/run/measurement.h:1: its first comment does not name pairing.h'* ]]
    [[ "$output" == *'src/model/suite.h:1: its first comment does not name sources.def'* ]]
}

@test "a row of several headers that stand alone has to be marked as a collection" {
    mkdir structure
    cp "$BATS_TEST_DIRNAME/edges.sh" structure
    sed 's/^cpu \* /cpu   /' "$BATS_TEST_DIRNAME/edges.txt" >structure/edges.txt
    run structure/edges.sh "$BATS_TEST_TMPDIR"
    [ "$status" -eq 1 ]
    [[ "$output" == *'src/base/cpu/blas.h:1: its first comment does not name placing.h'* ]]
}
