/* Training against the test's own run in double precision, and the check's answers to runs with one
 * mistake each. */
#include "kernels/kernel_trial.h"
#include "transformer/passes.h"
#include "transformer/training_check.h"

enum { STEPS = 14 };

static const struct kg_pair small[] = {
    {"layers", "2"}, {"d_model", "16"}, {"num_heads", "2"},         {"seq_len", "8"},
    {"batch", "4"},  {"steps", "14"},   {"learning_rate", "0.002"},
};
enum { SMALL = sizeof small / sizeof *small };

/* Possible mistakes of a run; none is all zeros. */
struct mistake {
    const char *name;
    double beta1;   /* added to the right value */
    double beta2;   /* added to the right value */
    double decay;   /* added to the right value */
    double epsilon; /* added to the right value */
    bool no_warm_up;
    bool no_correction;
    bool half;         /* updates the first half of the parameters alone */
    bool same_text;    /* all steps but the last on the first one's text */
    size_t skipped_by; /* no update in every skipped_by-th step */
    bool last_skipped; /* no update in the last step */
};

struct run {
    struct kg_reference_slice slice;
    double *parameters;
    double *moment1;
    double *moment2;
    double losses[STEPS];
};

static double *reals(size_t n)
{
    double *x = calloc(n, sizeof *x);
    assert_non_null(x);
    return x;
}

static void update(struct run *run, const struct kg_training *training, size_t step,
                   const struct mistake *mistake)
{
    const double t = (double)step + 1, b1 = 0.9 + mistake->beta1, b2 = 0.999 + mistake->beta2;
    const double correction1 = mistake->no_correction ? 1 : 1 - pow(b1, t);
    const double correction2 = mistake->no_correction ? 1 : 1 - pow(b2, t);
    const double warm_up = mistake->no_warm_up ? 1 : fmin(1, t / 10);
    const size_t floats = training->model.parameters.floats;
    for (size_t i = 0; i < (mistake->half ? floats / 2 : floats); i++) {
        const double g = run->slice.gradients[i];
        run->moment1[i] = b1 * run->moment1[i] + (1 - b1) * g;
        run->moment2[i] = b2 * run->moment2[i] + (1 - b2) * g * g;
        const double direction = run->moment1[i] / correction1 /
                                 (sqrt(run->moment2[i] / correction2) + 1e-8 + mistake->epsilon);
        run->parameters[i] -= training->learning_rate * warm_up *
                              (direction + (0.01 + mistake->decay) * run->parameters[i]);
    }
}

/* All steps of an initialised training; the whole batch is one slice. */
static struct run run_make(const struct kg_training *training, const struct mistake *mistake)
{
    const struct kg_model *model = &training->model;
    const size_t rows = training->batch * model->seq_len, floats = model->parameters.floats;
    struct run run = {
        .parameters = reals(floats), .moment1 = reals(floats), .moment2 = reals(floats)};
    run.slice = (struct kg_reference_slice){
        .model = model,
        .sequences = training->batch,
        .rows = rows,
        .layout = kg_activations_layout(model, rows),
        .parameters = run.parameters,
        .gradients = reals(floats),
        .stream = reals(rows * model->d_model),
        .scratch = reals(kg_slice_scratch(model, rows)),
        .loss_scale = 1 / (double)rows,
    };
    run.slice.activations = reals(run.slice.layout.floats);
    for (size_t i = 0; i < floats; i++)
        run.parameters[i] = (double)training->initial[i];
    assert_int_equal(training->steps, STEPS);
    for (size_t step = 0; step < STEPS; step++) {
        const size_t number = mistake->same_text && step + 1 < STEPS ? 0 : step;
        const uint8_t *text = training->text + number * rows;
        kg_reference_forward(&run.slice, text);
        run.losses[step] = kg_reference_loss(&run.slice, text + 1) / (double)rows;
        kg_reference_backward(&run.slice, text);
        const size_t by = mistake->skipped_by;
        if (!(by && step % by == by / 2) && !(mistake->last_skipped && step + 1 == STEPS))
            update(&run, training, step, mistake);
    }
    return run;
}

