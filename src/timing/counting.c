#include "timing/counting.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if __has_include(<valgrind/callgrind.h>)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#include <valgrind/callgrind.h>
#pragma GCC diagnostic pop
#define HAVE_CALLGRIND
#endif

/* --- perf_event_open(2) ----------------------------------------------------------------------- */

struct event {
    uint32_t type;
    uint64_t config;
};

static const struct event instructions_event = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS};
/* On most processors "read misses" are all lines brought in, those to be written too. */
static const struct event lines_event = {
    PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_OP_READ << 8 |
                            PERF_COUNT_HW_CACHE_RESULT_MISS << 16};
/* "Usually" the misses of the last level. Some processors count prefetched lines with them, which
 * the more specific events leave out. No event counts the lines that are written back. */
static const struct event memory_lines_event = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES};

/* What a counter reads as. */
struct reading {
    uint64_t count;
    uint64_t enabled_ns;
    uint64_t running_ns; /* less than enabled_ns where counters had to share the processor's */
};

/* leader  -1: the event starts when it is told to; else when the leader does */
static int event_open(const struct event *event, int leader)
{
    struct perf_event_attr attributes = {
        .type = event->type,
        .size = sizeof attributes,
        .config = event->config,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .disabled = leader < 0,
        .inherit =
            1, /* threads that are started later; so each is read by itself, not as a group */
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

bool kg_counting_perf_usable(void)
{
    const int descriptor = event_open(&instructions_event, -1);
    if (descriptor >= 0)
        close(descriptor);
    return descriptor >= 0;
}

/* NaN where nothing was counted all the time. */
static double event_read(int descriptor)
{
    struct reading reading;
    if (descriptor < 0 || read(descriptor, &reading, sizeof reading) != (ssize_t)sizeof reading ||
        !reading.running_ns)
        return NAN;
    return (double)reading.count * ((double)reading.enabled_ns / (double)reading.running_ns);
}

static double line_size(void)
{
    const long bytes = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
    return bytes > 0 ? (double)bytes : 64;
}

static bool perf_open(struct kg_counting *counting, bool lines, struct kg_error *err)
{
    counting->instructions = event_open(&instructions_event, -1);
    if (counting->instructions < 0)
        return kg_error_set(err, KG_ERROR_MEASURE, "cannot count instructions: %s",
                            strerror(errno));
    if (lines) {
        counting->lines = event_open(&lines_event, counting->instructions);
        counting->memory_lines = event_open(&memory_lines_event, counting->instructions);
    }
    return true;
}

static bool perf_read(const struct kg_counting *counting, struct kg_counts *counts,
                      struct kg_error *err)
{
    *counts = (struct kg_counts){
        .instructions = event_read(counting->instructions),
        .line_bytes = event_read(counting->lines) * line_size(),
        .memory_line_bytes = event_read(counting->memory_lines) * line_size(),
    };
    return !isnan(counts->instructions) ||
           kg_error_set(err, KG_ERROR_MEASURE, "the processor did not count instructions");
}

/* --- Either ----------------------------------------------------------------------------------- */

bool kg_counting_open(struct kg_counting *counting, bool perf, bool lines, struct kg_error *err)
{
    *counting = (struct kg_counting){-1, -1, -1};
    if (perf)
        return perf_open(counting, lines, err);
#ifdef HAVE_CALLGRIND
    if (RUNNING_ON_VALGRIND)
        return true;
#endif
    return kg_error_set(
        err, KG_ERROR_MEASURE,
        "cannot count instructions: this kgate was built without Valgrind's header, "
        "or does not run under it");
}

void kg_counting_watch(const struct kg_counting *counting)
{
#ifdef HAVE_CALLGRIND
    if (counting->instructions < 0)
        CALLGRIND_START_INSTRUMENTATION;
#else
    (void)counting;
#endif
}

void kg_counting_start(const struct kg_counting *counting)
{
    if (counting->instructions >= 0) {
        ioctl(counting->instructions, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
        ioctl(counting->instructions, PERF_EVENT_IOC_ENABLE, 0);
        return;
    }
#ifdef HAVE_CALLGRIND
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_ZERO_STATS; /* of what kg_counting_watch made it look at */
#endif
}

bool kg_counting_stop(const struct kg_counting *counting, struct kg_counts *counts,
                      struct kg_error *err)
{
    *counts = (struct kg_counts)KG_COUNTS_NONE;
    if (counting->instructions >= 0) {
        ioctl(counting->instructions, PERF_EVENT_IOC_DISABLE, 0);
        return perf_read(counting, counts, err);
    }
#ifdef HAVE_CALLGRIND
    CALLGRIND_DUMP_STATS;
    CALLGRIND_STOP_INSTRUMENTATION;
#endif
    return true;
}

void kg_counting_dump(void)
{
#ifdef HAVE_CALLGRIND
    CALLGRIND_DUMP_STATS;
#endif
}

void kg_counting_close(struct kg_counting *counting)
{
    int *const descriptors[] = {&counting->lines, &counting->memory_lines, &counting->instructions};
    for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; i++) {
        if (*descriptors[i] >= 0)
            close(*descriptors[i]);
        *descriptors[i] = -1;
    }
}
