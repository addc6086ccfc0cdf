# Why it became slower: the place in code that took the time, of two builds.
load support

bats_require_minimum_version 1.5.0

# A program that counts words of a text: $1 is the condition of its loop. Its text is long enough that a strlen
# in each step takes most of the time, also on a busy machine.
counter_build() {
    cat >count.c <<C
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) static size_t count_words(char *text)
{
    size_t words = 0;
    for (size_t i = 0; $1; i++)
        words += text[i]++ == ' '; /* written, so that its length may change */
    return words;
}
int main(void)
{
    enum { LENGTH = 20000, TIMES = 6 };
    char *text = malloc(LENGTH + 1);
    size_t words = 0;
    text[LENGTH] = 0;
    for (int i = 0; i < TIMES; i++) {
        memset(text, 'a', LENGTH);
        text[i] = ' ';
        words += count_words(text);
    }
    printf("%zu\n", words);
}
C
    cc -O1 -g -fno-builtin-strlen count.c -o "$2"
}

# The first that is said of what changed in the folder $1.
first_change() { jq -ce '.changes[0]' "$1/suggestions.json"; }

# A busy machine may leave the verdict open. The place is the same.
worse() { [ "$status" -eq 1 ] || [ "$status" -eq 4 ]; }

needs_samples() {
    jq -e '.cases[0].hot.sampled | .source == null and (.reason | contains("may not stop its threads"))' "$1" >/dev/null &&
        skip "nothing may be traced here"
    true
}

# With a sanitizer in kgate, the C library's own variant is named: strlen_avx2.
slow='i < strlen(text)'
quick='text[i]'

@test "ab of two commands names the function that became slower, with its caller" {
    counter_build "$quick" old
    counter_build "$slow" new
    run "$KGATE" ab ./old ./new --set disturbance=100% --rounds 5 -o out
    worse
    needs_samples out/head.json
    [[ "$output" == *"strlen"*", called from count_words (count.c:"[78]"): +"*" of the slowdown"* ]]
    first_change out | jq -e '.name == "function" and (.callee.function | startswith("strlen"))
        and .place.function == "count_words" and .caller.function == "main"
        and .base == 0 and .current > 0 and .explains > 0.5'
    valid out/suggestions.json suggestions
    valid out/base.json results
}

@test "what became faster is named likewise" {
    counter_build "$slow" old
    counter_build "$quick" new
    run "$KGATE" ab ./old ./new --set disturbance=100% --rounds 5 -o out
    needs_samples out/head.json
    [[ "$output" == *"strlen"*", called from count_words (count.c:"[78]"): -"*" of the gain"* ]]
}

@test "a build without optimisation is named first" {
    # Calls that the optimiser removes: the candidate takes several times as long, also on a busy machine.
    cat >count.c <<'C'
#include <stdio.h>
static char text[20000];
static int is_blank(char character) { return character == ' '; }
int main(void)
{
    long blanks = 0;
    for (int round = 0; round < 800; round++) {
        text[round] = ' ';
        for (unsigned i = 0; i < sizeof text; i++)
            blanks += is_blank(text[i]);
    }
    printf("%ld\n", blanks);
}
C
    cc -O2 -g count.c -o old
    cc -g count.c -o new
    run "$KGATE" ab ./old ./new --set disturbance=100% --rounds 5 -o out
    worse
    needs_samples out/head.json
    [[ "$output" == *"built without -O2"* ]]
    first_change out | jq -e '.name == "compiler" and .text == "the candidate is built without -O2"'
}

