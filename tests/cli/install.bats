load support

# Installed, then moved: what is in the tree must not know where it was put.
setup_file() {
    cmake --install "$(dirname "$KGATE")" --prefix "$BATS_FILE_TMPDIR/first" >/dev/null
    mv "$BATS_FILE_TMPDIR/first" "$BATS_FILE_TMPDIR/prefix"
    export PREFIX=$BATS_FILE_TMPDIR/prefix
    PKG_CONFIG_PATH=$(dirname "$(find "$PREFIX" -name kgate-profiler.pc)")
    export PKG_CONFIG_PATH OMP_NUM_THREADS=2
}

not_sanitized() {
    [ -z "$SANITIZED" ] || skip "a sanitized library needs its runtime in the program too"
}

# The example in a folder of its own, so that nothing is built in the sources.
example_copy() { cp -r "$SOURCE/docs/examples/profile" example; }

# Runs ./frames in a folder: its one line, nothing of the profiler's, and a recording.
example_run() {
    rm -f run.kgprof
    KGATE_PROFILE=run.kgprof run "$1/frames" 96 3
    echo "$output"
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 1 ]
    [[ "$output" == "3 frames of 96 x 96: mean contrast "* ]]
    [ -s run.kgprof ]
}

@test "an installation has the program, the headers and the libraries" {
    [ -x "$PREFIX/bin/kgate" ]
    # it finds its kernels
    printf 'version: 1\nsuite: s\nworkloads: [{name: softmax, kernel: softmax}]\n' >softmax.yaml
    "$PREFIX/bin/kgate" list -c softmax.yaml | grep -q '^softmax/.*cpu'
    cmp "$PREFIX"/lib*/kgate/kernels/softmax.so "$(dirname "$KGATE")/kgate-kernels/softmax.so"
    for header in profiler device plugin; do [ -f "$PREFIX/include/kgate/$header.h" ]; done
    [ -f "$(pkg-config --variable=libdir kgate-profiler)/libkgate_profiler.a" ]
    [ -f "$(pkg-config --variable=libdir kgate-profiler)/libkgate_profiler.so.0" ]
    for file in man/man1/kgate.1 bash-completion/completions/kgate zsh/site-functions/_kgate fish/vendor_completions.d/kgate.fish; do
        [ -s "$PREFIX/share/$file" ]
    done
    [ "$("$PREFIX/bin/kgate" --version)" = "kgate $(pkg-config --modversion kgate-profiler)" ]
}

@test "the installed files say nothing of the folder they were installed to" {
    run grep -rlF "$BATS_FILE_TMPDIR/first" "$PREFIX/lib" "$PREFIX/include"
    echo "$output"
    [ "$status" -eq 1 ]
}

@test "a program is built by pkg-config, with the shared library" {
    not_sanitized
    example_copy
    make -C example CFLAGS="-O2 -Wall -Wextra -Wpedantic -Werror"
    readelf -d example/frames | grep -q 'NEEDED.*libkgate_profiler.so.0'
    example_run example
}

@test "a program is built by pkg-config, with the static library" {
    not_sanitized
    example_copy
    make -C example STATIC=1
    ! readelf -d example/frames | grep -q libkgate_profiler
    example_run example
}

@test "a program is built by find_package, with either library" {
    not_sanitized
    example_copy
    for static in OFF ON; do
        cmake -S example -B "$static" -DCMAKE_PREFIX_PATH="$PREFIX" -DSTATIC_PROFILER="$static"
        cmake --build "$static"
        example_run "$static"
    done
    readelf -d OFF/frames | grep -q 'NEEDED.*libkgate_profiler.so.0'
    ! readelf -d ON/frames | grep -q libkgate_profiler
}

@test "a plugin is built out of the tree by pkg-config, and the installed kgate measures it" {
    not_sanitized
    cp "$SOURCE/docs/examples/plugin/spin.c" mine.c
    cc -std=c17 -O2 -fPIC -shared $(pkg-config --cflags kgate-profiler) mine.c -o libgood.so
    sed -n '/^version: 1/,/^```/p' "$SOURCE/docs/plugins.md" | sed '$d' >plugins.yaml
    PATH=$PREFIX/bin:$PATH
    command kgate validate -c plugins.yaml
    command kgate run -c plugins.yaml -o r.json -q --set rounds.min=1 --set min_time=1ms --set disturbance=100%
    jq -e '.cases[0].status == "OK"' r.json
}

