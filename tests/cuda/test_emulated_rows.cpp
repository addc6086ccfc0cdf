/* softmax's and layernorm's CUDA versions on the emulator: lengths of rows on both sides of every
 * change of path, whatever the count of rows. */
#include <cstdio>

#include "cuda/cmocka_cpp.h"
#include "cuda/emulated.h"

#include "layernorm/layernorm.h"
#include "softmax/softmax.h"
#include "util/random.h"

static const struct kgate_workload *const families[] = {&kg_kernel_softmax, &kg_kernel_layernorm};

static void versions_pass(size_t rows, size_t cols, uint64_t seed)
{
    char rows_text[24], cols_text[24];
    snprintf(rows_text, sizeof rows_text, "%zu", rows);
    snprintf(cols_text, sizeof cols_text, "%zu", cols);
    const struct emulated_param params[] = {{"rows", rows_text}, {"cols", cols_text}};
    for (const struct kgate_workload *family : families)
        assert_int_equal(emulated_run_versions(family, params, 2, seed), 2);
}

static void rows_about_every_change_of_path(void **)
{
    /* The most that each of the paths in registers takes. */
    static const size_t edges[] = {8, 32, 128, 256, 512, 1024, 2048, 4096, 8192, 16384};
    struct kg_random random = {emulated_seed(0)};
    for (size_t cols = 1; cols <= 5; cols++)
        versions_pass(cols, cols, kg_random_next(&random));
    for (size_t edge : edges)
        for (size_t cols = edge - 4; cols <= edge + 4; cols++) {
            const size_t most = edge < 1000 ? 10 : 3;
            versions_pass(1 + kg_random_below(&random, most), cols, kg_random_next(&random));
        }
}

static void shapes_at_random(void **)
{
    for (size_t i = 0; i < 30; i++) {
        struct kg_random random = {emulated_seed(i)};
        const size_t cols = 1 + kg_random_below(&random, UINT64_C(1) << (1 + i % 15));
        versions_pass(1 + kg_random_below(&random, 1 + 8192 / (cols + 400)), cols, random.state);
    }
}

static void counts_of_rows_that_leave_lanes_over(void **)
{
    /* A block takes 64, 16 or 4 rows of so many elements. */
    static const size_t cols[] = {3, 8, 21, 24, 60, 101};
    struct kg_random random = {emulated_seed(0)};
    for (size_t length : cols) {
        versions_pass(5 + kg_random_below(&random, 10), length, kg_random_next(&random));
        versions_pass(63 + kg_random_below(&random, 5), length, kg_random_next(&random));
    }
}

static void rows_in_shared_memory(void **)
{
    static const size_t lengths[] = {16385, 16388, 20000, 40001, 58044, 58048, 58049};
    struct kg_random random = {emulated_seed(0)};
    for (size_t cols : lengths)
        versions_pass(1 + kg_random_below(&random, 3), cols, kg_random_next(&random));
}

static void rows_in_parts(void **)
{
    static const size_t shapes[][2] = {{1, 58113},  {1, 58116}, {1, 300007}, {1, 2200000},
                                       {2, 100000}, {7, 65537}, {30, 60004}};
    struct kg_random random = {emulated_seed(0)};
    for (const size_t *shape : shapes)
        versions_pass(shape[0], shape[1], kg_random_next(&random));
}

static void rows_that_only_device_memory_holds(void **)
{
    struct kg_random random = {emulated_seed(0)};
    versions_pass(257, 58113, kg_random_next(&random));
    versions_pass(256, 58116, kg_random_next(&random));
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_about_every_change_of_path),
        cmocka_unit_test(shapes_at_random),
        cmocka_unit_test(counts_of_rows_that_leave_lanes_over),
        cmocka_unit_test(rows_in_shared_memory),
        cmocka_unit_test(rows_in_parts),
        cmocka_unit_test(rows_that_only_device_memory_holds),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
