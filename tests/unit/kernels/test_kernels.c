/* Every kernel through its own table: each version on odd sizes passes its check, and a damaged
 * result does not. */
#include "bfs/bfs.h"
#include "common/rows.h"
#include "gemm/gemm.h"
#include "gemm/gemm_pipeline.h"
#include "histogram/histogram.h"
#include "kernels/kernel_trial.h"
#include "reduce/reduce.h"
#include "softmax/softmax.h"
#include "stream/stream.h"
#include "transpose/transpose.h"
#include "xor_transform/xor_transform.h"

static void arrays_of_any_length(void **state)
{
    static const char *const sizes[] = {"8B", "24B", "1000B", "1KiB", "40008B", "300KiB"};
    static const char *const names[] = {"copy", "triad", "reduce", "xor_transform", "histogram"};
    (void)state;
    for (size_t n = 0; n < 5; n++)
        for (size_t s = 0; s < 6; s++)
            versions_pass(names[n], &(struct kg_pair){"bytes", sizes[s]}, 1);
}

static void matrices_of_any_shape(void **state)
{
    static const char *const shapes[][2] = {{"1", "7"},   {"7", "1"},   {"5", "3"},
                                            {"33", "31"}, {"64", "32"}, {"100", "257"}};
    static const char *const names[] = {"transpose", "softmax", "layernorm"};
    (void)state;
    for (size_t n = 0; n < 3; n++)
        for (size_t s = 0; s < 6; s++) {
            const struct kg_pair sizes[] = {{"rows", shapes[s][0]}, {"cols", shapes[s][1]}};
            versions_pass(names[n], sizes, 2);
        }
}

static void products_of_any_shape(void **state)
{
    static const char *const shapes[][3] = {{"1", "1", "1"},
                                            {"7", "5", "3"},
                                            {"6", "16", "256"},
                                            {"97", "33", "257"},
                                            {"100", "17", "513"}};
    (void)state;
    for (size_t s = 0; s < 5; s++) {
        const struct kg_pair sizes[] = {
            {"m", shapes[s][0]}, {"n", shapes[s][1]}, {"k", shapes[s][2]}};
        versions_pass("gemm", sizes, 3);
    }
}

static void pipelines_of_any_shape(void **state)
{
    static const char *const shapes[][4] = {{"1", "1", "1", "1"},
                                            {"7", "5", "3", "2"},
                                            {"5", "1", "300", "1"},
                                            {"97", "257", "33", "17"},
                                            {"100", "33", "513", "65"}};
    (void)state;
    for (size_t s = 0; s < 5; s++) {
        const struct kg_pair sizes[] = {{"rows", shapes[s][0]},
                                        {"inputs", shapes[s][1]},
                                        {"hidden", shapes[s][2]},
                                        {"outputs", shapes[s][3]}};
        versions_pass("gemm_pipeline", sizes, 4);
    }
}

static void graphs_of_any_size(void **state)
{
    static const char *const shapes[][2] = {
        {"3", "2"}, {"100", "2"}, {"1000", "8"}, {"5000", "64"}};
    (void)state;
    for (size_t s = 0; s < 4; s++) {
        const struct kg_pair sizes[] = {{"vertices", shapes[s][0]}, {"degree", shapes[s][1]}};
        versions_pass("bfs", sizes, 2);
    }
}

/* Runs a kernel, then changes one float a little, then to NaN. The check must fail each time. */
static void damage_floats(const char *name, const struct kg_pair *sizes, size_t count,
                          float *(*element)(void *state), float factor)
{
    struct trial trial;
    assert_true(trial_begin(&trial, name, sizes, count, 1));
    trial.workload->run(trial.state);
    float *value = element(trial.state), good = *value;
    assert_true(trial_check(&trial));
    *value = good * factor;
    if (trial_check(&trial))
        fail_msg("%s: %g in place of %g passes", name, (double)*value, (double)good);
    *value = NAN;
    if (trial_check(&trial))
        fail_msg("%s: NaN passes", name);
    trial_end(&trial);
}

