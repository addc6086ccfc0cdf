/* transformer_layer and train_epoch through their own tables, and their parts: layouts, text,
 * AdamW. */
#include "kernels/kernel_trial.h"
#include "transformer/adamw.h"
#include "transformer/check.h"
#include "transformer/slices.h"
#include "transformer/text.h"
#include "transformer/training_check.h"
#include "transformer/transformer.h"

/* In double: cmocka's own goes through float. */
static void assert_near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("%.17g, not %.17g", found, expected);
}

/* --- The workloads ---------------------------------------------------------------------------- */

static void layers_of_any_shape(void **state)
{
    static const char *const shapes[][4] = {/* batch, seq_len, d_model, num_heads */
                                            {"1", "1", "4", "1"},    {"1", "2", "6", "3"},
                                            {"3", "7", "10", "2"},   {"5", "65", "12", "4"},
                                            {"17", "3", "33", "11"}, {"2", "130", "16", "1"},
                                            {"2000", "2", "4", "1"}};
    static const char *const passes[] = {"forward", "backward"};
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t p = 0; p < 2; p++) {
            const struct kg_pair sizes[] = {{"batch", shapes[s][0]},
                                            {"seq_len", shapes[s][1]},
                                            {"d_model", shapes[s][2]},
                                            {"num_heads", shapes[s][3]},
                                            {"pass", passes[p]}};
            versions_pass("transformer_layer", sizes, 5);
        }
}

static void models_of_any_shape_train(void **state)
{
    static const char *const shapes[][6] = {/* layers, d_model, num_heads, seq_len, batch, steps */
                                            {"1", "4", "1", "2", "1", "1"},
                                            {"1", "5", "5", "1", "1", "3"},
                                            {"3", "10", "5", "7", "3", "5"},
                                            {"2", "12", "2", "67", "2", "4"},
                                            {"1", "8", "2", "5", "19", "2"}};
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        const struct kg_pair sizes[] = {{"layers", shapes[s][0]},    {"d_model", shapes[s][1]},
                                        {"num_heads", shapes[s][2]}, {"seq_len", shapes[s][3]},
                                        {"batch", shapes[s][4]},     {"steps", shapes[s][5]}};
        versions_pass("train_epoch", sizes, 6);
    }
}

static const struct kg_pair learning[] = {
    {"layers", "2"}, {"d_model", "32"}, {"num_heads", "2"},         {"seq_len", "16"},
    {"batch", "8"},  {"steps", "48"},   {"learning_rate", "0.002"},
};
enum { LEARNING = sizeof learning / sizeof *learning };

static void a_model_learns(void **state)
{
    struct trial trial;
    (void)state;
    assert_true(trial_begin(&trial, "train_epoch", learning, LEARNING, 2));
    trial.workload->run(trial.state);
    const struct kg_training *training = trial.state;
    const double initial = (double)training->losses[0], final = kg_training_final_loss(training);
    print_message("loss %.3f to %.3f, unigram %.3f\n", initial, final, training->unigram_entropy);
    assert_true(fabs(initial - log(KG_MODEL_VOCABULARY)) < 0.2);
    assert_true(final < initial - 1);
    assert_true(isfinite(kg_training_demanded_loss(training)));
    assert_true(trial_check(&trial));
    trial_end(&trial);
}

/* Bit for bit, so that any dependence on the threads shows. */
static void losses_do_not_depend_on_the_threads(void **state)
{
    float losses[2][48];
    (void)state;
    for (unsigned t = 0; t < 2; t++) {
        struct trial trial;
        assert_true(trial_begin(&trial, "train_epoch", learning, LEARNING, t == 0 ? 1 : 3));
        trial.workload->run(trial.state);
        memcpy(losses[t], ((struct kg_training *)trial.state)->losses, sizeof losses[t]);
        trial_end(&trial);
    }
    assert_memory_equal(losses[0], losses[1], sizeof losses[0]);
}

static void a_second_run_repeats_the_first(void **state)
{
    struct trial trial;
    float first[48];
    (void)state;
    assert_true(trial_begin(&trial, "train_epoch", learning, LEARNING, 1));
    const struct kg_training *training = trial.state;
    trial.workload->run(trial.state);
    memcpy(first, training->losses, sizeof first);
    trial.workload->run(trial.state);
    assert_memory_equal(first, training->losses, sizeof first);
    trial_end(&trial);
}