@test "find_package refuses another minor version" {
    example_copy
    sed -i 's/find_package(kgate 0.1/find_package(kgate 0.2/' example/CMakeLists.txt
    run cmake -S example -B build -DCMAKE_PREFIX_PATH="$PREFIX"
    [ "$status" -ne 0 ]
    [[ "$output" == *"kgate-config.cmake, version: 0.1."* ]]
}

@test "the example's --tree prints its scopes itself" {
    not_sanitized
    example_copy
    make -C example
    run example/frames 96 3 --tree
    echo "$output"
    [ "$status" -eq 0 ]
    for scope in frame draw blur blur_along blur_across count_levels contrast; do
        [[ "$output" == *"$scope"* ]]
    done
}

@test "kgate report shows the scopes of the example's recording" {
    not_sanitized
    example_copy
    make -C example
    example_run example
    run "$PREFIX/bin/kgate" report run.kgprof --format tree
    echo "$output"
    [ "$status" -eq 0 ]
    for scope in frame draw blur blur_along blur_across count_levels contrast; do
        [[ "$output" == *"$scope"* ]]
    done
}

@test "the C++ example ends its scopes when an exception leaves them" {
    not_sanitized
    g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror "$SOURCE/docs/examples/profile_cpp/requests.cpp" \
        $(pkg-config --cflags --libs kgate-profiler) -pthread -o requests
    # the built program finds the library by itself
    [ "$(KGATE_PROFILE=run.kgprof ./requests 100)" = "100 requests, 10 failed" ]
    [ -s run.kgprof ]
    run "$PREFIX/bin/kgate" report run.kgprof --format json
    [ "$status" -eq 0 ]
    jq -e '.losses.unfinished == 0
           and ([.paths[] | select(.name == "request") | .calls] | add) == 100
           and ([.paths[] | select(.name == "parsed") | .calls] | add) == 910' <<<"$output"
}

# Bytes allocated in all calls of "frame", as the recording has them.
frame_allocated() {
    "$PREFIX/bin/kgate" report run.kgprof --format json |
        jq '[.paths[] | select(.name == "frame") | .allocated_bytes] | add'
}

@test "gprof, as profiling.md names it, reads a program with the profiler" {
    not_sanitized
    command -v gprof >/dev/null || skip "no gprof"
    example_copy
    make -C example CFLAGS="-O1 -fno-inline -pg -D_GNU_SOURCE"
    example/frames 64 20 >/dev/null
    gprof example/frames gmon.out | grep -q "blur"
}

@test "libkgate_memory.so finds the profiler, linked either way" {
    not_sanitized
    example_copy
    # a block for each frame, which the example has no need of
    sed -i 's/    draw(frames, frame);/&\n    free(strdup("some memory"));/' example/frames.c
    library=$(pkg-config --variable=libdir kgate-profiler)/libkgate_memory.so
    for static in "" STATIC=1; do
        rm -f example/frames run.kgprof
        make -C example $static CFLAGS="-D_GNU_SOURCE"
        KGATE_PROFILE=run.kgprof LD_PRELOAD=$library example/frames 32 10
        [ "$(frame_allocated)" -ge 120 ]
    done
}

# Every macro, in a function that is worth optimising.
program_write() {
    mkdir -p with without
    cat >with/hot.c <<'C'
#include <kgate/profiler.h>
#include <stddef.h>

double sum(const double *x, size_t n, void *stream);

double sum(const double *x, size_t n, void *stream)
{
    KGATE_FUNCTION();
    double total = 0;
    (void)stream;
    for (size_t i = 0; i < n; i++) {
        KGATE_SCOPE("element");
        KGATE_SCOPE_ON("on", KGATE_DEVICE_CPU, "loop", sizeof *x);
        KGATE_SCOPE_AUTO("auto");
        KGATE_SCOPE_CUDA("kernel", stream, 8);
        KGATE_SCOPE_TRANSFER_CUDA("copy", stream, 8);
        KGATE_SCOPE_WAITING("wait");
        KGATE_SCOPE_PARALLEL_REGION("region");
        KGATE_SCOPE_OF_KIND("kind", KGATE_SCOPE_WAIT, KGATE_DEVICE_CPU, "lock", 0);
        KGATE_SCOPE_NAMED("named");
        KGATE_SCOPE_LABELLED("labelled", "size=%d", 8);
        KGATE_SCOPE_IN(NULL, "instance");
        total += x[i];
    }
    return total;
}
C
    sed '/KGATE_/d' with/hot.c >without/hot.c
}

