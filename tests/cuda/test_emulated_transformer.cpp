/* transformer_layer and train_epoch in CUDA on the emulator, on small models. */
#include <cstring>
#include <initializer_list>
#include <limits>

#include "cuda/cmocka_cpp.h"
#include "cuda/emulated.h"

#include "kgate/profiler.h"
#include "transformer/transformer.h"

static void layers_of_all_shapes(void **)
{
    static const char *const shapes[][5] = {
        {"1", "1", "4", "1", "backward"},   {"2", "5", "6", "3", "forward"},
        {"1", "33", "12", "2", "backward"}, {"2", "17", "20", "1", "backward"},
        {"1", "66", "24", "2", "forward"},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct emulated_param params[] = {{"batch", shapes[i][0]},
                                                {"seq_len", shapes[i][1]},
                                                {"d_model", shapes[i][2]},
                                                {"num_heads", shapes[i][3]},
                                                {"pass", shapes[i][4]}};
        assert_int_equal(
            emulated_run_versions(&kg_kernel_transformer_layer, params, 5, emulated_seed(i)), 2);
    }
}

/* The losses are there again only where the second run has put them there. */
static void training_spoil(void *state)
{
    struct kg_training *training = static_cast<struct kg_training *>(state);
    for (size_t step = 0; step < training->steps; step++)
        training->losses[step] = std::numeric_limits<float>::quiet_NaN();
}

static void training_agrees_with_the_reference(void **)
{
    static const char *const models[][6] = {{"1", "8", "1", "1", "1", "1"},
                                            {"2", "12", "3", "5", "3", "2"}};
    emulated_spoil(training_spoil);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        const struct emulated_param params[] = {
            {"layers", models[i][0]},  {"d_model", models[i][1]}, {"num_heads", models[i][2]},
            {"seq_len", models[i][3]}, {"batch", models[i][4]},   {"steps", models[i][5]}};
        assert_int_equal(emulated_run_versions(&kg_kernel_train_epoch, params, 6, emulated_seed(i)),
                         2);
    }
    emulated_spoil(nullptr);
}

/* Enough tokens and steps for the check to ask for a fall. */
static void the_loss_of_training_falls(void **)
{
    const struct emulated_param params[] = {
        {"layers", "1"}, {"d_model", "16"}, {"num_heads", "2"},        {"seq_len", "16"},
        {"batch", "16"}, {"steps", "6"},    {"learning_rate", "0.02"}, {"version", "fast"}};
    struct kgate_check check = {};
    assert_true(emulated_run(&kg_kernel_train_epoch, params, 8, emulated_seed(0), &check));
    print_message("final loss over what is asked, or the error over its tolerance: %g\n",
                  check.error);
    assert_true(check.error > 0.5); /* rounding alone is far below: a fall was asked for */
}

static void workloads_can_be_recorded(void **)
{
    /* Seeds that are known: of so few parameters one whose gradient is nearly 0 can be all that
     * differs, and with some seeds too much. That results are right others test. */
    for (const char *version : {"plain", "fast"}) {
        const struct emulated_param layer[] = {{"batch", "2"},       {"seq_len", "9"},
                                               {"d_model", "16"},    {"num_heads", "2"},
                                               {"pass", "backward"}, {"version", version}};
        const struct emulated_param training[] = {
            {"layers", "1"}, {"d_model", "8"}, {"num_heads", "2"},   {"seq_len", "7"},
            {"batch", "2"},  {"steps", "2"},   {"version", version},
        };
        assert_true(emulated_run_recorded(&kg_kernel_transformer_layer, layer, 6, 1));
        assert_true(emulated_run_recorded(&kg_kernel_train_epoch, training, 7, 2));
    }
}

static bool profile_has(const struct kgate_profile_results *results, const char *name,
                        const char *parent, uint64_t calls)
{
    for (size_t i = 0; i < results->path_count; i++) {
        const struct kgate_scope_statistics *path = &results->paths[i];
        if (!strcmp(path->name, name) && !strcmp(results->paths[path->parent].name, parent) &&
            path->calls == calls)
            return true;
    }
    return false;
}

static void a_profile_shows_the_parts_of_training(void **)
{
    const struct emulated_param params[] = {
        {"layers", "2"}, {"d_model", "8"}, {"num_heads", "1"}, {"seq_len", "4"},
        {"batch", "1"},  {"steps", "1"},   {"version", "fast"}};
    static const char *const nested[][2] = {
        {"train_epoch", "train_epoch"},     {"batch_processing", "train_epoch"},
        {"train_step", "batch_processing"}, {"forward_pass", "train_step"},
        {"layer_1", "forward_pass"},        {"attention", "layer_1"},
        {"feed_forward", "layer_0"},        {"loss_computation", "train_step"},
        {"backward_pass", "train_step"},    {"layer_0", "backward_pass"},
        {"optimizer", "batch_processing"}};
    char message[256] = "";
    if (!kgate_profiler_start(nullptr, message))
        fail_msg("%s", message);
    assert_true(emulated_run(&kg_kernel_train_epoch, params, 7, emulated_seed(0), nullptr));
    kgate_profiler_stop();
    struct kgate_profile_results *results = kgate_profiler_results(nullptr, message);
    assert_non_null(results);
    for (const auto &one : nested) /* once in each of the two runs, and in the check after each */
        if (!profile_has(results, one[0], one[1], 4))
            fail_msg("no scope '%s' inside '%s'", one[0], one[1]);
    kgate_profile_results_free(results);
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_of_all_shapes),
        cmocka_unit_test(training_agrees_with_the_reference),
        cmocka_unit_test(the_loss_of_training_falls),
        cmocka_unit_test(workloads_can_be_recorded),
        cmocka_unit_test(a_profile_shows_the_parts_of_training),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