static double reported(const struct trial *trial, const char *name)
{
    for (size_t i = 0; i < trial->host.report_count; i++)
        if (!strcmp(trial->host.reports[i].name, name))
            return trial->host.reports[i].value;
    fail_msg("%s is not reported", name);
    return NAN;
}

static void losses_are_reported(void **state)
{
    struct trial trial;
    (void)state;
    assert_true(trial_begin(&trial, "train_epoch", learning, LEARNING, 1));
    assert_int_equal(trial.host.report_count, 0);
    trial.workload->run(trial.state);
    const struct kg_training *training = trial.state;
    assert_near(reported(&trial, "initial_loss"), (double)training->losses[0], 0);
    assert_near(reported(&trial, "final_loss"), kg_training_final_loss(training), 0);
    assert_near(reported(&trial, "unigram_entropy"), training->unigram_entropy, 0);
    trial_end(&trial);
}

/* Multiplies one float by a factor, then sets it to NaN. The check must fail each time. */
static void damage(struct trial *trial, const char *what, float *value, float factor)
{
    const float good = *value;
    *value = good * factor;
    if (trial_check(trial))
        fail_msg("%s: %g in place of %g passes", what, (double)*value, (double)good);
    *value = NAN;
    if (trial_check(trial))
        fail_msg("%s: NaN passes", what);
    *value = good;
}

/* The largest of a tensor: an error is relative to it. */
static float *largest(float *x, size_t n)
{
    size_t at = 0;
    for (size_t i = 1; i < n; i++)
        at = fabsf(x[i]) > fabsf(x[at]) ? i : at;
    return &x[at];
}

static void damaged_training_is_wrong(void **state)
{
    static const struct kg_pair pairs[] = {
        {"d_model", "16"}, {"num_heads", "2"}, {"seq_len", "8"}, {"batch", "4"}, {"steps", "3"}};
    struct trial trial;
    struct kg_tensor tensor;
    (void)state;
    assert_true(trial_begin(&trial, "train_epoch", pairs, 5, 1));
    trial.workload->run(trial.state);
    struct kg_training *training = trial.state;
    assert_true(trial_check(&trial));
    for (size_t i = 0; kg_layout_tensor(&training->model.parameters, &training->model, i, &tensor);
         i++)
        damage(&trial, tensor.name,
               largest(training->gradients + tensor.offset, tensor.rows * tensor.columns), 1.01F);
    damage(&trial, "first loss", &training->losses[0], 1.01F);
    damage(&trial, "last loss", &training->losses[training->steps - 1], 1.01F);
    damage(&trial, "weight", training->parameters + training->model.parameters.layers_at, 2);
    trial_end(&trial);
}

static void a_loss_that_does_not_fall_is_wrong(void **state)
{
    struct trial trial;
    (void)state;
    assert_true(trial_begin(&trial, "train_epoch", learning, LEARNING, 1));
    trial.workload->run(trial.state);
    struct kg_training *training = trial.state;
    for (size_t i = 1; i < training->steps; i++)
        training->losses[i] = training->losses[0];
    assert_true(kg_training_final_loss(training) > kg_training_demanded_loss(training));
    assert_false(trial_check(&trial));
    trial_end(&trial);
}

static struct kg_training training_of(size_t d_model, size_t steps, double rate, float *losses)
{
    return (struct kg_training){
        .model = kg_model_make(1, d_model, 1, 64),
        .batch = 64,
        .steps = steps,
        .learning_rate = rate,
        .unigram_entropy = 2.5,
        .losses = losses,
    };
}

static void more_is_asked_of_longer_runs(void **state)
{
    float losses[200] = {4.8F};
    struct kg_training training = training_of(64, 20, 0.001, losses);
    (void)state;
    assert_true(isinf(kg_training_demanded_loss(&training))); /* too short */
    training = training_of(32, 46, 0.001, losses);
    assert_near(kg_training_demanded_loss(&training), 4.8 - 2 * 0.001 * (45 - 4.5), 1e-6);
    training = training_of(32, 200, 0.01, losses);
    assert_near(kg_training_demanded_loss(&training), 4.3, 1e-6);
    training = training_of(32, 200, 0.03, losses); /* too high */
    assert_true(isinf(kg_training_demanded_loss(&training)));
    training = training_of(64, 200, 0.001, losses);
    assert_near(kg_training_demanded_loss(&training), 2.5, 0);
    training.batch = training.model.seq_len = 1; /* 50 tokens in the last quarter */
    assert_true(isinf(kg_training_demanded_loss(&training)));
}

