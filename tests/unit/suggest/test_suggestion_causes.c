/* One cause has one name, its priority follows what it saves, and its words say it. */
#include "suggest/rule_trials.h"

enum { NAME_MOST = 64 };

/* --- One cause, one name ---------------------------------------------------------------------- */

/* Names of the rules that fire, by rank, most first, "a b c". */
static const char *fired(const struct kg_facts *facts)
{
    static char names[512];
    const struct kg_suggest_settings settings = settings_default();
    double last = INFINITY;
    names[0] = '\0';
    for (;;) {
        const struct kg_rule *best = NULL;
        double best_rank = -1;
        struct kg_judged judged;
        for (size_t r = 0; kg_rule_at(r); r++)
            if (kg_rule_judge(kg_rule_at(r), facts, &settings, &judged) && judged.rank < last &&
                judged.rank > best_rank) {
                best = kg_rule_at(r);
                best_rank = judged.rank;
            }
        if (!best)
            return names;
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", names[0] ? " " : "",
                 best->name);
        last = best_rank;
    }
}

static void expect_fired(const char *expected, const struct named_fact *known)
{
    struct kg_facts facts;
    facts_make(&facts, "cpu", false, known);
    assert_string_equal(fired(&facts), expected);
}

static void what_is_near_a_roof_is_left_alone(void **state)
{
    (void)state;
    const struct named_fact memory[] = {{"time_ns", 10 * MS},
                                        {"threads", 2},
                                        {"cores_busy", 1},
                                        {"cpu_ns", 10 * MS},
                                        {"bytes", 100 * MB},
                                        {"line_bytes", 150 * MB},
                                        {"memory_line_bytes", 150 * MB},
                                        {"level", KG_LEVEL_MEMORY},
                                        {"bandwidth_ceiling_bytes_per_s", 11.1e9},
                                        {"bandwidth_share", 0.9},
                                        {"flops_share", 0.02},
                                        {"roof_ns", 9 * MS},
                                        {"flops", 25e6},
                                        {"flops_ceiling_per_s", 200e9},
                                        {"flops_per_instruction", 0.4},
                                        {"instructions_per_cycle", 3},
                                        {"vector_lanes", 8},
                                        {"thread_scaling", 2},
                                        {"scope_threads", 2},
                                        {"thread_busy_ns", 20 * MS},
                                        {"alone_ns", 10 * MS},
                                        {0}};
    expect_fired("", memory);
    const struct named_fact compute[] = {{"time_ns", 10 * MS},
                                         {"threads", 2},
                                         {"cores_busy", 2},
                                         {"cpu_ns", 20 * MS},
                                         {"bytes", 1 * MB},
                                         {"line_bytes", 40 * MB},
                                         {"level", KG_LEVEL_L2},
                                         {"bandwidth_ceiling_bytes_per_s", 100e9},
                                         {"bandwidth_share", 0.001},
                                         {"flops_share", 0.85},
                                         {"roof_ns", 8.5 * MS},
                                         {"flops", 1e9},
                                         {"flops_per_instruction", 7},
                                         {"vector_lanes", 8},
                                         {0}};
    expect_fired("", compute);
}

static void serial_code_is_unused_cores_alone(void **state)
{
    (void)state;
    const struct named_fact serial[] = {
        {"time_ns", 10 * MS},     {"threads", 2},          {"cores_busy", 1},
        {"cpu_ns", 10 * MS},      {"alone_ns", 10 * MS},   {"thread_busy_ns", 10 * MS},
        {"scope_threads", 1},     {"thread_scaling", 1.9}, {"flops_share", 0.2},
        {"bandwidth_share", 0.1}, {"roof_ns", 2 * MS},     {0}};
    expect_fired("unused_cores", serial);
}

