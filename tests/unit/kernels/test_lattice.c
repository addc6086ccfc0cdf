/* The lattice workloads: every version on vectors that are hard to encode and on batches of any
 * size. Also the format of codes, reported values and errors. */
#include "kernels/kernel_trial.h"
#include "kernels/lattice_trial.h"
#include "lattice/lattice_arrays.h"

enum { MOST = KG_LATTICE_DIMENSIONS_MOST, SEED = 7041776 };

static const char *const names[] = {"Z2", "D4", "E8"};
static const char *const coders[] = {"lattice_encode", "lattice_decode", "lattice_quantize"};

/* Arrays for a batch, and the reference's results for the same x. */
struct batch {
    struct kg_lattice lattice;
    uint64_t *codes;
    unsigned *counts;
    float *decoded;
};

static void *memory_of(size_t bytes)
{
    void *memory = malloc(bytes);
    assert_non_null(memory);
    memset(memory, 0xff, bytes);
    return memory;
}

static void batch_make(struct batch *batch, enum kg_lattice_kind kind,
                       const struct kg_lattice_plan *plan, size_t count, struct kg_random *random)
{
    const unsigned n = kg_lattice_dimensions(kind);
    const size_t bytes = count * n * sizeof(float);
    *batch = (struct batch){.lattice = {.kind = kind,
                                        .plan = *plan,
                                        .batch = count,
                                        .threads = 3,
                                        .x = memory_of(bytes),
                                        .codes = memory_of(count * plan->code_bytes),
                                        .counts = memory_of((count + 1) / 2),
                                        .decoded = memory_of(bytes)},
                            .codes = memory_of(count * sizeof *batch->codes),
                            .counts = memory_of(count * sizeof *batch->counts),
                            .decoded = memory_of(bytes)};
    for (size_t v = 0; v < count; v++) {
        float *x = batch->lattice.x + v * n;
        lattice_vector(random, n, 0.25F, x);
        batch->counts[v] = kg_lattice_reference_encode(kind, plan, x, &batch->codes[v]);
        kg_lattice_reference_decode(kind, plan, batch->codes[v], batch->counts[v],
                                    batch->decoded + v * n);
    }
}

static void batch_free(struct batch *batch)
{
    free(batch->lattice.x);
    free(batch->lattice.codes);
    free(batch->lattice.counts);
    free(batch->lattice.decoded);
    free(batch->codes);
    free(batch->counts);
    free(batch->decoded);
}

static void codes_are_the_references(const struct batch *batch, const char *version)
{
    const struct kg_lattice *lattice = &batch->lattice;
    for (size_t v = 0; v < lattice->batch; v++) {
        const uint64_t code = kg_lattice_code_read(lattice->codes, v, lattice->plan.code_bytes);
        const unsigned count = kg_lattice_count_read(lattice->counts, v);
        if (code != batch->codes[v] || count != batch->counts[v])
            fail_msg("%s, q %g, %u layers, %s encode: vector %zu of %zu, seed %d",
                     names[lattice->kind], (double)lattice->plan.q, lattice->plan.layers, version,
                     v, lattice->batch, SEED);
    }
}

static void decoded_is_the_references(struct batch *batch, const char *version)
{
    const struct kg_lattice *lattice = &batch->lattice;
    const size_t n = kg_lattice_dimensions(lattice->kind), count = lattice->batch * n;
    for (size_t i = 0; i < count; i++)
        if (!(lattice->decoded[i] == batch->decoded[i]))
            fail_msg("%s, q %g, %u layers, %s: vector %zu of %zu, seed %d", names[lattice->kind],
                     (double)lattice->plan.q, lattice->plan.layers, version, i / n, lattice->batch,
                     SEED);
    memset(lattice->decoded, 0xff, count * sizeof(float));
}

