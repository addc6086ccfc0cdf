#include "run/timing/perf_event.h"

#include <linux/perf_event.h>
#include <math.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The bytes that read(2) gives for a counter. */
struct reading {
    uint64_t count;
    uint64_t enabled_ns;
    uint64_t running_ns; /* less than enabled_ns if counters had to share the processor's */
};

int kg_perf_open(const struct kg_perf_event *event, int leader)
{
    struct perf_event_attr attributes = {
        .type = event->type,
        .size = sizeof attributes,
        .config = event->config,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .disabled = leader < 0,
        .inherit = 1, /* counts later threads too; the kernel then allows no reading as a group */
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

void kg_perf_start(int leader)
{
    ioctl(leader, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
    ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
}

void kg_perf_stop(int leader)
{
    ioctl(leader, PERF_EVENT_IOC_DISABLE, 0);
}

double kg_perf_read(int descriptor)
{
    struct reading reading;
    if (descriptor < 0 || read(descriptor, &reading, sizeof reading) != (ssize_t)sizeof reading ||
        !reading.running_ns)
        return NAN;
    return (double)reading.count * ((double)reading.enabled_ns / (double)reading.running_ns);
}