static void cores_that_share_their_units_are_no_false_sharing(void **state)
{
    (void)state;
    /* two threads of one core: each takes 1.6 times as long as alone */
    const struct named_fact shared[] = {{"time_ns", 8 * MS},        {"threads", 2},
                                        {"cores_busy", 2},          {"cpu_ns", 16 * MS},
                                        {"alone_ns", 10 * MS},      {"thread_busy_ns", 16 * MS},
                                        {"scope_threads", 2},       {"thread_scaling", 1.25},
                                        {"bandwidth_share", 0.1},   {"imbalance", 1.02},
                                        {"imbalance_ns", 0.1 * MS}, {0}};
    expect_fired("", shared);
    const struct named_fact lines[] = {{"time_ns", 30 * MS},       {"threads", 2},
                                       {"cores_busy", 2},          {"cpu_ns", 60 * MS},
                                       {"alone_ns", 10 * MS},      {"thread_busy_ns", 60 * MS},
                                       {"scope_threads", 2},       {"thread_scaling", 1.25},
                                       {"level", KG_LEVEL_L1},     {"imbalance", 1.02},
                                       {"imbalance_ns", 0.1 * MS}, {0}};
    expect_fired("false_sharing", lines);
}

static void waiting_at_barriers_is_no_lack_of_threads(void **state)
{
    (void)state;
    const struct named_fact barriers[] = {{"time_ns", 10 * MS},
                                          {"threads", 2},
                                          {"cores_busy", 1.2},
                                          {"cpu_ns", 12 * MS},
                                          {"alone_ns", 8 * MS},
                                          {"thread_busy_ns", 9 * MS},
                                          {"scope_threads", 2},
                                          {"thread_scaling", 2},
                                          {"wait_ns", 5 * MS},
                                          {"wait_count", 1000},
                                          {"bandwidth_share", 0.1},
                                          {"imbalance", 1.05},
                                          {0}};
    expect_fired("synchronisation", barriers);
}

static void waiting_for_the_busiest_is_imbalance(void **state)
{
    (void)state;
    const struct named_fact uneven[] = {{"time_ns", 10 * MS},     {"threads", 2},
                                        {"cores_busy", 1.3},      {"cpu_ns", 13 * MS},
                                        {"alone_ns", 13 * MS},    {"thread_busy_ns", 13 * MS},
                                        {"scope_threads", 2},     {"thread_scaling", 2},
                                        {"imbalance", 1.54},      {"imbalance_ns", 3.5 * MS},
                                        {"wait_ns", 3.4 * MS},    {"wait_count", 100},
                                        {"bandwidth_share", 0.1}, {0}};
    expect_fired("load_imbalance", uneven);
}

/* The time that the rule estimates. */
static double estimated(const char *rule, const struct named_fact *known)
{
    const struct kg_suggest_settings settings = settings_default();
    struct kg_facts facts;
    struct kg_judged judged;
    facts_make(&facts, "cpu", false, known);
    assert_true(kg_rule_judge(kg_rule_find(rule), &facts, &settings, &judged));
    return judged.estimated_ns;
}

static void a_list_that_is_walked_has_nothing_for_vectors(void **state)
{
    (void)state;
    const struct named_fact list[] = {{"time_ns", 10 * MS},
                                      {"cores_busy", 1},
                                      {"bytes", 16 * MB},
                                      {"bandwidth_share", 0.01},
                                      {"flops_share", 0.0001},
                                      {"flops", 1e6},
                                      {"flops_ceiling_per_s", 200e9},
                                      {"instructions", 1e6},
                                      {"flops_per_instruction", 0.3},
                                      {"instructions_per_cycle", 0.03},
                                      {"vector_lanes", 8},
                                      {0}};
    expect_fired("", list);
}

static void arithmetic_of_another_kind_has_no_measured_gain(void **state)
{
    (void)state;
    const struct named_fact doubles[] = {
        {"time_ns", 10 * MS},          {"flops", 1e6},      {"flops_per_instruction", 0.3},
        {"instructions_per_cycle", 3}, {"vector_lanes", 8}, {0}};
    expect_fired("", doubles);
}

static void vectors_shorten_the_time_on_a_cpu_alone(void **state)
{
    (void)state;
    struct named_fact half[] = {{"time_ns", 10 * MS},
                                {"cores_busy", 0.5},
                                {"flops", 1e6},
                                {"flops_ceiling_per_s", 200e9},
                                {"flops_per_instruction", 0.3},
                                {"instructions_per_cycle", 3},
                                {"vector_lanes", 5},
                                {0}};
    assert_true(fabs(estimated("unvectorised", half) - 6.25 * MS) < 1);
    half[1] = (struct named_fact){"preempted", 9}; /* others have the CPU, in proportion */
    assert_true(fabs(estimated("unvectorised", half) - 2.5 * MS) < 1);
}

