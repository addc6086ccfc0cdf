/* The CPU time that control groups leave to this process. The path in /proc/self/cgroup is the
 * host's; a container sees another tree, or only the end of that path. So kgate reads every
 * existing folder from that path up to the mount, and the tightest limit counts. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "device/sysfs.h"
#include "why/doctor/doctor_checks.h"

enum { FOLDER = KG_TREE_LINE + 64 }; /* a mount and a path below it */

/* Mount points of both versions of control groups. */
static const struct hierarchy {
    const char *mount;
    bool unified; /* version 2 */
} hierarchies[] = {
    {"/sys/fs/cgroup", true},
    {"/sys/fs/cgroup/unified", true},
    {"/sys/fs/cgroup/cpu,cpuacct", false},
    {"/sys/fs/cgroup/cpu", false},
};

struct quota {
    double cpus; /* 0: no limit */
    double period_us;
    char folder[FOLDER];        /* below the root, mount included */
    char puzzling[FOLDER + 32]; /* a file without a valid limit; "" if there is none */
    int code;
};

/* Whether a line of /proc/self/cgroup, "4:cpu,cpuacct:/path", is about the CPU controller. */
static bool line_matches(const char *line, bool unified)
{
    const char *list = strchr(line, ':');
    if (!list++)
        return false;
    if (unified)
        return *list == ':';
    while (*list && *list != ':') {
        const size_t length = strcspn(list, ",:");
        if (length == 3 && !strncmp(list, "cpu", 3))
            return true;
        list += length + (list[length] == ',');
    }
    return false;
}

/* Reads the path of this process in a hierarchy. "": the process is at the mount, or its path is
 * unknown. */
static void path_read(const char *root, bool unified, char *path)
{
    char whole[PATH_MAX], line[KG_TREE_LINE];
    path[0] = '\0';
    if (snprintf(whole, sizeof whole, "%s/proc/self/cgroup", root) >= (int)sizeof whole)
        return;
    FILE *file = fopen(whole, "re");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        const char *slash = strchr(line, '/');
        if (!slash || !line_matches(line, unified))
            continue;
        /* "/../x" is above this namespace, and invisible from here */
        snprintf(path, KG_TREE_LINE, "%s", strstr(slash, "..") || !slash[1] ? "" : slash);
        break;
    }
    if (file)
        fclose(file);
}

/* Reads one folder's limit. `quota` stays if there is no limit, or if a tighter one is known. */
static void folder_read(const char *root, const char *folder, bool unified, struct quota *quota)
{
    char line[KG_TREE_LINE], period_line[KG_TREE_LINE];
    const char *file = unified ? "cpu.max" : "cpu.cfs_quota_us";
    const char *rest = period_line;
    double limit, period;
    const int code = kg_tree_line(root, line, "%s/%s", folder, file);
    if (kg_tree_missing(code) || (!code && (line[0] == '-' || !strncmp(line, "max", 3))))
        return;
    bool good = !code && kg_tree_number(line, &limit, &rest);
    if (!unified)
        rest =
            kg_tree_line(root, period_line, "%s/cpu.cfs_period_us", folder) == 0 ? period_line : "";
    good = good && kg_tree_number(rest, &period, NULL) && limit > 0 && period > 0;
    if (!good) {
        snprintf(quota->puzzling, sizeof quota->puzzling, "%s/%s", folder, file);
        quota->code = code;
    } else if (quota->cpus == 0 || limit / period < quota->cpus) {
        quota->cpus = limit / period;
        quota->period_us = period;
        snprintf(quota->folder, sizeof quota->folder, "%s", folder);
    }
}

static void hierarchy_read(const char *root, const struct hierarchy *hierarchy, struct quota *quota)
{
    char path[KG_TREE_LINE], folder[FOLDER];
    path_read(root, hierarchy->unified, path);
    for (;;) {
        snprintf(folder, sizeof folder, "%s%s", hierarchy->mount, path);
        folder_read(root, folder, hierarchy->unified, quota);
        char *slash = strrchr(path, '/');
        if (!slash)
            return;
        *slash = '\0';
    }
}

static double statistic(const char *root, const struct quota *quota, const char *key)
{
    char path[FOLDER + 16], line[KG_TREE_LINE];
    double value = 0;
    snprintf(path, sizeof path, "%s/cpu.stat", quota->folder);
    if (kg_tree_value(root, path, key, line) != 0 || !kg_tree_number(line, &value, NULL))
        return 0;
    return value;
}

static void quota_read(const char *root, struct quota *quota)
{
    *quota = (struct quota){0};
    for (size_t i = 0; i < sizeof hierarchies / sizeof *hierarchies; i++)
        hierarchy_read(root, &hierarchies[i], quota);
}

double kg_tree_quota_cpus(const char *root)
{
    struct quota quota;
    quota_read(root, &quota);
    return quota.cpus > 0 ? quota.cpus : NAN;
}

void kg_check_quota(const struct kg_doctor *doctor, const char *topic, struct kg_findings *findings)
{
    struct quota quota;
    cpu_set_t allowed;
    quota_read(doctor->root, &quota);
    if (quota.cpus == 0 && quota.puzzling[0]) {
        kg_finding_unreadable(findings, topic, quota.puzzling, quota.code, "");
        return;
    }
    if (quota.cpus == 0) {
        kg_finding_add(findings, KG_FINDING_GOOD, topic, NULL, "none");
        return;
    }
    kg_tree_cpus_allowed(doctor->root, &allowed);
    const double throttled = statistic(doctor->root, &quota, "nr_throttled");
    const bool tight = throttled > 0 || quota.cpus < CPU_COUNT(&allowed);
    kg_finding_add(findings, tight ? KG_FINDING_WARNING : KG_FINDING_NOTE, topic,
                   "give whole CPUs instead of a share of time: --cpuset-cpus instead of --cpus; "
                   "in Kubernetes a Guaranteed pod with the static CPU manager",
                   "%.3g CPUs per period of %.0f ms, on %d CPUs; throttled in %.0f of %.0f periods "
                   "so far",
                   quota.cpus, quota.period_us / 1000, CPU_COUNT(&allowed), throttled,
                   statistic(doctor->root, &quota, "nr_periods"));
}
