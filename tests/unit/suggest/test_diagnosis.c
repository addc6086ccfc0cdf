/* What holds an operation back is what speaks the loudest, and unknown where
 * nothing can be told. */
#include "suggest/facts_support.h"

#include "suggest/diagnosis.h"

static struct kg_diagnosis diagnosed(const char *device, const struct named_fact *known)
{
    const struct kg_suggest_settings settings = settings_default();
    struct kg_facts facts;
    struct kg_diagnosis diagnosis;
    struct kg_trait fact;
    facts_make(&facts, device, false, known);
    kg_diagnose(&facts, &settings, &diagnosis);
    for (size_t i = 0; i < 6 && diagnosis.evidence[i]; i++)
        if (!kg_fact_find(diagnosis.evidence[i], &fact))
            fail_msg("there is no fact '%s'", diagnosis.evidence[i]);
    assert_int_equal(diagnosis.bound == KG_BOUND_UNKNOWN, diagnosis.missing != NULL);
    assert_int_equal(diagnosis.bound == KG_BOUND_UNKNOWN, isnan(diagnosis.share));
    return diagnosis;
}

static const struct {
    const char *device;
    struct named_fact known[10];
    enum kg_bound bound;
    double share;
    const char *evidence; /* the first */
} diagnoses[] = {
    {"cpu",
     {{"time_ns", 10}, {"bandwidth_share", 0.8}, {"flops_share", 0.6}},
     KG_BOUND_MEMORY,
     0.8,
     "bandwidth_share"},
    {"cpu",
     {{"time_ns", 10}, {"bandwidth_share", 0.3}, {"flops_share", 0.6}},
     KG_BOUND_COMPUTE,
     0.6,
     "flops_share"},
    {"cpu",
     {{"time_ns", 10}, {"bandwidth_share", 1.2}, {"flops_share", 0.6}},
     KG_BOUND_MEMORY,
     1,
     "bandwidth_share"},
    {"cpu",
     {{"time_ns", 10},
      {"bandwidth_share", 0.1},
      {"flops_share", 0.1},
      {"flops_per_instruction", 0.5},
      {"vector_lanes", 8}},
     KG_BOUND_COMPUTE,
     0.8,
     "flops_share"},
    {"cpu",
     {{"time_ns", 10}, {"bandwidth_share", 0.1}, {"instructions_per_cycle", 3}},
     KG_BOUND_COMPUTE,
     0.75,
     "instructions_per_cycle"},
    {"cpu",
     {{"time_ns", 10}, {"bandwidth_share", 0.1}, {"instructions_per_cycle", 0.4}},
     KG_BOUND_LATENCY,
     0.1,
     "bandwidth_share"},
    {"cpu",
     {{"time_ns", 1e6},
      {"bytes", 1e6},
      {"line_bytes", 7e6},
      {"bandwidth_ceiling_bytes_per_s", 10e9},
      {"bandwidth_share", 0.1}},
     KG_BOUND_MEMORY,
     0.7,
     "line_bytes"},
    {"cpu",
     {{"time_ns", 10}, {"bandwidth_share", 0.3}, {"wait_ns", 4}, {"wait_count", 2}},
     KG_BOUND_SYNCHRONISATION,
     0.4,
     "wait_ns"},
    {"cpu",
     {{"time_ns", 10}, {"bandwidth_share", 0.7}, {"wait_ns", 2.5}},
     KG_BOUND_MEMORY,
     0.7,
     "bandwidth_share"},
    {"cpu",
     {{"time_ns", 10}, {"imbalance", 1.8}, {"imbalance_ns", 4}, {"scope_threads", 2}},
     KG_BOUND_SYNCHRONISATION,
     0.4,
     "imbalance"},
    {"cpu",
     {{"time_ns", 30},
      {"threads", 2},
      {"scope_threads", 2},
      {"thread_scaling", 2},
      {"alone_ns", 15},
      {"thread_busy_ns", 60},
      {"level", KG_LEVEL_L1}},
     KG_BOUND_SYNCHRONISATION,
     0.75,
     "thread_busy_ns"},
    {"cpu",
     {{"time_ns", 10}, {"parallel_ns", 6}, {"parallel_count", 100}},
     KG_BOUND_LAUNCH,
     0.6,
     "parallel_ns"},
    {"cpu",
     {{"time_ns", 10}, {"parallel_ns", 6}, {"parallel_count", 1}, {"scope_threads", 2}},
     KG_BOUND_SYNCHRONISATION,
     0.6,
     "parallel_ns"},
    {"cpu", {{"time_ns", 10}, {"fixed_ns", 9}}, KG_BOUND_LAUNCH, 0.9, "fixed_ns"},
    {"cpu",
     {{"time_ns", 10}, {"cpu_ns", 1}, {"cores_busy", 0.1}},
     KG_BOUND_LATENCY,
     0.9,
     "cores_busy"},
    {"cpu",
     {{"time_ns", 10e6}, {"page_faults", 6000}, {"page_fault_ns", 1e3}},
     KG_BOUND_MEMORY,
     0.6,
     "page_faults"},
    {"cuda",
     {{"time_ns", 10}, {"gpu_ns", 10}, {"transfer_ns", 30}, {"overhead_ns", 10}},
     KG_BOUND_TRANSFER,
     0.6,
     "transfer_ns"},
    {"cuda",
     {{"time_ns", 10}, {"gpu_ns", 10}, {"overhead_ns", 30}, {"launches", 9}},
     KG_BOUND_LAUNCH,
     0.75,
     "overhead_ns"},
    {"cuda",
     {{"time_ns", 10}, {"bytes", 1}, {"bandwidth_share", 0.3}},
     KG_BOUND_LATENCY,
     0.3,
     "bandwidth_share"},
};

