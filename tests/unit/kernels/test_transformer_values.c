/* Values of a model, from an independent program of only the formulas of model.h. It shares no line
 * with kgate: all CPU passes could share a mistake. */
#include <math.h>
#include <stdlib.h>

#include "test_support.h"
#include "transformer/passes.h"

enum { WIDTH = 4, HEADS = 2, TOKENS = 2 };

static const uint8_t text[] = {3, 5, 7};

/* A slice of two tokens with its parameters, of either type. */
#define TWO_TOKENS(name, SLICE, REAL)                                                              \
    struct name {                                                                                  \
        struct kg_model model;                                                                     \
        struct SLICE slice;                                                                        \
        REAL *parameters;                                                                          \
    };                                                                                             \
    /* Element i of tensor k is sin(7 k + i + 1). */                                               \
    static void name##_make(struct name *two)                                                      \
    {                                                                                              \
        struct kg_tensor tensor;                                                                   \
        two->model = kg_model_make(1, WIDTH, HEADS, TOKENS);                                       \
        two->parameters = calloc(two->model.parameters.floats, sizeof(REAL));                      \
        assert_non_null(two->parameters);                                                          \
        for (size_t k = 0; kg_layout_tensor(&two->model.parameters, &two->model, k, &tensor); k++) \
            for (size_t i = 0; i < tensor.rows * tensor.columns; i++)                              \
                two->parameters[tensor.offset + i] = (REAL)sin((double)(7 * k + i + 1));           \
        const struct kg_layout layout = kg_activations_layout(&two->model, TOKENS);                \
        two->slice = (struct SLICE){                                                               \
            .model = &two->model,                                                                  \
            .sequences = 1,                                                                        \
            .rows = TOKENS,                                                                        \
            .layout = layout,                                                                      \
            .parameters = two->parameters,                                                         \
            .activations = calloc(layout.floats, sizeof(REAL)),                                    \
            .loss_scale = 1,                                                                       \
        };                                                                                         \
        assert_non_null(two->slice.activations);                                                   \
    }                                                                                              \
    static void name##_free(struct name *two)                                                      \
    {                                                                                              \
        free(two->parameters);                                                                     \
        free(two->slice.activations);                                                              \
    }

TWO_TOKENS(singles, kg_slice, float)
TWO_TOKENS(doubles, kg_reference_slice, double)

static void values_agree(const char *what, const double *found, const double *expected, size_t n,
                         double tolerance)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs(found[i] - expected[i]) <= tolerance * fmax(1, fabs(expected[i]))))
            fail_msg("%s %zu is %.17g, not %.17g", what, i, found[i], expected[i]);
}

static const struct {
    const char *name;
    enum kg_activation kind;
    size_t count;
    double expected[WIDTH * TOKENS];
} expected[] = {
    {"layernorm",
     KG_ATTENTION_NORM,
     8,
     {-1.588873524709214, -1.5264716232658775, 0.40572728281768866, 0.12413842418060528,
      -1.385818219371419, -1.6653460191152396, 0.3055461471598152, 0.07862821891758154}},
    {"probability", KG_PROBABILITIES, 4, {1.0, 0.0, 0.6142997293246755, 0.38570027067532453}},
    {"attended",
     KG_ATTENDED,
     8,
     {-0.5868532328688327, -2.101202489753655, -1.6837158677507196, 0.28177135820867627,
      -0.5139166670894391, -2.0957071801190983, -1.7570646259985754, 0.19649416801704528}},
    {"result",
     KG_RESULT,
     8,
     {1.254282322990973, 3.296141613687521, 2.307543505695624, -0.802599459650728,
      0.27874545006034235, 2.2406347204576904, 2.1424947620826673, 0.07455500006966242}},
};
static const double expected_loss = 9.372867621351396;

/* No table has gelu's values in tanh's approximation. These are computed by hand: x / (1 + exp(-2
 * z)). */
static const double gelu_at[][2] = {{1, 0.8411919906082768}, {-2, -0.04540230591222494}};

static void doubles_check(struct doubles *two)
{
    kg_reference_forward(&two->slice, text);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        values_agree(expected[i].name,
                     kg_reference_slice_activation(&two->slice, expected[i].kind, 0),
                     expected[i].expected, expected[i].count, 1e-13);
    const double loss = kg_reference_loss(&two->slice, text + 1);
    values_agree("loss", &loss, &expected_loss, 1, 1e-13);
}

static void singles_check(struct singles *two, const struct kg_passes *passes)
{
    passes->forward(&two->slice, text);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const float *x = kg_slice_activation(&two->slice, expected[i].kind, 0);
        double found[WIDTH * TOKENS];
        for (size_t j = 0; j < expected[i].count; j++)
            found[j] = (double)x[j];
        values_agree(expected[i].name, found, expected[i].expected, expected[i].count, 1e-5);
    }
    const double loss = passes->loss(&two->slice, text + 1);
    values_agree("loss", &loss, &expected_loss, 1, 1e-5);
}

static void two_tokens_give_what_the_formulas_give(void **state)
{
    struct doubles reference;
    struct singles plain, fast;
    (void)state;
    doubles_make(&reference);
    doubles_check(&reference);
    doubles_free(&reference);
    singles_make(&plain);
    singles_check(&plain, &kg_passes_plain);
    singles_free(&plain);
    singles_make(&fast);
    singles_check(&fast, &kg_passes_fast);
    singles_free(&fast);
}

/* If its norm is 0 throughout, the first layer's expansion gives its bias. */
static void gelu_is_its_tanh_approximation(void **state)
{
    struct doubles reference;
    struct singles fast;
    (void)state;
    doubles_make(&reference);
    singles_make(&fast);
    const size_t gain = kg_layout_at(&reference.model.parameters, KG_FEED_FORWARD_NORM_GAIN, 0);
    const size_t offset = kg_layout_at(&reference.model.parameters, KG_FEED_FORWARD_NORM_BIAS, 0);
    const size_t bias = kg_layout_at(&reference.model.parameters, KG_EXPAND_BIAS, 0);
    for (size_t i = 0; i < WIDTH; i++) {
        reference.parameters[gain + i] = reference.parameters[offset + i] = 0;
        fast.parameters[gain + i] = fast.parameters[offset + i] = 0;
    }
    for (size_t i = 0; i < sizeof gelu_at / sizeof *gelu_at; i++) {
        reference.parameters[bias + i] = gelu_at[i][0];
        fast.parameters[bias + i] = (float)gelu_at[i][0];
    }
    kg_reference_forward(&reference.slice, text);
    kg_passes_fast.forward(&fast.slice, text);
    for (size_t i = 0; i < sizeof gelu_at / sizeof *gelu_at; i++) {
        const double found = (double)kg_slice_activation(&fast.slice, KG_HIDDEN, 0)[i];
        values_agree("reference's gelu",
                     kg_reference_slice_activation(&reference.slice, KG_HIDDEN, 0) + i,
                     &gelu_at[i][1], 1, 1e-14);
        values_agree("fast gelu", &found, &gelu_at[i][1], 1, 1e-6);
    }
    doubles_free(&reference);
    singles_free(&fast);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_tokens_give_what_the_formulas_give),
        cmocka_unit_test(gelu_is_its_tanh_approximation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
