#include "run/timing/counting.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "run/timing/perf_event.h"

#if __has_include(<valgrind/callgrind.h>)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#include <valgrind/callgrind.h>
#pragma GCC diagnostic pop
#define HAVE_CALLGRIND
#endif

/* --- perf_event_open(2) ----------------------------------------------------------------------- */

static const struct kg_perf_event instructions_event = {PERF_TYPE_HARDWARE,
                                                        PERF_COUNT_HW_INSTRUCTIONS};
/* On most processors "read misses" are all lines brought in, those to be written too. */
static const struct kg_perf_event lines_event = {
    PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_OP_READ << 8 |
                            PERF_COUNT_HW_CACHE_RESULT_MISS << 16};
/* "Usually" the misses of the last level. Some processors count prefetched lines with them, which
 * the more specific events leave out. No event counts the lines that are written back. */
static const struct kg_perf_event memory_lines_event = {PERF_TYPE_HARDWARE,
                                                        PERF_COUNT_HW_CACHE_MISSES};

bool kg_counting_perf_usable(void)
{
    const int descriptor = kg_perf_open(&instructions_event, -1);
    if (descriptor >= 0)
        close(descriptor);
    return descriptor >= 0;
}

static double line_size(void)
{
    const long bytes = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
    return bytes > 0 ? (double)bytes : 64;
}

static bool perf_open(struct kg_counting *counting, bool lines, struct kg_error *err)
{
    counting->instructions = kg_perf_open(&instructions_event, -1);
    if (counting->instructions < 0)
        return kg_error_set(err, KG_ERROR_MEASURE, "cannot count instructions: %s",
                            strerror(errno));
    if (lines) {
        counting->lines = kg_perf_open(&lines_event, counting->instructions);
        counting->memory_lines = kg_perf_open(&memory_lines_event, counting->instructions);
    }
    return true;
}

static bool perf_read(const struct kg_counting *counting, struct kg_counts *counts,
                      struct kg_error *err)
{
    *counts = (struct kg_counts){
        .instructions = kg_perf_read(counting->instructions),
        .line_bytes = kg_perf_read(counting->lines) * line_size(),
        .memory_line_bytes = kg_perf_read(counting->memory_lines) * line_size(),
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
        kg_perf_start(counting->instructions);
        return;
    }
#ifdef HAVE_CALLGRIND
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_ZERO_STATS; /* drops the counts since kg_counting_watch */
#endif
}

bool kg_counting_stop(const struct kg_counting *counting, struct kg_counts *counts,
                      struct kg_error *err)
{
    *counts = (struct kg_counts)KG_COUNTS_NONE;
    if (counting->instructions >= 0) {
        kg_perf_stop(counting->instructions);
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
