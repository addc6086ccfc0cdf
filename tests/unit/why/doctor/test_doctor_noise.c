#include <sched.h>

#include "why/doctor/doctor_noise.h"
#include "why/doctor/doctor_support.h"

/* Noise of these spreads, nothing else remarkable. */
static struct kg_noise noise_of(double compute, double memory)
{
    struct kg_noise noise = kg_noise_none();
    noise.seconds = 3;
    noise.pinned = true;
    noise.compute = (struct kg_noise_series){1000, 1e6, compute, 0.01};
    noise.memory = (struct kg_noise_series){300, 3e6, memory, 0.02};
    noise.pause_ns = 50e3;
    return noise;
}

static void series_of_equal_times_has_no_spread(void **state)
{
    double times[] = {5, 5, 5, 5};
    const struct kg_noise_series series = kg_noise_series_make(times, 4);
    assert_int_equal(series.samples, 4);
    assert_true(series.median_ns == 5 && series.spread == 0 && series.slow_share == 0);
}

static void series_spread_is_the_ratio_of_the_outer_percentiles(void **state)
{
    double times[101];
    for (int i = 0; i <= 100; i++)
        times[i] = 200 - i; /* unsorted on purpose; the 5th percentile is 105, the 95th 195 */
    const struct kg_noise_series series = kg_noise_series_make(times, 101);
    assert_true(series.median_ns == 150);
    assert_true(fabs(series.spread - (195.0 / 105 - 1)) < 1e-12);
    /* above 157.5: 158 to 200 */
    assert_true(fabs(series.slow_share - 43.0 / 101) < 1e-12);
}

static void series_of_no_times_is_unknown(void **state)
{
    const struct kg_noise_series series = kg_noise_series_make(NULL, 0);
    assert_true(series.samples == 0 && isnan(series.median_ns) && isnan(series.spread));
}

static void spread_within_half_the_threshold_has_room(void **state)
{
    struct kg_arena arena = {0};
    struct kg_findings findings = {.arena = &arena};
    const struct kg_noise noise = noise_of(0.008, 0.025);
    kg_noise_judge(&noise, 0.05, &findings);
    expect_of(&findings, "compute noise", KG_FINDING_GOOD, "1.00 ms, spread 0.8 %, 1.0 % of 1000",
              NULL);
    expect_of(&findings, "memory noise", KG_FINDING_GOOD, "spread 2.5 %", NULL);
    assert_string_equal(kg_noise_words(&noise, 0.05, &findings),
                        "compute repeats within 0.8 %, memory within 2.5 %: stored baselines with "
                        "a 5 % threshold are safe");
    kg_arena_free(&arena);
}

static void spread_near_the_threshold_is_tight(void **state)
{
    struct kg_arena arena = {0};
    struct kg_findings findings = {.arena = &arena};
    const struct kg_noise noise = noise_of(0.04, 0.01);
    kg_noise_judge(&noise, 0.05, &findings);
    expect_of(&findings, "compute noise", KG_FINDING_NOTE, "spread 4.0 %", "kgate ab");
    assert_non_null(strstr(kg_noise_words(&noise, 0.05, &findings),
                           "are marginal for compute-bound cases; `kgate ab` is safer"));
    kg_arena_free(&arena);
}

static void spread_beyond_the_threshold_is_doubtful_and_names_which_would_do(void **state)
{
    struct kg_arena arena = {0};
    struct kg_findings findings = {.arena = &arena};
    const struct kg_noise noise = noise_of(0.008, 0.062);
    kg_noise_judge(&noise, 0.05, &findings);
    expect_of(&findings, "memory noise", KG_FINDING_WARNING, "spread 6.2 %", "threshold to 7 %");
    assert_string_equal(kg_noise_words(&noise, 0.05, &findings),
                        "compute repeats within 0.8 %, memory within 6.2 %: stored baselines with "
                        "a 5 % threshold are unreliable for memory-bound cases; use `kgate ab`, "
                        "or raise the threshold to 7 % or more");
    kg_arena_free(&arena);
}

static void spread_that_no_threshold_fits_asks_for_its_cause(void **state)
{
    struct kg_arena arena = {0};
    struct kg_findings findings = {.arena = &arena};
    const struct kg_noise noise = noise_of(4, 0.01);
    kg_noise_judge(&noise, 0.05, &findings);
    expect_of(&findings, "compute noise", KG_FINDING_WARNING, "spread 400.0 %",
              "no threshold helps");
    assert_non_null(strstr(kg_noise_words(&noise, 0.05, &findings),
                           "unreliable for compute-bound cases; first find and stop"));
    kg_arena_free(&arena);
}

