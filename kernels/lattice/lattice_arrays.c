#include "lattice/lattice_arrays.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "common/common.h"
#include "common/device.h"

/* Blocks with seeds of their own make the input. So it does not depend on the number of threads,
 * and only the workload needs all of it: the check makes it again block by block. A block has whole
 * vectors, an even number of them. */
enum { BLOCK = 4096, BLOCK_VECTORS_MOST = BLOCK / 2, MOST = KG_LATTICE_DIMENSIONS_MOST };

static size_t floats_of(const struct kg_lattice *lattice)
{
    return lattice->batch * kg_lattice_dimensions(lattice->kind);
}

static size_t codes_bytes(const struct kg_lattice *lattice)
{
    return lattice->batch * lattice->plan.code_bytes;
}

static size_t counts_bytes(const struct kg_lattice *lattice)
{
    return (lattice->batch + 1) / 2;
}

/* --- Input ------------------------------------------------------------------------------------ */
static size_t block_vectors(const struct kg_lattice *lattice)
{
    return BLOCK / kg_lattice_dimensions(lattice->kind);
}

static size_t blocks_of(const struct kg_lattice *lattice)
{
    return (lattice->batch + block_vectors(lattice) - 1) / block_vectors(lattice);
}

/* The vectors of a block of `whole`; arrays that are NULL stay so. */
static struct kg_lattice block_of(const struct kg_lattice *whole, size_t block)
{
    const size_t first = block * block_vectors(whole), rest = whole->batch - first;
    const size_t n = kg_lattice_dimensions(whole->kind);
    struct kg_lattice part = *whole;
    part.threads = 1;
    part.batch = rest < block_vectors(whole) ? rest : block_vectors(whole);
    part.x = whole->x ? whole->x + first * n : NULL;
    part.codes = whole->codes ? (char *)whole->codes + first * whole->plan.code_bytes : NULL;
    part.counts = whole->counts ? whole->counts + first / 2 : NULL;
    part.decoded = whole->decoded ? whole->decoded + first * n : NULL;
    return part;
}

/* Sums of four uniform numbers of 16 bits, of mean 0 and variance 1: x of
 * the vectors of a block. */
static void block_fill(const struct kg_lattice *part, uint64_t seed, size_t block, float *x)
{
    const double scale = 1 / sqrt(4 * (0x1p32 - 1) / 12);
    const size_t count = floats_of(part);
    uint64_t words[BLOCK];
    kg_fill_words(words, count, seed * UINT64_C(0xd1342543de82ef95) + block, 1);
    for (size_t i = 0; i < count; i++) {
        const uint64_t pairs = (words[i] & UINT64_C(0x0000ffff0000ffff)) +
                               (words[i] >> 16 & UINT64_C(0x0000ffff0000ffff));
        const int64_t sum = (int64_t)((pairs & 0xffffffffU) + (pairs >> 32));
        x[i] = (float)((double)(sum - 2 * 0xffff) * scale);
    }
}

/* Fills x. If x is NULL, fills codes and counts with encoded x. */
static void input_fill(const struct kg_lattice *input, uint64_t seed, unsigned threads)
{
#pragma omp parallel for num_threads((int)threads) schedule(static)
    for (size_t block = 0; block < blocks_of(input); block++) {
        struct kg_lattice part = block_of(input, block);
        float x[BLOCK];
        if (part.x) {
            block_fill(&part, seed, block, part.x);
            continue;
        }
        block_fill(&part, seed, block, x);
        part.x = x;
        kg_lattice_encode_fast(&part);
    }
}

/* --- Arrays ----------------------------------------------------------------------------------- */

/* Makes the first bytes of a result 0xff. */
static bool poison(struct kgate_context *context, void *memory, size_t bytes)
{
    if (context->device == KGATE_DEVICE_CUDA)
        return kg_device_poison(context, memory, bytes);
    memset(memory, 0xff, bytes);
    return true;
}

static void release(struct kgate_context *context, void *memory)
{
    if (context->device == KGATE_DEVICE_CUDA)
        context->release_device(context, memory);
    else
        context->release(context, memory);
}

/* Memory of the case's device; NULL with context->message. */
static void *memory_make(struct kgate_context *context, size_t bytes)
{
    void *memory = context->device == KGATE_DEVICE_CUDA ? context->allocate_device(context, bytes)
                                                        : context->allocate(context, bytes);
    if (!memory)
        kg_kernel_refuse(context, "no memory for %zu bytes", bytes);
    return memory;
}

static void *result_make(struct kgate_context *context, size_t bytes)
{
    void *memory = memory_make(context, bytes);
    if (memory && !poison(context, memory, bytes)) {
        release(context, memory);
        memory = NULL;
    }
    return memory;
}

static void host_free(struct kg_lattice *copy)
{
    free(copy->x);
    free(copy->codes);
    free(copy->counts);
    free(copy->decoded);
}

/* Makes the input on the host and copies it to the GPU. Uses malloc, since this copy is no memory
 * of the case. */