/* Of 10 ms six go with lines, of which one in ten is left; vectors of five lanes do the rest in a
 * quarter of the time. */
static void strided_scalar_code_gains_lines_and_vectors(void **state)
{
    (void)state;
    const struct named_fact columns[] = {{"time_ns", 10 * MS},
                                         {"bytes", 6 * MB},
                                         {"line_bytes", 60 * MB},
                                         {"bandwidth_ceiling_bytes_per_s", 10e9},
                                         {"flops", 1e6},
                                         {"flops_ceiling_per_s", 200e9},
                                         {"flops_per_instruction", 0.3},
                                         {"instructions_per_cycle", 2.5},
                                         {"vector_lanes", 5},
                                         {0}};
    expect_fired("access_pattern", columns);
    assert_true(fabs(estimated("access_pattern", columns) - (0.6 + 1) * MS) < 1);
}

static void counts_that_no_core_reaches_are_not_believed(void **state)
{
    (void)state;
    const struct named_fact counted[] = {{"time_ns", 10 * MS},
                                         {"flops", 1e6},
                                         {"flops_ceiling_per_s", 200e9},
                                         {"instructions", 1e30},
                                         {"flops_per_instruction", 0.3},
                                         {"instructions_per_cycle", 1e23},
                                         {"vector_lanes", 8},
                                         {0}};
    expect_fired("", counted);
}

static void better_access_saves_what_goes_with_the_lines(void **state)
{
    (void)state;
    /* moving takes 4 of 10 ms, and instructions explain a tenth */
    struct named_fact lines[] = {{"time_ns", 10 * MS},
                                 {"bytes", 4 * MB},
                                 {"bandwidth_ceiling_bytes_per_s", 10e9},
                                 {"line_bytes", 40 * MB},
                                 {"instructions_per_cycle", 0.4},
                                 {0}};
    assert_true(fabs(estimated("access_pattern", lines) - (10 - 9 * 0.9) * MS) < 1);
    lines[4].value = NAN;
    assert_true(fabs(estimated("access_pattern", lines) - (10 - 4 * 0.9) * MS) < 1);
}

static void passes_that_each_move_the_data_are_no_pattern_of_access(void **state)
{
    (void)state;
    struct named_fact passes[] = {{"time_ns", 30 * MS},
                                  {"bytes", 80 * MB},
                                  {"bandwidth_ceiling_bytes_per_s", 10e9},
                                  {"line_bytes", 240 * MB},
                                  {"instructions_per_cycle", 0.4},
                                  {"fusible_count", 3},
                                  {"fusible_ns", 29 * MS},
                                  {"fused_bytes", 80 * MB},
                                  {"separate_bytes", 240 * MB},
                                  {0}};
    expect_fired("fuse_passes", passes);
    passes[3].value = 490 * MB;
    expect_fired("access_pattern fuse_passes", passes);
}

/* --- Priority and words ----------------------------------------------------------------------- */

static void expect_priority(const char *rule, const struct named_fact *known, bool scope,
                            enum kg_priority expected)
{
    const struct kg_suggest_settings settings = settings_default();
    struct kg_facts facts;
    struct kg_judged judged;
    facts_make(&facts, "cpu", scope, known);
    assert_true(kg_rule_judge(kg_rule_find(rule), &facts, &settings, &judged));
    assert_int_equal(judged.priority, expected);
}

static void priority_falls_with_the_share_that_is_saved(void **state)
{
    (void)state;
    const double faster[] = {4 * MS, 6 * MS, 8.5 * MS};
    const enum kg_priority expected[] = {KG_PRIORITY_CRITICAL, KG_PRIORITY_HIGH,
                                         KG_PRIORITY_MEDIUM};
    for (size_t i = 0; i < 3; i++) {
        const struct named_fact known[] = {
            {"time_ns", 10 * MS}, {"faster_version_ns", faster[i]}, {0}};
        expect_priority("slower_version", known, false, expected[i]);
    }
}