static float *copy_element(void *state)
{
    return &((struct kg_stream *)state)->b[77];
}

static float *triad_element(void *state)
{
    return &((struct kg_stream *)state)->c[77];
}

static float *reduce_element(void *state)
{
    return &((struct kg_reduce *)state)->sum;
}

static float *transpose_element(void *state)
{
    return &((struct kg_transpose *)state)->b[77];
}

static float *rows_element(void *state)
{
    return &((struct kg_rows *)state)->y[777];
}

static float *gemm_element(void *state)
{
    const struct kg_gemm *gemm = state;
    return &gemm->c[(gemm->m - 1) * gemm->n + 5]; /* a row that the sampled check may miss */
}

static float *gemm_pipeline_element(void *state)
{
    const struct kg_gemm *output = &((struct kg_gemm_pipeline *)state)->output;
    return &output->c[(output->m - 1) * output->n + 5];
}

static void damaged_results_are_wrong(void **state)
{
    const struct kg_pair bytes[] = {{"bytes", "4000B"}};
    const struct kg_pair shape[] = {{"rows", "40"}, {"cols", "50"}};
    const struct kg_pair product[] = {{"m", "200"}, {"n", "60"}, {"k", "70"}};
    const struct kg_pair layers[] = {{"rows", "200"}, {"inputs", "60"}, {"hidden", "70"}};
    (void)state;
    damage_floats("copy", bytes, 1, copy_element, 1.000001F);
    damage_floats("triad", bytes, 1, triad_element, 1.00001F);
    damage_floats("reduce", bytes, 1, reduce_element, 1.01F);
    damage_floats("transpose", shape, 2, transpose_element, 1.000001F);
    damage_floats("softmax", shape, 2, rows_element, 1.0001F);
    damage_floats("layernorm", shape, 2, rows_element, 1.001F);
    damage_floats("gemm", product, 3, gemm_element, 1.5F);
    damage_floats("gemm_pipeline", layers, 3, gemm_pipeline_element, 1.01F);
}

static void damaged_words_counts_and_distances_are_wrong(void **state)
{
    const struct kg_pair bytes[] = {{"bytes", "4000B"}};
    struct trial trial;
    (void)state;
    assert_true(trial_begin(&trial, "xor_transform", bytes, 1, 1));
    trial.workload->run(trial.state);
    ((struct kg_xor_transform *)trial.state)->out[123] ^= 1;
    assert_false(trial_check(&trial));
    trial_end(&trial);
    assert_true(trial_begin(&trial, "histogram", bytes, 1, 1));
    trial.workload->run(trial.state);
    ((struct kg_histogram *)trial.state)->counts[123]--;
    assert_false(trial_check(&trial));
    trial_end(&trial);
    assert_true(trial_begin(&trial, "bfs", NULL, 0, 1));
    trial.workload->run(trial.state);
    ((struct kg_bfs *)trial.state)->distance[123]++;
    assert_false(trial_check(&trial));
    trial_end(&trial);
}

