/* The first thing to try, by the place that became slower and its counts. */
#include "test_support.h"

#include "why/evidence/difference.h"

static const struct kg_system_calls none;

/* The hint has these words; NULL: there is no hint. */
static void hint_has(const struct kg_difference_cause *cause, const char *system_call,
                     const struct kg_system_calls *calls, const char *words)
{
    struct kg_arena arena = {0};
    const char *hint = kg_difference_hint(&arena, cause, system_call, calls);
    if (!words)
        assert_null(hint);
    else if (!hint || !strstr(hint, words))
        fail_msg("'%s' is not in '%s'", words, hint ? hint : "(no hint)");
    kg_arena_free(&arena);
}

static struct kg_difference_cause library_cause(const char *callee)
{
    return (struct kg_difference_cause){
        .row = {.place = {.function = "parse"},
                .callee = {.function = callee, .module = "libc.so.6"},
                .base_ns = 1e6,
                .current_ns = 3e6},
        .entered = {.function = callee, .module = "libc.so.6"}};
}

static void library_function_has_the_hint_of_its_cause(void **state)
{
    static const struct {
        const char *callee, *words;
    } rows[] = {{"strlen", "length"},
                {"realloc", "doubling"},
                {"malloc", "reuse"},
                {"__memset_avx2_unaligned_erms", "Clear only bytes"},
                {"memcpy", "Pass a pointer"},
                {"regcomp", "Compile a pattern once"},
                {"getenv", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct kg_difference_cause cause = library_cause(rows[i].callee);
        hint_has(&cause, NULL, &none, rows[i].words);
    }
}

static void small_requests_have_the_hint_of_their_system_call(void **state)
{
    const struct kg_difference_cause cause = library_cause("fflush");
    struct kg_system_call writes = {.name = "write", .calls = 40000, .bytes = 4e6};
    const struct kg_system_calls calls = {.source = "ptrace", .kinds = &writes, .kind_count = 1};
    hint_has(&cause, "write", &calls, "Collect the output in a buffer");
    hint_has(&cause, "fdatasync", &calls, "Write a group of records");
}

static struct kg_difference_cause own_cause(double calls, double instructions, double time)
{
    return (struct kg_difference_cause){.row = {.place = {.function = "find"},
                                                .base_ns = 1e6,
                                                .current_ns = time * 1e6,
                                                .base_calls = 1000,
                                                .current_calls = calls * 1000,
                                                .base_instructions = 1e6,
                                                .current_instructions = instructions * 1e6}};
}

static void own_function_has_a_hint_by_its_counts(void **state)
{
    const struct kg_difference_cause often = own_cause(3, 3, 3), more = own_cause(1, 3, 3),
                                     slow = own_cause(1, 1, 3), gain = own_cause(1, 3, 0.5);
    hint_has(&often, NULL, &none, "It runs more often.");
    hint_has(&more, NULL, &none, "Each call does more work.");
    hint_has(&slow, NULL, &none, "As many instructions take longer.");
    hint_has(&gain, NULL, &none, NULL);
    struct kg_difference_cause unknown = more;
    unknown.row.base_calls = NAN;
    hint_has(&unknown, NULL, &none, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(library_function_has_the_hint_of_its_cause),
        cmocka_unit_test(small_requests_have_the_hint_of_their_system_call),
        cmocka_unit_test(own_function_has_a_hint_by_its_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
