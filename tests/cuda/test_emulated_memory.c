/* copy, triad, reduce, transpose, xor_transform, histogram and transfer on the GPU's code: every
 * version, at sizes near those of a vector, a thread, a block and a tile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "base/random.h"
#include "cuda/emulated.h"
#include "histogram/histogram.h"
#include "reduce/reduce.h"
#include "stream/stream.h"
#include "transfer/transfer.h"
#include "transpose/transpose.h"
#include "xor_transform/xor_transform.h"

enum { TEXT_BYTES = 32 };

static const char *number(char text[TEXT_BYTES], uint64_t value, const char *unit)
{
    snprintf(text, TEXT_BYTES, "%llu%s", (unsigned long long)value, unit);
    return text;
}

static void stream_spoil(void *state)
{
    const struct kg_stream *stream = state;
    memset(stream->c ? stream->c : stream->b, 0xff, stream->n * sizeof(float));
}

static void reduce_spoil(void *state)
{
    *((struct kg_reduce *)state)->total = NAN;
}

static void transpose_spoil(void *state)
{
    const struct kg_transpose *transpose = state;
    memset(transpose->b, 0xff, transpose->rows * transpose->cols * sizeof(float));
}

static void xor_transform_spoil(void *state)
{
    const struct kg_xor_transform *transform = state;
    memset(transform->out, 0xff, transform->n * sizeof(uint64_t));
}

static void histogram_spoil(void *state)
{
    ((struct kg_histogram *)state)->counts[77]++;
}

static void transfer_spoil(void *state)
{
    const struct kg_transfer *transfer = state;
    if (transfer->destination)
        memset(transfer->destination, 0xff, transfer->bytes);
    else
        memset(transfer->device, 0xff, transfer->bytes);
}

static const struct {
    const struct kgate_workload *workload;
    void (*spoil)(void *state);
} spoilers[] = {
    {&kg_kernel_copy, stream_spoil},
    {&kg_kernel_triad, stream_spoil},
    {&kg_kernel_reduce, reduce_spoil},
    {&kg_kernel_transpose, transpose_spoil},
    {&kg_kernel_xor_transform, xor_transform_spoil},
    {&kg_kernel_histogram, histogram_spoil},
    {&kg_kernel_transfer, transfer_spoil},
};

static void spoil_between_runs(const struct kgate_workload *workload)
{
    for (size_t i = 0; i < sizeof spoilers / sizeof *spoilers; i++)
        if (spoilers[i].workload == workload)
            emulated_spoil(spoilers[i].spoil);
}

static void versions_of_items(const struct kgate_workload *workload, size_t versions,
                              uint64_t item_bytes, uint64_t items, uint64_t seed)
{
    char text[TEXT_BYTES];
    const struct emulated_param bytes = {"bytes", number(text, items * item_bytes, "B")};
    spoil_between_runs(workload);
    assert_int_equal(emulated_run_versions(workload, &bytes, 1, seed), versions);
}

/* 1024 floats are a block of vector and of a small fast; a large one's, from 32768 on, has 4096,
 * which for triad are 2048 and for words half. */
static void arrays_of_any_length(void **state)
{
    static const uint64_t sizes[] = {1,    2,    3,    4,     5,     7,     13,    31,   257,
                                     1023, 1024, 1025, 2047,  2048,  2051,  4093,  4096, 4099,
                                     8191, 8192, 8193, 12289, 32767, 32768, 32771, 36865};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const uint64_t seed = emulated_seed(i);
        versions_of_items(&kg_kernel_copy, 4, 4, sizes[i], seed);
        versions_of_items(&kg_kernel_triad, 3, 4, sizes[i], seed);
        versions_of_items(&kg_kernel_reduce, 3, 4, sizes[i], seed);
        versions_of_items(&kg_kernel_xor_transform, 3, 8, sizes[i], seed);
        versions_of_items(&kg_kernel_histogram, 2, 8, sizes[i], seed);
    }
}

