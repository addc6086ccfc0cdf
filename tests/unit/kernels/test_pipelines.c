/* The pipelines on the CPU: the bad and the fixed version give the same results for every size. The
 * check finds damage, such as a missing step. */
#include "common/common.h"
#include "kernels/kernel_trial.h"
#include "kgate/profiler.h"
#include "pipelines/host_device_pipeline.h"
#include "pipelines/many_small_kernels.h"
#include "pipelines/sync_heavy.h"

static void steps_of_any_number_over_any_size(void **state)
{
    static const char *const shapes[][2] = {{"1", "1"},   {"1", "3000"}, {"2", "7"},    {"3", "1"},
                                            {"17", "64"}, {"1001", "5"}, {"4096", "33"}};
    static const char *const names[] = {"many_small_kernels", "sync_heavy"};
    (void)state;
    for (size_t n = 0; n < 2; n++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            const struct kg_pair sizes[] = {{"elements", shapes[s][0]}, {"steps", shapes[s][1]}};
            versions_pass(names[n], sizes, 2);
        }
}

/* The result of a version after one run; the caller frees it. */
static void *left_by(const char *name, const char *version, unsigned threads, size_t bytes,
                     const void *(*result)(void *state))
{
    const struct kg_pair pairs[] = {{"elements", "777"}, {"steps", "50"}, {"version", version}};
    struct trial trial;
    void *copy = malloc(bytes);
    assert_non_null(copy);
    assert_true(trial_begin(&trial, name, pairs, 3, threads));
    trial.workload->run(trial.state);
    memcpy(copy, result(trial.state), bytes);
    trial_end(&trial);
    return copy;
}

static const void *oscillators_of(void *state)
{
    return ((struct kg_many_small_kernels *)state)->now;
}

static const void *solution_of(void *state)
{
    return ((struct kg_sync_heavy *)state)->x;
}

static void versions_agree_bit_by_bit(void **state)
{
    static const struct {
        const char *name, *bad, *mended;
        size_t bytes;
        const void *(*result)(void *state);
    } cases[] = {
        {"many_small_kernels", "launches", "fused", 777 * sizeof(struct kg_oscillator),
         oscillators_of},
        {"sync_heavy", "every_step", "once", 777 * sizeof(float), solution_of},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t bytes = cases[i].bytes;
        void *bad = left_by(cases[i].name, cases[i].bad, 3, bytes, cases[i].result);
        void *mended = left_by(cases[i].name, cases[i].mended, 1, bytes, cases[i].result);
        assert_memory_equal(bad, mended, bytes);
        free(bad);
        free(mended);
    }
}

/* Runs `name`, lets `damage` change the result, and expects the check to fail. */
static void damage_shows(const char *name, const struct kg_pair *pairs, size_t count,
                         void (*damage)(void *state))
{
    struct trial trial;
    assert_true(trial_begin(&trial, name, pairs, count, 2));
    trial.workload->run(trial.state);
    assert_true(trial_check(&trial));
    damage(trial.state);
    assert_false(trial_check(&trial));
    trial_end(&trial);
}

static void oscillator_spoil(void *state)
{
    ((struct kg_many_small_kernels *)state)->now[76].v = NAN;
}

static void oscillators_step_less(void *state)
{
    struct kg_many_small_kernels *work = state;
    work->steps--;
    work->call.version(work);
    work->steps++;
}

static void solution_spoil(void *state)
{
    ((struct kg_sync_heavy *)state)->x[76] *= 1.0001F;
}

static void solution_step_less(void *state)
{
    struct kg_sync_heavy *work = state;
    work->steps--;
    work->call.version(work);
    work->steps++;
}

static void norm_spoil(void *state)
{
    ((struct kg_sync_heavy *)state)->norms[3] *= 1.0001;
}

static void norm_forget(void *state)
{
    ((struct kg_sync_heavy *)state)->norms[7] = NAN;
}