static void what_is_saved_at_most_has_a_medium_priority_at_most(void **state)
{
    (void)state;
    for (size_t r = 0; kg_rule_at(r); r++)
        for (size_t i = 0; i < TRIALS; i++) {
            const struct kg_suggest_settings settings = settings_default();
            struct kg_facts facts;
            struct kg_judged judged;
            trial_make(&trials[i], trials[i].fires, &facts);
            if (kg_rule_judge(kg_rule_at(r), &facts, &settings, &judged) &&
                judged.basis == KG_BASIS_AT_MOST && kg_rule_at(r)->estimate_ns) {
                assert_true(judged.priority >= KG_PRIORITY_MEDIUM);
                assert_true(judged.rank < judged.saved_ns);
            }
        }
}

static void expect_basis(const char *rule, const struct kg_facts *facts, enum kg_basis expected)
{
    const struct kg_suggest_settings settings = settings_default();
    struct kg_judged judged;
    assert_true(kg_rule_judge(kg_rule_find(rule), facts, &settings, &judged));
    assert_int_equal(judged.basis, expected);
    if (expected == KG_BASIS_AT_MOST)
        assert_true(judged.priority >= KG_PRIORITY_MEDIUM);
}

static void time_that_may_grow_as_the_work_does_is_superlinear_at_most(void **state)
{
    const struct named_fact known[] = {{"time_ns", 10 * MS},
                                       {"linear_ns", 1 * MS},
                                       {"sweep_points", 3},
                                       {"log_growth", 1.1},
                                       {"time_growth", 1.98},
                                       {"work_growth", 1.29},
                                       {0}};
    struct kg_facts facts;
    (void)state;
    facts_make(&facts, "cpu", false, known);
    expect_basis("superlinear", &facts, KG_BASIS_MODELLED);
    facts.work_growth = 1.31; /* a matrix's items, by its side */
    expect_basis("superlinear", &facts, KG_BASIS_AT_MOST);
    facts.sweep_measure = "flops";
    expect_basis("superlinear", &facts, KG_BASIS_MODELLED);
    facts.sweep_measure = "the parameter";
    facts.work_growth = 1;
    expect_basis("superlinear", &facts, KG_BASIS_AT_MOST);
}

static void a_host_that_is_late_gains_from_a_graph_at_most(void **state)
{
    const struct named_fact known[] = {
        {"time_ns", 1 * MS}, {"gpu_ns", 1 * MS}, {"launches", 10}, {"overhead_ns", 10 * MS}, {0}};
    struct kg_facts facts;
    (void)state;
    facts_make(&facts, "cuda", false, known);
    expect_basis("launch_gaps", &facts, KG_BASIS_AT_MOST);
    facts.traits.launches = 2000;
    expect_basis("launch_gaps", &facts, KG_BASIS_MODELLED);
    /* what the host takes for its launches is known, and it is little */
    facts.traits.launch_ns = 1 * MS;
    assert_false(fires("launch_gaps", &facts));
}

static void a_gpu_without_transfers_is_faster_at_most(void **state)
{
    const struct named_fact known[] = {{"time_ns", 50 * MS},
                                       {"other_device_ns", 1 * MS},
                                       {"peak_bytes", 8 * MB},
                                       {"gpu_memory_bytes", 1e9},
                                       {0}};
    struct kg_facts facts;
    (void)state;
    facts_make(&facts, "cpu", false, known);
    expect_basis("gpu_instead", &facts, KG_BASIS_AT_MOST);
    facts.other_transfer_ns = 0;
    expect_basis("gpu_instead", &facts, KG_BASIS_AT_MOST);
    facts.other_transfer_ns = 0.3 * MS;
    expect_basis("gpu_instead", &facts, KG_BASIS_MEASURED);
}

static void an_untried_gpu_is_no_faster_than_its_link_and_comes_last(void **state)
{
    const struct named_fact known[] = {{"time_ns", 50 * MS},
                                       {"gpu_roof_ns", 4},
                                       {"gpu_launch_ns", 2e3},
                                       {"bytes", 1e9},
                                       {"allocated_bytes", 157.5e6},
                                       {"gpu_memory_bytes", 1e10},
                                       {"cores_busy", 1},
                                       {0}};
    const struct kg_suggest_settings settings = settings_default();
    struct kg_judged judged;
    struct kg_facts facts;
    (void)state;
    facts_make(&facts, "cpu", false, known);
    assert_true(kg_rule_judge(kg_rule_find("gpu_untried"), &facts, &settings, &judged));
    assert_true(fabs(judged.estimated_ns - (10 * MS + 2e3)) < 1);
    assert_true(judged.rank == 0);
}