static void each_bound_is_told_by_its_evidence(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof diagnoses / sizeof diagnoses[0]; i++) {
        const struct kg_diagnosis diagnosis = diagnosed(diagnoses[i].device, diagnoses[i].known);
        if (diagnosis.bound != diagnoses[i].bound)
            fail_msg("%zu: %s, expected %s", i, kg_bound_names[diagnosis.bound],
                     kg_bound_names[diagnoses[i].bound]);
        assert_float_equal(diagnosis.share, diagnoses[i].share, 1e-9);
        assert_string_equal(diagnosis.evidence[0], diagnoses[i].evidence);
    }
}

static void what_ends_many_instructions_at_a_roof_is_bound_by_the_roof(void **state)
{
    (void)state;
    const struct kg_diagnosis diagnosis = diagnosed(
        "cpu",
        (const struct named_fact[]){
            {"time_ns", 10}, {"bandwidth_share", 0.6}, {"instructions_per_cycle", 4.2}, {0}});
    assert_int_equal(diagnosis.bound, KG_BOUND_MEMORY);
}

static void what_sleeps_is_not_bound_by_what_it_does_between(void **state)
{
    (void)state;
    const struct kg_diagnosis diagnosis =
        diagnosed("cpu", (const struct named_fact[]){{"time_ns", 10e6},
                                                     {"cpu_ns", 0.5e6},
                                                     {"cores_busy", 0.05},
                                                     {"waits", 1},
                                                     {"bandwidth_share", 0.01},
                                                     {"bytes", 1e3},
                                                     {"line_bytes", 4e6},
                                                     {"bandwidth_ceiling_bytes_per_s", 10e9},
                                                     {"instructions_per_cycle", 4},
                                                     {0}});
    assert_int_equal(diagnosis.bound, KG_BOUND_LATENCY);
    assert_string_equal(diagnosis.evidence[0], "cores_busy");
}

static void what_runs_whenever_others_let_it_is_bound_by_what_it_does(void **state)
{
    (void)state;
    const struct kg_diagnosis diagnosis =
        diagnosed("cpu", (const struct named_fact[]){{"time_ns", 10e6},
                                                     {"cpu_ns", 3e6},
                                                     {"cores_busy", 0.3},
                                                     {"waits", 0},
                                                     {"bandwidth_share", 0.01},
                                                     {"instructions_per_cycle", 6},
                                                     {0}});
    assert_int_equal(diagnosis.bound, KG_BOUND_COMPUTE);
}

