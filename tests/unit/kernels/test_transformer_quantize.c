/* Fake quantization: the kernel against the double-precision reference, properties of its points, and training with it
 * and with recomputed activations. */
#include "kernels/kernel_trial.h"
#include "transformer/quantize.h"
#include "transformer/training_check.h"

static const enum kg_quantization kinds[] = {KG_QUANTIZATION_INT8, KG_QUANTIZATION_D4};
enum { KINDS = sizeof kinds / sizeof *kinds };

struct parameters {
    struct kg_model model;
    float *x;         /* as drawn */
    float *rounded;   /* by kg_quantize */
    double *expected; /* by kg_reference_quantize */
};

static struct parameters parameters_make(size_t d_model, enum kg_quantization kind, int threads)
{
    struct parameters made = {.model = kg_model_make(2, d_model, 1, 8)};
    const size_t floats = made.model.parameters.floats;
    double *wide = calloc(floats, sizeof *wide);
    made.x = calloc(floats, sizeof *made.x);
    made.rounded = calloc(floats, sizeof *made.rounded);
    made.expected = calloc(floats, sizeof *made.expected);
    assert_true(wide && made.x && made.rounded && made.expected);
    kg_model_randomize(&made.model, made.x, 7 + d_model);
    for (size_t i = 0; i < floats; i++)
        wide[i] = (double)made.x[i];
    kg_quantize(&made.model, kind, made.x, made.rounded, threads);
    kg_reference_quantize(&made.model, kind, wide, made.expected);
    free(wide);
    return made;
}

static void parameters_free(struct parameters *made)
{
    free(made->x);
    free(made->rounded);
    free(made->expected);
}

static double step_of(const struct parameters *made, const struct kg_tensor *tensor,
                      enum kg_quantization kind)
{
    double largest = 0;
    for (size_t i = 0; i < tensor->rows * tensor->columns; i++)
        largest = fmax(largest, fabs((double)made->x[tensor->offset + i]));
    return largest / kg_quantization_levels(kind);
}

/* Odd widths leave weights without a whole group. Rounding in float may turn the other way only halfway between two
 * points, so a different point must be as near as the reference's. */
static void weights_go_to_the_references_points(void **state)
{
    static const size_t widths[] = {4, 5, 16, 33, 64};
    struct kg_tensor tensor;
    (void)state;
    for (size_t w = 0; w < KINDS * sizeof widths / sizeof *widths; w++) {
        const enum kg_quantization kind = kinds[w % KINDS];
        struct parameters made = parameters_make(widths[w / KINDS], kind, w % 3 ? 3 : 1);
        size_t differences = 0, quantized = 0;
        for (size_t k = 0; kg_layout_tensor(&made.model.parameters, &made.model, k, &tensor); k++) {
            const double step = step_of(&made, &tensor, kind);
            for (size_t i = 0; i < tensor.rows * tensor.columns; i++) {
                const size_t at = tensor.offset + i;
                if (!kg_is_quantized(tensor.kind)) {
                    assert_true(made.rounded[at] == made.x[at]);
                    continue;
                }
                quantized++;
                differences += fabs((double)made.rounded[at] - made.expected[at]) > 1e-3 * step;
            }
        }
        if (differences > quantized / 2000)
            fail_msg("%s, width %zu: %zu of %zu weights differ", kg_quantizations[kind],
                     widths[w / KINDS], differences, quantized);
        parameters_free(&made);
    }
}

static void d4_points_have_even_sums_and_are_near(void **state)
{
    struct kg_tensor tensor;
    (void)state;
    struct parameters made = parameters_make(32, KG_QUANTIZATION_D4, 1);
    for (size_t k = 0; kg_layout_tensor(&made.model.parameters, &made.model, k, &tensor); k++) {
        const double step = step_of(&made, &tensor, KG_QUANTIZATION_D4);
        if (!kg_is_quantized(tensor.kind))
            continue;
        for (size_t i = 0; i < tensor.rows * tensor.columns; i += 4) {
            double sum = 0, squares = 0;
            for (size_t j = tensor.offset + i; j < tensor.offset + i + 4; j++) {
                sum += rint((double)made.rounded[j] / step);
                squares += pow(((double)made.rounded[j] - (double)made.x[j]) / step, 2);
            }
            assert_true(fmod(sum, 2) == 0);
            assert_true(squares <= 1 + 1e-4); /* the covering radius of D4 is 1 */
        }
    }
    parameters_free(&made);
}