static void run_free(struct run *run)
{
    free(run->parameters);
    free(run->moment1);
    free(run->moment2);
    free(run->slice.activations);
    free(run->slice.gradients);
    free(run->slice.stream);
    free(run->slice.scratch);
}

/* The run as if it were the workload's. */
static void run_put(const struct run *run, struct kg_training *training)
{
    for (size_t i = 0; i < training->model.parameters.floats; i++) {
        training->parameters[i] = (float)run->parameters[i];
        training->gradients[i] = (float)run->slice.gradients[i];
        training->moment1[i] = (float)run->moment1[i];
        training->moment2[i] = (float)run->moment2[i];
    }
    for (size_t step = 0; step < STEPS; step++)
        training->losses[step] = (float)run->losses[step];
}

/* Measured errors: 1e-7 of a loss, 2e-6 of a parameter. Gradients of the keys' biases are only
 * rounding, and AdamW turns them into steps, so they are skipped. */
static void training_agrees(const struct kg_training *training, const struct run *run)
{
    const size_t d = training->model.d_model;
    struct kg_tensor tensor;
    for (size_t step = 0; step < STEPS; step++)
        if (!(fabs((double)training->losses[step] - run->losses[step]) <= 3e-6))
            fail_msg("loss %zu is %.9g, not %.9g", step, (double)training->losses[step],
                     run->losses[step]);
    for (size_t k = 0; kg_layout_tensor(&training->model.parameters, &training->model, k, &tensor);
         k++)
        for (size_t i = 0; i < tensor.rows * tensor.columns; i++) {
            const size_t at = tensor.offset + i;
            if (tensor.kind == KG_QKV_BIAS && i >= d && i < 2 * d)
                continue;
            if (!(fabs((double)training->parameters[at] - run->parameters[at]) <= 1e-5))
                fail_msg("%s[%zu] of layer %zu is %.9g, not %.9g", tensor.name, i, tensor.layer,
                         (double)training->parameters[at], run->parameters[at]);
        }
}

static void training_is_adamw_on_the_models_gradients(void **state)
{
    static const char *const versions[] = {"plain", "fast"};
    (void)state;
    for (size_t v = 0; v < 2; v++) {
        struct kg_pair pairs[SMALL + 1];
        struct trial trial;
        memcpy(pairs, small, sizeof small);
        pairs[SMALL] = (struct kg_pair){"version", versions[v]};
        assert_true(trial_begin(&trial, "train_epoch", pairs, SMALL + 1, 2));
        trial.workload->run(trial.state);
        struct run run = run_make(trial.state, &(struct mistake){.name = "none"});
        training_agrees(trial.state, &run);
        run_free(&run);
        trial_end(&trial);
    }
}

static void a_mistake_in_training_is_wrong(void **state)
{
    static const struct mistake mistakes[] = {
        {.name = "beta1", .beta1 = -0.01},
        {.name = "beta2", .beta2 = -0.009},
        {.name = "decay", .decay = 0.09},
        {.name = "epsilon", .epsilon = 1e-5},
        {.name = "no warm-up", .no_warm_up = true},
        {.name = "no correction", .no_correction = true},
        {.name = "half of the parameters", .half = true},
        {.name = "the same text", .same_text = true},
        {.name = "one step of ten skipped", .skipped_by = 10},
        {.name = "the last step skipped", .last_skipped = true},
    };
    struct trial trial;
    (void)state;
    assert_true(trial_begin(&trial, "train_epoch", small, SMALL, 1));
    struct run right = run_make(trial.state, &(struct mistake){.name = "none"});
    run_put(&right, trial.state);
    assert_true(trial_check(&trial));
    run_free(&right);
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct run wrong = run_make(trial.state, &mistakes[i]);
        run_put(&wrong, trial.state);
        if (trial_check(&trial))
            fail_msg("%s: passes", mistakes[i].name);
        run_free(&wrong);
    }
    trial_end(&trial);
}

static float *largest(float *x, size_t n)
{
    size_t at = 0;
    for (size_t i = 1; i < n; i++)
        at = fabsf(x[i]) > fabsf(x[at]) ? i : at;
    return &x[at];
}