static void what_overlaps_already_gains_from_more_of_it_at_most(void **state)
{
    const struct named_fact known[] = {{"time_ns", 6.5 * MS},
                                       {"gpu_ns", 5 * MS},
                                       {"transfer_ns", 1.3 * MS},
                                       {"overhead_ns", 0.2 * MS},
                                       {0}};
    struct kg_facts facts;
    (void)state;
    facts_make(&facts, "cuda", false, known);
    expect_basis("overlap_transfers", &facts, KG_BASIS_AT_MOST);
    facts.traits.hidden_ns = 0;
    expect_basis("overlap_transfers", &facts, KG_BASIS_MODELLED);
    facts.traits.hidden_ns = 0.4 * MS;
    expect_basis("overlap_transfers", &facts, KG_BASIS_AT_MOST);
    facts.traits.hidden_ns = 4.9 * MS; /* there is no kernel left to hide more */
    assert_false(fires("overlap_transfers", &facts));
}

static void only_the_main_kernel_shrinks(void **state)
{
    const struct named_fact known[] = {{"time_ns", 1 * MS},
                                       {"gpu_ns", 1 * MS},
                                       {"main_kernel_ns", 0.4 * MS},
                                       {"roof_ns", 0.1 * MS},
                                       {"bandwidth_share", 0.1},
                                       {"occupancy", 0.05},
                                       {"waves", 0.06},
                                       {0}};
    const struct kg_suggest_settings settings = settings_default();
    struct kg_judged judged;
    struct kg_facts facts;
    (void)state;
    facts_make(&facts, "cuda", false, known);
    assert_true(kg_rule_judge(kg_rule_find("small_grid"), &facts, &settings, &judged));
    assert_true(fabs(judged.estimated_ns - (0.6 + 0.4 * 0.06) * MS) < 1);
    facts.traits.waves = 8;
    assert_true(kg_rule_judge(kg_rule_find("low_occupancy"), &facts, &settings, &judged));
    assert_true(fabs(judged.estimated_ns - (0.6 + 0.4 * 0.1) * MS) < 1);
    facts.traits.occupancy = 1;
    facts.traits.waves = 1.05;
    assert_true(kg_rule_judge(kg_rule_find("tail_effect"), &facts, &settings, &judged));
    assert_true(fabs(judged.estimated_ns - (0.6 + 0.4 * 0.525) * MS) < 1);
}

static void a_scope_is_held_against_what_it_is_inside_of(void **state)
{
    (void)state;
    const struct named_fact large[] = {
        {"time_ns", 9 * MS}, {"whole_ns", 10 * MS}, {"calls", 1000}, {"call_ns", 9e3}, {0}};
    expect_priority("cache_results", large, true, KG_PRIORITY_MEDIUM);
    const struct named_fact small[] = {
        {"time_ns", 9 * MS}, {"whole_ns", 100 * MS}, {"calls", 1000}, {"call_ns", 9e3}, {0}};
    struct kg_facts facts;
    facts_make(&facts, "cpu", true, small);
    assert_false(fires("cache_results", &facts));
}

static void a_rule_looks_at_cases_or_at_scopes(void **state)
{
    (void)state;
    for (size_t i = 0; i < TRIALS; i++) {
        struct trial trial = trials[i];
        struct kg_facts facts;
        trial.scope = !trial.scope;
        trial_make(&trial, trial.fires, &facts);
        assert_false(fires(trial.rule, &facts));
    }
    /* the outermost scope of a program is as good as a case */
    struct kg_facts facts;
    const struct named_fact waits[] = {
        {"time_ns", 10 * MS}, {"wait_ns", 5 * MS}, {"wait_count", 100}, {0}};
    facts_make(&facts, "cpu", true, waits);
    assert_false(fires("synchronisation", &facts));
    facts.operation = facts.whole;
    assert_true(fires("synchronisation", &facts));
}

