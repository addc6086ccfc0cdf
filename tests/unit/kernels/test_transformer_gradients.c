/* The reference's gradients against central differences of its own forward pass: that backward is
 * forward's derivative. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "test_support.h"
#include "transformer/passes.h"

enum { SEED = 4711, SAMPLES = 16 };

/* A central difference errs by h^2 f''' / 6, some 1e-11 f''', and by the rounding of f over h, some
 * 1e-16 f / 1e-5. Derivatives here are of the size of 0.01 to 10. */
static const double step = 1e-5, relative = 1e-6, absolute = 1e-9;

struct trial {
    struct kg_model model;
    struct kg_reference_slice slice;
    double *parameters;
    double *gradients; /* result of backward */
    double *dx;        /* of a layer */
    double *dy;        /* factor of a layer's output */
    uint8_t *text;
};

static double *reals(size_t n)
{
    double *x = calloc(n, sizeof *x);
    assert_non_null(x);
    return x;
}

static struct trial trial_make(struct kg_model model, size_t sequences)
{
    const size_t rows = sequences * model.seq_len, floats = model.parameters.floats;
    struct trial trial = {.model = model};
    struct kg_random random = {SEED};
    float *parameters = calloc(floats, sizeof *parameters);
    assert_non_null(parameters);
    kg_model_randomize(&model, parameters, SEED);
    trial.parameters = reals(floats);
    for (size_t i = 0; i < floats; i++)
        trial.parameters[i] = (double)parameters[i];
    free(parameters);
    trial.gradients = reals(floats);
    trial.dx = reals(rows * model.d_model);
    trial.dy = reals(rows * model.d_model);
    for (size_t i = 0; i < rows * model.d_model; i++)
        trial.dy[i] = kg_random_between(&random, -1, 1);
    trial.text = calloc(rows + 1, 1);
    assert_non_null(trial.text);
    for (size_t i = 0; i <= rows; i++)
        trial.text[i] = (uint8_t)kg_random_below(&random, model.vocabulary);
    const struct kg_layout layout = kg_activations_layout(&model, rows);
    trial.slice = (struct kg_reference_slice){.sequences = sequences,
                                              .rows = rows,
                                              .layout = layout,
                                              .parameters = trial.parameters,
                                              .activations = reals(layout.floats),
                                              .gradients = trial.gradients,
                                              .stream = trial.dx,
                                              .scratch = reals(kg_slice_scratch(&model, rows)),
                                              .loss_scale = 1 / (double)rows};
    return trial;
}

static void trial_free(struct trial *trial)
{
    free(trial->parameters);
    free(trial->gradients);
    free(trial->dx);
    free(trial->dy);
    free(trial->text);
    free(trial->slice.activations);
    free(trial->slice.scratch);
}

static double model_loss(struct trial *trial)
{
    trial->slice.model = &trial->model;
    kg_reference_forward(&trial->slice, trial->text);
    return kg_reference_loss(&trial->slice, trial->text + 1) * trial->slice.loss_scale;
}

static double *layer_input(struct trial *trial)
{
    return trial->slice.activations + trial->slice.layout.layers_at +
           trial->slice.layout.offset[KG_INPUT];
}

/* sum(dy * y) */
static double layer_sum(struct trial *trial)
{
    const double *y = trial->slice.activations + trial->slice.layout.offset[KG_RESULT];
    double sum = 0;
    trial->slice.model = &trial->model;
    kg_reference_layer_forward(&trial->slice, 0);
    for (size_t i = 0; i < trial->slice.rows * trial->model.d_model; i++)
        sum += trial->dy[i] * y[i];
    return sum;
}

/* The derivative of `function` by *x. */
static double difference(struct trial *trial, double (*function)(struct trial *trial), double *x)
{
    const double kept = *x;
    *x = kept + step;
    const double above = function(trial);
    *x = kept - step;
    const double below = function(trial);
    *x = kept;
    return (above - below) / (2 * step);
}

static void compare(const char *name, size_t at, double expected, double found, double largest)
{
    if (!(fabs(expected - found) <= relative * largest + absolute))
        fail_msg("seed %d, %s[%zu]: difference %.12g, gradient %.12g", SEED, name, at, expected,
                 found);
}

static double largest_of(const double *x, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    return largest;
}