static void zeros_stay_zeros(void **state)
{
    const struct kg_model model = kg_model_make(1, 8, 1, 4);
    float *x = calloc(model.parameters.floats, sizeof *x);
    float *y = calloc(model.parameters.floats, sizeof *y);
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        kg_quantize(&model, kinds[k], x, y, 1);
        for (size_t i = 0; i < model.parameters.floats; i++)
            assert_true(y[i] == 0);
    }
    free(x);
    free(y);
}

/* --- Training --------------------------------------------------------------------------------- */

static const struct kg_pair small[] = {{"layers", "3"},  {"d_model", "16"}, {"num_heads", "2"},
                                       {"seq_len", "8"}, {"batch", "4"},    {"steps", "12"}};
enum { SMALL = sizeof small / sizeof *small };

static struct kg_training *training_begin(struct trial *trial, const char *version,
                                          const char *name, const char *value)
{
    struct kg_pair pairs[SMALL + 2];
    memcpy(pairs, small, sizeof small);
    pairs[SMALL] = (struct kg_pair){name, value};
    pairs[SMALL + 1] = (struct kg_pair){"version", version};
    assert_true(trial_begin(trial, "train_epoch", pairs, SMALL + 2, 2));
    trial->workload->run(trial->state);
    return trial->state;
}

static void recomputed_activations_change_no_bit(void **state)
{
    static const char *const versions[] = {"plain", "fast"};
    (void)state;
    for (size_t v = 0; v < 2; v++) {
        struct trial kept, recomputed;
        const struct kg_training *a = training_begin(&kept, versions[v], "activations", "kept");
        const struct kg_training *b =
            training_begin(&recomputed, versions[v], "activations", "recomputed");
        assert_memory_equal(a->losses, b->losses, a->steps * sizeof *a->losses);
        for (size_t i = 0; i < a->model.parameters.floats; i++)
            assert_true(a->parameters[i] == b->parameters[i]);
        assert_true(recomputed.host.allocated_bytes < kept.host.allocated_bytes);
        assert_true(trial_check(&recomputed));
        trial_end(&kept);
        trial_end(&recomputed);
    }
}

static void quantized_training_passes_its_check(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * KINDS; i++) {
        const char *kind = kg_quantizations[kinds[i / 2]];
        struct trial trial;
        struct kg_training *training =
            training_begin(&trial, i % 2 ? "fast" : "plain", "quantization", kind);
        if (!trial_check(&trial))
            fail_msg("%s, %s: wrong", kind, i % 2 ? "fast" : "plain");
        /* the same run, judged as another quantization */
        for (enum kg_quantization other = KG_QUANTIZATION_NONE; other <= KG_QUANTIZATION_D4;
             other++) {
            training->quantization = other;
            assert_int_equal(trial_check(&trial), other == kinds[i / 2]);
        }
        training->quantization = kinds[i / 2];
        trial_end(&trial);
    }
}

/* Moves one weight to the point after the next, and one bias a little: the check must fail. */
static void a_wrong_point_is_wrong(void **state)
{
    struct kg_tensor tensor;
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        struct trial trial;
        struct kg_training *training =
            training_begin(&trial, "fast", "quantization", kg_quantizations[kinds[i]]);
        for (size_t k = 0;
             kg_layout_tensor(&training->model.parameters, &training->model, k, &tensor); k++) {
            float *value = &training->quantized[tensor.offset + 5];
            const float kept = *value, step = 0.1F / (float)kg_quantization_levels(kinds[i]);
            *value = kept + 2 * step;
            if (trial_check(&trial))
                fail_msg("%s: %s spoiled passes", kg_quantizations[kinds[i]], tensor.name);
            *value = kept;
        }
        assert_true(trial_check(&trial));
        trial_end(&trial);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_go_to_the_references_points),
        cmocka_unit_test(d4_points_have_even_sums_and_are_near),
        cmocka_unit_test(zeros_stay_zeros),
        cmocka_unit_test(recomputed_activations_change_no_bit),
        cmocka_unit_test(quantized_training_passes_its_check),
        cmocka_unit_test(a_wrong_point_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
