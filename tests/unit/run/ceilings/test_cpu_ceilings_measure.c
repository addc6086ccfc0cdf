#include <sched.h>

#include "run/ceilings/cpu/cpu_ceilings_parts.h"
#include "test_support.h"

enum { WORDS = 3 * KG_CPU_BLOCK_WORDS };

static _Alignas(64) uint32_t a[WORDS], b[WORDS], to[WORDS];

static void words_make(void)
{
    for (uint32_t i = 0; i < WORDS; i++) {
        a[i] = i * 2654435761U;
        b[i] = ~i;
        to[i] = 7;
    }
}

static void multiply_adds_give_the_sum_of_the_formula(void **state)
{
    assert_true(kg_cpu_chains_sum(1, 0) == 66);
    assert_true(kg_cpu_chains_sum(4, 10) == 4 * (66 + 120));
    for (size_t i = 0; kg_cpu_code_of(i); i++) {
        const struct kg_cpu_code *code = kg_cpu_code_of(i);
        for (uint32_t steps = 0; steps < 3000; steps += 999) {
            const float scalar = code->scalar(steps), vector = code->vector(steps);
            if (scalar != kg_cpu_chains_sum(1, steps) ||
                vector != kg_cpu_chains_sum(code->lanes, steps))
                fail_msg("%s: %g and %g after %u steps", code->name, (double)scalar, (double)vector,
                         steps);
        }
    }
}

static void reading_sums_all_words_so_many_times(void **state)
{
    uint32_t sum = 0;
    words_make();
    for (size_t i = 0; i < WORDS; i++)
        sum += a[i];
    for (size_t i = 0; kg_cpu_code_of(i); i++) {
        const struct kg_cpu_code *code = kg_cpu_code_of(i);
        if (code->read(a, WORDS, 1) != sum || code->read(a, WORDS, 5) != 5 * sum ||
            code->read(a, WORDS, 0) != 0)
            fail_msg("%s sums otherwise", code->name);
    }
}

static void copies_and_sums_are_right_in_every_word(void **state)
{
    for (size_t c = 0; kg_cpu_code_of(c); c++)
        for (int past_caches = 0; past_caches < 2; past_caches++) {
            const struct kg_cpu_code *code = kg_cpu_code_of(c);
            words_make();
            (past_caches ? code->stream_copy : code->copy)(to, a, WORDS, 1);
            assert_memory_equal(to, a, sizeof to);
            (past_caches ? code->stream_add : code->add)(to, a, b, WORDS, 2);
            for (size_t i = 0; i < WORDS; i++)
                if (to[i] != a[i] + b[i])
                    fail_msg("%s, past caches %d: word %zu", code->name, past_caches, i);
        }
}

static bool right(void *state, int thread)
{
    (void)thread;
    return true;
}

static bool wrong_on_the_last(void *state, int thread)
{
    return thread != *(int *)state - 1;
}

static void what_one_thread_computes_wrong_gives_no_rate(void **state)
{
    struct kg_error err = {0};
    double rate = NAN;
    int threads = 2;
    struct kg_cpu_task task = {.work = right, .state = &threads, .amount = 1};
    assert_true(kg_cpu_team_rate(threads, &task, &rate, &err));
    assert_true(rate > 0 && isfinite(rate));
    rate = NAN;
    task.work = wrong_on_the_last;
    assert_false(kg_cpu_team_rate(threads, &task, &rate, &err));
    assert_true(isnan(rate));
    assert_non_null(strstr(err.message, "wrong"));
    assert_false(kg_cpu_team_do(threads, wrong_on_the_last, &threads, &err));
}

static void latency_of_too_little_memory_is_not_known(void **state)
{
    assert_true(isnan(kg_cpu_latency_ns(kg_cpu_code(), to, sizeof to)));
}

static void assert_rates(const char *which, const struct kg_cpu_ceiling *ceiling)
{
    const double rates[] = {ceiling->scalar_flops_per_s, ceiling->vector_flops_per_s,
                            ceiling->l1_bytes_per_s,     ceiling->l2_bytes_per_s,
                            ceiling->memory_bytes_per_s, ceiling->threads};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (!(rates[i] > 0) || isinf(rates[i]))
            fail_msg("rate %zu of %s is %g", i, which, rates[i]);
    if (ceiling->l3_bytes_per_s < ceiling->memory_bytes_per_s)
        fail_msg("of %s the last level is slower than memory", which);
}

/* Not how fast: other tests run at the same time. */
static void this_machine_has_figures_that_a_machine_could_have(void **state)
{
    struct kg_cpu_ceilings ceilings;
    struct kg_arena arena = {0};
    struct kg_error err = {0};
    cpu_set_t before, after;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    if (!kg_cpu_ceilings_measure(&arena, &ceilings, &err))
        fail_msg("%s", err.message);
    assert_true(kg_cpu_ceilings_good(&ceilings));
    assert_rates("one", &ceilings.one);
    assert_rates("all", &ceilings.all);
    assert_true(ceilings.all.threads == CPU_COUNT(&before));
    assert_true(ceilings.page_fault_ns > 0 && ceilings.memory_latency_ns > 0);
    if (CPU_COUNT(&before) > 1 && !ceilings.note) /* else others may be in the way of all threads */
        assert_true(ceilings.fork_join_ns > 0 && ceilings.barrier_ns > 0);
    assert_non_null(ceilings.measured);
    assert_null(ceilings.reason);
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&before, &after));
    kg_arena_free(&arena);
}

static void one_cpu_has_nobody_to_wait_for(void **state)
{
    struct kg_cpu_ceilings ceilings;
    struct kg_arena arena = {0};
    struct kg_error err = {0};
    cpu_set_t before, one;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&one);
    for (unsigned cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &before))
            CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    const bool good = kg_cpu_ceilings_measure(&arena, &ceilings, &err);
    sched_setaffinity(0, sizeof before, &before);
    if (!good)
        fail_msg("%s", err.message);
    assert_true(kg_cpu_ceilings_good(&ceilings) && ceilings.all.threads == 1);
    assert_true(ceilings.all.vector_flops_per_s == ceilings.one.vector_flops_per_s);
    assert_true(isnan(ceilings.line_transfer_ns) && isnan(ceilings.fork_join_ns));
    kg_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multiply_adds_give_the_sum_of_the_formula),
        cmocka_unit_test(reading_sums_all_words_so_many_times),
        cmocka_unit_test(copies_and_sums_are_right_in_every_word),
        cmocka_unit_test(what_one_thread_computes_wrong_gives_no_rate),
        cmocka_unit_test(latency_of_too_little_memory_is_not_known),
        cmocka_unit_test(this_machine_has_figures_that_a_machine_could_have),
        cmocka_unit_test(one_cpu_has_nobody_to_wait_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