static void last_norm_forget(void *state)
{
    const struct kg_sync_heavy *work = state;
    work->norms[work->steps - 1] = 0;
}

static void last_norm_spoil(void *state)
{
    const struct kg_sync_heavy *work = state;
    work->norms[work->steps - 1] *= 1 + 1e-9;
}

static void seen_spoil(void *state)
{
    const struct kg_sync_heavy *work = state;
    work->seen[work->row_stride + 5] *= 1 - 1e-9;
}

static void damaged_results_are_wrong(void **state)
{
    const struct kg_pair sizes[] = {{"elements", "100"}, {"steps", "10"}};
    const struct kg_pair long_chain[] = {{"elements", "20"}, {"steps", "20000"}};
    (void)state;
    damage_shows("many_small_kernels", sizes, 2, oscillator_spoil);
    damage_shows("many_small_kernels", sizes, 2, oscillators_step_less);
    damage_shows("many_small_kernels", long_chain, 2, oscillators_step_less);
    damage_shows("sync_heavy", sizes, 2, solution_spoil);
    damage_shows("sync_heavy", sizes, 2, solution_step_less);
    damage_shows("sync_heavy", sizes, 2, norm_spoil);
    damage_shows("sync_heavy", sizes, 2, norm_forget);
}

/* After 2000 steps r is only rounding. */
static void last_norm_counts_like_the_first(void **state)
{
    const struct kg_pair sizes[] = {{"elements", "100"}, {"steps", "2000"}};
    (void)state;
    damage_shows("sync_heavy", sizes, 2, last_norm_forget);
    damage_shows("sync_heavy", sizes, 2, last_norm_spoil);
}

static void norm_that_a_thread_saw_too_early_is_wrong(void **state)
{
    const struct kg_pair sizes[] = {{"elements", "100"}, {"steps", "9"}, {"version", "every_step"}};
    (void)state;
    damage_shows("sync_heavy", sizes, 3, seen_spoil);
}

/* b = 0 is solved before the first step, so all norms are 0. */
static void iteration_ends_where_its_norm_is_zero(void **state)
{
    static const char *const versions[] = {"every_step", "once"};
    (void)state;
    for (size_t v = 0; v < 2; v++) {
        const struct kg_pair pairs[] = {
            {"elements", "5"}, {"steps", "9"}, {"version", versions[v]}};
        struct trial trial;
        assert_true(trial_begin(&trial, "sync_heavy", pairs, 3, 2));
        const struct kg_sync_heavy *work = trial.state;
        memset((void *)work->b, 0, 5 * sizeof *work->b);
        trial.workload->run(trial.state);
        for (unsigned s = 0; s < 9; s++)
            assert_true(work->norms[s] == 0);
        double error;
        assert_true(kg_sync_heavy_error(work, &error));
        assert_true(error <= 1);
        trial_end(&trial);
    }
}

/* Number of recorded scopes with this name. */
static uint64_t scope_calls(const struct kgate_profile_results *results, const char *name)
{
    for (size_t i = 0; i < results->name_count; i++)
        if (!strcmp(results->names[i].name, name))
            return results->names[i].calls;
    return 0;
}