static void versions_agree(enum kg_lattice_kind kind, const struct kg_lattice_plan *plan,
                           size_t count, struct kg_random *random)
{
    struct batch batch;
    batch_make(&batch, kind, plan, count, random);
    kg_lattice_encode_plain(&batch.lattice);
    codes_are_the_references(&batch, "plain");
    kg_lattice_decode_plain(&batch.lattice);
    decoded_is_the_references(&batch, "plain decode");
    kg_lattice_quantize_plain(&batch.lattice);
    decoded_is_the_references(&batch, "plain quantize");
    memset(batch.lattice.codes, 0xff, count * plan->code_bytes);
    memset(batch.lattice.counts, 0xff, (count + 1) / 2);
    kg_lattice_encode_fast(&batch.lattice);
    codes_are_the_references(&batch, "fast");
    kg_lattice_decode_fast(&batch.lattice);
    decoded_is_the_references(&batch, "fast decode");
    kg_lattice_quantize_separate(&batch.lattice);
    decoded_is_the_references(&batch, "separate quantize");
    kg_lattice_quantize_fused(&batch.lattice);
    decoded_is_the_references(&batch, "fused quantize");
    batch_free(&batch);
}

static void versions_agree_on_vectors_that_are_hard_to_encode(void **state)
{
    static const size_t counts[] = {600000, 500000, 200000};
    struct kg_random random = {SEED};
    (void)state;
    for (unsigned kind = 0; kind < KG_LATTICE_KINDS; kind++)
        for (size_t done = 0; done < counts[kind] / LATTICE_LESS;) {
            struct kg_lattice_plan plan;
            const unsigned q = 2 + (unsigned)kg_random_below(&random, done % 2 ? 255 : 7);
            const unsigned layers = 1 + (unsigned)kg_random_below(&random, 8);
            if (!kg_lattice_plan_make(&plan, (enum kg_lattice_kind)kind, q, layers, 0.25,
                                      kg_random_below(&random, 4) ? 2 : 1.2))
                continue;
            const size_t count = 1 + (size_t)kg_random_below(&random, 5000);
            versions_agree((enum kg_lattice_kind)kind, &plan, count, &random);
            done += count;
        }
}

static void versions_agree_on_batches_of_any_size(void **state)
{
    static const size_t sizes[] = {1,  2,  3,  4,  5,  6,  7,   8,    9,    11,   12,
                                   13, 17, 31, 63, 64, 65, 100, 2047, 2048, 2049, 6001};
    struct kg_random random = {SEED};
    (void)state;
    for (unsigned kind = 0; kind < KG_LATTICE_KINDS; kind++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            struct kg_lattice_plan plan;
            assert_true(kg_lattice_plan_make(&plan, (enum kg_lattice_kind)kind, 4, 2, 0.25, 2));
            versions_agree((enum kg_lattice_kind)kind, &plan, sizes[s], &random);
        }
}

