#include "run/ceilings/ceilings_measure.h"
#include "test_support.h"

/* Two cores of 32 KiB and 1 MiB, four CPUs, and a last level in two parts. */
static struct kg_cpu_ceilings some_ceilings(void)
{
    return (struct kg_cpu_ceilings){
        .one = {.threads = 1,
                .scalar_flops_per_s = 10e9,
                .vector_flops_per_s = 100e9,
                .l1_bytes_per_s = 400e9,
                .l2_bytes_per_s = 200e9,
                .l3_bytes_per_s = 80e9,
                .memory_bytes_per_s = 20e9},
        .all = {.threads = 4,
                .scalar_flops_per_s = 30e9,
                .vector_flops_per_s = 250e9,
                .l1_bytes_per_s = 1600e9,
                .l2_bytes_per_s = 800e9,
                .l3_bytes_per_s = 300e9,
                .memory_bytes_per_s = 50e9},
        .cores = 2,
        .l1_bytes = 32768,
        .l2_bytes = 1 << 20,
        .l3_bytes = 32 << 20,
        .l3_count = 2,
        .clock_hz = 3e9,
        .memory_latency_ns = 90,
        .fork_join_ns = 2000,
        .barrier_ns = 400,
        .line_transfer_ns = 60,
        .page_fault_ns = 500,
        .measured = "2026-01-31T12:00:00Z",
    };
}

static const size_t rates[] = {
    offsetof(struct kg_cpu_ceiling, threads),
    offsetof(struct kg_cpu_ceiling, scalar_flops_per_s),
    offsetof(struct kg_cpu_ceiling, vector_flops_per_s),
    offsetof(struct kg_cpu_ceiling, l1_bytes_per_s),
    offsetof(struct kg_cpu_ceiling, l2_bytes_per_s),
    offsetof(struct kg_cpu_ceiling, l3_bytes_per_s),
    offsetof(struct kg_cpu_ceiling, memory_bytes_per_s),
};
static const size_t figures[] = {
    offsetof(struct kg_cpu_ceilings, cores),
    offsetof(struct kg_cpu_ceilings, l1_bytes),
    offsetof(struct kg_cpu_ceilings, l2_bytes),
    offsetof(struct kg_cpu_ceilings, l3_bytes),
    offsetof(struct kg_cpu_ceilings, l3_count),
    offsetof(struct kg_cpu_ceilings, clock_hz),
    offsetof(struct kg_cpu_ceilings, memory_latency_ns),
    offsetof(struct kg_cpu_ceilings, fork_join_ns),
    offsetof(struct kg_cpu_ceilings, barrier_ns),
    offsetof(struct kg_cpu_ceilings, line_transfer_ns),
    offsetof(struct kg_cpu_ceilings, page_fault_ns),
};
#define COUNT(array) (sizeof(array) / sizeof *(array))

static void assert_level(const struct kg_cpu_ceilings *ceilings, double bytes, double threads,
                         enum kg_cache_level expected)
{
    const enum kg_cache_level level = kg_cpu_level(ceilings, bytes, threads);
    if (level != expected)
        fail_msg("%g bytes of %g threads lie in %s, not in %s", bytes, threads,
                 kg_level_names[level], kg_level_names[expected]);
}

static void a_set_lies_in_the_first_cache_that_holds_each_cores_part(void **state)
{
    const struct kg_cpu_ceilings ceilings = some_ceilings();
    assert_level(&ceilings, 0, 1, KG_LEVEL_L1);
    assert_level(&ceilings, 32768, 1, KG_LEVEL_L1);
    assert_level(&ceilings, 32769, 1, KG_LEVEL_L2);
    assert_level(&ceilings, 65536, 2, KG_LEVEL_L1);
    assert_level(&ceilings, 2 << 20, 2, KG_LEVEL_L2);
    assert_level(&ceilings, (2 << 20) + 1, 2, KG_LEVEL_L3);
}

static void threads_beyond_the_cores_share_their_caches(void **state)
{
    const struct kg_cpu_ceilings ceilings = some_ceilings();
    assert_level(&ceilings, 65536, 4, KG_LEVEL_L1);
    assert_level(&ceilings, 65537, 4, KG_LEVEL_L2);
}

