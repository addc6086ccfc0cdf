/* Outputs that are too large for the caches are written past them, whole lines and a rest. */
#include "common/streaming.h"
#include "kernels/kernel_trial.h"

/* The fast version, by three threads. It overwrites the last of `sizes`. */
static void fast_passes(const char *name, struct kg_pair *sizes, size_t count)
{
    struct trial trial;
    sizes[count - 1] = (struct kg_pair){"version", "fast"};
    assert_true(trial_begin(&trial, name, sizes, count, 3));
    trial.workload->run(trial.state);
    if (!trial_check(&trial))
        fail_msg("%s: wrong", name);
    trial_end(&trial);
}

static void large_arrays_of_any_length(void **state)
{
    static const char *const names[] = {"copy", "triad", "xor_transform"};
    char bytes[32];
    (void)state;
    snprintf(bytes, sizeof bytes, "%lluB", (unsigned long long)KG_STREAM_BYTES_LEAST + 24);
    for (size_t n = 0; n < 3; n++)
        fast_passes(names[n], (struct kg_pair[2]){{"bytes", bytes}}, 2);
}

/* Rows of whole lines, but with incomplete blocks. */
static void large_matrices(void **state)
{
    static const char *const names[] = {"transpose", "layernorm"};
    (void)state;
    for (size_t n = 0; n < 2; n++)
        fast_passes(names[n], (struct kg_pair[3]){{"rows", "1040"}, {"cols", "4112"}}, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_arrays_of_any_length),
        cmocka_unit_test(large_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