static bool input_upload(struct kgate_context *context, const struct kg_lattice *lattice)
{
    struct kg_lattice host = *lattice;
    const size_t x_bytes = floats_of(lattice) * sizeof(float);
    host.x = lattice->x ? malloc(x_bytes) : NULL;
    host.codes = lattice->x ? NULL : malloc(codes_bytes(lattice));
    host.counts = lattice->x ? NULL : malloc(counts_bytes(lattice));
    host.decoded = NULL;
    bool good = host.x || (host.codes && host.counts);
    if (!good)
        kg_kernel_refuse(context, "no memory for %zu vectors", lattice->batch);
    if (good)
        input_fill(&host, context->seed, context->threads);
    if (good && host.x)
        good = kg_device_upload(context, lattice->x, host.x, x_bytes);
    else if (good)
        good = kg_device_upload(context, lattice->codes, host.codes, codes_bytes(lattice)) &&
               kg_device_upload(context, lattice->counts, host.counts, counts_bytes(lattice));
    host_free(&host);
    return good;
}

/* Fills the case's input by the context's seed. */
static bool input_put(struct kgate_context *context, const struct kg_lattice *lattice)
{
    if (context->device == KGATE_DEVICE_CUDA)
        return input_upload(context, lattice);
    input_fill(lattice, context->seed, context->threads);
    return true;
}

bool kg_lattice_arrays_make(struct kgate_context *context, struct kg_lattice *lattice,
                            const struct kg_lattice_coding *coding, bool codes)
{
    const size_t x_bytes = floats_of(lattice) * sizeof(float);
    if (!coding->codes_read && !(lattice->x = memory_make(context, x_bytes)))
        return false;
    if (codes && !((lattice->codes = result_make(context, codes_bytes(lattice))) &&
                   (lattice->counts = result_make(context, counts_bytes(lattice)))))
        return false;
    if (coding->decoded_written && !(lattice->decoded = result_make(context, x_bytes)))
        return false;
    return input_put(context, lattice);
}

void kg_lattice_arrays_free(struct kgate_context *context, struct kg_lattice *lattice)
{
    release(context, lattice->x);
    release(context, lattice->codes);
    release(context, lattice->counts);
    release(context, lattice->decoded);
}

/* All but x on the host, as copies from the GPU: for results_free in any case. */
static bool results_fetch(struct kgate_context *context, const struct kg_lattice *lattice,
                          struct kg_lattice *result)
{
    *result = *lattice;
    result->x = NULL;
    if (context->device != KGATE_DEVICE_CUDA)
        return true;
    const size_t x_bytes = floats_of(lattice) * sizeof(float);
    result->codes = result->counts = NULL;
    result->decoded = NULL;
    return (!lattice->codes ||
            ((result->codes = kg_device_fetch(context, lattice->codes, codes_bytes(lattice))) &&
             (result->counts =
                  kg_device_fetch(context, lattice->counts, counts_bytes(lattice))))) &&
           (!lattice->decoded ||
            (result->decoded = kg_device_fetch(context, lattice->decoded, x_bytes)));
}

static void results_free(const struct kgate_context *context, struct kg_lattice *result)
{
    if (context->device == KGATE_DEVICE_CUDA)
        host_free(result);
}

/* --- Reported values ------------------------------------------------------------------------- */

/* Whether x may lie beyond the range of the largest count. NaN does. */
static bool clipped(const struct kg_lattice_plan *plan, const float *x, unsigned n)
{
    enum { LAST = KG_LATTICE_COUNTS - 1 };
    bool any = false;
    for (unsigned i = 0; i < n; i++)
        any = any || !(fabsf(x[i] * plan->inverse_scale[LAST]) <= plan->limit[LAST]);
    return any;
}

/* Values of a sample. */
struct figures {
    double mse;
    double overload_share;
    double clipped_share; /* share of vectors whose x / (beta alpha^15) was clipped */
};

/* Adds vector v of a block to the sums. */
static void figures_add(struct figures *sums, const struct kg_lattice *part, size_t v,
                        const float *x)
{
    const struct kg_lattice_plan *plan = &part->plan;
    const unsigned n = kg_lattice_dimensions(part->kind);
    float decoded[MOST];
    uint64_t code;
    const unsigned count = part->counts ? kg_lattice_count_read(part->counts, v)
                                        : kg_lattice_reference_encode(part->kind, plan, x, &code);
    if (part->decoded) {
        memcpy(decoded, part->decoded + v * n, n * sizeof *decoded);
    } else {
        code = kg_lattice_code_read(part->codes, v, plan->code_bytes);
        kg_lattice_reference_decode(part->kind, plan, code, count, decoded);
    }
    for (unsigned i = 0; i < n; i++)
        sums->mse += ((double)x[i] - (double)decoded[i]) * ((double)x[i] - (double)decoded[i]);
    sums->overload_share += count > 0;
    sums->clipped_share += count == KG_LATTICE_COUNTS - 1 && clipped(plan, x, n);
}

/* The values of the vectors at `result`, with arrays on the host. It uses the decoded values; if
 * NULL, the reference decodes the codes. It uses the counts; if NULL, the reference's counts. x is
 * not read but made again from `seed`. */