static void damaged_layers_are_wrong(void **state)
{
    static const struct kg_pair pairs[] = {
        {"batch", "3"}, {"seq_len", "9"}, {"d_model", "12"}, {"pass", "backward"}};
    struct trial trial;
    struct kg_tensor tensor;
    (void)state;
    assert_true(trial_begin(&trial, "transformer_layer", pairs, 4, 1));
    trial.workload->run(trial.state);
    struct kg_layer *layer = trial.state;
    assert_true(trial_check(&trial));
    for (size_t i = 0; kg_layout_tensor(&layer->model.parameters, &layer->model, i, &tensor); i++)
        if (tensor.rows > 0)
            damage(&trial, tensor.name,
                   largest(layer->gradients + tensor.offset, tensor.rows * tensor.columns), 1.001F);
    trial_end(&trial);
}

/* Forward has activations, parameters, x and y: no gradients of anything. */
static void forward_has_no_memory_for_gradients(void **state)
{
    static const struct kg_pair pairs[] = {
        {"batch", "3"}, {"seq_len", "9"}, {"d_model", "12"}, {"pass", "forward"}};
    struct trial trial;
    (void)state;
    assert_true(trial_begin(&trial, "transformer_layer", pairs, 4, 1));
    const struct kg_layer *layer = trial.state;
    assert_null(layer->output_gradient);
    assert_null(layer->input_gradient);
    assert_null(layer->gradients);
    trial.workload->run(trial.state);
    assert_true(trial_check(&trial));
    trial_end(&trial);
}