@test "the header is free of warnings in C11, C17, C++11 and C++17, with gcc and clang" {
    program_write
    flags="-O2 -c -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -I$PREFIX/include -o hot.o"
    for defined in "" -DKGATE_NO_PROFILER; do
        for standard in c11 c17; do
            gcc -std=$standard $flags $defined with/hot.c
            clang -std=$standard $flags $defined with/hot.c
        done
        for standard in c++11 c++17; do
            g++ -std=$standard $flags $defined -x c++ with/hot.c
            clang++ -std=$standard $flags $defined -x c++ with/hot.c
        done
    done
}

@test "a scope's name that is a variable does not compile" {
    program_write
    sed -i 's/KGATE_SCOPE("element")/KGATE_SCOPE(name)/; s/void \*stream)/void *stream, const char *name)/' with/hot.c
    for compiler in gcc clang "g++ -x c++" "clang++ -x c++"; do
        run $compiler -c -I"$PREFIX/include" -o hot.o with/hot.c
        echo "$output"
        [ "$status" -ne 0 ]
        [[ "$output" == *name* ]]
    done
    sed -i 's/KGATE_SCOPE(name)/KGATE_SCOPE_NAMED(name)/' with/hot.c
    for compiler in gcc clang "g++ -x c++" "clang++ -x c++"; do
        $compiler -c -I"$PREFIX/include" -o hot.o with/hot.c
    done
}

@test "with KGATE_NO_PROFILER scopes leave nothing in the object code" {
    program_write
    for compiler in gcc clang "g++ -x c++" "clang++ -x c++"; do
        for folder in with without; do
            (cd "$folder" && $compiler -O2 -c -DKGATE_NO_PROFILER -I"$PREFIX/include" hot.c)
            (cd "$folder" && objdump -drs hot.o) >"$folder.dump"
            size "$folder/hot.o" | awk 'NR == 2 {print $1, $2, $3}' >"$folder.size"
        done
        diff with.dump without.dump
        diff with.size without.size
        (cd with && $compiler -O2 -c -I"$PREFIX/include" hot.c && nm hot.o) | grep -q kgate_profiling
    done
}

# The functions that the header declares, by the compiler's own list, and its variables.
declared() {
    echo "#include <kgate/profiler.h>" >declared.c
    gcc -I"$PREFIX/include" -fsyntax-only -aux-info declared.txt declared.c
    sed -n 's/.* extern .*\b\(kgate_[a-z_]*\) (.*/\1/p' declared.txt
    sed -n 's/^extern [^(]*\b\(kgate_[a-z_]*\);/\1/p' "$PREFIX/include/kgate/profiler.h"
}

@test "the shared library shows the public symbols, all of them and no other" {
    not_sanitized
    library=$(pkg-config --variable=libdir kgate-profiler)/libkgate_profiler.so
    declared | sort >public
    nm -D --defined-only "$library" | awk '{print $3}' | sort >shown
    diff public shown
}

@test "the library for memory shows the allocator and nothing of its own" {
    not_sanitized
    library=$(pkg-config --variable=libdir kgate-profiler)/libkgate_memory.so
    run bash -c "nm -D --defined-only '$library' | awk '{print \$3}' | grep -E '^kg'"
    echo "$output"
    [ "$status" -eq 1 ]
    nm -D --defined-only "$library" | grep -qw malloc
    LD_PRELOAD=$library sort /dev/null
}

@test "docs: the commands of profiling.md run" {
    not_sanitized
    cp -r "$SOURCE/docs" .
    export HOME="$BATS_TEST_TMPDIR" PATH="$(dirname "$KGATE"):$PATH"
    # all of them, but for the build, which is there; on smaller frames than a reader's. What compare
    # says of two short runs is not asked
    awk '/^```sh/ {inside = 1; next} /^```/ {inside = 0} inside' docs/profiling.md |
        sed "s|^cmake --preset.*||; s|^cmake --install build/release|cmake --install '$(dirname "$KGATE")'|" |
        sed 's|frames 512 20|frames 96 3|; s|^\(kgate compare.*\)|\1 \|\| (($? == 1 \|\| $? == 4))|' >commands.sh
    [ "$(wc -l <commands.sh)" -ge 10 ]
    run bash -euo pipefail commands.sh
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *"frame"*"blur"* ]]
    [ -s out/report.md ]
}