static void workloads_pass_their_check(void **state)
{
    static const struct kg_pair shapes[][4] = {
        {{"batch", "1"}, {"lattice", "D4"}, {"q", "4"}, {"M", "2"}},
        {{"batch", "2"}, {"lattice", "Z2"}, {"q", "2"}, {"M", "16"}},
        {{"batch", "77"}, {"lattice", "Z2"}, {"q", "5"}, {"M", "1"}},
        {{"batch", "5001"}, {"lattice", "D4"}, {"q", "3"}, {"M", "5"}},
        {{"batch", "1000"}, {"lattice", "D4"}, {"q", "256"}, {"M", "2"}},
        {{"batch", "333"}, {"lattice", "E8"}, {"q", "2"}, {"M", "1"}},
        {{"batch", "4097"}, {"lattice", "E8"}, {"q", "16"}, {"M", "2"}}};
    (void)state;
    for (size_t w = 0; w < 3; w++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            versions_pass(coders[w], shapes[s], 4);
}

/* D4, q = 4, M = 2, beta = 1: (1, 1, 0, 0) is the second column of G, so b_0 = (0, 1, 0, 0), whose
 * coordinate 1 begins at bit 4. (4, 4, 0, 0) is four times that: b_1, two bits higher. */
static void format_of_codes_is_what_the_header_defines(void **state)
{
    float x[] = {1, 1, 0, 0, 4, 4, 0, 0, 1e9F, 0, 0, 0};
    uint16_t codes[3];
    uint8_t counts[2];
    struct kg_lattice lattice = {
        .kind = KG_LATTICE_D4, .batch = 3, .threads = 1, .x = x, .codes = codes, .counts = counts};
    (void)state;
    assert_true(kg_lattice_plan_make(&lattice.plan, KG_LATTICE_D4, 4, 2, 1, 2));
    assert_int_equal(lattice.plan.code_bytes, 2);
    kg_lattice_encode_fast(&lattice);
    assert_int_equal(codes[0], 1U << 4);
    assert_int_equal(codes[1], 1U << 6);
    assert_int_equal(counts[0], 0);
    assert_int_equal(counts[1], 15);
}

static double reported(const struct trial *trial, const char *name)
{
    for (size_t i = 0; i < trial->host.report_count; i++)
        if (!strcmp(trial->host.reports[i].name, name))
            return trial->host.reports[i].value;
    fail_msg("'%s' was not reported", name);
    return NAN;
}

static void figures_are_reported(void **state)
{
    (void)state;
    for (size_t w = 0; w < 3; w++) {
        struct trial trial;
        assert_true(trial_begin(&trial, coders[w], NULL, 0, 1));
        assert_float_equal(reported(&trial, "compression"), 6.4, 1e-12);
        /* D4's second moment is 0.0766 beta^2 sqrt(2) a dimension; overloads add to it. */
        const double mse = reported(&trial, "mse"), ideal = 0.0766 * 0.09 * sqrt(2);
        assert_true(mse > 0.95 * ideal && mse < 1.2 * ideal);
        const double overload_share = reported(&trial, "overload_share");
        assert_true(overload_share > 0.005 && overload_share < 0.04);
        assert_float_equal(reported(&trial, "clipped_share"), 0, 0);
        trial_end(&trial);
    }
}

/* With these, count 15 scales by 0.51 only, and q = 2 clips to a cube around the origin alone. */
static void input_beyond_all_counts_is_reported_as_clipped(void **state)
{
    static const struct kg_pair pairs[] = {
        {"q", "2"}, {"M", "1"}, {"beta", "0.01"}, {"alpha", "1.3"}};
    (void)state;
    for (size_t w = 0; w < 3; w++) {
        struct trial trial;
        assert_true(trial_begin(&trial, coders[w], pairs, 4, 1));
        const double clipped = reported(&trial, "clipped_share"), mse = reported(&trial, "mse");
        assert_true(clipped > 0.9 && clipped <= reported(&trial, "overload_share"));
        assert_true(mse > 0.9 && mse < 1.1);
        trial_end(&trial);
    }
}

static void write_zeros(struct kg_lattice *lattice)
{
    const size_t n = kg_lattice_dimensions(lattice->kind);
    memset(lattice->decoded, 0, lattice->batch * n * sizeof(float));
}

static void write_one_code(struct kg_lattice *lattice)
{
    memset(lattice->codes, 0, lattice->batch * lattice->plan.code_bytes);
    memset(lattice->counts, 0x11, (lattice->batch + 1) / 2);
}

/* All x decoded as 0: the mean squared error is x's variance. */
static void figures_are_those_of_the_version(void **state)
{
    static const struct kg_lattice_coding codings[] = {
        {.codes_written = true},
        {.codes_read = true, .decoded_written = true},
        {.decoded_written = true}};
    (void)state;
    for (size_t w = 0; w < 3; w++) {
        struct trial trial;
        assert_true(trial_begin(&trial, coders[w], NULL, 0, 1));
        struct kg_lattice *lattice = trial.state;
        lattice->version = w == 0 ? write_one_code : write_zeros;
        assert_true(kg_lattice_sample_report(&trial.host.context, lattice, &codings[w]));
        const double mse = reported(&trial, "mse");
        assert_true(mse > 0.95 && mse < 1.05);
        if (w == 0)
            assert_float_equal(reported(&trial, "overload_share"), 1, 0);
        trial_end(&trial);
    }
}

/* The batch has more vectors than the sample: the report must not read unwritten vectors. */
static void only_the_first_vectors_are_sampled(void **state)
{
    struct trial trial;
    const struct kg_pair pairs[] = {{"batch", "100001"}};
    (void)state;
    assert_true(trial_begin(&trial, "lattice_quantize", pairs, 1, 1));
    const struct kg_lattice *lattice = trial.state;
    for (size_t i = 0; i < 4 * lattice->batch; i++)
        assert_true(isnan(lattice->decoded[i]));
    assert_true(reported(&trial, "mse") < 0.02);
    trial_end(&trial);
}

static void only_arrays_that_are_used_are_allocated(void **state)
{
    static const struct kg_pair pairs[] = {{"batch", "5000"}};
    static const size_t bytes[] = {5000 * (16 + 2) + 2500, 5000 * (16 + 2) + 2500, 5000 * 32};
    (void)state;
    for (size_t w = 0; w < 3; w++) {
        struct trial trial;
        assert_true(trial_begin(&trial, coders[w], pairs, 1, 1));
        assert_int_equal(trial.host.allocated_bytes, bytes[w] + sizeof(struct kg_lattice));
        trial_end(&trial);
    }
}

static void a_single_wrong_code_or_value_fails_the_check(void **state)
{
    struct trial trial;
    (void)state;
    assert_true(trial_begin(&trial, "lattice_encode", NULL, 0, 1));
    struct kg_lattice *lattice = trial.state;
    trial.workload->run(lattice);
    ((uint16_t *)lattice->codes)[9999] ^= 1;
    assert_false(trial_check(&trial));
    trial.workload->run(lattice);
    lattice->counts[77] ^= 16;
    assert_false(trial_check(&trial));
    trial.workload->run(lattice);
    assert_true(trial_check(&trial));
    trial_end(&trial);
    assert_true(trial_begin(&trial, "lattice_quantize", NULL, 0, 1));
    lattice = trial.state;
    trial.workload->run(lattice);
    lattice->decoded[39999] = nextafterf(lattice->decoded[39999], 9);
    assert_false(trial_check(&trial));
    trial_end(&trial);
}

static void work_is_what_the_header_defines(void **state)
{
    static const struct {
        const char *name;
        double bytes;
    } cases[] = {{"lattice_encode", 10 * (16 + 2.5)},
                 {"lattice_decode", 10 * (16 + 2.5)},
                 {"lattice_quantize", 10 * 32}};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct kgate_value values[TRIAL_PARAMS];
        struct kgate_work work;
        struct kg_error err;
        size_t at;
        const struct kgate_workload *workload = kernel_find(cases[i].name);
        const struct kg_pair pairs[] = {{"batch", "10"}};
        assert_true(kg_params_resolve(workload, pairs, 1, values, &at, &err));
        struct kgate_context context = {.values = values};
        assert_true(workload->describe(&context, &work));
        assert_float_equal(work.items, 10, 0);
        assert_float_equal(work.bytes, cases[i].bytes, 0);
    }
}

