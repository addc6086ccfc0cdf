#include "run/timing/timed_loop.h"

#include <dirent.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "device/sysfs.h"

/* --- Readings of the kernel ------------------------------------------------------------------- */

/* Reads every thread of this process; returns their number. *known is false if one is left out. */
static size_t threads_read(struct kg_thread_wait threads[KG_WAITING_THREADS_MOST], bool *known)
{
    size_t count = 0;
    char path[64];
    DIR *folder = opendir("/proc/self/task");
    if (!folder)
        *known = false;
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        const pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
        if (thread <= 0)
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%d", (int)thread);
        const double wait_ns = kg_tree_wait_ns(path);
        const bool ended = isnan(wait_ns) && access(path, F_OK) != 0;
        if (ended)
            continue;
        if (isnan(wait_ns) || count == KG_WAITING_THREADS_MOST)
            *known = false;
        else
            threads[count++] = (struct kg_thread_wait){thread, wait_ns};
    }
    if (folder)
        closedir(folder);
    return count;
}

static double usage_cpu_ns(int who)
{
    struct rusage usage;
    if (getrusage(who, &usage) != 0)
        return 0;
    return 1e9 * (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e3 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static double cpu_now_ns(void)
{
    return usage_cpu_ns(RUSAGE_SELF) + usage_cpu_ns(RUSAGE_CHILDREN);
}

/* Time that the host took from the CPUs that this process may use, since the machine began: the
 * eighth number of their lines. */
static double stolen_now_ns(void)
{
    char line[256];
    cpu_set_t allowed;
    double ticks = 0;
    FILE *file = fopen("/proc/stat", "re");
    if (!file || sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        CPU_ZERO(&allowed);
    while (file && fgets(line, sizeof line, file)) {
        double stolen;
        unsigned cpu;
        if (line[0] != 'c')
            break;
        if (sscanf(line, "cpu%u %*s %*s %*s %*s %*s %*s %*s %lf", &cpu, &stolen) == 2 &&
            cpu < CPU_SETSIZE && CPU_ISSET(cpu, &allowed))
            ticks += stolen;
    }
    if (file)
        fclose(file);
    return ticks * 1e9 / (double)sysconf(_SC_CLK_TCK);
}

/* --- Around the pieces ------------------------------------------------------------------------ */

void kg_waiting_open(struct kg_waiting *waiting)
{
    cpu_set_t allowed;
    const bool affinity_read = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
    *waiting = (struct kg_waiting){
        .known = affinity_read,
        .cpus = affinity_read ? (size_t)CPU_COUNT(&allowed) : 0,
        /* On a machine of its own the column is zero for ever: it is not read again. */
        .host_takes = stolen_now_ns() > 0};
}

void kg_waiting_begin(struct kg_waiting *waiting)
{
    waiting->before_count = threads_read(waiting->before, &waiting->known);
    if (waiting->host_takes)
        waiting->stolen_before_ns = stolen_now_ns();
    waiting->cpu_before_ns = cpu_now_ns();
    waiting->started_ns = (double)kg_clock_ns();
}

/* A thread's wait at the start of the piece; 0 for a thread that began later. */
static double wait_before(const struct kg_waiting *waiting, pid_t thread)
{
    for (size_t i = 0; i < waiting->before_count; i++)
        if (waiting->before[i].thread == thread)
            return waiting->before[i].wait_ns;
    return 0;
}

void kg_waiting_end(struct kg_waiting *waiting)
{
    struct kg_thread_wait now[KG_WAITING_THREADS_MOST];
    const double elapsed_ns = (double)kg_clock_ns() - waiting->started_ns;
    const double used_ns = cpu_now_ns() - waiting->cpu_before_ns;
    waiting->unused_ns += (double)waiting->cpus * elapsed_ns - used_ns;
    if (waiting->host_takes)
        waiting->stolen_ns += stolen_now_ns() - waiting->stolen_before_ns;
    const size_t count = threads_read(now, &waiting->known);
    for (size_t i = 0; i < count; i++)
        waiting->wait_ns += now[i].wait_ns - wait_before(waiting, now[i].thread);
}

void kg_waiting_add(struct kg_waiting *waiting, double wait_ns)
{
    waiting->known = waiting->known && !isnan(wait_ns);
    waiting->wait_ns += wait_ns;
}

struct kg_waited kg_waiting_close(const struct kg_waiting *waiting)
{
    const double others_ns = fmax(0, waiting->unused_ns);
    return (struct kg_waited){.wait_ns =
                                  waiting->known ? round(fmin(waiting->wait_ns, others_ns)) : NAN,
                              .stolen_ns = waiting->stolen_ns};
}
