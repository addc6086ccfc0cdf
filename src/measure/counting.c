#include "measure/counting.h"

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

static int instructions_open(void)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof attributes,
        .config = PERF_COUNT_HW_INSTRUCTIONS,
        .disabled = 1,
        .inherit = 1, /* threads that are started later */
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

bool kg_counting_perf_usable(void)
{
    const int descriptor = instructions_open();
    if (descriptor >= 0)
        close(descriptor);
    return descriptor >= 0;
}

bool kg_counting_open(struct kg_counting *counting, bool perf, struct kg_error *err)
{
    *counting = (struct kg_counting){-1};
    if (perf) {
        counting->descriptor = instructions_open();
        return counting->descriptor >= 0
                   ? true
                   : kg_error_set(err, KG_ERROR_MEASURE, "cannot count instructions: %s",
                                  strerror(errno));
    }
#ifdef HAVE_CALLGRIND
    if (RUNNING_ON_VALGRIND)
        return true;
#endif
    return kg_error_set(
        err, KG_ERROR_MEASURE,
        "cannot count instructions: this kgate was built without Valgrind's header, "
        "or does not run under it");
}

void kg_counting_start(const struct kg_counting *counting)
{
    if (counting->descriptor >= 0) {
        ioctl(counting->descriptor, PERF_EVENT_IOC_RESET, 0);
        ioctl(counting->descriptor, PERF_EVENT_IOC_ENABLE, 0);
        return;
    }
#ifdef HAVE_CALLGRIND
    CALLGRIND_START_INSTRUMENTATION;
#endif
}

bool kg_counting_stop(const struct kg_counting *counting, double *instructions,
                      struct kg_error *err)
{
    uint64_t count;
    *instructions = NAN;
    if (counting->descriptor < 0) {
#ifdef HAVE_CALLGRIND
        CALLGRIND_DUMP_STATS;
        CALLGRIND_STOP_INSTRUMENTATION;
#endif
        return true;
    }
    ioctl(counting->descriptor, PERF_EVENT_IOC_DISABLE, 0);
    if (read(counting->descriptor, &count, sizeof count) != (ssize_t)sizeof count)
        return kg_error_set(err, KG_ERROR_MEASURE, "cannot read the count of instructions: %s",
                            strerror(errno));
    *instructions = (double)count;
    return true;
}

void kg_counting_close(struct kg_counting *counting)
{
    if (counting->descriptor >= 0)
        close(counting->descriptor);
    counting->descriptor = -1;
}
