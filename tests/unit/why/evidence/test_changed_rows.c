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

/* All that is told, parted by "; ". */
static const char *tell(const struct kg_slower *slower)
{
    static char text[2048];
    struct kg_arena arena = {0};
    struct kg_reason told[KG_REASONS_MOST];
    size_t count, length = 0;
    kg_slower_note(&arena, slower, told, &count);
    assert_true(count <= KG_REASONS_MOST);
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        assert_true(told[i].explains > 0 && told[i].explains <= 1);
        assert_true(!i || told[i].explains <= told[i - 1].explains);
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", i ? "; " : "",
                                   told[i].text);
        assert_true(length < sizeof text);
    }
    kg_arena_free(&arena);
    return text;
}

static void told_is(const struct kg_slower *slower, const char *expected)
{
    const char *text = tell(slower);
    if (strcmp(text, expected) != 0)
        fail_msg("told '%s', expected '%s'", text, expected);
}

static void what_is_not_slower_tells_nothing(void **state)
{
    static const double times[] = {0.5, 1, 0, -1, NAN, INFINITY};
    (void)state;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        struct kg_slower slower;
        slower_make(&slower, times[i]);
        put(&slower, "instructions", 1e6, 9e6);
        put(&slower, "bandwidth_share", 0.9, 0.1);
        told_is(&slower, "");
        slower_make(&slower, 2);
        slower.base_value = -BASE_NS;
        put(&slower, "instructions", 1e6, 9e6);
        told_is(&slower, "");
        slower.base_value = 0;
        told_is(&slower, "");
    }
}

static void nonsense_tells_nothing(void **state)
{
    static const double wrong[] = {NAN, INFINITY, -INFINITY, -1, 1e22};
    struct kg_slower slower;
    (void)state;
    for (size_t i = 0; i < kg_trait_count; i++)
        for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
            slower_make(&slower, 2);
            put(&slower, kg_trait_table[i].name, 0.5, wrong[w]);
            told_is(&slower, "");
            put(&slower, kg_trait_table[i].name, wrong[w], 0.5);
            told_is(&slower, "");
        }
}

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005U + 1442695040888963407U;
    return *seed >> 33;
}

static void no_mixture_of_sense_and_nonsense_tells_nonsense(void **state)
{
    static const double values[] = {NAN, 0, 1, 2, 3, 0.5, 0.25, 1e6, 2e6, 1e9, 1e300, INFINITY, -1};
    uint64_t seed = 20260201;
    (void)state;
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
        const char *text = tell(&slower);
        if (strstr(text, "nan") || strstr(text, "e+") || strstr(text, "inf ") ||
            strstr(text, " - ") || strstr(text, "from -"))
            fail_msg("turn %d tells '%s'", turn, text);
    }
}

static void the_environment_is_told_before_a_guess_at_the_code(void **state)
{
    struct kg_slower slower;
    (void)state;
    slower_make(&slower, 2);
    slower.environment = "LC_ALL is 'C.UTF-8' here, was 'C'";
    put(&slower, "instructions", 1e6, 2e6);
    told_is(&slower,
            "instructions rose from 1.00 M to 2.00 M per call: LC_ALL is 'C.UTF-8' here, was "
            "'C'");
    slower_make(&slower, 1.5);
    slower.environment = "OMP_NUM_THREADS is '3' here, was '4'";
    put(&slower, "threads", 4, 3);
    told_is(&slower, "threads fell from 4 to 3: OMP_NUM_THREADS is '3' here, was '4'");
    slower_make(&slower, 1.2);
    slower.environment = "LC_ALL is 'C.UTF-8' here, was 'C'";
    put(&slower, "line_bytes", 10 << 20, 12 << 20);
    told_is(&slower,
            "cache lines brought in rose from 10.0 MiB to 12.0 MiB per call: access pattern");
}

/* In a call this short, each line that waits for memory would explain the slowdown. */
static void fewer_bytes_than_a_cache_line_are_no_cause(void **state)
{
    struct kg_slower slower;
    (void)state;
    slower_make(&slower, 1.5);
    slower.base_value = 100;
    slower.current_value = 150;
    put(&slower, "memory_line_bytes", 7, 36);
    told_is(&slower, "");
    put(&slower, "memory_line_bytes", 7, 80);
    told_is(&slower, "traffic from and to memory rose from 7 B to 80 B per call: access pattern, "
                     "or data that no longer stays in the cache");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_slower_tells_nothing),
        cmocka_unit_test(nonsense_tells_nothing),
        cmocka_unit_test(the_environment_is_told_before_a_guess_at_the_code),
        cmocka_unit_test(fewer_bytes_than_a_cache_line_are_no_cause),
        cmocka_unit_test(no_mixture_of_sense_and_nonsense_tells_nonsense),
    };
    return cmocka_run_group_tests_name("changed rows", tests, NULL, NULL);
}