static void more_bits_than_a_lattice_may_have_are_refused(void **state)
{
    struct trial trial;
    const struct kg_pair wide[] = {{"q", "5"}, {"M", "6"}};
    const struct kg_pair narrow[] = {{"lattice", "E8"}, {"q", "8"}, {"M", "3"}};
    (void)state;
    assert_false(trial_begin(&trial, "lattice_encode", wide, 2, 1));
    assert_non_null(strstr(trial.host.context.message, "at most 16 for D4"));
    assert_false(trial_begin(&trial, "lattice_decode", narrow, 3, 1));
    assert_non_null(strstr(trial.host.context.message, "at most 8 for E8"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_agree_on_vectors_that_are_hard_to_encode),
        cmocka_unit_test(versions_agree_on_batches_of_any_size),
        cmocka_unit_test(workloads_pass_their_check),
        cmocka_unit_test(format_of_codes_is_what_the_header_defines),
        cmocka_unit_test(figures_are_reported),
        cmocka_unit_test(input_beyond_all_counts_is_reported_as_clipped),
        cmocka_unit_test(figures_are_those_of_the_version),
        cmocka_unit_test(only_the_first_vectors_are_sampled),
        cmocka_unit_test(only_arrays_that_are_used_are_allocated),
        cmocka_unit_test(a_single_wrong_code_or_value_fails_the_check),
        cmocka_unit_test(work_is_what_the_header_defines),
        cmocka_unit_test(more_bits_than_a_lattice_may_have_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
