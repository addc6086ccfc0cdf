/* The lattice kernels' CUDA versions on the emulator: code for code what the reference gives, on
 * batches that fill no warp and on several blocks, for every lattice and width of code. */
#include <cstdio>
#include <initializer_list>

#include "cuda/cmocka_cpp.h"
#include "cuda/emulated.h"

#include "lattice/lattice.h"
#include "base/random.h"

static const struct kgate_workload *const workloads[] = {
    &kg_kernel_lattice_encode, &kg_kernel_lattice_decode, &kg_kernel_lattice_quantize};

/* A lattice with codes of each of the widths it can have. */
static const struct {
    const char *lattice;
    const char *q;
    const char *layers;
} shapes[] = {{"Z2", "4", "2"},  {"Z2", "2", "5"}, {"Z2", "7", "4"}, {"Z2", "2", "16"},
              {"D4", "3", "1"},  {"D4", "4", "2"}, {"D4", "5", "2"}, {"D4", "16", "4"},
              {"E8", "2", "1"},  {"E8", "4", "1"}, {"E8", "4", "2"}, {"E8", "3", "3"},
              {"E8", "256", "1"}};

static void versions_pass(size_t shape, size_t batch, const char *beta, uint64_t seed)
{
    char text[24];
    snprintf(text, sizeof text, "%zu", batch);
    const struct emulated_param params[] = {{"lattice", shapes[shape].lattice},
                                            {"q", shapes[shape].q},
                                            {"M", shapes[shape].layers},
                                            {"beta", beta},
                                            {"batch", text}};
    for (size_t w = 0; w < 3; w++)
        assert_int_equal(emulated_run_versions(workloads[w], params, 5, seed), w < 2 ? 2 : 3);
}

static void every_lattice_and_width_of_code(void **)
{
    for (size_t shape = 0; shape < sizeof shapes / sizeof *shapes; shape++) {
        struct kg_random random = {emulated_seed(shape)};
        versions_pass(shape, 1 + kg_random_below(&random, 700), "0.3", random.state);
    }
}

static void batches_about_a_warp_and_a_block(void **)
{
    static const unsigned batches[] = {1,  2,   3,   31,  32,  33,  63, 64,
                                       65, 127, 128, 129, 255, 256, 257};
    for (unsigned batch : batches) {
        struct kg_random random = {emulated_seed(batch)};
        versions_pass(0, batch, "0.3", kg_random_next(&random));
        versions_pass(5, batch, "0.3", kg_random_next(&random));
        versions_pass(10, batch, "0.3", kg_random_next(&random));
    }
}

/* From no overload at all to every vector, some beyond the last count. */
static void counts_of_overloads_from_none_to_all(void **)
{
    for (const char *beta : {"10", "0.05", "0.001", "0.00001"}) {
        struct kg_random random = {emulated_seed(0)};
        for (unsigned shape : {0U, 5U, 10U})
            versions_pass(shape, 150, beta, kg_random_next(&random));
    }
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_lattice_and_width_of_code),
        cmocka_unit_test(batches_about_a_warp_and_a_block),
        cmocka_unit_test(counts_of_overloads_from_none_to_all),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
