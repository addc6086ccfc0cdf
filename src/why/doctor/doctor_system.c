/* Other load on the machine, its memory, and tools that can count. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "device/sysfs.h"
#include "why/doctor/doctor_checks.h"

/* Minimum levels of other load for a finding. PRESSURE: per cent of the time. LOAD: load average
 * as a share of all CPUs. A desktop keeps a tenth of its CPUs busy. With half of them busy, no
 * CPU stays quiet for long. */
static const double PRESSURE_WARNING = 5, LOAD_NOTE = 0.1, LOAD_WARNING = 0.5;

struct load {
    double pressure; /* per cent of the last 10 s in which a task waited for a CPU; -1: unknown */
    double average;  /* load average of one minute */
    double runnable; /* number of other runnable tasks; 0: unknown */
    int cpus;
};

static void load_read(const char *root, struct load *load)
{
    char line[KG_TREE_LINE];
    cpu_set_t online;
    if (kg_tree_value(root, "/proc/pressure/cpu", "some", line) != 0 ||
        strncmp(line, "avg10=", 6) != 0 || !kg_tree_number(line + 6, &load->pressure, NULL))
        load->pressure = -1;
    if (kg_tree_value(root, "/proc/stat", "procs_running", line) != 0 ||
        !kg_tree_number(line, &load->runnable, NULL))
        load->runnable = 1;
    load->runnable = load->runnable > 1 ? load->runnable - 1 : 0;
    kg_tree_cpus_online(root, &online);
    load->cpus = CPU_COUNT(&online) ? CPU_COUNT(&online) : 1;
}

void kg_check_load(const struct kg_doctor *doctor, const char *topic, struct kg_findings *findings)
{
    struct load load = {0};
    char line[KG_TREE_LINE], pressure[48] = "";
    const int code = kg_tree_line(doctor->root, line, "/proc/loadavg");
    if (code || !kg_tree_number(line, &load.average, NULL)) {
        kg_finding_unreadable(findings, topic, "/proc/loadavg", code, line);
        return;
    }
    load_read(doctor->root, &load);
    if (load.pressure >= 0)
        snprintf(pressure, sizeof pressure, ", CPU pressure %.1f %%", load.pressure);
    const double share = load.average / load.cpus;
    const bool warning = load.pressure >= PRESSURE_WARNING || share >= LOAD_WARNING;
    const bool good = share < LOAD_NOTE && load.runnable < 1;
    kg_finding_add(
        findings,
        warning ? KG_FINDING_WARNING
        : good  ? KG_FINDING_GOOD
                : KG_FINDING_NOTE,
        topic,
        good && !warning ? NULL
                         : "find it: ps -eo pcpu,pid,comm --sort=-pcpu | head; stop it, or wait",
        "load %.2f on %d CPU%s, %.0f other task%s runnable now%s", load.average, load.cpus,
        load.cpus == 1 ? "" : "s", load.runnable, load.runnable == 1 ? "" : "s", pressure);
}

struct kg_cpu_times kg_cpu_times_read(const char *root)
{
    enum { FIELDS = 8, STEAL = 7 }; /* guest time, behind, is part of user time: proc(5) */
    char line[KG_TREE_LINE];
    const char *text = line;
    double ticks;
    struct kg_cpu_times times = {0};
    if (kg_tree_value(root, "/proc/stat", "cpu", line) != 0)
        return times;
    for (int i = 0; i < FIELDS && kg_tree_number(text, &ticks, &text) && ticks < 1e18; i++) {
        times.all += (uint64_t)ticks;
        times.stolen += i == STEAL ? (uint64_t)ticks : 0;
    }
    return times;
}

void kg_doctor_steal(const struct kg_cpu_times *before, const struct kg_cpu_times *after,
                     struct kg_findings *findings)
{
    static const double WARNING = 1, NOTE = 0.1; /* per cent */
    if (after->all <= before->all || after->stolen < before->stolen)
        return;
    const double percent =
        100 * (double)(after->stolen - before->stolen) / (double)(after->all - before->all);
    const bool good = percent < NOTE;
    kg_finding_add(findings,
                   percent >= WARNING ? KG_FINDING_WARNING
                   : good             ? KG_FINDING_GOOD
                                      : KG_FINDING_NOTE,
                   "steal time",
                   good ? NULL : "use a host with dedicated CPUs (not shared or burstable)",
                   "%.2f %% of CPU time went to other guests of the host%s", percent,
                   before->all ? " while measuring" : " since boot");
}

void kg_check_huge_pages(const struct kg_doctor *doctor, const char *topic,
                         struct kg_findings *findings)
{
    static const char path[] = "/sys/kernel/mm/transparent_hugepage/enabled";
    char line[KG_TREE_LINE];
    const int code = kg_tree_line(doctor->root, line, "%s", path);
    if (kg_tree_missing(code))
        return;
    if (!code && strstr(line, "[always]"))
        kg_finding_add(
            findings, KG_FINDING_NOTE, topic,
            "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",
            "always: the free memory of the moment decides whether a program gets huge pages");
    else if (!code && (strstr(line, "[madvise]") || strstr(line, "[never]")))
        kg_finding_add(findings, KG_FINDING_GOOD, topic, NULL, "%s",
                       strstr(line, "[never]") ? "never" : "madvise: only if a program asks");
    else
        kg_finding_unreadable(findings, topic, path, code, line);
}