static void threshold_advised_is_whole_per_cent_and_never_lower(void **state)
{
    static const double cases[][3] = {/* spread, threshold, advised */
                                      {0.03, 0.01, 0.03}, {0.0301, 0.01, 0.04}, {0.02, 0.05, 0.05},
                                      {0.07, 0.05, 0.07}, {1.5, 0.05, 1.5},     {0, 0.05, 0.05}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double advised = kg_noise_threshold(cases[i][0], cases[i][1]);
        if (fabs(advised - cases[i][2]) > 1e-12)
            fail_msg("spread %g, threshold %g: expected %g, found %g", cases[i][0], cases[i][1],
                     cases[i][2], advised);
    }
}

static void pauses_are_judged_by_their_length(void **state)
{
    static const struct {
        double ns;
        enum kg_finding_level level;
        const char *found;
        const char *remedy;
    } cases[] = {
        {50e3, KG_FINDING_GOOD, "50.0 us on CPU 0", NULL},
        {4e6, KG_FINDING_NOTE, "4.00 ms on CPU 0", "isolate"},
        {25e6, KG_FINDING_WARNING, "25.0 ms on CPU 0", "isolate"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kg_arena arena = {0};
        struct kg_findings findings = {.arena = &arena};
        struct kg_noise noise = noise_of(0, 0);
        noise.pause_ns = cases[i].ns;
        kg_noise_judge(&noise, 0.05, &findings);
        expect_of(&findings, "pauses", cases[i].level, cases[i].found, cases[i].remedy);
        kg_arena_free(&arena);
    }
}

static void cpus_of_two_kinds_are_distinguished(void **state)
{
    struct kg_arena arena = {0};
    struct kg_findings findings = {.arena = &arena};
    struct kg_noise noise = noise_of(0.3, 0.01);
    struct kg_noise_cpu cpus[] = {{.cpu = 0, .compute = {.median_ns = 1.0e6}},
                                  {.cpu = 3, .compute = {.median_ns = 1.3e6}},
                                  {.cpu = 6, .compute = {.median_ns = 1.1e6}}};
    noise.cpus = cpus;
    noise.cpu_count = 3;
    noise.cpus_most = 9;
    kg_noise_judge(&noise, 0.05, &findings);
    expect_of(&findings, "CPU speeds", KG_FINDING_WARNING,
              "CPU 3 is 30.0 % slower than CPU 0 (3 of 9 measured)", "CPUs of one kind");
    kg_arena_free(&arena);
}

static void nothing_measured_is_nothing_judged(void **state)
{
    struct kg_arena arena = {0};
    struct kg_findings findings = {.arena = &arena};
    const struct kg_noise noise = kg_noise_none();
    kg_noise_judge(&noise, 0.05, &findings);
    assert_int_equal(findings.count, 0);
    assert_string_equal(kg_noise_words(&noise, 0.05, &findings), "noise was not measured");
    kg_arena_free(&arena);
}

static void a_refusal_to_pin_is_noted(void **state)
{
    struct kg_arena arena = {0};
    struct kg_findings findings = {.arena = &arena};
    struct kg_noise noise = noise_of(0.01, 0.01);
    noise.pinned = false;
    kg_noise_judge(&noise, 0.05, &findings);
    expect_of(&findings, "pinning", KG_FINDING_NOTE, "refused", "sched_setaffinity");
    kg_arena_free(&arena);
}

static void measuring_gives_samples_and_leaves_the_affinity_as_it_was(void **state)
{
    struct kg_arena arena = {0};
    struct kg_noise noise;
    cpu_set_t before, after;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    kg_noise_measure(0.05, &arena, &noise);
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&before, &after));
    assert_true(noise.cpu_count >= 1 && noise.cpu_count <= noise.cpus_most);
    assert_true(noise.compute.samples >= 7 && noise.memory.samples >= 7);
    assert_true(noise.compute.median_ns > 0 && noise.compute.spread >= 0);
    assert_true(noise.memory.median_ns > 0 && noise.memory.spread >= 0 && noise.pause_ns > 0);
    kg_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(series_of_equal_times_has_no_spread),
        cmocka_unit_test(series_spread_is_the_ratio_of_the_outer_percentiles),
        cmocka_unit_test(series_of_no_times_is_unknown),
        cmocka_unit_test(spread_within_half_the_threshold_has_room),
        cmocka_unit_test(spread_near_the_threshold_is_tight),
        cmocka_unit_test(spread_beyond_the_threshold_is_doubtful_and_names_which_would_do),
        cmocka_unit_test(spread_that_no_threshold_fits_asks_for_its_cause),
        cmocka_unit_test(threshold_advised_is_whole_per_cent_and_never_lower),
        cmocka_unit_test(pauses_are_judged_by_their_length),
        cmocka_unit_test(cpus_of_two_kinds_are_distinguished),
        cmocka_unit_test(nothing_measured_is_nothing_judged),
        cmocka_unit_test(a_refusal_to_pin_is_noted),
        cmocka_unit_test(measuring_gives_samples_and_leaves_the_affinity_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
