/* Outputs that are too large for the caches are written past them, whole lines and a rest. */
#include "common/streaming.h"
#include "kernels/kernel_trial.h"

static void large_arrays_of_any_length(void **state)
{
    static const char *const names[] = {"copy", "triad", "xor_transform"};
    char bytes[32];
    (void)state;
    snprintf(bytes, sizeof bytes, "%lluB", (unsigned long long)KG_STREAM_BYTES_LEAST + 24);
    for (size_t n = 0; n < 3; n++)
        versions_pass(names[n], &(struct kg_pair){"bytes", bytes}, 1);
}

/* Rows of whole lines, but no whole blocks of them. */
static void large_matrices(void **state)
{
    static const char *const names[] = {"transpose", "layernorm"};
    const struct kg_pair sizes[] = {{"rows", "1040"}, {"cols", "4112"}};
    (void)state;
    for (size_t n = 0; n < 2; n++)
        versions_pass(names[n], sizes, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_arrays_of_any_length),
        cmocka_unit_test(large_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
