/* Every telling change, and one just short of it; what is told of several;
 * nonsense tells nothing. */
#include "test_support.h"

#include "suggest/changed_rows.h"

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
    struct kg_told told[KG_TOLD_MOST];
    size_t count, length = 0;
    assert_true(kg_slower_tell(&arena, slower, told, &count));
    assert_true(count <= KG_TOLD_MOST);
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

/* A trait that is the same in both runs and that a row asks for. */
struct given {
    const char *name;
    double base, current;
};

static void every_change_is_told_and_a_little_less_is_not(void **state)
{
    static const struct {
        const char *name;
        double times, base, told, untold;
        struct given given[2];
        const char *text;
    } cases[] = {
        {"level",
         1.5,
         KG_LEVEL_L2,
         KG_LEVEL_MEMORY,
         KG_LEVEL_L2,
         {{NULL, 0, 0}},
         "the working set moved from L2 to memory: it no longer fits into its cache"},
        {"line_bytes",
         1.2,
         10 << 20,
         11.02 * (1 << 20),
         10.98 * (1 << 20),
         {{NULL, 0, 0}},
         "cache lines brought in rose from 10.0 MiB to 11.0 MiB a call: access pattern"},
        {"memory_line_bytes",
         1.2,
         10 << 20,
         11.02 * (1 << 20),
         10.98 * (1 << 20),
         {{NULL, 0, 0}},
         "what is moved from and to memory rose from 10.0 MiB to 11.0 MiB a call: access pattern, "
         "or data that no longer stays in the cache"},
        {"instructions",
         1.05,
         1e6,
         1.031e6,
         1.029e6,
         {{NULL, 0, 0}},
         "instructions rose from 1.00 M to 1.03 M a call: more work, or a loop that is no longer "
         "vectorised"},
        {"threads", 1.5, 4, 3, 4, {{NULL, 0, 0}}, "threads fell from 4 to 3: less may run at once"},
        {"cores_busy",
         1.2,
         4,
         3.5,
         3.7,
         {{NULL, 0, 0}},
         "cores busy fell from 4 to 3.50: less parallel"},
        {"cores_busy",
         1.2,
         1,
         0.89,
         0.91,
         {{NULL, 0, 0}},
         "cores busy fell from 1 to 0.890: it waits, or has its core no longer for itself"},
        {"launches",
         1.05,
         100,
         106,
         104,
         {{NULL, 0, 0}},
         "launches rose from 100 to 106 a call: the work comes in smaller pieces"},
        {"gap_ns",
         1.2,
         500e3,
         551e3,
         549e3,
         {{NULL, 0, 0}},
         "the GPU's idle time between its work rose from 500 us to 551 us a call: the host does "
         "not keep up"},
        {"pageable_bytes",
         1.2,
         0,
         65536,
         65535,
         {{NULL, 0, 0}},
         "what is copied from or to pageable memory rose from 0 B to 64.0 KiB a call: buffers "
         "that are not page-locked"},
        {"transfer_ns",
         1.2,
         500e3,
         551e3,
         549e3,
         {{NULL, 0, 0}},
         "transfers between host and device rose from 500 us to 551 us a call: more is copied, or "
         "more slowly"},
        {"local_bytes",
         1.2,
         0,
         8,
         7,
         {{NULL, 0, 0}},
         "local memory of the main kernel rose from 0 B to 8 B a thread: registers no longer "
         "suffice, and are spilled to memory"},
        {"occupancy",
         1.1,
         0.75,
         0.69,
         0.71,
         {{NULL, 0, 0}},
         "occupancy of the main kernel fell from 75 % to 69 %: more registers or shared memory, "
         "or other blocks"},
        {"page_faults",
         1.2,
         10,
         15.1,
         14.9,
         {{NULL, 0, 0}},
         "page faults rose from 10 to 15.1 a call: memory that is allocated anew in each call"},
        {"waits",
         1.2,
         1,
         1.6,
         1.4,
         {{NULL, 0, 0}},
         "waits of threads rose from 1 to 1.60 a call: locks or I/O"},
        {"waits",
         1.2,
         0,
         0.6,
         0.4,
         {{NULL, 0, 0}},
         "waits of threads rose from 0 to 0.600 a call: locks or I/O"},
        {"alone_ns",
         1.2,
         4e6,
         4.19e6,
         4.21e6,
         {{"threads", 4, 4}},
         "time with one thread stayed at 4.19 ms: the threads hinder each other"},
        {"bandwidth_share",
         2,
         0.82,
         0.41,
         0.78,
         {{NULL, 0, 0}},
         "bandwidth fell from 82 % to 41 % of its ceiling: access pattern or cache"},
        {"flops_share",
         2,
         0.6,
         0.3,
         0.56,
         {{"bandwidth_share", 0.02, 0.01}},
         "arithmetic fell from 60 % to 30 % of its ceiling: fewer vector instructions, or more "
         "work"},
        {"bandwidth_ceiling_bytes_per_s",
         1.2,
         20e9,
         17.9e9,
         18.1e9,
         {{"level", 3, 3}, {"threads", 2, 2}},
         "the bandwidth ceiling itself fell from 20.0 GB/s to 17.9 GB/s: a slower machine, or a "
         "shared one"},
        {"flops_ceiling_per_s",
         1.2,
         20e9,
         17.9e9,
         18.1e9,
         {{"level", 3, 3}},
         "the ceiling of arithmetic itself fell from 20.0 Gflop/s to 17.9 Gflop/s: a lower clock, "
         "or a shared machine"},
        {"allocated_bytes",
         1.2,
         100 << 20,
         106 << 20,
         104 << 20,
         {{NULL, 0, 0}},
         "allocated memory rose from 100 MiB to 106 MiB: larger buffers, or more of them"},
        {"peak_bytes",
         1.2,
         100 << 20,
         111 << 20,
         109 << 20,
         {{NULL, 0, 0}},
         "peak memory rose from 100 MiB to 111 MiB: more is held at once"},
        {"instructions",
         1.2,
         1e6,
         1.019e6,
         1.021e6,
         {{NULL, 0, 0}},
         "instructions stayed at 1.02 M a call, but took longer: caches, clock or neighbours"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kg_slower slower;
        slower_make(&slower, cases[i].times);
        for (size_t g = 0; g < 2 && cases[i].given[g].name; g++)
            put(&slower, cases[i].given[g].name, cases[i].given[g].base, cases[i].given[g].current);
        put(&slower, cases[i].name, cases[i].base, cases[i].told);
        told_is(&slower, cases[i].text);
        put(&slower, cases[i].name, cases[i].base, cases[i].untold);
        told_is(&slower, "");
    }
}

static void changes_for_the_better_are_not_told(void **state)
{
    static const char *const falling[] = {
        "line_bytes",  "memory_line_bytes", "instructions", "launches",    "gap_ns",
        "transfer_ns", "pageable_bytes",    "local_bytes",  "page_faults", "waits",
        "peak_bytes",  "allocated_bytes",   "level"};
    static const char *const rising[] = {"threads",     "cores_busy",          "occupancy",
                                         "flops_share", "flops_ceiling_per_s", "bandwidth_share"};
    struct kg_slower slower;
    (void)state;
    for (size_t i = 0; i < sizeof falling / sizeof *falling; i++) {
        slower_make(&slower, 1.5);
        put(&slower, falling[i], 3, 1);
        told_is(&slower, "");
    }
    for (size_t i = 0; i < sizeof rising / sizeof *rising; i++) {
        slower_make(&slower, 1.5);
        put(&slower, rising[i], 1, 3);
        told_is(&slower, "");
    }
}

static void a_change_too_small_for_the_slowdown_is_none(void **state)
{
    struct kg_slower slower;
    (void)state;
    slower_make(&slower, 2);
    put(&slower, "line_bytes", 1e6, 1.14e6); /* 2 to the power of 0.19 */
    told_is(&slower, "");
    put(&slower, "line_bytes", 1e6, 1.15e6);
    assert_non_null(strstr(tell(&slower), "access pattern"));
    slower_make(&slower, 2);
    put(&slower, "gap_ns", 10e3, 209e3); /* of a million more */
    told_is(&slower, "");
    put(&slower, "gap_ns", 10e3, 211e3);
    assert_non_null(strstr(tell(&slower), "the host does not keep up"));
    slower_make(&slower, 2);
    put(&slower, "page_faults", 0, 3.9); /* of 50 us each */
    told_is(&slower, "");
    put(&slower, "page_faults", 0, 4.1);
    assert_non_null(strstr(tell(&slower), "page faults rose"));
    slower.page_fault_ns = NAN;
    told_is(&slower, "");
    slower_make(&slower, 2);
    put(&slower, "launches", 10, 109); /* of 2 us each */
    told_is(&slower, "");
    put(&slower, "launches", 10, 111);
    assert_non_null(strstr(tell(&slower), "smaller pieces"));
    slower.launch_ns = NAN; /* then twice as many may be twice as long */
    put(&slower, "launches", 1, 2);
    assert_non_null(strstr(tell(&slower), "smaller pieces"));
}

static void what_stayed_is_told_of_a_clear_slowdown_alone(void **state)
{
    struct kg_slower slower;
    (void)state;
    slower_make(&slower, 1.03);
    put(&slower, "instructions", 1e6, 1e6);
    told_is(&slower, "");
    slower.current_value = 1.05 * BASE_NS;
    assert_non_null(strstr(tell(&slower), "instructions stayed"));
    slower_make(&slower, 1.09);
    put(&slower, "alone_ns", 1e6, 1e6);
    put(&slower, "threads", 2, 2);
    told_is(&slower, "");
    slower.current_value = 1.11 * BASE_NS;
    assert_non_null(strstr(tell(&slower), "the threads hinder each other"));
    put(&slower, "threads", 1, 1);
    told_is(&slower, "");
    put(&slower, "threads", 2, 4);
    told_is(&slower, "");
}

static void cores_that_others_had_are_not_less_parallel(void **state)
{
    struct kg_slower slower;
    (void)state;
    slower_make(&slower, 2); /* a millisecond more */
    put(&slower, "cores_busy", 4, 2);
    put(&slower, "preempted", 0.01, 0.1);
    told_is(&slower, "cores busy fell from 4 to 2: less parallel");
    put(&slower, "preempted", 0.01, 0.12);
    told_is(&slower, "cores busy fell from 4 to 2: others had its CPUs");
    put(&slower, "preempted", 1, 1.4); /* which is often, but was before */
    told_is(&slower, "cores busy fell from 4 to 2: less parallel");
    slower_make(&slower, 2);
    put(&slower, "cores_busy", 1, 0.5);
    put(&slower, "preempted", 0, 1);
    told_is(&slower, "cores busy fell from 1 to 0.500: others had its CPUs");
    put(&slower, "preempted", 0.01, 0.02);
    told_is(&slower,
            "cores busy fell from 1 to 0.500: it waits, or has its core no longer for itself");
    put(&slower, "waits", 0, 1);
    assert_non_null(strstr(tell(&slower), "cores busy fell from 1 to 0.500: it waits"));
    assert_null(strstr(tell(&slower), "no longer for itself"));
    put(&slower, "preempted", 13, 9); /* the run before was disturbed, too */
    put(&slower, "waits", 0, 0);
    told_is(&slower, "cores busy fell from 1 to 0.500: others had its CPUs");
    put(&slower, "waits", 0, 40);
    assert_null(strstr(tell(&slower), "others"));
}

static void where_nothing_else_is_known_cpu_time_says_whether_it_computes(void **state)
{
    static const char told[] =
        "CPU time rose from 990 us to 46.0 ms a call, as time did: it computes more, or more "
        "slowly, and does not wait; counted instructions (`metrics:`) would tell which";
    struct kg_slower slower;
    (void)state;
    slower_make(&slower, 46);
    put(&slower, "cpu_ns", 0.99e6, 46e6);
    told_is(&slower, told);
    put(&slower, "instructions", 1e6, 46e6);
    assert_null(strstr(tell(&slower), "CPU time"));
    put(&slower, "instructions", NAN, 46e6);
    told_is(&slower, told);
    put(&slower, "page_faults", 0, 300); /* a cause, if a small one */
    assert_null(strstr(tell(&slower), "CPU time"));
    slower_make(&slower, 46);
    put(&slower, "cpu_ns", 0.99e6, 15e6); /* it waits, too */
    told_is(&slower, "");
    put(&slower, "cpu_ns", 0.99e6, 46e6);
    put(&slower, "gpu_ns", 0.99e6, 46e6); /* what the host does meanwhile */
    told_is(&slower, "");
}

static void memory_has_reasons_of_its_own(void **state)
{
    struct kg_slower slower;
    (void)state;
    slower_make(&slower, 1.5);
    slower.metric = KG_METRIC_PEAK_MEMORY;
    put(&slower, "cores_busy", 4, 2);
    put(&slower, "instructions", 1e6, 2e6);
    told_is(&slower, "");
    put(&slower, "peak_bytes", 32 << 20, 48 << 20);
    told_is(&slower, "peak memory rose from 32.0 MiB to 48.0 MiB: more is held at once");
    put(&slower, "allocated_bytes", 32 << 20, 48 << 20);
    assert_ptr_equal(strstr(tell(&slower), "allocated memory rose from 32.0 MiB to 48.0 MiB: "),
                     tell(&slower));
    put(&slower, "allocated_bytes", 32 << 20, 32 << 20);
    put(&slower, "page_faults", 0, 683);
    told_is(&slower, "page faults rose from 0 to 683 a call: memory that is allocated anew in each "
                     "call; peak memory rose from 32.0 MiB to 48.0 MiB: what was asked of the "
                     "context's allocator stayed, so it is taken beside that: malloc, threads' "
                     "stacks or a library");
    put(&slower, "page_faults", 0, 15);
    assert_null(strstr(tell(&slower), "page faults"));
}

static void more_instructions_are_told_where_only_they_rose(void **state)
{
    struct kg_slower slower;
    (void)state;
    slower_make(&slower, 1.01);
    slower.metric = KG_METRIC_INSTRUCTIONS;
    put(&slower, "instructions", 1e6, 1.01e6);
    put(&slower, "page_faults", 0, 683);
    told_is(&slower, "instructions rose from 1.00 M to 1.01 M a call: more work, or a loop that is "
                     "no longer vectorised");
}

static void the_roof_that_was_nearer_is_the_one_told(void **state)
{
    struct kg_slower slower;
    (void)state;
    slower_make(&slower, 2);
    put(&slower, "bandwidth_share", 0.8, 0.4);
    put(&slower, "flops_share", 0.3, 0.15);
    told_is(&slower, "bandwidth fell from 80 % to 40 % of its ceiling: access pattern or cache");
    put(&slower, "bandwidth_share", 0.2, 0.1);
    told_is(&slower, "arithmetic fell from 30 % to 15 % of its ceiling: fewer vector instructions, "
                     "or more work");
}

static void the_same_instructions_are_neither_fewer_vectors_nor_more_work(void **state)
{
    struct kg_slower slower;
    (void)state;
    slower_make(&slower, 2);
    put(&slower, "flops_share", 0.6, 0.3);
    put(&slower, "instructions", 1e6, 1e6);
    told_is(&slower, "instructions stayed at 1.00 M a call, but took longer: caches, clock or "
                     "neighbours");
}

static void a_symptom_is_not_told_where_another_cause_explains_it(void **state)
{
    struct kg_slower slower;
    (void)state;
    slower_make(&slower, 2);
    put(&slower, "bandwidth_share", 0.8, 0.4);
    put(&slower, "instructions", 1e6, 2e6);
    told_is(&slower, "instructions rose from 1.00 M to 2.00 M a call: more work, or a loop that is "
                     "no longer vectorised");
    put(&slower, "instructions", 1e6, 1.16e6); /* which is little of it */
    assert_non_null(strstr(tell(&slower), "bandwidth fell"));
    put(&slower, "instructions", 1e6, 1e6);
    assert_non_null(strstr(tell(&slower), "bandwidth fell"));
    put(&slower, "line_bytes", 1e6, 2e6); /* which says the same */
    assert_non_null(strstr(tell(&slower), "cache lines brought in rose"));
    assert_non_null(strstr(tell(&slower), "bandwidth fell"));
    assert_null(strstr(tell(&slower), "stayed"));
}

static void transfers_that_take_no_longer_are_no_reason(void **state)
{
    struct kg_slower slower;
    (void)state;
    slower_make(&slower, 2);
    put(&slower, "pageable_bytes", 0, 1e6);
    put(&slower, "transfer_ns", 100e3, 120e3);
    told_is(&slower, "");
    put(&slower, "transfer_ns", 100e3, 900e3);
    assert_non_null(strstr(tell(&slower), "page-locked"));
}

static void another_ceiling_is_not_a_changed_one(void **state)
{
    struct kg_slower slower;
    (void)state;
    slower_make(&slower, 2);
    put(&slower, "bandwidth_ceiling_bytes_per_s", 100e9, 10e9);
    told_is(&slower, ""); /* of which level? */
    put(&slower, "level", KG_LEVEL_MEMORY, KG_LEVEL_L3);
    told_is(&slower, "");
    put(&slower, "level", KG_LEVEL_MEMORY, KG_LEVEL_MEMORY);
    assert_non_null(strstr(tell(&slower), "the bandwidth ceiling itself"));
    put(&slower, "threads", 4, 5);
    told_is(&slower, "");
}

/* How fast data comes says where it lies, too: of slower code as much lies deeper. */
static void as_much_data_has_not_moved(void **state)
{
    struct kg_slower slower;
    (void)state;
    slower_make(&slower, 4);
    put(&slower, "level", KG_LEVEL_L1, KG_LEVEL_L2);
    put(&slower, "working_set_bytes", 524288, 524288);
    told_is(&slower, "");
    put(&slower, "working_set_bytes", 524288, 1048576);
    assert_non_null(strstr(tell(&slower), "the working set moved from L1 to L2"));
}

static void at_most_four_are_told_the_most_telling_first(void **state)
{
    struct kg_slower slower;
    (void)state;
    slower_make(&slower, 2);
    put(&slower, "instructions", 1e6, 1.5e6);
    put(&slower, "cores_busy", 4, 2);
    put(&slower, "waits", 1, 10);
    put(&slower, "peak_bytes", 1e6, 1e7);
    put(&slower, "allocated_bytes", 1e6, 1e7);
    put(&slower, "page_faults", 1, 18);
    const char *text = tell(&slower);
    const char *first = strstr(text, "cores busy"), *second = strstr(text, "page faults");
    const char *third = strstr(text, "waits"), *fourth = strstr(text, "instructions");
    assert_true(first == text && first < second && second < third && third < fourth);
    assert_null(strstr(text, "memory rose"));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_change_is_told_and_a_little_less_is_not),
        cmocka_unit_test(changes_for_the_better_are_not_told),
        cmocka_unit_test(a_change_too_small_for_the_slowdown_is_none),
        cmocka_unit_test(what_stayed_is_told_of_a_clear_slowdown_alone),
        cmocka_unit_test(cores_that_others_had_are_not_less_parallel),
        cmocka_unit_test(where_nothing_else_is_known_cpu_time_says_whether_it_computes),
        cmocka_unit_test(memory_has_reasons_of_its_own),
        cmocka_unit_test(more_instructions_are_told_where_only_they_rose),
        cmocka_unit_test(the_roof_that_was_nearer_is_the_one_told),
        cmocka_unit_test(the_same_instructions_are_neither_fewer_vectors_nor_more_work),
        cmocka_unit_test(a_symptom_is_not_told_where_another_cause_explains_it),
        cmocka_unit_test(transfers_that_take_no_longer_are_no_reason),
        cmocka_unit_test(another_ceiling_is_not_a_changed_one),
        cmocka_unit_test(as_much_data_has_not_moved),
        cmocka_unit_test(at_most_four_are_told_the_most_telling_first),
        cmocka_unit_test(what_is_not_slower_tells_nothing),
        cmocka_unit_test(nonsense_tells_nothing),
        cmocka_unit_test(no_mixture_of_sense_and_nonsense_tells_nonsense),
    };
    return cmocka_run_group_tests_name("changed rows", tests, NULL, NULL);
}