static void words_name_facts_that_exist(void **state)
{
    static const char *const texts[] = {"other_device_id", "faster_version_id", "sweep_parameter",
                                        "sweep_measure"};
    (void)state;
    for (size_t r = 0; kg_rule_at(r); r++) {
        const char *words[] = {kg_rule_at(r)->description, kg_rule_at(r)->hint,
                               kg_rule_at(r)->doubt};
        assert_int_equal(!kg_rule_at(r)->doubtful, !kg_rule_at(r)->doubt);
        struct kg_trait fact;
        assert_non_null(kg_rule_at(r)->when);
        assert_non_null(kg_rule_at(r)->assumes);
        for (size_t i = 0; i < KG_RULE_EVIDENCE_MOST && kg_rule_at(r)->evidence[i]; i++)
            if (!kg_fact_find(kg_rule_at(r)->evidence[i], &fact))
                fail_msg("%s has no fact %s", kg_rule_at(r)->name, kg_rule_at(r)->evidence[i]);
        for (size_t w = 0; w < 3; w++)
            for (const char *at = words[w] ? words[w] : ""; (at = strchr(at, '{')); at++) {
                char name[NAME_MOST];
                bool text = false;
                snprintf(name, sizeof name, "%.*s", (int)strcspn(at + 1, "}"), at + 1);
                for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
                    text = text || !strcmp(name, texts[i]);
                if (!text && !kg_fact_find(name, &fact))
                    fail_msg("%s has no fact %s", kg_rule_at(r)->name, name);
            }
    }
}

static void words_are_filled_in(void **state)
{
    struct kg_facts facts;
    struct kg_text text = {0};
    (void)state;
    facts_make(&facts, "cpu", false, (const struct named_fact[]){{"time_ns", 2.5 * MS}, {0}});
    kg_rule_text("{operation} takes {time_ns}, or {wait_ns}, {nothing}{} and {open", &facts, &text);
    assert_string_equal(kg_text_string(&text), "case takes 2.50 ms, or ?, ?? and {open");
    kg_text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_near_a_roof_is_left_alone),
        cmocka_unit_test(serial_code_is_unused_cores_alone),
        cmocka_unit_test(cores_that_share_their_units_are_no_false_sharing),
        cmocka_unit_test(waiting_at_barriers_is_no_lack_of_threads),
        cmocka_unit_test(waiting_for_the_busiest_is_imbalance),
        cmocka_unit_test(a_list_that_is_walked_has_nothing_for_vectors),
        cmocka_unit_test(arithmetic_of_another_kind_has_no_measured_gain),
        cmocka_unit_test(vectors_shorten_the_time_on_a_cpu_alone),
        cmocka_unit_test(strided_scalar_code_gains_lines_and_vectors),
        cmocka_unit_test(counts_that_no_core_reaches_are_not_believed),
        cmocka_unit_test(passes_that_each_move_the_data_are_no_pattern_of_access),
        cmocka_unit_test(better_access_saves_what_goes_with_the_lines),
        cmocka_unit_test(priority_falls_with_the_share_that_is_saved),
        cmocka_unit_test(what_is_saved_at_most_has_a_medium_priority_at_most),
        cmocka_unit_test(time_that_may_grow_as_the_work_does_is_superlinear_at_most),
        cmocka_unit_test(a_host_that_is_late_gains_from_a_graph_at_most),
        cmocka_unit_test(a_gpu_without_transfers_is_faster_at_most),
        cmocka_unit_test(an_untried_gpu_is_no_faster_than_its_link_and_comes_last),
        cmocka_unit_test(what_overlaps_already_gains_from_more_of_it_at_most),
        cmocka_unit_test(only_the_main_kernel_shrinks),
        cmocka_unit_test(a_scope_is_held_against_what_it_is_inside_of),
        cmocka_unit_test(a_rule_looks_at_cases_or_at_scopes),
        cmocka_unit_test(words_name_facts_that_exist),
        cmocka_unit_test(words_are_filled_in),
    };
    return cmocka_run_group_tests_name("suggestion causes", tests, NULL, NULL);
}
