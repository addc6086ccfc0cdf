/* The pairs that judge suggestions: both versions of each give the same result, and a check fails
 * before any run. */
#include "test_support.h"

#include "studies/suggestions/pairs.h"

const struct kgate_plugin *kgate_plugin_workloads(void);

enum { PARAMS_MOST = 4, SMALL = 40, THREADS = 3 };

static void *allocate(struct kgate_context *context, size_t bytes)
{
    (void)context;
    const size_t whole = (bytes + 63) / 64 * 64;
    void *memory = aligned_alloc(64, whole ? whole : 64);
    return memory ? memset(memory, 0, whole) : NULL;
}

static void release(struct kgate_context *context, void *memory)
{
    (void)context;
    free(memory);
}

/* Small sizes: each number at most SMALL. */
static void values_fill(const struct kgate_workload *workload, int64_t version,
                        struct kgate_value values[PARAMS_MOST])
{
    for (size_t i = 0; i < workload->param_count; i++) {
        const struct kgate_param *param = &workload->params[i];
        const int64_t usual = strtoll(param->default_text, NULL, 10);
        values[i].integer = param->type == KGATE_PARAM_CHOICE ? version
                            : usual < SMALL                   ? usual
                                                              : SMALL;
    }
}

static int64_t version_count(const struct kgate_workload *workload)
{
    int64_t count = 0;
    for (size_t i = 0; i < workload->param_count; i++)
        while (workload->params[i].choices && workload->params[i].choices[count])
            count++;
    return count ? count : 1;
}

static bool right(const struct kgate_workload *workload, struct kgate_context *context, void *state)
{
    struct kgate_check check = {.error = 1e300, .tolerance = 0};
    assert_true(workload->check(context, state, &check));
    return check.error <= check.tolerance;
}

static void version_test(const struct kgate_workload *workload, int64_t version)
{
    struct kgate_value values[PARAMS_MOST];
    struct kgate_context context = {.values = values,
                                    .device = KGATE_DEVICE_CPU,
                                    .threads = THREADS,
                                    .seed = 7,
                                    .allocate = allocate,
                                    .release = release};
    struct kgate_work work = {0};
    void *state = NULL;
    values_fill(workload, version, values);
    assert_true(workload->describe(&context, &work));
    assert_true(work.items > 0);
    if (!workload->set_up(&context, &state)) {
        print_message("%s: %s\n", workload->name, context.message);
        assert_true(context.unavailable);
        return;
    }
    if (right(workload, &context, state))
        fail_msg("%s, version %d: what was never run passes", workload->name, (int)version);
    for (int i = 0; i < 3; i++) {
        workload->run(state);
        if (!right(workload, &context, state))
            fail_msg("%s, version %d: wrong after call %d", workload->name, (int)version, i + 1);
    }
    workload->tear_down(&context, state);
}

static void both_versions_of_each_pair_are_right_and_none_before_it_ran(void **state)
{
    const struct kgate_plugin *plugin = kgate_plugin_workloads();
    for (size_t i = 0; i < plugin->workload_count; i++) {
        const struct kgate_workload *workload = plugin->workloads[i];
        assert_true(workload->param_count <= PARAMS_MOST);
        for (int64_t version = 0; version < version_count(workload); version++)
            version_test(workload, version);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_versions_of_each_pair_are_right_and_none_before_it_ran),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
