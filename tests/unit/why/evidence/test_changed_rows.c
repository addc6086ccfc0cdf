/* Nonsense explains no slowdown. tests/text/suggest/changes.facts has the valid explanations. */
#include "test_support.h"

#include "why/evidence/changed_rows.h"

static const double BASE_NS = 1e6;

static void slower_make(struct kg_slower *slower, double times)
{
    *slower = (struct kg_slower){.base_value = BASE_NS,
                                 .current_value = times * BASE_NS,
                                 .page_fault_ns = 50e3,
                                 .launch_ns = 2000};
    kg_traits_clear(&slower->base);
    kg_traits_clear(&slower->current);
}

static void trait_put(struct kg_traits *traits, const char *name, double value)
{
    for (size_t i = 0; i < kg_trait_count; i++)
        if (!strcmp(kg_trait_table[i].name, name)) {
            kg_trait_set(traits, &kg_trait_table[i], value);
            return;
        }
    fail_msg("no trait '%s'", name);
}

static void put(struct kg_slower *slower, const char *name, double base, double current)
{
    trait_put(&slower->base, name, base);
    trait_put(&slower->current, name, current);
}

/* All notes, separated by "; ". */
static const char *notes_of(const struct kg_slower *slower)
{
    static char text[2048];
    struct kg_arena arena = {0};
    struct kg_reason notes[KG_REASONS_MOST];
    size_t count, length = 0;
    kg_slower_note(&arena, slower, notes, &count);
    assert_true(count <= KG_REASONS_MOST);
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        assert_true(notes[i].explains > 0 && notes[i].explains <= 1);
        assert_true(!i || notes[i].explains <= notes[i - 1].explains);
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", i ? "; " : "",
                                   notes[i].text);
        assert_true(length < sizeof text);
    }
    kg_arena_free(&arena);
    return text;
}

static void notes_are(const struct kg_slower *slower, const char *expected)
{
    const char *text = notes_of(slower);
    if (strcmp(text, expected) != 0)
        fail_msg("noted '%s', expected '%s'", text, expected);
}

static void what_is_not_slower_adds_no_note(void **state)
{
    static const double times[] = {0.5, 1, 0, -1, NAN, INFINITY};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        struct kg_slower slower;
        slower_make(&slower, times[i]);
        put(&slower, "instructions", 1e6, 9e6);
        put(&slower, "bandwidth_share", 0.9, 0.1);
        notes_are(&slower, "");
        slower_make(&slower, 2);
        slower.base_value = -BASE_NS;
        put(&slower, "instructions", 1e6, 9e6);
        notes_are(&slower, "");
        slower.base_value = 0;
        notes_are(&slower, "");
    }
}

static void nonsense_adds_no_note(void **state)
{
    static const double wrong[] = {NAN, INFINITY, -INFINITY, -1, 1e22};
    struct kg_slower slower;
    for (size_t i = 0; i < kg_trait_count; i++)
        for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
            slower_make(&slower, 2);
            put(&slower, kg_trait_table[i].name, 0.5, wrong[w]);
            notes_are(&slower, "");
            put(&slower, kg_trait_table[i].name, wrong[w], 0.5);
            notes_are(&slower, "");
        }
}

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005U + 1442695040888963407U;
    return *seed >> 33;
}

static void no_mixture_of_sense_and_nonsense_adds_nonsense(void **state)
{
    static const double values[] = {NAN, 0, 1, 2, 3, 0.5, 0.25, 1e6, 2e6, 1e9, 1e300, INFINITY, -1};
    uint64_t seed = 20260201;
    printf("seed %llu\n", (unsigned long long)seed);
    for (int turn = 0; turn < 20000; turn++) {
        struct kg_slower slower;
        slower_make(&slower, 1 + (double)(next_random(&seed) % 100) / 30);
        slower.metric = (enum kg_metric_kind)(next_random(&seed) % 3);
        slower.page_fault_ns = values[next_random(&seed) % 13];
        slower.launch_ns = values[next_random(&seed) % 13];
        for (size_t i = 0; i < kg_trait_count; i++)
            put(&slower, kg_trait_table[i].name, values[next_random(&seed) % 13],
                values[next_random(&seed) % 13]);
        const char *text = notes_of(&slower);
        if (strstr(text, "nan") || strstr(text, "e+") || strstr(text, "inf ") ||
            strstr(text, " - ") || strstr(text, "from -"))
            fail_msg("turn %d notes '%s'", turn, text);
    }
}

static void the_environment_is_noted_before_a_guess_at_the_code(void **state)
{
    struct kg_slower slower;
    slower_make(&slower, 2);
    slower.environment = "LC_ALL is 'C.UTF-8' here, was 'C'";
    put(&slower, "instructions", 1e6, 2e6);
    notes_are(&slower,
              "instructions rose from 1.00 M to 2.00 M per call: LC_ALL is 'C.UTF-8' here, was "
              "'C'");
    slower_make(&slower, 1.5);
    slower.environment = "OMP_NUM_THREADS is '3' here, was '4'";
    put(&slower, "threads", 4, 3);
    notes_are(&slower, "threads fell from 4 to 3: OMP_NUM_THREADS is '3' here, was '4'");
    slower_make(&slower, 1.2);
    slower.environment = "LC_ALL is 'C.UTF-8' here, was 'C'";
    put(&slower, "line_bytes", 10 << 20, 12 << 20);
    notes_are(&slower,
              "cache lines brought in rose from 10.0 MiB to 12.0 MiB per call: access pattern");
}

/* In a call this short, each line that waits for memory would explain the slowdown. */
static void fewer_bytes_than_a_cache_line_are_no_cause(void **state)
{
    struct kg_slower slower;
    slower_make(&slower, 1.5);
    slower.base_value = 100;
    slower.current_value = 150;
    put(&slower, "memory_line_bytes", 7, 36);
    notes_are(&slower, "");
    put(&slower, "memory_line_bytes", 7, 80);
    notes_are(&slower, "traffic from and to memory rose from 7 B to 80 B per call: access pattern, "
                       "or data that no longer stays in the cache");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_slower_adds_no_note),
        cmocka_unit_test(nonsense_adds_no_note),
        cmocka_unit_test(the_environment_is_noted_before_a_guess_at_the_code),
        cmocka_unit_test(fewer_bytes_than_a_cache_line_are_no_cause),
        cmocka_unit_test(no_mixture_of_sense_and_nonsense_adds_nonsense),
    };
    return cmocka_run_group_tests_name("changed rows", tests, NULL, NULL);
}