static void one_thread_has_its_part_of_the_last_level_and_two_have_two(void **state)
{
    const struct kg_cpu_ceilings ceilings = some_ceilings();
    assert_level(&ceilings, 16 << 20, 1, KG_LEVEL_L3);
    assert_level(&ceilings, (16 << 20) + 1, 1, KG_LEVEL_MEMORY);
    assert_level(&ceilings, 32 << 20, 2, KG_LEVEL_L3);
    assert_level(&ceilings, 32 << 20, 4, KG_LEVEL_L3);
    assert_level(&ceilings, (32 << 20) + 1, 4, KG_LEVEL_MEMORY);
}

static void what_is_not_known_lies_in_memory(void **state)
{
    const struct kg_cpu_ceilings none = KG_CPU_CEILINGS_NONE;
    struct kg_cpu_ceilings ceilings = some_ceilings();
    assert_level(&none, 1, 1, KG_LEVEL_MEMORY);
    assert_level(&ceilings, NAN, 1, KG_LEVEL_MEMORY);
    assert_level(&ceilings, -1, 1, KG_LEVEL_MEMORY);
    assert_level(&ceilings, INFINITY, 4, KG_LEVEL_MEMORY);
    ceilings.l3_bytes = ceilings.l3_count = NAN;
    assert_level(&ceilings, 1 << 20, 1, KG_LEVEL_L2);
    assert_level(&ceilings, 2 << 20, 1, KG_LEVEL_MEMORY);
}

static void threads_that_are_not_known_are_one(void **state)
{
    const struct kg_cpu_ceilings ceilings = some_ceilings();
    assert_level(&ceilings, 65536, NAN, KG_LEVEL_L2);
    assert_level(&ceilings, 65536, 0, KG_LEVEL_L2);
    assert_level(&ceilings, 32768, 0, KG_LEVEL_L1);
}

static void roofs_rise_with_the_threads_to_that_of_all(void **state)
{
    const struct kg_cpu_ceilings ceilings = some_ceilings();
    assert_true(kg_cpu_bandwidth(&ceilings, KG_LEVEL_L1, 1) == 400e9);
    assert_true(kg_cpu_bandwidth(&ceilings, KG_LEVEL_L2, 3) == 600e9);
    assert_true(kg_cpu_bandwidth(&ceilings, KG_LEVEL_L3, 4) == 300e9);
    assert_true(kg_cpu_bandwidth(&ceilings, KG_LEVEL_MEMORY, 2) == 40e9);
    assert_true(kg_cpu_bandwidth(&ceilings, KG_LEVEL_MEMORY, 3) == 50e9);
    assert_true(kg_cpu_bandwidth(&ceilings, KG_LEVEL_MEMORY, 1e6) == 50e9);
    assert_true(kg_cpu_flops(&ceilings, true, 1) == 100e9);
    assert_true(kg_cpu_flops(&ceilings, true, 2) == 200e9);
    assert_true(kg_cpu_flops(&ceilings, true, 4) == 250e9);
    assert_true(kg_cpu_flops(&ceilings, false, 3) == 30e9);
}

static void roofs_are_unknown_where_threads_or_figures_are(void **state)
{
    const struct kg_cpu_ceilings none = KG_CPU_CEILINGS_NONE;
    struct kg_cpu_ceilings ceilings = some_ceilings();
    assert_true(isnan(kg_cpu_flops(&none, true, 1)));
    assert_true(isnan(kg_cpu_flops(&none, true, 4)));
    assert_true(isnan(kg_cpu_bandwidth(&none, KG_LEVEL_L1, 2)));
    assert_true(isnan(kg_cpu_flops(&ceilings, true, 0)));
    assert_true(isnan(kg_cpu_flops(&ceilings, true, NAN)));
    assert_true(isnan(kg_cpu_bandwidth(&ceilings, KG_LEVEL_COUNT, 1)));
    ceilings.one.vector_flops_per_s = NAN;
    assert_true(isnan(kg_cpu_flops(&ceilings, true, 1)));
    assert_true(isnan(kg_cpu_flops(&ceilings, true, 2)));
    assert_true(kg_cpu_flops(&ceilings, true, 4) == 250e9);
    ceilings = some_ceilings();
    ceilings.all.memory_bytes_per_s = NAN;
    assert_true(kg_cpu_bandwidth(&ceilings, KG_LEVEL_MEMORY, 1) == 20e9);
    assert_true(isnan(kg_cpu_bandwidth(&ceilings, KG_LEVEL_MEMORY, 2)));
}