static void impossible_models_are_refused_with_a_reason(void **state)
{
    static const struct {
        const char *workload;
        struct kg_pair pairs[3];
        size_t count;
        const char *reason;
    } cases[] = {
        {"transformer_layer", {{"d_model", "10"}, {"num_heads", "4"}}, 2, "multiple of num_heads"},
        {"train_epoch", {{"d_model", "10"}, {"num_heads", "4"}}, 2, "multiple of num_heads"},
        {"transformer_layer",
         {{"batch", "1000000"}, {"seq_len", "65536"}, {"d_model", "65536"}},
         3,
         "64 GiB"},
        {"train_epoch", {{"batch", "100000"}, {"seq_len", "4096"}}, 2, "64 GiB"},
        {"train_epoch", {{"batch", "1000000"}, {"seq_len", "65536"}}, 2, "text"},
        {"train_epoch", {{"d_model", "65536"}}, 1, "parameters"},
        {"transformer_layer", {{"d_model", "65536"}}, 1, "parameters"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial trial;
        assert_false(trial_begin(&trial, cases[i].workload, cases[i].pairs, cases[i].count, 1));
        if (!strstr(trial.host.context.message, cases[i].reason))
            fail_msg("'%s' says nothing of '%s'", trial.host.context.message, cases[i].reason);
    }
}

static struct kgate_work work_of(const char *name, const struct kg_pair *pairs, size_t count)
{
    struct kgate_value values[TRIAL_PARAMS];
    struct kgate_work work;
    struct kg_error err;
    size_t at;
    const struct kgate_workload *workload = kernel_find(name);
    assert_true(kg_params_resolve(workload, pairs, count, values, &at, &err));
    struct kgate_context context = {.values = values};
    assert_true(workload->describe(&context, &work));
    return work;
}

static void work_is_what_the_header_defines(void **state)
{
    static const struct kg_pair layer[] = {
        {"batch", "2"}, {"seq_len", "3"}, {"d_model", "4"}, {"pass", "backward"}};
    static const struct kg_pair training[] = {
        {"layers", "2"}, {"d_model", "4"}, {"seq_len", "3"}, {"batch", "5"}, {"steps", "7"}};
    /* a layer: norms 4 d, weights 12 d^2, biases 9 d */
    const double parameters = 4 * 4 + 12 * 16 + 9 * 4, forward = 24 * 16 + 4 * 4 * 2;
    (void)state;
    struct kgate_work work = work_of("transformer_layer", layer, 4);
    assert_near(work.items, 6, 0);
    assert_near(work.flops, 3 * 6 * forward, 0);
    assert_near(work.bytes, 4 * 2 * (2 * 6 * 4 + parameters), 0);
    work = work_of("transformer_layer", layer, 3);
    assert_near(work.flops, 6 * forward, 0);
    assert_near(work.bytes, 4 * (2 * 6 * 4 + parameters), 0);
    work = work_of("train_epoch", training, 5);
    const double model = 2 * parameters + 128 * 4 + 3 * 4 + 2 * 4;
    assert_near(work.items, 3 * 5 * 7, 0);
    assert_near(work.flops, 3 * work.items * (2 * forward + 2 * 128 * 4), 0);
    assert_near(work.bytes, 24 * model * 7, 0);
}

/* --- Their parts ------------------------------------------------------------------------------ */

static void tensors_lie_one_after_the_other(void **state)
{
    const struct kg_model model = kg_model_make(3, 10, 2, 7);
    const struct kg_layout activations = kg_activations_layout(&model, 21);
    const struct kg_layout *const layouts[] = {&model.parameters, &activations};
    (void)state;
    for (size_t l = 0; l < 2; l++) {
        struct kg_tensor tensor;
        size_t end = 0, count = 0;
        for (; kg_layout_tensor(layouts[l], &model, count, &tensor); count++) {
            assert_int_equal(tensor.offset % KG_TENSOR_ALIGNMENT, 0);
            assert_in_range(tensor.offset, end, end + KG_TENSOR_ALIGNMENT - 1);
            assert_int_equal(tensor.offset, kg_layout_at(layouts[l], tensor.kind, tensor.layer));
            end = tensor.offset + tensor.rows * tensor.columns;
        }
        assert_in_range(layouts[l]->floats, end, end + KG_TENSOR_ALIGNMENT - 1);
        assert_int_equal(count, l == 0 ? 4 + 3 * 12 : 5 + 3 * 13);
    }
}

static void first_parameters_are_as_documented(void **state)
{
    const struct kg_model model = kg_model_make(2, 64, 2, 32);
    float *parameters = calloc(model.parameters.floats, sizeof *parameters);
    struct kg_tensor tensor;
    (void)state;
    assert_non_null(parameters);
    kg_model_initialize(&model, parameters, 5);
    for (size_t i = 0; kg_layout_tensor(&model.parameters, &model, i, &tensor); i++) {
        const size_t n = tensor.rows * tensor.columns;
        double mean = 0, squares = 0;
        for (size_t j = 0; j < n; j++) {
            mean += (double)parameters[tensor.offset + j] / (double)n;
            squares += pow((double)parameters[tensor.offset + j], 2) / (double)n;
        }
        const bool residual =
            strstr(tensor.name, "projection_weight") || strstr(tensor.name, "contract_weight");
        if (tensor.rows == 1)
            assert_near(mean, strstr(tensor.name, "gain") ? 1 : 0, 0);
        else
            assert_near(sqrt(squares), residual ? 0.01 : 0.02, 0.001);
    }
    free(parameters);
}

static void a_batch_is_cut_by_its_tokens(void **state)
{
    static const size_t cases[][3] = {/* batch, seq_len, slices */
                                      {1, 1000, 1}, {3, 1, 3},      {8, 32, 4},   {16, 64, 4},
                                      {16, 128, 8}, {64, 1024, 16}, {5, 1000, 5}, {100000, 1, 16}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(kg_slices_count(&kg_passes_fast, cases[i][0], cases[i][1]), cases[i][2]);
        assert_int_equal(kg_slices_count(&kg_passes_plain, cases[i][0], cases[i][1]), 1);
    }
}

static void text_is_the_same_for_the_same_seed(void **state)
{
    uint8_t a[5000], b[3000], c[5000];
    (void)state;
    kg_text_fill(a, sizeof a, 7);
    kg_text_fill(b, sizeof b, 7);
    kg_text_fill(c, sizeof c, 8);
    assert_memory_equal(a, b, sizeof b);
    assert_memory_not_equal(a, c, sizeof c);
}

static void text_is_sentences(void **state)
{
    static const char *const words[] = {
        "a",       "ada",   "alan", "and",    "cache",   "cold",   "fast",  "feeds",
        "follows", "grace", "if",   "kernel", "lattice", "matrix", "of",    "queue",
        "reads",   "runs",  "says", "slow",   "sleeps",  "small",  "stops", "stream",
        "that",    "the",   "then", "thinks", "thread",  "vector", "very",  "waits"};
    enum { LENGTH = 200000 };
    char *text = calloc(LENGTH + 1, 1), *rest = NULL;
    size_t sentences = 0;
    (void)state;
    assert_non_null(text);
    kg_text_fill((uint8_t *)text, LENGTH, 4711);
    assert_int_equal(strlen(text), LENGTH);
    *strrchr(text, ' ') = '\0'; /* the last word may be cut off */
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        bool known = false;
        const size_t length = strcspn(word, ".,");
        sentences += word[length] == '.';
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            known |= strlen(words[i]) == length && !strncmp(word, words[i], length);
        if (!known)
            fail_msg("'%s' is no word of the grammar", word);
    }
    assert_in_range(sentences, LENGTH / 120, LENGTH / 20);
    free(text);
}