# Root may read the files of every thread. Those of a thread that ends belong to root, so another user's refusals count.
@test "a user without privileges gets the place, without a note on refused threads" {
    local user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    chmod a+x "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR"/*/ "$BATS_RUN_TMPDIR"/*/*/
    mkdir place
    cp "$KGATE" place/kgate
    counter_build "$quick" place/old
    counter_build "$slow" place/new
    chmod 777 . place
    cd place
    "${user[@]}" test -x "$PWD/kgate" || skip "needs root, and a folder that others may read"
    run "${user[@]}" env HOME="$PWD" ./kgate ab ./old ./new --set disturbance=100% --rounds 5 -o out
    worse
    needs_samples out/base.json
    [[ "$output" == *"strlen"*", called from count_words (count.c:"[78]"): +"* ]]
    jq -es 'map(.cases[0].hot.sampled) | all(.reason == null and .samples > 0)' out/base.json out/head.json
}

# Two files have a static function `step`; $1 is the work of the parser's.
steps_build() {
    for name in lex parse; do
        cat >"$name.c" <<C
__attribute__((noinline)) static unsigned step(unsigned n, int work)
{
    for (int i = 0; i < work; i++)
        n = n * 31 + (unsigned)i;
    return n;
}
__attribute__((noinline)) unsigned $name(unsigned n, int work)
{
    for (int i = 0; i < 4000; i++)
        n += step(n, work);
    return n;
}
C
    done
    cat >steps.c <<C
#include <stdio.h>
unsigned lex(unsigned n, int work);
unsigned parse(unsigned n, int work);
int main(void)
{
    unsigned n = 1;
    for (int i = 0; i < 5; i++)
        n += lex(n, 200) + parse(n, $1);
    printf("%u\n", n);
}
C
    cc -O1 -g lex.c parse.c steps.c -o "$2"
}

@test "functions of one name in two files are told apart" {
    steps_build 200 old
    steps_build 600 new
    run "$KGATE" ab ./old ./new --set disturbance=100% --rounds 5 -o out
    worse
    needs_samples out/head.json
    # its line with the most samples
    [[ "$output" == *"step (parse.c:"[345]"), called from parse: +"* ]]
    jq -e '[.cases[0].hot.sampled.functions[].place | select(.function == "step").file | split("/") | last]
        | sort == ["lex.c", "parse.c"]' out/head.json
}

@test "a call that is too brief for a sample is counted, not denied" {
    counter_build "$quick" old
    sed -i '0,/words = 0;/s//words = 0, length = strlen(text);/; s/text\[i\];/i < length;/; s/TIMES = 6/TIMES = 4/' count.c
    cc -O1 -g -fno-builtin-strlen count.c -o old
    sed -i 's/i < length/i < strlen(text)/' count.c
    cc -O1 -g -fno-builtin-strlen count.c -o new
    run "$KGATE" ab ./old ./new --set disturbance=100% --rounds 5 -o out
    worse
    needs_samples out/head.json
    [[ "$output" == *"called from count_words (count.c:"* ]]
    # a kgate with sanitizers names the variant of strlen, which Valgrind does not choose
    jq -e '[.cases[0].hot.sampled.sites[] | select(.callee.function == "strlen") | .calls // empty] | length > 0' \
        out/base.json || skip "no counted calls of strlen"
    [[ "$output" != *"the baseline does not call it there"* ]]
}

# $1 is the map of a lookup.
lookup_build() {
    cat >lookup.cpp <<C
#include <cstdio>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>
struct Index {
    $1<std::string, int> entries;
    int lookup(const std::string &key) const;
};
__attribute__((noinline)) int Index::lookup(const std::string &key) const
{
    auto found = entries.find(key);
    return found == entries.end() ? 0 : found->second;
}
int main()
{
    Index index;
    std::vector<std::string> keys;
    for (int i = 0; i < 2000; i++)
        keys.push_back("a long key that all share " + std::to_string(i));
    for (auto &key : keys)
        index.entries[key] = 1;
    long sum = 0;
    for (int i = 0; i < 60; i++)
        for (auto &key : keys)
            sum += index.lookup(key);
    std::printf("%ld\n", sum);
}
C
    c++ -O2 -g lookup.cpp -o "$2"
}