/* Samples of every tensor, from number `first` on; all of a small one. */
static void tensors_agree(struct trial *trial, size_t first,
                          double (*function)(struct trial *trial))
{
    struct kg_random random = {SEED};
    struct kg_tensor tensor;
    for (size_t i = first; kg_layout_tensor(&trial->model.parameters, &trial->model, i, &tensor);
         i++) {
        const size_t n = tensor.rows * tensor.columns;
        const double *gradients = trial->gradients + tensor.offset;
        const double largest = largest_of(gradients, n);
        assert_true(largest > 1e-5); /* or nothing would be tested */
        for (size_t s = 0; s < SAMPLES && s < n; s++) {
            const size_t at = n <= SAMPLES ? s : (size_t)kg_random_below(&random, n);
            compare(tensor.name, at,
                    difference(trial, function, trial->parameters + tensor.offset + at),
                    gradients[at], largest);
        }
    }
}

static void gradients_of_a_model_are_its_derivatives(void **state)
{
    static const size_t shapes[][5] = {/* layers, d_model, num_heads, seq_len, sequences */
                                       {2, 6, 2, 5, 2},
                                       {1, 4, 1, 2, 1},
                                       {3, 9, 3, 7, 1},
                                       {0, 5, 1, 3, 2}};
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const size_t *shape = shapes[i];
        struct trial trial =
            trial_make(kg_model_make(shape[0], shape[1], shape[2], shape[3]), shape[4]);
        model_loss(&trial);
        kg_reference_backward(&trial.slice, trial.text);
        tensors_agree(&trial, 0, model_loss);
        trial_free(&trial);
    }
}

static void gradients_of_a_layer_are_its_derivatives(void **state)
{
    struct trial trial = trial_make(kg_model_make(1, 8, 2, 6), 2);
    const size_t n = trial.slice.rows * trial.model.d_model;
    double *x = layer_input(&trial);
    struct kg_random random = {SEED + 1};
    (void)state;
    for (size_t i = 0; i < n; i++)
        x[i] = kg_random_between(&random, -1, 1);
    layer_sum(&trial);
    memcpy(trial.dx, trial.dy, n * sizeof *trial.dx);
    kg_reference_layer_backward(&trial.slice, 0);
    tensors_agree(&trial, KG_ATTENTION_NORM_GAIN, layer_sum);
    const double largest = largest_of(trial.dx, n);
    for (size_t i = 0; i < n; i++)
        compare("input", i, difference(&trial, layer_sum, x + i), trial.dx[i], largest);
    trial_free(&trial);
}

/* A token must not see those after it: a later one changed changes no earlier loss. */
static void later_tokens_change_nothing_before(void **state)
{
    struct trial trial = trial_make(kg_model_make(2, 8, 2, 6), 1);
    const size_t vocabulary = trial.model.vocabulary, at = 4;
    const double *logits = trial.slice.activations + trial.slice.layout.offset[KG_LOGITS];
    double *before = reals(trial.slice.rows * vocabulary);
    (void)state;
    trial.slice.model = &trial.model;
    kg_reference_forward(&trial.slice, trial.text);
    memcpy(before, logits, trial.slice.rows * vocabulary * sizeof *before);
    trial.text[at] ^= 1;
    kg_reference_forward(&trial.slice, trial.text);
    assert_memory_equal(before, logits, at * vocabulary * sizeof *before);
    assert_memory_not_equal(before + at * vocabulary, logits + at * vocabulary,
                            vocabulary * sizeof *before);
    free(before);
    trial_free(&trial);
}

/* A computed row's attention does not depend on the computation of other rows. */
static void some_rows_are_as_among_all(void **state)
{
    enum { LENGTH = 8, WIDTH = 8, EVERY = 3 };
    struct trial trial = trial_make(kg_model_make_layer(WIDTH, 2, LENGTH), 2);
    const double *y = trial.slice.activations + trial.slice.layout.offset[KG_RESULT];
    const size_t n = trial.slice.rows * WIDTH;
    double *all = reals(n);
    (void)state;
    trial.slice.model = &trial.model;
    memcpy(layer_input(&trial), trial.dy, n * sizeof *all);
    kg_reference_layer_forward(&trial.slice, 0);
    memcpy(all, y, n * sizeof *all);
    memset(trial.slice.activations + trial.slice.layout.offset[KG_RESULT], 0, n * sizeof *all);
    trial.slice.attending = EVERY;
    kg_reference_layer_forward(&trial.slice, 0);
    for (size_t i = 0; i < trial.slice.rows; i++)
        if ((LENGTH - 1 - i % LENGTH) % EVERY == 0)
            assert_memory_equal(all + i * WIDTH, y + i * WIDTH, WIDTH * sizeof *all);
    free(all);
    trial_free(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_of_a_model_are_its_derivatives),
        cmocka_unit_test(gradients_of_a_layer_are_its_derivatives),
        cmocka_unit_test(later_tokens_change_nothing_before),
        cmocka_unit_test(some_rows_are_as_among_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