static void entropy_of_equal_bytes_is_zero(void **state)
{
    static const uint8_t same[] = "aaaaaaaa", two[] = {1, 2, 1, 2};
    (void)state;
    assert_near(kg_text_unigram_entropy(same, 8), 0, 0);
    assert_near(kg_text_unigram_entropy(two, 4), log(2), 1e-15);
}

/* The formulas of adamw.h in double, a hundred steps. */
static void adamw_is_its_formula(void **state)
{
    const double rate = 0.01, b1 = 0.9, b2 = 0.999;
    float parameter = 0.5F, moment1 = 0, moment2 = 0;
    double p = 0.5, m = 0, v = 0;
    (void)state;
    for (size_t t = 1; t <= 100; t++) {
        const double g = sin((double)t), before = (double)parameter;
        const double step_rate = rate * fmin(1, (double)t / 10);
        parameter =
            kg_adamw_update(kg_adamw_scales_of(rate, t), parameter, (float)g, &moment1, &moment2);
        m = b1 * m + (1 - b1) * g;
        v = b2 * v + (1 - b2) * g * g;
        p -=
            step_rate *
            (m / (1 - pow(b1, (double)t)) / (sqrt(v / (1 - pow(b2, (double)t))) + 1e-8) + 0.01 * p);
        assert_near((double)parameter, p, 1e-5);
        assert_near(kg_adamw_undo(rate, t, (double)parameter, (double)moment1, (double)moment2),
                    before, 1e-6);
    }
}

static void errors_are_relative_to_the_largest(void **state)
{
    static const float x[] = {1, 2, 4.5F}, bad[] = {1, NAN, 4};
    static const double reference[] = {1, 2, 4}, zeros[] = {0, 0, 0};
    static const float nothing[] = {0, 0, 0};
    (void)state;
    assert_near(kg_tensor_error(x, reference, 3), 0.125, 1e-15);
    assert_near(kg_tensor_error(nothing, zeros, 3), 0, 0);
    assert_true(isnan(kg_tensor_error(bad, reference, 3)));
    assert_true(isinf(kg_tensor_error(x, zeros, 3)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_of_any_shape),
        cmocka_unit_test(models_of_any_shape_train),
        cmocka_unit_test(a_model_learns),
        cmocka_unit_test(losses_do_not_depend_on_the_threads),
        cmocka_unit_test(a_second_run_repeats_the_first),
        cmocka_unit_test(losses_are_reported),
        cmocka_unit_test(damaged_training_is_wrong),
        cmocka_unit_test(a_loss_that_does_not_fall_is_wrong),
        cmocka_unit_test(more_is_asked_of_longer_runs),
        cmocka_unit_test(damaged_layers_are_wrong),
        cmocka_unit_test(forward_has_no_memory_for_gradients),
        cmocka_unit_test(impossible_models_are_refused_with_a_reason),
        cmocka_unit_test(work_is_what_the_header_defines),
        cmocka_unit_test(tensors_lie_one_after_the_other),
        cmocka_unit_test(first_parameters_are_as_documented),
        cmocka_unit_test(a_batch_is_cut_by_its_tokens),
        cmocka_unit_test(text_is_the_same_for_the_same_seed),
        cmocka_unit_test(text_is_sentences),
        cmocka_unit_test(entropy_of_equal_bytes_is_zero),
        cmocka_unit_test(adamw_is_its_formula),
        cmocka_unit_test(errors_are_relative_to_the_largest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