static void figures_that_no_machine_has_are_not_good(void **state)
{
    static const double nonsense[] = {0, -1, -1e9, 1e30, INFINITY, -INFINITY, 1e-3};
    const struct kg_cpu_ceilings none = KG_CPU_CEILINGS_NONE, zero = {0};
    struct kg_cpu_ceilings ceilings = some_ceilings();
    assert_true(kg_cpu_ceilings_good(&none));
    assert_true(kg_cpu_ceilings_good(&ceilings));
    assert_false(kg_cpu_ceilings_good(&zero));
    for (size_t n = 0; n < COUNT(nonsense); n++) {
        for (size_t i = 0; i < COUNT(figures); i++) {
            ceilings = some_ceilings();
            *(double *)((char *)&ceilings + figures[i]) = nonsense[n];
            if (kg_cpu_ceilings_good(&ceilings))
                fail_msg("%g as figure %zu is good", nonsense[n], i);
        }
        for (size_t i = 0; i < COUNT(rates); i++) {
            ceilings = some_ceilings();
            *(double *)((char *)&ceilings.one + rates[i]) = nonsense[n];
            const bool one = kg_cpu_ceilings_good(&ceilings);
            ceilings = some_ceilings();
            *(double *)((char *)&ceilings.all + rates[i]) = nonsense[n];
            if (one || kg_cpu_ceilings_good(&ceilings))
                fail_msg("%g as rate %zu is good", nonsense[n], i);
        }
    }
}

static void all_threads_are_not_slower_than_one(void **state)
{
    struct kg_cpu_ceilings ceilings = some_ceilings();
    ceilings.all.l2_bytes_per_s = ceilings.one.l2_bytes_per_s;
    assert_true(kg_cpu_ceilings_good(&ceilings));
    ceilings.all.l2_bytes_per_s *= 0.99;
    assert_false(kg_cpu_ceilings_good(&ceilings));
    ceilings.all.l2_bytes_per_s = NAN;
    assert_true(kg_cpu_ceilings_good(&ceilings));
}