@test "a function of the C++ library is named with the function that calls it" {
    lookup_build std::unordered_map old
    lookup_build std::map new
    run "$KGATE" ab ./old ./new --set disturbance=100% --rounds 5 -o out
    worse
    needs_samples out/head.json
    [[ "$output" == *"Index::lookup (lookup.cpp:1"[0-9]"), in std::map::find: +"*" of the slowdown"* ]]
    first_change out | jq -e '.place.function == "Index::lookup"
        and (.header.function | startswith("std::map<"))'
    run -0 "$KGATE" explain new/cpu out/head.json --base out/base.json
    longest=$(sed -n '/^time per call on both sides/,/^  whole call/p' <<<"$output" | wc -L)
    [ "$longest" -lt 180 ]
    valid out/suggestions.json suggestions
    valid out/head.json results
}

# $1 is the number of look-ups, of which all but one throw.
number_build() {
    cat >number.cpp <<C
#include <cstdio>
#include <stdexcept>
#include <vector>
__attribute__((noinline)) static int value(const std::vector<int> &values, std::size_t i)
{
    try {
        return values.at(i);
    } catch (const std::out_of_range &) {
        return -1;
    }
}
int main()
{
    std::vector<int> values(100, 3);
    volatile long sum = 0;
    for (int i = 0; i < 2000000; i++)
        sum = sum + values[i % 100];
    for (int i = 0; i < $1; i++)
        sum = sum + value(values, 99 + i);
    std::printf("%ld\n", (long)sum);
}
C
    c++ -O2 -g number.cpp -o "$2"
}

@test "exceptions in a function of the C++ library have their hint" {
    number_build 2 old
    number_build 6000 new
    run "$KGATE" ab ./old ./new --set disturbance=100% --rounds 5 -o out
    worse
    needs_samples out/head.json
    [[ "$output" == *"value (number.cpp:"*"), in std::vector::at: +"*"Throw only for rare ones"* ]]
    [[ "$output" != *_ZN* && "$output" != *_ZSt* ]]
    run ! grep -E '"_Z(N|St)' out/head.json out/suggestions.json
}

# Commits the program's source, with $1 as the subject.
commit() {
    [ -d .git ] || git init -q .
    git add count.c
    git -c user.name=A -c user.email=a@example.com -c commit.gpgsign=false commit -qm "$1"
}

# bats test_tags=thorough
@test "a gate names it against its baseline, and the report shows it" {
    counter_build "$quick" count
    commit 'Count words'
    looked_suite_of 200ms <<<'  - {name: count, command: [./count]}'
    kgate gate -c one.yaml -b store -o first --update-missing -q
    needs_samples first/results.json
    jq -e '.runs[0].cases[0].sampled.sites | length > 0' store/*.json
    counter_build "$slow" count
    commit 'Stop at the length'
    run "$KGATE" gate -c one.yaml -b store -o out
    worse
    [[ "$output" == *"strlen"*", called from count_words (count.c:"[78]"): +"* ]]
    [[ "$output" == *"count/cpu: source changed by "*" Stop at the length:"*"+    for (size_t i = 0; $slow; i++)"* ]]
    grep -q '^  ```diff$' out/report.md
    grep -qF "  -    for (size_t i = 0; $quick; i++)" out/report.md
    grep -q 'strlen.*, called from count' out/report.md
    # reports that are made later
    for format in github junit; do
        "$KGATE" report out/comparison.json --format "$format" | grep -q 'strlen.*, called from count_words (count.c:[78]): +'
    done
    run -0 "$KGATE" explain count/cpu out/results.json --base first/results.json
    [[ "$output" == *"time per call on both sides, by "*"strlen"*" in count_words (count.c:"[78]")"*"whole call"* ]]
    valid "$(ls store/*.json)" baseline
    # the same of files alone
    run -0 "$KGATE" suggest out/results.json --base first/results.json
    [[ "$output" == *"strlen"*", called from count_words (count.c:"[78]"): +"* ]]
}
