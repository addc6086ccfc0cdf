/* src/device/code/ceilings_wgmma.cuh on the host: that the operands are where the descriptors say,
 * and that the sums are those that ceilings_arithmetic.c checks. */
#include "cuda/cmocka_cpp.h"

#include "device/code/launch.cuh"
#include "device/code/ceilings_wgmma.cuh"

enum { BLOCKS = 2, RESULTS = BLOCKS * KG_CEILING_THREADS };
static const uint32_t ONES = 0x3f803f80, TWOS = 0x40004000;

static void multiply(uint32_t iterations, uint32_t operand, float results[RESULTS],
                     uint32_t random = 0)
{
    for (int i = 0; i < RESULTS; i++)
        results[i] = -1;
    KG_LAUNCH(kg_ceiling_wgmma, BLOCKS, KG_CEILING_THREADS, KG_CEILING_WGMMA_SHARED_BYTES,
              kg_emulated_stream(), results, iterations, operand, random);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
}

static void assert_all(const float results[RESULTS], float expected)
{
    for (int i = 0; i < RESULTS; i++)
        if (results[i] != expected)
            fail_msg("thread %d: %g, not %g", i, (double)results[i], (double)expected);
}

/* Memory that was not written is NaN: what is read beside the operands would show. */
static void every_step_adds_sixteen_to_every_sum(void **)
{
    static float results[RESULTS];
    static const uint32_t iterations[] = {1, 2, 5};
    for (const uint32_t count : iterations) {
        const float steps = (float)(count * KG_CEILING_WGMMA_STEPS);
        multiply(count, ONES, results);
        assert_all(results, 16 * KG_CEILING_WGMMA_SUMS * steps);
    }
}

static void the_operands_are_what_is_multiplied(void **)
{
    static float results[RESULTS];
    multiply(1, TWOS, results);
    assert_all(results, 4 * 16 * KG_CEILING_WGMMA_SUMS * KG_CEILING_WGMMA_STEPS);
}

static void no_iterations_are_no_sums(void **)
{
    static float results[RESULTS];
    multiply(0, ONES, results);
    assert_all(results, 0);
}

/* The same loop on other operands: of both signs, so that the sums differ, and in proportion to the
 * steps. */
static void random_operands_are_multiplied_as_ones_are(void **)
{
    static float once[RESULTS], twice[RESULTS];
    int below = 0, above = 0;
    multiply(1, ONES, once, 1);
    multiply(2, ONES, twice, 1);
    for (int i = 0; i < RESULTS; i++) {
        assert_true(fabsf(twice[i] - 2 * once[i]) < 0.05F);
        below += once[i] < 0;
        above += once[i] > 0;
    }
    assert_true(below > RESULTS / 8 && above > RESULTS / 8);
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_step_adds_sixteen_to_every_sum),
        cmocka_unit_test(the_operands_are_what_is_multiplied),
        cmocka_unit_test(no_iterations_are_no_sums),
        cmocka_unit_test(random_operands_are_multiplied_as_ones_are),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
