/* Every tile that this processor can do, beside sums in double precision. */
#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attention/attention_tile.h"
#include "base/random.h"
#include "gemm/gemm_tile.h"
#include "test_support.h"

enum { DEPTH_MOST = 300, SEED = 5 };

static float uniform(struct kg_random *random)
{
    return (float)((double)(int64_t)kg_random_next(random) * 0x1p-63);
}

static void tile_gives_its_sums(const struct kg_gemm_tile *tile, size_t depth)
{
    static float a[DEPTH_MOST * KG_GEMM_TILE_ROWS_MOST];
    static float b[DEPTH_MOST * KG_GEMM_TILE_COLUMNS_MOST];
    float sums[KG_GEMM_TILE_ROWS_MOST * KG_GEMM_TILE_COLUMNS_MOST];
    struct kg_random random = {SEED};
    for (size_t i = 0; i < depth * tile->rows; i++)
        a[i] = uniform(&random);
    for (size_t i = 0; i < depth * tile->columns; i++)
        b[i] = uniform(&random);
    tile->multiply(a, b, depth, sums);
    for (size_t i = 0; i < tile->rows; i++)
        for (size_t j = 0; j < tile->columns; j++) {
            double sum = 0;
            for (size_t l = 0; l < depth; l++)
                sum += (double)a[l * tile->rows + i] * (double)b[l * tile->columns + j];
            /* depth additions of at most depth, rounded by 2^-24 each, of random sign */
            const double bound = 8 * 0x1p-24 * sqrt((double)depth) * sqrt((double)depth + 1);
            const double value = (double)sums[i * tile->columns + j];
            if (!(fabs(value - sum) <= bound))
                fail_msg("tile %s, depth %zu, seed %d: %g at %zu, %zu in place of %g", tile->name,
                         depth, SEED, value, i, j, sum);
        }
}

static void all_tiles_give_their_sums(void **state)
{
    static const size_t depths[] = {0, 1, 2, 7, 64, DEPTH_MOST};
    (void)state;
    for (size_t t = 0; t < KG_GEMM_TILES; t++)
        for (size_t d = 0; d < sizeof depths / sizeof *depths; d++)
            if (kg_gemm_tiles[t].available())
                tile_gives_its_sums(&kg_gemm_tiles[t], depths[d]);
}

static void the_first_that_is_available_is_taken(void **state)
{
    (void)state;
    assert_true(kg_gemm_tile()->available());
    assert_true(kg_gemm_tiles[KG_GEMM_TILES - 1].available());
    for (const struct kg_gemm_tile *tile = kg_gemm_tiles; tile < kg_gemm_tile(); tile++)
        assert_false(tile->available());
}

/* In a process of its own: the environment is read once. */
static void without_avx512_in_the_environment_the_narrow_tiles_are_taken(void **state)
{
    (void)state;
    const pid_t child = fork();
    if (child == 0) {
        setenv("KGATE_AVX512", "no", 1);
        const bool narrow = kg_gemm_tile() == &kg_gemm_tiles[KG_GEMM_TILES - 1] &&
                            kg_attention_multiply() == kg_attention_multiply_narrow;
        _exit(narrow ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* first: no other has read the environment yet */
        cmocka_unit_test(without_avx512_in_the_environment_the_narrow_tiles_are_taken),
        cmocka_unit_test(all_tiles_give_their_sums),
        cmocka_unit_test(the_first_that_is_available_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