static void arrays_of_random_length(void **state)
{
    struct kg_random random = {emulated_seed(0)};
    (void)state;
    for (size_t i = 0; i < 12; i++) {
        const uint64_t items = 1 + kg_random_next(&random) % 40000, seed = emulated_seed(i);
        versions_of_items(&kg_kernel_copy, 4, 4, items, seed);
        versions_of_items(&kg_kernel_triad, 3, 4, items, seed);
        versions_of_items(&kg_kernel_reduce, 3, 4, items, seed);
        versions_of_items(&kg_kernel_xor_transform, 3, 8, items, seed);
        versions_of_items(&kg_kernel_histogram, 2, 8, items, seed);
    }
}

/* The emulated device holds 32 blocks of 256 threads: each thread of reduce gets several shares. */
static void sum_of_more_than_the_device_holds_at_once(void **state)
{
    (void)state;
    versions_of_items(&kg_kernel_reduce, 3, 4, 3 * 32 * 4096 + 4096 + 1023, emulated_seed(0));
}

static void shape(uint64_t rows, uint64_t cols, uint64_t seed)
{
    char rows_text[TEXT_BYTES], cols_text[TEXT_BYTES];
    const struct emulated_param params[] = {{"rows", number(rows_text, rows, "")},
                                            {"cols", number(cols_text, cols, "")}};
    spoil_between_runs(&kg_kernel_transpose);
    assert_int_equal(emulated_run_versions(&kg_kernel_transpose, params, 2, seed), 3);
}

static void matrices_around_the_edges_of_tiles(void **state)
{
    static const uint64_t edges[] = {1, 2, 3, 4, 7, 8, 31, 32, 33, 36, 60, 63, 64, 65, 68, 128};
    enum { EDGES = sizeof edges / sizeof *edges };
    (void)state;
    for (size_t i = 0; i < EDGES; i++)
        for (size_t j = 0; j < EDGES; j++)
            shape(edges[i], edges[j], emulated_seed(i * EDGES + j));
}

static void matrices_of_random_shape(void **state)
{
    struct kg_random random = {emulated_seed(1)};
    (void)state;
    for (size_t i = 0; i < 12; i++) {
        /* `fast` reads multiples of 4 by vectors: use one in every other shape. */
        const uint64_t step = i % 2 ? 4 : 1, rows = 1 + kg_random_next(&random) % 80;
        const uint64_t cols = 1 + kg_random_next(&random) % 80;
        shape(rows * step, cols * step, emulated_seed(i));
    }
}

static void matrix_may_be_long_and_narrow(void **state)
{
    (void)state;
    shape(10007, 1, emulated_seed(0));
    shape(4, 10012, emulated_seed(1));
}

static void transfers_arrive_unchanged(void **state)
{
    static const char *const sizes[] = {"1B", "7B", "8B", "4097B", "100000B"};
    static const char *const directions[] = {"to_device", "to_host", "both"};
    static const char *const memories[] = {"pinned", "pageable"};
    (void)state;
    spoil_between_runs(&kg_kernel_transfer);
    for (size_t s = 0; s < 5; s++)
        for (size_t d = 0; d < 3; d++)
            for (size_t m = 0; m < 2; m++) {
                const struct emulated_param params[] = {
                    {"bytes", sizes[s]}, {"direction", directions[d]}, {"memory", memories[m]}};
                assert_true(emulated_run(&kg_kernel_transfer, params, 3, emulated_seed(s), NULL));
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_of_any_length),
        cmocka_unit_test(arrays_of_random_length),
        cmocka_unit_test(sum_of_more_than_the_device_holds_at_once),
        cmocka_unit_test(matrices_around_the_edges_of_tiles),
        cmocka_unit_test(matrices_of_random_shape),
        cmocka_unit_test(matrix_may_be_long_and_narrow),
        cmocka_unit_test(transfers_arrive_unchanged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