/* A line of /proc/meminfo, in bytes; -1: unknown. */
static double memory_read(const char *root, const char *key)
{
    char line[KG_TREE_LINE];
    double kib;
    const bool known =
        kg_tree_value(root, "/proc/meminfo", key, line) == 0 && kg_tree_number(line, &kib, NULL);
    return known ? 1024 * kib : -1;
}

void kg_check_memory(const struct kg_doctor *doctor, const char *topic,
                     struct kg_findings *findings)
{
    static const double LEAST_SHARE = 0.1, LEAST_BYTES = 512.0 * 1024 * 1024;
    const double mib = 1024 * 1024;
    const double total = memory_read(doctor->root, "MemTotal");
    const double available = memory_read(doctor->root, "MemAvailable");
    const double swap = memory_read(doctor->root, "SwapTotal");
    const double swap_free = memory_read(doctor->root, "SwapFree");
    if (total <= 0 || available < 0) {
        kg_finding_unreadable(findings, topic, "/proc/meminfo", ENODATA, "");
        return;
    }
    const double swapped = swap > swap_free && swap_free >= 0 ? swap - swap_free : 0;
    const bool low = available < LEAST_BYTES || available < LEAST_SHARE * total;
    const bool good = !low && swapped < mib;
    kg_finding_add(findings,
                   low    ? KG_FINDING_WARNING
                   : good ? KG_FINDING_GOOD
                          : KG_FINDING_NOTE,
                   topic,
                   low    ? "stop programs that use much memory, or use smaller cases: swapping "
                            "hides every other effect"
                   : good ? NULL
                          : "sudo swapoff -a && sudo swapon -a, so that no page comes from swap "
                            "while measuring",
                   "%.0f of %.0f MiB available, %.0f MiB swapped out", available / mib, total / mib,
                   swapped / mib);
}

int kg_counters_try(void)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof attributes,
        .config = PERF_COUNT_HW_INSTRUCTIONS,
        .disabled = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    const long counter = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
    if (counter < 0)
        return errno;
    close((int)counter);
    return 0;
}

void kg_check_counters(const struct kg_doctor *doctor, const char *topic,
                       struct kg_findings *findings)
{
    static const char path[] = "/proc/sys/kernel/perf_event_paranoid";
    char line[KG_TREE_LINE], paranoid[64] = "";
    const int code = kg_tree_line(doctor->root, line, "%s", path);
    const int refusal = doctor->counters_errno;
    if (!code)
        snprintf(paranoid, sizeof paranoid, " (perf_event_paranoid is %.20s)", line);
    if (!refusal)
        kg_finding_add(findings, KG_FINDING_GOOD, topic, NULL, "instructions can be counted%s",
                       paranoid);
    else if (refusal == ENOENT || refusal == EOPNOTSUPP || refusal == ENODEV)
        kg_finding_add(findings, KG_FINDING_NOTE, topic,
                       "use a virtual machine with a virtual PMU, or valgrind, which counts "
                       "without one",
                       "this machine has no instruction counter");
    else if (refusal == EACCES || refusal == EPERM)
        kg_finding_add(findings, KG_FINDING_NOTE, topic,
                       "sudo sysctl kernel.perf_event_paranoid=2; in a container also allow "
                       "perf_event_open (--cap-add PERFMON, or a seccomp profile)",
                       "no permission to count instructions%s", paranoid);
    else
        kg_finding_add(findings, KG_FINDING_NOTE, topic, NULL, "instructions cannot be counted: %s",
                       strerror(refusal));
}

/* Finds a program of this name in $PATH, below the root; its path goes to `found`. */
static bool program_find(const struct kg_doctor *doctor, const char *name, char *found,
                         size_t bytes)
{
    const char *folder = doctor->path ? doctor->path : "";
    while (*folder) {
        const size_t length = strcspn(folder, ":");
        const int written =
            snprintf(found, bytes, "%s%.*s/%s", doctor->root, (int)length, folder, name);
        if (length && written > 0 && (size_t)written < bytes && access(found, X_OK) == 0)
            return true;
        folder += length + (folder[length] == ':');
    }
    return false;
}

void kg_check_valgrind(const struct kg_doctor *doctor, const char *topic,
                       struct kg_findings *findings)
{
    char found[1024];
    if (program_find(doctor, "valgrind", found, sizeof found))
        kg_finding_add(findings, KG_FINDING_GOOD, topic, NULL,
                       "installed: counts instructions without hardware counters");
    else
        kg_finding_add(findings, KG_FINDING_NOTE, topic, "sudo apt-get install valgrind",
                       "not installed: needed to count instructions without hardware counters");
}
