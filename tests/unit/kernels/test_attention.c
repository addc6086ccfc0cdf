/* Attention: every version of every part on odd shapes agrees with the reference, and a damaged
 * result does not. The memory of each level grows as documented. */
#include "attention/attention_reference.h"
#include "attention/attention_tile.h"
#include "common/common.h"
#include "kernels/kernel_trial.h"

static const char *const parts[] = {"attention_qkv_projection",    "attention_scores",
                                    "attention_softmax",           "attention_weighted_sum",
                                    "attention_output_projection", "attention"};
enum { PARTS = sizeof parts / sizeof *parts, SHAPE = 4 };

/* seq_len, d_model, num_heads, batch */
static void shape_passes(const char *const shape[SHAPE], const char *causal)
{
    const struct kg_pair sizes[] = {{"seq_len", shape[0]},
                                    {"d_model", shape[1]},
                                    {"num_heads", shape[2]},
                                    {"batch", shape[3]},
                                    {"causal", causal}};
    for (size_t i = 0; i < PARTS; i++)
        versions_pass(parts[i], sizes, SHAPE + 1);
}

static void versions_of_every_part_agree_on_odd_shapes(void **state)
{
    static const char *const shapes[][SHAPE] = {{"1", "1", "1", "1"},    {"1", "12", "3", "2"},
                                                {"7", "9", "3", "3"},    {"65", "6", "6", "1"},
                                                {"65", "34", "2", "2"},  {"130", "32", "1", "1"},
                                                {"97", "48", "16", "1"}, {"40", "8", "2", "3"}};
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        shape_passes(shapes[s], "no");
        shape_passes(shapes[s], "yes");
    }
}

/* The element to damage: in a row that the check always compares. */
static float *element_of(void *state)
{
    struct kg_attention *attention = state;
    const enum kg_attention_array output = kg_attention_output(attention->part);
    const size_t last = kg_attention_floats(attention, output) - 1;
    return *kg_attention_array(&attention->arrays, output) + last - 3;
}

static void damaged_results_are_wrong(void **state)
{
    static const struct kg_pair sizes[] = {
        {"seq_len", "70"}, {"d_model", "40"}, {"num_heads", "5"}, {"batch", "2"}};
    (void)state;
    for (size_t i = 0; i < PARTS; i++) {
        struct trial trial;
        assert_true(trial_begin(&trial, parts[i], sizes, 4, 1));
        trial.workload->run(trial.state);
        float *element = element_of(trial.state), good = *element;
        assert_true(trial_check(&trial));
        *element = good * 1.001F;
        if (trial_check(&trial))
            fail_msg("%s: %g in place of %g passes", parts[i], (double)*element, (double)good);
        *element = NAN;
        if (trial_check(&trial))
            fail_msg("%s: NaN passes", parts[i]);
        trial_end(&trial);
    }
}

/* The unit must include errors that all keys share: errors of Q and of the sum of exponentials.
 * Independent errors are small in a long sequence. */
static void long_sequences_pass(void **state)
{
    static const struct {
        const char *version, *d_model, *causal;
    } cases[] = {{"plain", "1", "no"}, {"flash", "1", "yes"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct kg_pair pairs[] = {{"seq_len", "4096"},
                                        {"d_model", cases[i].d_model},
                                        {"num_heads", "1"},
                                        {"causal", cases[i].causal},
                                        {"version", cases[i].version}};
        struct kgate_check check = {.error = NAN};
        struct trial trial;
        assert_true(trial_begin(&trial, "attention", pairs, 5, 2));
        trial.workload->run(trial.state);
        assert_true(trial.workload->check(&trial.host.context, trial.state, &check));
        print_message("%s: error %.3g of %g\n", cases[i].version, check.error, check.tolerance);
        assert_true(check.error < check.tolerance / 2);
        trial_end(&trial);
    }
}

/* Each row of the result, one per trial, takes its neighbour's place. */
static void every_row_of_a_suites_shape_is_compared(void **state)
{
    enum { ROWS = 100, D = 24 };
    static const struct kg_pair sizes[] = {
        {"seq_len", "100"}, {"d_model", "24"}, {"num_heads", "3"}, {"causal", "yes"}};
    struct trial trial;
    (void)state;
    assert_true(trial_begin(&trial, "attention", sizes, 4, 1));
    trial.workload->run(trial.state);
    assert_true(trial_check(&trial));
    float *y = ((struct kg_attention *)trial.state)->arrays.y, kept[D];
    for (size_t row = 0; row < ROWS; row += 9) {
        memcpy(kept, y + row * D, sizeof kept);
        memcpy(y + row * D, y + (row + 1) % ROWS * D, sizeof kept);
        if (trial_check(&trial))
            fail_msg("row %zu may be row %zu", row, row + 1);
        memcpy(y + row * D, kept, sizeof kept);
    }
    trial_end(&trial);
}

/* Edges of tiles of 96 and of 128 rows: two, one and no rows before the edge, and one behind it. */
static void rows_of_a_long_sequence_lie_everywhere_and_beside_edges(void **state)
{
    enum { SEQ_LEN = 20000, HEADS = 3, ALL = SEQ_LEN * HEADS, PART = ALL / KG_ATTENTION_CHECKED };
    size_t rows[KG_ATTENTION_CHECKED], beside[2][4] = {{0}};
    static const size_t tiles[] = {96, 128};
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct kg_random random = {seed};
        kg_attention_rows_choose(&random, ALL, SEQ_LEN, KG_ATTENTION_CHECKED, rows);
        assert_int_equal(rows[0], 0);
        assert_int_equal(rows[KG_ATTENTION_CHECKED - 1], ALL - 1);
        for (size_t r = 0; r < KG_ATTENTION_CHECKED; r++) {
            assert_in_range(rows[r] + tiles[1], r * PART, (r + 1) * PART + 2 * tiles[1]);
            for (size_t tile = 0; tile < 2; tile++)
                for (size_t behind = 0; behind < 4; behind++)
                    beside[tile][behind] += (rows[r] % SEQ_LEN + 2) % tiles[tile] == behind;
        }
        for (size_t i = 0; i < 8; i++)
            assert_true(beside[i / 4][i % 4] >= 2 * seed);
    }
}

