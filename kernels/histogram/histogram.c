#include "histogram/histogram.h"

#include "common/device.h"

enum { BYTES, VERSION, PARAMS };

static const char *const names[] = {"plain", "fast", NULL};
static void (*const versions[][2])(void *) = {
    {kg_histogram_plain, KG_CUDA_VERSION(kg_histogram_cuda_plain)},
    {kg_histogram_fast, KG_CUDA_VERSION(kg_histogram_cuda_fast)},
};
static const struct kgate_param params[PARAMS] = {
    KG_PARAM_BYTES("4MiB", 8, UINT64_C(8) << 30, "size of the data"),
    KG_PARAM_CHOICE("version", "fast", names,
                    "plain: one table, fast: one a thread (GPU: a block)"),
};

static size_t words(const void *state)
{
    return ((const struct kg_histogram *)state)->n;
}

static const struct kg_kernel_array arrays[] = {
    {KG_ARRAY(struct kg_histogram, words), .role = KG_INPUT, .count = words,
     .fill = kg_array_words},
    {KG_ARRAY(struct kg_histogram, counts), .role = KG_OUTPUT, .elements = KG_HISTOGRAM_BINS},
};

static bool shape(struct kgate_context *context, void *state, struct kgate_work *work)
{
    const int64_t bytes = context->values[BYTES].integer;
    ((struct kg_histogram *)state)->n = (size_t)bytes / sizeof(uint64_t);
    *work = (struct kgate_work){.items = (double)bytes, .bytes = (double)bytes};
    return kg_kernel_whole_elements(context, bytes, sizeof(uint64_t), "word");
}

static bool compare(const void *state, struct kgate_check *check)
{
    const struct kg_histogram *histogram = state;
    uint64_t expected[KG_HISTOGRAM_BINS];
    kg_histogram_reference(histogram, expected);
    *check = (struct kgate_check){.error = 0};
    for (size_t value = 0; value < KG_HISTOGRAM_BINS; value++)
        check->error += histogram->counts[value] != expected[value];
    return true;
}

static const struct kg_kernel histogram_kernel = {
    .state_bytes = sizeof(struct kg_histogram),
    KG_KERNEL_ARRAYS(arrays),
    KG_KERNEL_VERSIONS(names, VERSION, versions),
    .shape = shape,
    .compare = compare,
};
KG_KERNEL_WORKLOAD(histogram, .summary = "Counts the values of bytes: conflicting updates.",
                   .params = params, .param_count = PARAMS, .devices = KG_KERNEL_DEVICES,
                   .revision = 1);
