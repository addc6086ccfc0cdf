#include "transfer/transfer.h"

#include <stdlib.h>
#include <string.h>

#include "common/common.h"
#include "common/device.h"

enum { BYTES, DIRECTION, MEMORY, PARAMS };
enum { TO_DEVICE, TO_HOST, BOTH };
enum { PINNED, PAGEABLE };

static const char *const directions[] = {"to_device", "to_host", "both", NULL};
static const char *const memories[] = {"pinned", "pageable", NULL};
static const struct kgate_param params[PARAMS] = {
    {.name = "bytes",
     .type = KGATE_PARAM_SIZE,
     .default_text = "64MiB",
     .minimum = 1,
     .maximum = (double)KG_ARRAY_BYTES_MOST,
     .help = "size of what is copied one way"},
    {.name = "direction",
     .type = KGATE_PARAM_CHOICE,
     .default_text = "to_device",
     .choices = directions,
     .help = "both: to the device, then back"},
    {.name = "memory",
     .type = KGATE_PARAM_CHOICE,
     .default_text = "pinned",
     .choices = memories,
     .help = "the host's: pinned is page-locked, pageable is ordinary memory"},
};

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    const bool both = context->values[DIRECTION].integer == BOTH;
    const double bytes = (double)context->values[BYTES].integer * (both ? 2 : 1);
    *work = (struct kgate_work){.items = bytes, .bytes = bytes};
    return true;
}

/* Number of words that hold `bytes` bytes. */
static size_t words_of(size_t bytes)
{
    return (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

/* Filled with bytes 0xff, which touches every page. */
static void *host_memory(struct kgate_context *context, const struct kg_transfer *transfer)
{
    const size_t bytes = words_of(transfer->bytes) * sizeof(uint64_t);
    void *memory = transfer->pinned ? context->allocate_pinned(context, bytes)
                                    : context->allocate(context, bytes);
    if (memory)
        memset(memory, 0xff, bytes);
    else
        kg_kernel_refuse(context, "no %s memory for %zu bytes on the host",
                         memories[transfer->pinned ? PINNED : PAGEABLE], bytes);
    return memory;
}

static bool memory_set_up(struct kgate_context *context, struct kg_transfer *transfer,
                          int64_t direction)
{
    const size_t words = words_of(transfer->bytes);
    kg_device_begin(context);
    transfer->device = direction == TO_HOST ? (void *)kg_device_words(context, words, context->seed)
                                            : kg_device_blank(context, transfer->bytes);
    if (!transfer->device)
        return false;
    if (direction != TO_HOST && !(transfer->source = host_memory(context, transfer)))
        return false;
    if (direction != TO_DEVICE && !(transfer->destination = host_memory(context, transfer)))
        return false;
    if (transfer->source)
        kg_fill_words(transfer->source, words, context->seed, context->threads);
    return true;
}

static void tear_down(struct kgate_context *context, void *state)
{
    struct kg_transfer *transfer = state;
    if (!transfer)
        return;
    void (*const release)(struct kgate_context *, void *) =
        transfer->pinned ? context->release_pinned : context->release;
    release(context, transfer->source);
    release(context, transfer->destination);
    context->release_device(context, transfer->device);
    context->release(context, transfer);
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct kg_transfer *transfer = context->allocate(context, sizeof *transfer);
    if (!transfer)
        return kg_kernel_refuse(context, "no memory");
    transfer->bytes = (size_t)context->values[BYTES].integer;
    transfer->pinned = context->values[MEMORY].integer == PINNED;
    transfer->queue = context->stream;
    if (!memory_set_up(context, transfer, context->values[DIRECTION].integer)) {
        tear_down(context, transfer);
        return false;
    }
    *state = transfer;
    return true;
}

static void run(void *state)
{
#ifdef KGATE_HAVE_CUDA
    kg_transfer_start(state);
#else
    (void)state; /* set_up has refused */
#endif
}

static bool compare(struct kgate_context *context, const struct kg_transfer *transfer,
                    double *wrong)
{
    if (!kg_device_good(context))
        return false;
    unsigned char *fetched =
        transfer->destination ? NULL : kg_device_fetch(context, transfer->device, transfer->bytes);
    const unsigned char *arrived = fetched ? fetched : transfer->destination;
    void *sent =
        arrived ? kg_device_input_words(context, words_of(transfer->bytes), context->seed) : NULL;
    *wrong = 0;
    if (sent && memcmp(sent, arrived, transfer->bytes) != 0)
        for (size_t i = 0; i < transfer->bytes; i++)
            *wrong += ((const unsigned char *)sent)[i] != arrived[i];
    const bool good = sent != NULL;
    free(sent);
    free(fetched);
    return good;
}

/* Like kg_kernel_check: compares the result of the last call, then the result of one more call. */
static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    const struct kg_transfer *transfer = state;
    double left = NAN, again = NAN;
    if (!compare(context, transfer, &left))
        return false;
    if (transfer->destination)
        memset(transfer->destination, 0xff, transfer->bytes);
    else if (!kg_device_poison(context, transfer->device, transfer->bytes))
        return false;
    run(state);
    if (!compare(context, transfer, &again))
        return false;
    *check = (struct kgate_check){.error = left + again};
    return true;
}

const struct kgate_workload kg_kernel_transfer = {
    .name = "transfer",
    .summary = "Copies between the host's memory and the GPU's: the bus.",
    .params = params,
    .param_count = PARAMS,
    .devices = 1U << KGATE_DEVICE_CUDA,
    .revision = 1,
    .describe = describe,
    .set_up = set_up,
    .run = run,
    .check = check,
    .tear_down = tear_down,
};
