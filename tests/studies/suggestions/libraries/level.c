/* zlib: a log is compressed while it is written. Level 9 follows long chains of earlier places with
 * the same three bytes. Level 1 takes the first match. */
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "../developed/workload.h"

enum { LOG = 96 << 10, LINE_MOST = 128 };

struct work {
    unsigned char log[LOG + LINE_MOST], packed[LOG + LOG / 8], unpacked[LOG];
    uLong length;
};

static void pack(struct work *work, int level)
{
    work->length = sizeof work->packed;
    if (compress2(work->packed, &work->length, work->log, LOG, level) != Z_OK)
        work->length = 0;
}

static void run_bad(void *state)
{
    pack(state, 9);
}

static void run_good(void *state)
{
    pack(state, 1);
}

static bool set_up(struct kgate_context *context, void **state)
{
    static const char *const paths[] = {"index", "search",       "login",
                                        "cart",  "static/style", "api/v1"};
    struct work *work = workload_begin(context, sizeof *work, state);
    if (!work)
        return false;
    uint64_t sequence = context->seed;
    for (size_t at = 0; at < LOG;) {
        const uint64_t random = workload_random(&sequence);
        at += (size_t)snprintf((char *)work->log + at, LINE_MOST,
                               "10.0.%u.%u GET /%s?id=%u 200 %u\n", (unsigned)random % 8,
                               (unsigned)(random >> 8) % 250, paths[(random >> 16) % 6],
                               (unsigned)(random >> 20) % 1000, (unsigned)(random >> 32) % 20000);
    }
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    (void)context;
    struct work *work = state;
    uLong length = LOG;
    return workload_wrong(check,
                          uncompress(work->unpacked, &length, work->packed, work->length) != Z_OK ||
                              length != LOG || memcmp(work->unpacked, work->log, LOG) != 0);
}

PAIR(level, "Compresses a log.");