/* Runs with one mask, checks with the other. */
static bool passes_with(const char *causal_run, const char *causal_check)
{
    const struct kg_pair sizes[] = {
        {"seq_len", "50"}, {"d_model", "32"}, {"num_heads", "4"}, {"causal", causal_run}};
    struct trial trial;
    assert_true(trial_begin(&trial, "attention", sizes, 4, 1));
    struct kg_attention *attention = trial.state;
    trial.workload->run(attention);
    attention->causal = !strcmp(causal_check, "yes");
    const bool passes = trial_check(&trial);
    trial_end(&trial);
    return passes;
}

static void a_mask_that_is_missing_or_too_much_is_wrong(void **state)
{
    (void)state;
    assert_true(passes_with("yes", "yes"));
    assert_true(passes_with("no", "no"));
    assert_false(passes_with("no", "yes"));
    assert_false(passes_with("yes", "no"));
}

/* Two heads that are taken for four. */
static void heads_of_the_wrong_size_are_wrong(void **state)
{
    static const struct kg_pair sizes[] = {
        {"seq_len", "33"}, {"d_model", "32"}, {"num_heads", "2"}, {"version", "efficient"}};
    struct trial trial;
    (void)state;
    assert_true(trial_begin(&trial, "attention", sizes, 4, 1));
    struct kg_attention *attention = trial.state;
    attention->num_heads = 4;
    attention->d_head = 8;
    trial.workload->run(attention);
    attention->num_heads = 2;
    attention->d_head = 16;
    assert_false(trial_check(&trial));
    trial_end(&trial);
}

/* Every count of panels. Elements beyond the tile stay unwritten. */
static void the_processors_product_agrees_with_the_one_for_all(void **state)
{
    enum { ROWS = KG_ATTENTION_TILE_M, PANELS = 9, DEPTH = 21, STRIDE = 150, C = ROWS * STRIDE };
    enum { B = PANELS * DEPTH * KG_ATTENTION_TILE_N };
    float a[ROWS * DEPTH], b[B], c[2][C];
    const float *rows[ROWS];
    (void)state;
    kg_fill_floats(a, ROWS * DEPTH, 1, 1);
    kg_fill_floats(b, B, 2, 1);
    kg_attention_tile_rows(a, DEPTH, ROWS, rows);
    for (size_t count = 1; count <= PANELS; count++)
        for (int add = 0; add < 2; add++) {
            const struct kg_attention_panels panels = {b, B / PANELS, count};
            kg_fill_floats(c[0], C, 3, 1);
            memcpy(c[1], c[0], sizeof c[0]);
            kg_attention_multiply()(rows, &panels, DEPTH, c[0], STRIDE, add);
            kg_attention_multiply_narrow(rows, &panels, DEPTH, c[1], STRIDE, add);
            for (size_t i = 0; i < C; i++)
                if (!(fabsf(c[0][i] - c[1][i]) < 1e-5F))
                    fail_msg("%zu panels, element %zu: %g, not %g", count, i, (double)c[0][i],
                             (double)c[1][i]);
        }
}

static uint64_t peak_of(const char *version, const char *seq_len)
{
    const struct kg_pair sizes[] = {
        {"seq_len", seq_len}, {"d_model", "32"}, {"num_heads", "4"}, {"version", version}};
    struct trial trial;
    assert_true(trial_begin(&trial, "attention", sizes, 4, 1));
    trial.workload->run(trial.state);
    const uint64_t peak = trial.host.allocated_peak_bytes;
    trial_end(&trial);
    return peak;
}

/* From N to 2 N and 4 N the added memory doubles, or grows four times. Memory independent of N
 * cancels. */