/* Changes one value of each result a little: the check must fail. */
static void all_that_is_left_is_compared(void **state)
{
    struct trial trial;
    struct kg_tensor tensor;
    (void)state;
    assert_true(trial_begin(&trial, "train_epoch", small, SMALL, 1));
    trial.workload->run(trial.state);
    struct kg_training *training = trial.state;
    for (size_t step = 0; step < STEPS; step++) {
        const float kept = training->losses[step];
        training->losses[step] *= 1.001F;
        if (trial_check(&trial))
            fail_msg("loss %zu spoiled passes", step);
        training->losses[step] = kept;
    }
    for (size_t k = 0; kg_layout_tensor(&training->model.parameters, &training->model, k, &tensor);
         k++) {
        float *const states[] = {training->parameters, training->moment1, training->moment2};
        for (size_t s = 0; s < 3; s++) {
            float *value = largest(states[s] + tensor.offset, tensor.rows * tensor.columns);
            const float kept = *value;
            *value = kept + (s == 0 ? 0.005F : 2 * kept);
            if (trial_check(&trial))
                fail_msg("%s, state %zu spoiled passes", tensor.name, s);
            *value = kept;
        }
    }
    assert_true(trial_check(&trial));
    trial_end(&trial);
}

static void the_first_steps_are_replayed(void **state)
{
    struct kg_training training = {
        .model = kg_model_make(2, 16, 2, 8), .batch = 4, .steps = 100, .learning_rate = 0.0001};
    (void)state;
    assert_int_equal(kg_training_replayed_steps(&training), 100);
    training.steps = 5;
    assert_int_equal(kg_training_replayed_steps(&training), 5);
    training.steps = 100;
    training.batch = 100000; /* too long */
    assert_int_equal(kg_training_replayed_steps(&training), KG_REPLAY_STEPS);
    training.batch = 4;
    training.learning_rate = 1; /* after the first update all is different */
    assert_int_equal(kg_training_replayed_steps(&training), 2);
}

/* Models cannot learn at these rates, but the computation is right. */
static void no_rate_is_too_high(void **state)
{
    static const char *const rates[] = {"0.000001", "0.02", "0.05", "0.1", "0.3", "1"};
    static const char *const widths[] = {"4", "32"};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof rates / sizeof *rates; i++) {
        const struct kg_pair pairs[] = {{"d_model", widths[i % 2]},
                                        {"num_heads", "1"},
                                        {"seq_len", "16"},
                                        {"steps", "80"},
                                        {"batch", "4"},
                                        {"learning_rate", rates[i / 2]}};
        struct trial trial;
        assert_true(trial_begin(&trial, "train_epoch", pairs, 6, 1));
        trial.workload->run(trial.state);
        if (!trial_check(&trial))
            fail_msg("%s wide at the rate of %s: wrong", widths[i % 2], rates[i / 2]);
        trial_end(&trial);
    }
}

/* For three seeds a parameter's gradient is nearly 0 in one step, so AdamW follows its rounding.
 * The others are ordinary seeds. */
static void a_gradient_that_is_nearly_0_is_no_error(void **state)
{
    static const uint64_t seeds[] = {90, 406, 721, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof seeds / sizeof *seeds; i++) {
        const struct kg_pair pairs[] = {{"layers", "1"},
                                        {"d_model", "8"},
                                        {"num_heads", "2"},
                                        {"seq_len", "7"},
                                        {"batch", "2"},
                                        {"steps", "2"},
                                        {"version", i % 2 ? "fast" : "plain"}};
        struct trial trial;
        assert_true(trial_begin_seeded(&trial, "train_epoch", pairs, 7, 1, seeds[i / 2]));
        trial.workload->run(trial.state);
        if (!trial_check(&trial))
            fail_msg("%s, seed %llu: wrong", i % 2 ? "fast" : "plain",
                     (unsigned long long)seeds[i / 2]);
        trial_end(&trial);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training_is_adamw_on_the_models_gradients),
        cmocka_unit_test(a_mistake_in_training_is_wrong),
        cmocka_unit_test(all_that_is_left_is_compared),
        cmocka_unit_test(the_first_steps_are_replayed),
        cmocka_unit_test(no_rate_is_too_high),
        cmocka_unit_test(a_gradient_that_is_nearly_0_is_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
