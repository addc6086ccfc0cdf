#include <math.h>
#include <unistd.h>

#include "base/clock.h"
#include "device/sysfs.h"
#include "model/results.h"
#include "run/ceilings/cpu/cpu_ceilings_parts.h"

/* A number in the first line of a file; NaN for another text, such as "max". */
static double file_number(const char *path)
{
    char line[KG_TREE_LINE];
    double number;
    return kg_tree_line("", line, "%s", path) == 0 && kg_tree_number(line, &number, NULL) ? number
                                                                                          : NAN;
}

/* Of the machine, or of the container whose control group is mounted here. */
static double free_bytes(void)
{
    static const char *const limits[][2] = {
        {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
        {"/sys/fs/cgroup/memory/memory.limit_in_bytes",
         "/sys/fs/cgroup/memory/memory.usage_in_bytes"},
    };
    char line[KG_TREE_LINE];
    double kib = 0, bytes;
    if (kg_tree_value("", "/proc/meminfo", "MemAvailable", line) == 0 &&
        kg_tree_number(line, &kib, NULL))
        bytes = kib * 1024;
    else
        bytes = (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const double left = file_number(limits[i][0]) - file_number(limits[i][1]);
        if (!isnan(left))
            bytes = fmin(bytes, fmax(left, 0));
    }
    return bytes;
}

static void begin(struct kg_cpu_measuring *measuring, const cpu_set_t *set)
{
    kg_cpu_caches_read("", set, &measuring->caches);
    measuring->code = kg_cpu_code();
    measuring->free_bytes = free_bytes();
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET((unsigned)cpu, set))
            measuring->cpus[measuring->cpu_count++] = cpu;
}

/* Sizes, in the header's terms. */
static void caches_note(const struct kg_cpu_caches *caches, struct kg_cpu_ceilings *ceilings)
{
    const struct kg_cpu_cache *l1 = &caches->levels[KG_LEVEL_L1],
                              *l2 = &caches->levels[KG_LEVEL_L2],
                              *l3 = &caches->levels[KG_LEVEL_L3];
    ceilings->cores = l1->count;
    ceilings->l1_bytes = l1->bytes;
    ceilings->l2_bytes = l2->bytes * l2->count / l1->count; /* some cores share one */
    ceilings->l3_bytes = l3->bytes * l3->count;
    ceilings->l3_count = l3->count;
}

/* All threads together reach at least the rate of one. If each core has its own resource, the rate
 * is at most that of one, times the number of threads. Without this limit it may be too high: on a
 * virtual machine whose host takes CPUs away, a thread's CPU time may read too short. */
static void all_bound(struct kg_cpu_ceilings *ceilings)
{
    static const struct {
        size_t offset;
        bool shared;
    } rates[] = {
        {offsetof(struct kg_cpu_ceiling, scalar_flops_per_s), false},
        {offsetof(struct kg_cpu_ceiling, vector_flops_per_s), false},
        {offsetof(struct kg_cpu_ceiling, l1_bytes_per_s), false},
        {offsetof(struct kg_cpu_ceiling, l2_bytes_per_s), false},
        {offsetof(struct kg_cpu_ceiling, l3_bytes_per_s), true},
        {offsetof(struct kg_cpu_ceiling, memory_bytes_per_s), true},
    };
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        double *all = (double *)((char *)&ceilings->all + rates[i].offset);
        const double one = *(const double *)((const char *)&ceilings->one + rates[i].offset);
        *all = fmax(*all, one);
        if (!rates[i].shared)
            *all = fmin(*all, one * ceilings->all.threads);
    }
}

/* Several times the usual time on idle CPUs. */
static const uint64_t LONG_NS = 1000000000;

/* Measures twice, so that a disturbance of some tenths of a second does not decide. On a machine so
 * busy that the first time takes long, it measures once. */
static bool parts_measure(struct kg_cpu_measuring *measuring, struct kg_error *err)
{
    enum { TIMES = 2 };
    static bool (*const parts[])(struct kg_cpu_measuring * measuring, int threads,
                                 struct kg_error *err) = {kg_cpu_arithmetic, kg_cpu_memory,
                                                          kg_cpu_waits};
    const int counts[] = {1, measuring->cpu_count};
    struct kg_error later;
    bool all = true;
    for (int time = 0; time < TIMES && !measuring->ceilings->note; time++) {
        const uint64_t start = kg_clock_ns();
        for (size_t i = 0; i < (measuring->cpu_count > 1 ? 2 : 1); i++) {
            kg_cpu_team_pin(measuring, counts[i]);
            for (size_t part = 0; part < sizeof parts / sizeof *parts; part++)
                all = parts[part](measuring, counts[i], all ? err : &later) && all;
        }
        if (kg_clock_ns() - start > LONG_NS)
            measuring->ceilings->note = "measured beside other work: values may be low";
    }
    return all;
}

bool kg_cpu_ceilings_measure(struct kg_arena *arena, struct kg_cpu_ceilings *ceilings,
                             struct kg_error *err)
{
    struct kg_cpu_measuring measuring = {.ceilings = ceilings};
    cpu_set_t set;
    *ceilings = (struct kg_cpu_ceilings)KG_CPU_CEILINGS_NONE;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return kg_error_set(err, KG_ERROR_SYSTEM, "the CPUs of this process are not known");
    begin(&measuring, &set);
    caches_note(&measuring.caches, ceilings);
    ceilings->one.threads = 1;
    ceilings->all.threads = measuring.cpu_count;
    const bool all = parts_measure(&measuring, err);
    kg_cpu_team_unpin(&set, measuring.cpu_count);
    all_bound(ceilings);
    ceilings->measured = kg_timestamp(arena);
    return all && !ceilings->measured ? kg_error_memory(err) : all;
}
