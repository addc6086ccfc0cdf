/* deflate.c: zlib compresses a page of text. */
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "ordinary.h"

enum { PAGE = 2048 };

static z_stream stream;
static unsigned char page[PAGE], compressed[2 * PAGE];

static bool set_up(struct kgate_context *context, void **state)
{
    uint64_t random = context->seed | 1;
    *state = NULL;
    for (size_t at = 0; at + 16 < PAGE;)
        at +=
            (size_t)snprintf((char *)page + at, 16, "word%u ", (unsigned)(xorshift(&random) % 200));
    return deflateInit(&stream, Z_DEFAULT_COMPRESSION) == Z_OK;
}

static void run(void *state)
{
    (void)state;
    for (unsigned turn = 0; turn < turns; turn++) {
        deflateReset(&stream);
        stream.next_in = page;
        stream.avail_in = PAGE;
        stream.next_out = compressed;
        stream.avail_out = sizeof compressed;
        deflate(&stream, Z_FINISH);
    }
}

static void tear_down(struct kgate_context *context, void *state)
{
    (void)context;
    (void)state;
    deflateEnd(&stream);
}

static const struct kgate_workload deflate_workload = {.name = "deflate",
                                                       .summary = "Text compressed by zlib.",
                                                       .devices = 1u << KGATE_DEVICE_CPU,
                                                       .revision = 1,
                                                       .set_up = set_up,
                                                       .run = run,
                                                       .tear_down = tear_down};
static const struct kgate_workload *const workloads[] = {&deflate_workload};
static const struct kgate_plugin plugin = {KGATE_PLUGIN_ABI, workloads, 1};

const struct kgate_plugin *kgate_plugin_workloads(void);
const struct kgate_plugin *kgate_plugin_workloads(void)
{
    return &plugin;
}