/* Two threads, five steps. */
static void profile_shows_the_pattern(void **state)
{
    static const struct {
        const char *workload, *version, *scope;
        uint64_t calls;
    } cases[] = {
        {"many_small_kernels", "launches", "fork_join", 5},
        {"many_small_kernels", "launches", "step", 10},
        {"many_small_kernels", "fused", "fork_join", 1},
        {"many_small_kernels", "fused", "steps", 2},
        {"sync_heavy", "every_step", "fork_join", 1},
        {"sync_heavy", "every_step", "step", 10},
        {"sync_heavy", "every_step", "synchronise", 10},
        {"sync_heavy", "every_step", "add", 10},
        {"sync_heavy", "once", "fork_join", 1},
        {"sync_heavy", "once", "step", 10},
        {"sync_heavy", "once", "synchronise", 0},
        {"sync_heavy", "once", "add", 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct kg_pair pairs[] = {
            {"elements", "1000"}, {"steps", "5"}, {"version", cases[i].version}};
        struct trial trial;
        char message[256];
        assert_true(trial_begin(&trial, cases[i].workload, pairs, 3, 2));
        assert_true(kgate_profiler_start(NULL, message));
        trial.workload->run(trial.state);
        kgate_profiler_stop();
        struct kgate_profile_results *results = kgate_profiler_results(NULL, message);
        assert_non_null(results);
        const uint64_t calls = scope_calls(results, cases[i].scope);
        if (calls != cases[i].calls)
            fail_msg("%s %s: scope '%s' %llu times", cases[i].workload, cases[i].version,
                     cases[i].scope, (unsigned long long)calls);
        kgate_profile_results_free(results);
        trial_end(&trial);
    }
}

static void what_only_the_gpu_has_is_unavailable(void **state)
{
    const struct kg_pair graph[] = {{"version", "graph"}};
    struct trial trial;
    (void)state;
    assert_false(trial_begin(&trial, "many_small_kernels", graph, 1, 1));
    assert_true(trial.host.context.unavailable);
    assert_int_equal(kernel_find("host_device_pipeline")->devices, 1U << KGATE_DEVICE_CUDA);
}

static void work_is_what_the_headers_define(void **state)
{
    static const struct {
        const char *name;
        struct kg_pair pairs[2];
        struct kgate_work work;
    } cases[] = {
        {"host_device_pipeline",
         {{"bytes", "4KiB"}, {"intensity", "10"}},
         {1024, 8192, 20480, KGATE_ARITHMETIC_F32, 0, NULL}},
        {"many_small_kernels",
         {{"elements", "100"}, {"steps", "7"}},
         {700, 1600, 2800, KGATE_ARITHMETIC_F32, 0, NULL}},
        {"sync_heavy",
         {{"elements", "100"}, {"steps", "7"}},
         {700, 1200, 4200, KGATE_ARITHMETIC_F32, 0, NULL}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kgate_value values[TRIAL_PARAMS];
        struct kgate_work work;
        struct kg_error err;
        size_t at;
        const struct kgate_workload *workload = kernel_find(cases[i].name);
        assert_true(kg_params_resolve(workload, cases[i].pairs, 2, values, &at, &err));
        struct kgate_context context = {.values = values};
        if (!(workload->devices >> KGATE_DEVICE_CPU & 1))
            context.device = KGATE_DEVICE_CUDA;
        if (!workload->describe(&context, &work)) { /* without CUDA the GPU has no version */
            assert_true(context.unavailable);
            continue;
        }
        assert_float_equal(work.items, cases[i].work.items, 0);
        assert_float_equal(work.bytes, cases[i].work.bytes, 0);
        assert_float_equal(work.flops, cases[i].work.flops, 0);
    }
}

static void halves_of_a_float_are_refused(void **state)
{
    const struct kg_pair odd[] = {{"bytes", "6B"}};
    struct trial trial;
    (void)state;
    assert_false(trial_begin(&trial, "host_device_pipeline", odd, 1, 1));
    assert_non_null(strstr(trial.host.context.message, "multiple of 4"));
}

static void chunks_cover_the_array_without_overlap(void **state)
{
    static const size_t sizes[] = {1, 63, 64, 65, 1000, 4096, 100003};
    static const unsigned counts[] = {1, 2, 3, 16, 1024};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            const size_t n = sizes[i];
            assert_int_equal(kg_host_device_chunk(n, counts[c], 0), 0);
            assert_int_equal(kg_host_device_chunk(n, counts[c], counts[c]), n);
            for (unsigned k = 0; k < counts[c]; k++) {
                const size_t start = kg_host_device_chunk(n, counts[c], k);
                assert_true(start <= kg_host_device_chunk(n, counts[c], k + 1));
                assert_true(start % 64 == 0 || start == n);
            }
        }
}

static void polynomial_of_the_reference_is_the_geometric_sum(void **state)
{
    const float x[] = {0, 0.5F, -0.5F, 0.75F, -1};
    double value[5], e[5];
    (void)state;
    kg_host_device_reference(x, 5, 9, value, e);
    for (size_t i = 0; i < 5; i++) {
        const double at = (double)x[i];
        double sum = 0;
        for (unsigned k = 1; k <= 9; k++)
            sum += fabs((1 - pow(at, k + 1)) / (1 - at)) * pow(fabs(at), 9 - k);
        assert_true(fabs(value[i] - (1 - pow(at, 10)) / (1 - at)) < 1e-12);
        assert_true(fabs(e[i] - sum) < 1e-12);
    }
}

/* The GPU's computation on the CPU, with a selected mistake. */
enum mistake { NO_MISTAKE, TOP_MISSING, CONSTANT_TWICE };

static void polynomial(const float *x, float *y, size_t n, unsigned intensity, enum mistake mistake)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = mistake == TOP_MISSING ? 0.0F : 1.0F;
        for (unsigned k = 0; k < intensity; k++)
            y[i] = fmaf(y[i], x[i], 1.0F);
        if (mistake == CONSTANT_TWICE)
            y[i] += 1;
    }
}