static void work_is_what_the_headers_define(void **state)
{
    static const struct {
        const char *name;
        struct kg_pair pairs[4];
        size_t count;
        struct kgate_work work;
    } cases[] = {
        {"copy", {{"bytes", "4KiB"}}, 1, {1024, 8192, 0, KGATE_ARITHMETIC_F32, 4096, NULL}},
        {"triad", {{"bytes", "4KiB"}}, 1, {1024, 12288, 2048, KGATE_ARITHMETIC_F32, 4096, NULL}},
        {"reduce", {{"bytes", "4KiB"}}, 1, {1024, 4096, 1024, KGATE_ARITHMETIC_F32, 4, NULL}},
        {"xor_transform", {{"bytes", "4KiB"}}, 1, {512, 8192, 0, KGATE_ARITHMETIC_F32, 4096, NULL}},
        {"histogram", {{"bytes", "4KiB"}}, 1, {4096, 4096, 0, KGATE_ARITHMETIC_F32, 0, NULL}},
        {"transpose",
         {{"rows", "3"}, {"cols", "5"}},
         2,
         {15, 120, 0, KGATE_ARITHMETIC_F32, 60, NULL}},
        {"softmax",
         {{"rows", "3"}, {"cols", "5"}},
         2,
         {15, 120, 60, KGATE_ARITHMETIC_F32, 60, NULL}},
        {"layernorm",
         {{"rows", "3"}, {"cols", "5"}},
         2,
         {15, 120, 120, KGATE_ARITHMETIC_F32, 60, NULL}},
        {"gemm",
         {{"m", "2"}, {"n", "3"}, {"k", "5"}},
         3,
         {6, 124, 60, KGATE_ARITHMETIC_F32, 0, NULL}},
        {"gemm_pipeline",
         {{"rows", "2"}, {"inputs", "3"}, {"hidden", "5"}, {"outputs", "7"}},
         4,
         {2, 4 * (6 + 20 + 42 + 14), 2 * 2 * 5 * 10 + 2 * 17, KGATE_ARITHMETIC_F32, 0, NULL}},
        {"bfs",
         {{"vertices", "10"}, {"degree", "4"}},
         2,
         {40, 280, 0, KGATE_ARITHMETIC_F32, 0, "edges"}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kgate_value values[TRIAL_PARAMS];
        struct kgate_work work;
        struct kg_error err;
        size_t at;
        const struct kgate_workload *workload = kernel_find(cases[i].name);
        assert_true(kg_params_resolve(workload, cases[i].pairs, cases[i].count, values, &at, &err));
        struct kgate_context context = {.values = values};
        assert_true(workload->describe(&context, &work));
        assert_float_equal(work.items, cases[i].work.items, 0);
        assert_float_equal(work.bytes, cases[i].work.bytes, 0);
        assert_float_equal(work.flops, cases[i].work.flops, 0);
        assert_float_equal(work.written_bytes, cases[i].work.written_bytes, 0);
        assert_string_equal(work.item_name ? work.item_name : "",
                            cases[i].work.item_name ? cases[i].work.item_name : "");
    }
}

static void impossible_sizes_are_refused_with_a_reason(void **state)
{
    struct trial trial;
    const struct kg_pair odd[] = {{"bytes", "7B"}};
    const struct kg_pair huge[] = {{"rows", "1000000000"}, {"cols", "1000000000"}};
    const struct kg_pair graph[] = {{"degree", "3"}};
    (void)state;
    assert_false(trial_begin(&trial, "copy", odd, 1, 1));
    assert_non_null(strstr(trial.host.context.message, "multiple of 4"));
    assert_false(trial_begin(&trial, "softmax", huge, 2, 1));
    assert_non_null(strstr(trial.host.context.message, "64 GiB"));
    assert_false(trial_begin(&trial, "bfs", graph, 1, 1));
    assert_non_null(strstr(trial.host.context.message, "even"));
}

static void exponential_is_within_its_bound(void **state)
{
    double worst = 0;
    (void)state;
    for (double x = -87; x <= 0; x += 1e-4) {
        const double exact = exp((double)(float)x);
        const double error = fabs((double)kg_softmax_exp((float)x) - exact) / exact;
        worst = fmax(worst, error);
    }
    print_message("largest relative error %.3g\n", worst);
    assert_true(worst < 3e-7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_of_any_length),
        cmocka_unit_test(matrices_of_any_shape),
        cmocka_unit_test(products_of_any_shape),
        cmocka_unit_test(pipelines_of_any_shape),
        cmocka_unit_test(graphs_of_any_size),
        cmocka_unit_test(damaged_results_are_wrong),
        cmocka_unit_test(damaged_words_counts_and_distances_are_wrong),
        cmocka_unit_test(work_is_what_the_headers_define),
        cmocka_unit_test(impossible_sizes_are_refused_with_a_reason),
        cmocka_unit_test(exponential_is_within_its_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
