/* softmax's and layernorm's CUDA versions on the emulator: lengths of rows on both sides of every
 * change of path, whatever the count of rows. */
#include <cstdio>
#include <initializer_list>

#include "cuda/cmocka_cpp.h"
#include "cuda/emulated.h"

#include "layernorm/layernorm.h"
#include "softmax/softmax.h"
#include "base/random.h"

static const struct kgate_workload *const families[] = {&kg_kernel_softmax, &kg_kernel_layernorm};

/* `version` of a family, or all where that is NULL. */
static void family_passes(const struct kgate_workload *family, size_t rows, size_t cols,
                          const char *version, uint64_t seed)
{
    char rows_text[24], cols_text[24];
    snprintf(rows_text, sizeof rows_text, "%zu", rows);
    snprintf(cols_text, sizeof cols_text, "%zu", cols);
    const struct emulated_param params[] = {
        {"rows", rows_text}, {"cols", cols_text}, {"version", version}};
    if (version)
        assert_true(emulated_run(family, params, 3, seed, nullptr));
    else
        assert_int_equal(emulated_run_versions(family, params, 2, seed), 2);
}

static void versions_pass(size_t rows, size_t cols, uint64_t seed)
{
    for (const struct kgate_workload *family : families)
        family_passes(family, rows, cols, nullptr, seed);
}

static void rows_about_every_change_of_path(void **)
{
    /* The most that each of the paths in registers takes. */
    static const size_t edges[] = {8, 32, 128, 256, 512, 1024, 2048, 4096, 8192, 16384};
    struct kg_random random = {emulated_seed(0)};
    for (size_t cols = 1; cols <= 5; cols++)
        versions_pass(cols, cols, kg_random_next(&random));
    for (size_t edge : edges)
        for (size_t cols : {edge - 1, edge, edge + 1, edge + 4}) {
            const size_t most = edge < 1000 ? 6 : 2;
            versions_pass(1 + kg_random_below(&random, most), cols, kg_random_next(&random));
        }
}

static void shapes_at_random(void **)
{
    for (size_t i = 0; i < 15; i++) {
        struct kg_random random = {emulated_seed(i)};
        const size_t cols = 1 + kg_random_below(&random, UINT64_C(1) << (1 + i % 15));
        versions_pass(1 + kg_random_below(&random, 1 + 4096 / (cols + 400)), cols, random.state);
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
    /* The emulated block may have 227 KiB, of which the kernel takes 128 bytes for itself. */
    const size_t most = (227 * 1024 - 128) / sizeof(float);
    struct kg_random random = {emulated_seed(0)};
    for (size_t cols : {(size_t)16385, (size_t)20000, most, most - 1})
        versions_pass(1 + kg_random_below(&random, 2), cols, kg_random_next(&random));
}

static void shared_memory_that_is_refused_is_noted_by_set_up(void **)
{
    const struct emulated_param params[] = {{"rows", "1"}, {"cols", "20000"}};
    for (const struct kgate_workload *family : families)
        emulated_refused(family, params, 2, 1);
}

static void rows_in_parts(void **)
{
    static const size_t shapes[][2] = {{1, 58081}, {1, 58084}, {2, 100000}, {7, 65537}};
    struct kg_random random = {emulated_seed(0)};
    for (const size_t *shape : shapes)
        versions_pass(shape[0], shape[1], kg_random_next(&random));
    /* More parts than a block has threads. */
    for (const struct kgate_workload *family : families)
        family_passes(family, 1, 1100003, "fast", kg_random_next(&random));
}

static void rows_that_only_device_memory_holds(void **)
{
    struct kg_random random = {emulated_seed(0)};
    family_passes(&kg_kernel_softmax, 256, 58084, "fast", kg_random_next(&random));
    family_passes(&kg_kernel_layernorm, 257, 58081, "fast", kg_random_next(&random));
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_about_every_change_of_path),
        cmocka_unit_test(shapes_at_random),
        cmocka_unit_test(counts_of_rows_that_leave_lanes_over),
        cmocka_unit_test(rows_in_shared_memory),
        cmocka_unit_test(shared_memory_that_is_refused_is_noted_by_set_up),
        cmocka_unit_test(rows_in_parts),
        cmocka_unit_test(rows_that_only_device_memory_holds),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