/* A missing step shows only if |x|^K is at least the rounding: half of the x are near 1 or -1. A
 * large array has such x anyway. */
static void polynomials_are_distinguished_from_wrong_ones_at_any_intensity(void **state)
{
    static const struct {
        unsigned intensity;
        size_t n;
    } cases[] = {{1, 1000}, {2, 1000}, {16, 1000}, {1024, 1000}, {4096, 1000}, {20000, 500}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const size_t n = cases[c].n;
        const unsigned intensity = cases[c].intensity;
        float x[1000], y[1000];
        kg_fill_floats(x, n, 7 + c, 1);
        for (size_t i = 0; i < n; i += 2)
            x[i] = copysignf(1 - 4 * fabsf(x[i]) / (float)(intensity + 3), x[i]);
        polynomial(x, y, n, intensity, NO_MISTAKE);
        const double right = kg_host_device_error(x, y, n, intensity);
        polynomial(x, y, n, intensity, TOP_MISSING);
        const double less = kg_host_device_error(x, y, n, intensity);
        polynomial(x, y, n, intensity, CONSTANT_TWICE);
        const double more = kg_host_device_error(x, y, n, intensity);
        y[n - 1] = NAN;
        if (!(right <= KG_HOST_DEVICE_TOLERANCE && less > 20 * KG_HOST_DEVICE_TOLERANCE &&
              more > 20 * KG_HOST_DEVICE_TOLERANCE))
            fail_msg("intensity %u: error %g, with a mistake %g and %g", intensity, right, less,
                     more);
        assert_true(isnan(kg_host_device_error(x, y, n, intensity)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_of_any_number_over_any_size),
        cmocka_unit_test(versions_agree_bit_by_bit),
        cmocka_unit_test(damaged_results_are_wrong),
        cmocka_unit_test(last_norm_counts_like_the_first),
        cmocka_unit_test(norm_that_a_thread_saw_too_early_is_wrong),
        cmocka_unit_test(iteration_ends_where_its_norm_is_zero),
        cmocka_unit_test(profile_shows_the_pattern),
        cmocka_unit_test(what_only_the_gpu_has_is_unavailable),
        cmocka_unit_test(work_is_what_the_headers_define),
        cmocka_unit_test(halves_of_a_float_are_refused),
        cmocka_unit_test(chunks_cover_the_array_without_overlap),
        cmocka_unit_test(polynomial_of_the_reference_is_the_geometric_sum),
        cmocka_unit_test(polynomials_are_distinguished_from_wrong_ones_at_any_intensity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
