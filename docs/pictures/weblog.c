/* weblog.c: what a program does with a web server's log, as workloads: the pictures of this folder are of their
 * measurements. Built with -DHEAD it is the version after a change that made two of them slower, as such changes
 * come about: zlib's level was raised for smaller archives, and sscanf took the place of strtoul for shorter code. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "kgate/plugin.h"

enum { LINE_MOST = 96 };

struct log {
    char *text, *packed;
    char **lines, **sorted;
    size_t length, line_count, packed_most;
    uint32_t requests;
    uint64_t answer, wanted; /* of the workload: a sum or a count, and what it has to be */
};

static const struct kgate_param params[] = {
    {.name = "lines",
     .type = KGATE_PARAM_INTEGER,
     .default_text = "1000",
     .minimum = 1,
     .maximum = 1e6,
     .help = "lines of the log"},
};

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    work->items = (double)context->values[0].integer;
    work->item_name = "lines";
    return true;
}

static uint64_t random_next(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

/* Writes the lines, and sums their sizes, the last field, as parsing has to find them. */
static void log_write(struct log *log, uint64_t random)
{
    static const char *const paths[] = {"index", "search",           "login",
                                        "cart",  "static/style.css", "api/v1/item"};
    for (size_t i = 0; i < log->line_count; i++) {
        const unsigned host = (unsigned)(random_next(&random) % 2000),
                       item = (unsigned)(random_next(&random) % 5000);
        const unsigned size = (unsigned)(random_next(&random) % 20000);
        log->lines[i] = log->text + log->length;
        log->length += (size_t)snprintf(
            log->lines[i], LINE_MOST, "10.0.%u.%u \"GET /%s?id=%u\" %u %u\n", host / 250,
            host % 250, paths[random_next(&random) % 6], item, item % 19 ? 200u : 404u, size);
        log->wanted += size;
    }
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct log *log = context->allocate(context, sizeof *log);
    if (!log)
        return false;
    *state = log;
    log->line_count = (size_t)context->values[0].integer;
    log->packed_most = log->line_count * LINE_MOST + 1024;
    log->text = context->allocate(context, log->packed_most);
    log->packed = context->allocate(context, log->packed_most);
    log->lines = context->allocate(context, log->line_count * sizeof *log->lines);
    log->sorted = context->allocate(context, log->line_count * sizeof *log->sorted);
    if (!log->text || !log->packed || !log->lines || !log->sorted)
        return false;
    log_write(log, context->seed | 1);
    return true;
}

static void compress_run(void *state)
{
#ifdef HEAD
    const int level = 9;
#else
    const int level = 6;
#endif
    struct log *log = state;
    uLong length = log->packed_most;
    const int result =
        compress2((Bytef *)log->packed, &length, (const Bytef *)log->text, log->length, level);
    log->answer = result == Z_OK ? log->wanted : 0;
}

/* The sizes of all lines, and of addresses and requests a hash, by which a program would count them. */
static void parse_run(void *state)
{
    struct log *log = state;
    log->answer = 0;
    log->requests = 0;
    for (size_t i = 0; i < log->line_count; i++) {
        char *at = log->lines[i];
        uint32_t hash = 2166136261u;
        for (unsigned part = 0; part < 4; part++)
            hash = hash * 256 + (uint32_t)strtoul(at, &at, 10), at++;
        for (at++; *at != '"'; at++)
            hash = (hash ^ (unsigned char)*at) * 16777619u;
        log->requests += hash;
#ifdef HEAD
        char fields[LINE_MOST];
        unsigned status, size;
        *(char *)mempcpy(fields, at + 1, (size_t)(strchr(at, '\n') - at - 1)) = '\0';
        if (sscanf(fields, "%u %u", &status, &size) == 2)
            log->answer += size;
#else
        char *end;
        strtoul(at + 1, &end, 10);
        log->answer += strtoul(end, NULL, 10);
#endif
    }
}

static void checksum_run(void *state)
{
    struct log *log = state;
    log->answer = crc32(0, (const Bytef *)log->text, (uInt)log->length) ? log->wanted : 0;
}

static int line_compare(const void *a, const void *b)
{
    return strncmp(*(char *const *)a, *(char *const *)b, LINE_MOST);
}

static void sort_run(void *state)
{
    struct log *log = state;
    memcpy(log->sorted, log->lines, log->line_count * sizeof *log->lines);
    qsort(log->sorted, log->line_count, sizeof *log->sorted, line_compare);
    log->answer =
        line_compare(log->sorted, log->sorted + log->line_count - 1) <= 0 ? log->wanted : 0;
}

static void search_run(void *state)
{
    struct log *log = state;
    size_t found = 0;
    for (const char *at = log->text; (at = strstr(at, "/login")); at++)
        found++;
    log->answer = found <= log->line_count ? log->wanted : 0;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    const struct log *log = state;
    (void)context;
    check->error = log->answer == log->wanted ? 0 : 1;
    return true;
}

static void tear_down(struct kgate_context *context, void *state)
{
    struct log *log = state;
    if (log) {
        context->release(context, log->text);
        context->release(context, log->packed);
        context->release(context, log->lines);
        context->release(context, log->sorted);
    }
    context->release(context, log);
}

#define WORKLOAD(NAME, SUMMARY)                                                                    \
    static const struct kgate_workload NAME##_workload = {.name = #NAME,                           \
                                                          .summary = (SUMMARY),                    \
                                                          .params = params,                        \
                                                          .param_count = 1,                        \
                                                          .devices = 1u << KGATE_DEVICE_CPU,       \
                                                          .revision = 1,                           \
                                                          .describe = describe,                    \
                                                          .set_up = set_up,                        \
                                                          .run = NAME##_run,                       \
                                                          .check = check,                          \
                                                          .tear_down = tear_down}

WORKLOAD(compress, "Compresses the log by zlib.");
WORKLOAD(parse, "Reads the fields of each line.");
WORKLOAD(checksum, "CRC-32 of the log.");
WORKLOAD(sort, "Sorts the lines by address.");
WORKLOAD(search, "Counts the logins.");

static const struct kgate_workload *const workloads[] = {
    &compress_workload, &parse_workload, &checksum_workload, &sort_workload, &search_workload};
static const struct kgate_plugin plugin = {KGATE_PLUGIN_ABI, workloads,
                                           sizeof workloads / sizeof *workloads};

const struct kgate_plugin *kgate_plugin_workloads(void);
const struct kgate_plugin *kgate_plugin_workloads(void)
{
    return &plugin;
}