static void of_threads_whose_cpus_others_had_nothing_is_said(void **state)
{
    (void)state;
    const struct kg_diagnosis diagnosis =
        diagnosed("cpu", (const struct named_fact[]){{"time_ns", 10e6},
                                                     {"preempted", 5},
                                                     {"scope_threads", 2},
                                                     {"parallel_ns", 6e6},
                                                     {"parallel_count", 1},
                                                     {0}});
    assert_int_equal(diagnosis.bound, KG_BOUND_UNKNOWN);
}

static void where_evidence_is_missing_it_says_what_would_tell(void **state)
{
    static const struct {
        const char *device;
        struct named_fact known[6];
        const char *word;
    } unknown[] = {
        {"cpu", {{"time_ns", 10}}, "its bytes and flops"},
        {"cpu", {{"time_ns", 10}, {"bytes", 8}, {"flops", 9}}, "trace: yes"},
        {"cpu", {{"time_ns", 10}, {"bytes", 8}, {"bandwidth_share", 0.1}}, "instructions"},
        {"cpu",
         {{"time_ns", 10}, {"bytes", 8}, {"bandwidth_share", 0.1}, {"instructions", 5}},
         "--profile"},
        {"cuda",
         {{"time_ns", 10}, {"bytes", 8}, {"flops", 5}, {"bandwidth_share", 0.1}},
         "kind of its arithmetic"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        const struct kg_diagnosis diagnosis = diagnosed(unknown[i].device, unknown[i].known);
        assert_int_equal(diagnosis.bound, KG_BOUND_UNKNOWN);
        if (!strstr(diagnosis.missing, unknown[i].word))
            fail_msg("'%s' does not say '%s'", diagnosis.missing, unknown[i].word);
    }
}

/* Every number in turn: a share is one or not known, whatever the facts. */
static void nonsense_gives_no_silly_share(void **state)
{
    static const double nonsense[] = {0, NAN, INFINITY, -INFINITY, -1, 1e308, 5e-324};
    const struct kg_suggest_settings settings = settings_default();
    (void)state;
    for (size_t i = 0; i < sizeof diagnoses / sizeof diagnoses[0]; i++)
        for (size_t f = 0; f < kg_fact_count + kg_trait_count; f++)
            for (size_t v = 0; v < sizeof nonsense / sizeof nonsense[0]; v++) {
                struct kg_facts facts;
                struct kg_diagnosis diagnosis;
                const char *name = f < kg_fact_count ? kg_fact_table[f].name
                                                     : kg_trait_table[f - kg_fact_count].name;
                facts_make(&facts, diagnoses[i].device, false, diagnoses[i].known);
                fact_set(&facts, name, nonsense[v]);
                kg_diagnose(&facts, &settings, &diagnosis);
                if (diagnosis.bound == KG_BOUND_UNKNOWN
                        ? !isnan(diagnosis.share)
                        : !(diagnosis.share > 0 && diagnosis.share <= 1))
                    fail_msg("%s = %g: %s, %g", name, nonsense[v], kg_bound_names[diagnosis.bound],
                             diagnosis.share);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_bound_is_told_by_its_evidence),
        cmocka_unit_test(what_ends_many_instructions_at_a_roof_is_bound_by_the_roof),
        cmocka_unit_test(what_sleeps_is_not_bound_by_what_it_does_between),
        cmocka_unit_test(what_runs_whenever_others_let_it_is_bound_by_what_it_does),
        cmocka_unit_test(of_threads_whose_cpus_others_had_nothing_is_said),
        cmocka_unit_test(where_evidence_is_missing_it_says_what_would_tell),
        cmocka_unit_test(nonsense_gives_no_silly_share),
    };
    return cmocka_run_group_tests_name("diagnosis", tests, NULL, NULL);
}