static void a_pace_is_the_same_within_a_quarter(void **state)
{
    static const struct kg_cpu_pace then = {12000, 20e9}, unknown = {NAN, NAN};
    static const struct {
        struct kg_cpu_pace now;
        bool same;
    } cases[] = {
        {{12000, 20e9}, true},    {{14900, 24.9e9}, true},   {{9700, 16.1e9}, true},
        {{15100, 20e9}, false},   {{12000, 25.1e9}, false},  {{9500, 20e9}, false},
        {{12000, 15.9e9}, false}, {{NAN, NAN}, true},        {{NAN, 30e9}, false},
        {{0, 20e9}, false},       {{INFINITY, 20e9}, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        if (kg_cpu_pace_same(&then, &cases[i].now) != cases[i].same)
            fail_msg("case %zu", i);
    assert_false(kg_cpu_pace_same(&unknown, &then));
    assert_true(kg_cpu_pace_same(&unknown, &unknown));
}

/* --- The cache --- */

static char folder[64], cache[96], file[160];
static struct kg_arena arena;
static struct kg_error err;
static const struct kg_cpu_pace pace = {12000, 20e9};
static const int64_t MEASURED_S = 1769860800, DAY_S = 86400; /* 2026-01-31T12:00:00Z */

static struct kg_cpu_ceilings_key some_key(void)
{
    return (struct kg_cpu_ceilings_key){.fingerprint = "a-cpu-4cpu-8gib-0a1b2c3d",
                                        .cpu_count = 4,
                                        .cpus = "0-3",
                                        .vectors = "AVX2",
                                        .quota_cpus = NAN};
}

static int folder_make(void **state)
{
    snprintf(folder, sizeof folder, "%s", support_folder());
    snprintf(cache, sizeof cache, "%s/deep/kgate", folder);
    snprintf(file, sizeof file, "%s/cpu-ceilings-a-cpu-4cpu-8gib-0a1b2c3d-4.json", cache);
    return 0;
}

static int folder_remove(void **state)
{
    kg_arena_free(&arena);
    support_remove(folder);
    return 0;
}

static void store(const struct kg_cpu_ceilings_key *key, const struct kg_cpu_pace *then)
{
    const struct kg_cpu_ceilings ceilings = some_ceilings();
    if (!kg_cpu_ceilings_store(cache, key, then, &ceilings, &err))
        fail_msg("%s", err.message);
}

static bool is_found(const struct kg_cpu_ceilings_key *key, const struct kg_cpu_pace *now,
                     int64_t now_s)
{
    struct kg_cpu_ceilings found;
    return kg_cpu_ceilings_cached(cache, key, now, now_s, &arena, &found);
}

static void what_was_stored_is_found_again_and_follows_its_schema(void **state)
{
    const struct kg_cpu_ceilings_key key = some_key();
    const struct kg_cpu_ceilings stored = some_ceilings();
    struct kg_cpu_ceilings found;
    char command[512];
    assert_false(is_found(&key, &pace, MEASURED_S));
    store(&key, &pace);
    assert_true(kg_cpu_ceilings_cached(cache, &key, &pace, MEASURED_S, &arena, &found));
    assert_memory_equal(&found.one, &stored.one, sizeof found.one);
    assert_memory_equal(&found.all, &stored.all, sizeof found.all);
    for (size_t i = 0; i < COUNT(figures); i++)
        assert_memory_equal((char *)&found + figures[i], (const char *)&stored + figures[i],
                            sizeof(double));
    assert_string_equal(found.measured, stored.measured);
    assert_null(found.reason);
    snprintf(command, sizeof command,
             "/usr/bin/python3 -W ignore -m jsonschema -i '%s' "
             "'" KGATE_SOURCE_DIR "/docs/schema/cpu_ceilings.v1.schema.json'",
             file);
    assert_int_equal(system(command), 0);
}

static void another_machine_or_other_cpus_are_measured_anew(void **state)
{
    struct kg_cpu_ceilings_key key = some_key(), other[7];
    for (size_t i = 0; i < COUNT(other); i++)
        other[i] = key;
    other[0].fingerprint = "a-cpu-4cpu-8gib-0a1b2c3e";
    other[1].cpu_count = 5;
    other[2].cpus = "4-7";
    other[3].vectors = "AVX-512";
    other[4].vectors = NULL;
    other[5].quota_cpus = 2;
    other[6].cpus = NULL;
    store(&key, &pace);
    for (size_t i = 0; i < COUNT(other); i++)
        if (is_found(&other[i], &pace, MEASURED_S))
            fail_msg("key %zu is taken for the other", i);
    store(&other[5], &pace);
    assert_true(is_found(&other[5], &pace, MEASURED_S));
    assert_false(is_found(&key, &pace, MEASURED_S));
}

static void doubtful_ceilings_hold_for_an_hour(void **state)
{
    const struct kg_cpu_ceilings_key key = some_key();
    struct kg_cpu_ceilings ceilings = some_ceilings(), found;
    ceilings.note = "measured beside other work";
    assert_true(kg_cpu_ceilings_store(cache, &key, &pace, &ceilings, &err));
    assert_false(is_found(&key, &pace, MEASURED_S + 3601));
    assert_true(kg_cpu_ceilings_cached(cache, &key, &pace, MEASURED_S + 3600, &arena, &found));
    assert_string_equal(found.note, ceilings.note);
}

static void ceilings_hold_for_seven_days_and_the_same_pace(void **state)
{
    static const struct kg_cpu_pace slower = {16000, 20e9}, unknown = {NAN, NAN};
    const struct kg_cpu_ceilings_key key = some_key();
    store(&key, &pace);
    assert_true(is_found(&key, &pace, MEASURED_S + 7 * DAY_S));
    assert_false(is_found(&key, &pace, MEASURED_S + 7 * DAY_S + 1));
    assert_false(is_found(&key, &pace, MEASURED_S - 2 * DAY_S));
    assert_false(is_found(&key, &slower, MEASURED_S));
    assert_true(is_found(&key, &unknown, MEASURED_S));
    store(&key, &unknown);
    assert_true(is_found(&key, &unknown, MEASURED_S));
    assert_false(is_found(&key, &pace, MEASURED_S));
}

/* Replacements in the file's text, as sed scripts. */
static void what_cannot_be_read_or_makes_no_sense_is_measured_anew(void **state)
{
    static const char *const scripts[] = {
        "s/cpu_ceilings.v1/cpu_ceilings.v2/",
        "s/\"method\": ./\"method\": 99/",
        "s/\"barrier_ns\": 400/\"barrier_ns\": -400/",
        "s/\"barrier_ns\": 400/\"barrier_ns\": 0/",
        "s/\"barrier_ns\": 400.0/\"barrier_ns\": \"x\"/",
        "s/\"barrier_ns\": 400.0/\"barrier_ns\": 1e999/",
        "s/\"memory_bytes_per_s\": [^,]*$/\"memory_bytes_per_s\": 1/",
        "/vector_flops/d",
        "s/2026-01-31/last year/",
        "s/}//",
        "s/.*//",
        "1d",
        "s/\"fingerprint\".*//",
    };
    const struct kg_cpu_ceilings_key key = some_key();
    char command[400];
    for (size_t i = 0; i < COUNT(scripts); i++) {
        store(&key, &pace);
        assert_true(is_found(&key, &pace, MEASURED_S));
        snprintf(command, sizeof command, "sed -i '%s' '%s'", scripts[i], file);
        assert_int_equal(system(command), 0);
        if (is_found(&key, &pace, MEASURED_S))
            fail_msg("after %s it is believed", scripts[i]);
    }
}

static void what_is_incomplete_or_has_no_name_is_not_kept(void **state)
{
    const struct kg_cpu_ceilings none = KG_CPU_CEILINGS_NONE;
    struct kg_cpu_ceilings ceilings = some_ceilings();
    struct kg_cpu_ceilings_key key = some_key();
    assert_false(kg_cpu_ceilings_store(cache, &key, &pace, &none, &err));
    ceilings.reason = "something was missing";
    assert_false(kg_cpu_ceilings_store(cache, &key, &pace, &ceilings, &err));
    ceilings = some_ceilings();
    key.fingerprint = "../etc";
    assert_false(kg_cpu_ceilings_store(cache, &key, &pace, &ceilings, &err));
    assert_non_null(strstr(err.message, "not kept"));
    key = some_key();
    assert_false(kg_cpu_ceilings_store("/proc/none", &key, &pace, &ceilings, &err));
}

#define CACHED(test) cmocka_unit_test_setup_teardown(test, folder_make, folder_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_set_lies_in_the_first_cache_that_holds_each_cores_part),
        cmocka_unit_test(threads_beyond_the_cores_share_their_caches),
        cmocka_unit_test(one_thread_has_its_part_of_the_last_level_and_two_have_two),
        cmocka_unit_test(what_is_not_known_lies_in_memory),
        cmocka_unit_test(threads_that_are_not_known_are_one),
        cmocka_unit_test(roofs_rise_with_the_threads_to_that_of_all),
        cmocka_unit_test(roofs_are_unknown_where_threads_or_figures_are),
        cmocka_unit_test(figures_that_no_machine_has_are_not_good),
        cmocka_unit_test(all_threads_are_not_slower_than_one),
        cmocka_unit_test(a_pace_is_the_same_within_a_quarter),
        CACHED(what_was_stored_is_found_again_and_follows_its_schema),
        CACHED(another_machine_or_other_cpus_are_measured_anew),
        CACHED(ceilings_hold_for_seven_days_and_the_same_pace),
        CACHED(doubtful_ceilings_hold_for_an_hour),
        CACHED(what_cannot_be_read_or_makes_no_sense_is_measured_anew),
        CACHED(what_is_incomplete_or_has_no_name_is_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