static void memory_grows_as_each_level_defines(void **state)
{
    static const struct {
        const char *version;
        bool square;
    } cases[] = {
        {"plain", true}, {"fused", true}, {"blas", true}, {"efficient", false}, {"flash", false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double n = (double)peak_of(cases[i].version, "96");
        const double n2 = (double)peak_of(cases[i].version, "192");
        const double n4 = (double)peak_of(cases[i].version, "384");
        const double growth = (n4 - n2) / (n2 - n);
        print_message("%s: %.0f, %.0f, %.0f bytes: growth %.2f\n", cases[i].version, n, n2, n4,
                      growth);
        if (cases[i].square ? growth < 3 : growth > 2.1)
            fail_msg("%s: grows %.2f times when seq_len doubles", cases[i].version, growth);
    }
}

static void work_of(const char *name, const char *causal, struct kgate_work *work)
{
    const struct kg_pair pairs[] = {
        {"seq_len", "3"}, {"d_model", "4"}, {"num_heads", "2"}, {"batch", "5"}, {"causal", causal}};
    struct kgate_value values[TRIAL_PARAMS];
    struct kg_error err;
    size_t at;
    const struct kgate_workload *workload = kernel_find(name);
    assert_true(kg_params_resolve(workload, pairs, 5, values, &at, &err));
    struct kgate_context context = {.values = values, .threads = 1};
    assert_true(workload->describe(&context, work));
}

/* 15 tokens, d_head 2; 10 matrices of 9 pairs, of causal 6. */
static void work_is_what_the_header_defines(void **state)
{
    static const struct {
        double flops[2]; /* not causal, causal */
        double floats[2];
    } expected[PARTS] = {
        {{15 * 4 * 12 * 2, 15 * 4 * 12 * 2}, {60 + 48 + 180, 60 + 48 + 180}},
        {{90 * 5, 60 * 5}, {120 + 90, 120 + 90}},
        {{90 * 4, 60 * 4}, {90 + 90, 60 + 90}},
        {{90 * 4, 60 * 4}, {90 + 60 + 60, 60 + 60 + 60}},
        {{15 * 4 * 4 * 2, 15 * 4 * 4 * 2}, {60 + 16 + 60, 60 + 16 + 60}},
        {{1440 + 90 * 13 + 480, 1440 + 60 * 13 + 480}, {60 + 48 + 16 + 60, 60 + 48 + 16 + 60}},
    };
    (void)state;
    for (size_t i = 0; i < PARTS; i++)
        for (size_t causal = 0; causal < 2; causal++) {
            struct kgate_work work;
            work_of(parts[i], causal ? "yes" : "no", &work);
            assert_int_equal(work.items, 15);
            assert_true(work.flops >= expected[i].flops[causal] &&
                        work.flops <= expected[i].flops[causal]);
            assert_true(fabs(work.bytes - 4 * expected[i].floats[causal]) < 1e-6);
        }
}

/* unavailable: whether other versions can run it */
static void refused(const struct kg_pair *pairs, size_t count, const char *reason, bool unavailable)
{
    struct trial trial;
    assert_false(trial_begin(&trial, "attention", pairs, count, 1));
    if (!strstr(trial.host.context.message, reason))
        fail_msg("'%s' does not say '%s'", trial.host.context.message, reason);
    assert_int_equal(trial.host.context.unavailable, unavailable);
}

static void impossible_shapes_are_refused_with_a_reason(void **state)
{
    const struct kg_pair heads[] = {{"d_model", "100"}, {"num_heads", "7"}};
    const struct kg_pair tokens[] = {{"seq_len", "1000000"}, {"batch", "1000000"}};
    const struct kg_pair kept[] = {{"seq_len", "200000"}, {"version", "plain"}};
    const struct kg_pair rows[] = {{"seq_len", "4000"},
                                   {"batch", "1000000"},
                                   {"d_model", "1"},
                                   {"num_heads", "1"},
                                   {"version", "blas"}};
    const struct kg_pair one_head[] = {{"seq_len", "200000"}, {"version", "blas"}};
    (void)state;
    refused(heads, 2, "d_model 100 is not a multiple of num_heads 7", false);
    refused(tokens, 2, "64 GiB", false);
    refused(kept, 2, "the matrix of scores, which version 'plain' keeps", true);
    refused(one_head, 2, "the matrix of scores, which version 'blas' keeps", true);
    refused(rows, 5, "version 'blas' counts rows by int", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_of_every_part_agree_on_odd_shapes),
        cmocka_unit_test(damaged_results_are_wrong),
        cmocka_unit_test(long_sequences_pass),
        cmocka_unit_test(every_row_of_a_suites_shape_is_compared),
        cmocka_unit_test(rows_of_a_long_sequence_lie_everywhere_and_beside_edges),
        cmocka_unit_test(a_mask_that_is_missing_or_too_much_is_wrong),
        cmocka_unit_test(heads_of_the_wrong_size_are_wrong),
        cmocka_unit_test(the_processors_product_agrees_with_the_one_for_all),
        cmocka_unit_test(memory_grows_as_each_level_defines),
        cmocka_unit_test(work_is_what_the_header_defines),
        cmocka_unit_test(impossible_shapes_are_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