static struct figures figures_of(const struct kg_lattice *result, uint64_t seed)
{
    const unsigned n = kg_lattice_dimensions(result->kind);
    struct figures figures = {0, 0, 0};
    for (size_t block = 0; block < blocks_of(result); block++) {
        const struct kg_lattice part = block_of(result, block);
        float x[BLOCK];
        block_fill(&part, seed, block, x);
        for (size_t v = 0; v < part.batch; v++)
            figures_add(&figures, &part, v, x + v * n);
    }
    figures.mse /= (double)floats_of(result);
    figures.overload_share /= (double)result->batch;
    figures.clipped_share /= (double)result->batch;
    return figures;
}

/* Poisons a version's results, so that a later call cannot reuse them. */
static bool results_poison(struct kgate_context *context, const struct kg_lattice *lattice,
                           const struct kg_lattice_coding *coding)
{
    return (!lattice->codes || coding->codes_read ||
            (poison(context, lattice->codes, codes_bytes(lattice)) &&
             poison(context, lattice->counts, counts_bytes(lattice)))) &&
           (!lattice->decoded ||
            poison(context, lattice->decoded, floats_of(lattice) * sizeof(float)));
}

bool kg_lattice_sample_report(struct kgate_context *context, const struct kg_lattice *lattice,
                              const struct kg_lattice_coding *coding)
{
    struct kg_lattice sample = *lattice, result;
    if (sample.batch > KG_LATTICE_SAMPLE)
        sample.batch = KG_LATTICE_SAMPLE;
    sample.version(&sample);
    bool good = results_fetch(context, &sample, &result);
    if (good) {
        const struct figures figures = figures_of(&result, context->seed);
        context->report(context, "mse", figures.mse);
        context->report(context, "overload_share", figures.overload_share);
        context->report(context, "clipped_share", figures.clipped_share);
        good = results_poison(context, &sample, coding);
    }
    results_free(context, &result);
    return good;
}

/* --- The check -------------------------------------------------------------------------------- */

/* Whether vector v of the results equals the reference's result for x, or for the input code. */
static bool vector_good(const struct kg_lattice *result, const struct kg_lattice *read, size_t v,
                        const float *x)
{
    const struct kg_lattice_plan *plan = &result->plan;
    const unsigned n = kg_lattice_dimensions(result->kind);
    uint64_t code;
    unsigned count;
    if (read->codes) {
        code = kg_lattice_code_read(read->codes, v, plan->code_bytes);
        count = kg_lattice_count_read(read->counts, v);
    } else {
        count = kg_lattice_reference_encode(result->kind, plan, x, &code);
    }
    if (!result->decoded)
        return code == kg_lattice_code_read(result->codes, v, plan->code_bytes) &&
               count == kg_lattice_count_read(result->counts, v);
    float decoded[MOST];
    kg_lattice_reference_decode(result->kind, plan, code, count, decoded);
    for (unsigned i = 0; i < n; i++)
        if (!(result->decoded[v * n + i] == decoded[i]))
            return false;
    return true;
}

static double block_wrong(const struct kg_lattice *whole, const struct kg_lattice_coding *coding,
                          uint64_t seed, size_t block)
{
    const struct kg_lattice part = block_of(whole, block);
    struct kg_lattice read = part;
    float x[BLOCK];
    uint64_t codes[BLOCK_VECTORS_MOST];
    uint8_t counts[BLOCK_VECTORS_MOST / 2];
    block_fill(&part, seed, block, x);
    read.x = x;
    read.codes = coding->codes_read ? codes : NULL;
    read.counts = counts;
    if (coding->codes_read)
        kg_lattice_encode_fast(&read);
    double wrong = 0;
    for (size_t v = 0; v < part.batch; v++)
        wrong += !vector_good(&part, &read, v, x + v * kg_lattice_dimensions(part.kind));
    return wrong;
}

static bool compare(struct kgate_context *context, const struct kg_lattice *lattice,
                    const struct kg_lattice_coding *coding, double *wrong)
{
    struct kg_lattice result;
    const bool good = results_fetch(context, lattice, &result);
    double sum = 0;
    if (good) {
#pragma omp parallel for num_threads(lattice->threads) reduction(+ : sum)
        for (size_t block = 0; block < blocks_of(&result); block++)
            sum += block_wrong(&result, coding, context->seed, block);
    }
    *wrong = sum;
    results_free(context, &result);
    return good;
}

/* Like kg_kernel_check: compares the result of the last call, then of one more call with other
 * input. The reference makes its own input from the seed. */
bool kg_lattice_check(struct kgate_context *context, const struct kg_lattice *lattice,
                      const struct kg_lattice_coding *coding, struct kgate_check *check)
{
    double left = NAN, again = NAN;
    struct kg_lattice called = *lattice;
    if (!compare(context, lattice, coding, &left) || !results_poison(context, lattice, coding))
        return false;
    context->seed = kg_seed_other(context->seed);
    if (!input_put(context, lattice))
        return false;
    called.version(&called);
    if (!compare(context, lattice, coding, &again))
        return false;
    *check = (struct kgate_check){.error = fmax(left, again)};
    return true;
}
