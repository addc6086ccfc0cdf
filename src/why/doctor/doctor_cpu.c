/* The CPU: its clock, its threads, the CPUs that this process may use, and whether it is
 * virtual. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "device/sysfs.h"
#include "why/doctor/doctor_checks.h"

#define CPU "/sys/devices/system/cpu"

/* The frequency governors of the allowed CPUs. */
struct governors {
    size_t known;
    size_t other; /* number of governors other than "performance" */
    char first_other[KG_TREE_LINE];
    size_t first_other_cpu;
    int code; /* errno of an existing but unreadable file; else 0 */
};

static void governors_read(const struct kg_doctor *doctor, struct governors *governors)
{
    cpu_set_t allowed;
    char line[KG_TREE_LINE];
    *governors = (struct governors){0};
    kg_tree_cpus_allowed(doctor->root, &allowed);
    for (size_t i = 0; i < CPU_SETSIZE; i++) {
        if (!CPU_ISSET(i, &allowed))
            continue;
        const int code =
            kg_tree_line(doctor->root, line, CPU "/cpu%zu/cpufreq/scaling_governor", i);
        if (code) {
            governors->code = kg_tree_missing(code) ? governors->code : code;
            continue;
        }
        governors->known++;
        if (!strcmp(line, "performance"))
            continue;
        if (!governors->other++) {
            snprintf(governors->first_other, sizeof governors->first_other, "%s", line);
            governors->first_other_cpu = i;
        }
    }
}

void kg_check_governor(const struct kg_doctor *doctor, const char *topic,
                       struct kg_findings *findings)
{
    struct governors governors;
    governors_read(doctor, &governors);
    if (governors.code)
        kg_finding_unreadable(findings, topic, CPU "/cpu*/cpufreq/scaling_governor", governors.code,
                              "");
    else if (!governors.known)
        kg_finding_add(findings, KG_FINDING_NOTE, topic, NULL,
                       "no governor: firmware or the host sets the clock");
    else if (!governors.other)
        kg_finding_add(findings, KG_FINDING_GOOD, topic, NULL, "performance on %zu CPU%s",
                       governors.known, governors.known == 1 ? "" : "s");
    else
        kg_finding_add(
            findings, KG_FINDING_WARNING, topic, "sudo cpupower frequency-set -g performance",
            "'%.40s' on %zu of %zu CPUs, first CPU %zu: the clock follows the load",
            governors.first_other, governors.other, governors.known, governors.first_other_cpu);
}

/* The two files that control whether the clock may exceed its nominal value. */
static const struct {
    const char *path;
    const char *on; /* content if boost is on */
    const char *remedy;
} boosts[] = {
    {CPU "/intel_pstate/no_turbo", "0", "echo 1 | sudo tee " CPU "/intel_pstate/no_turbo"},
    {CPU "/cpufreq/boost", "1", "echo 0 | sudo tee " CPU "/cpufreq/boost"},
};

void kg_check_boost(const struct kg_doctor *doctor, const char *topic, struct kg_findings *findings)
{
    char line[KG_TREE_LINE];
    for (size_t i = 0; i < sizeof boosts / sizeof *boosts; i++) {
        const int code = kg_tree_line(doctor->root, line, "%s", boosts[i].path);
        if (kg_tree_missing(code))
            continue;
        if (code || (strcmp(line, "0") != 0 && strcmp(line, "1") != 0))
            kg_finding_unreadable(findings, topic, boosts[i].path, code, line);
        else if (!strcmp(line, boosts[i].on))
            kg_finding_add(findings, KG_FINDING_WARNING, topic, boosts[i].remedy,
                           "on: the clock depends on temperature and on the number of busy cores");
        else
            kg_finding_add(findings, KG_FINDING_GOOD, topic, NULL, "off");
        return;
    }
}

/* Lists the first thread of every core among the allowed CPUs: a choice for pinning with SMT on. */
static void one_of_each_core(const char *root, char *list)
{
    cpu_set_t allowed, siblings, chosen;
    char line[KG_TREE_LINE];
    CPU_ZERO(&chosen);
    kg_tree_cpus_allowed(root, &allowed);
    for (size_t i = 0; i < CPU_SETSIZE; i++) {
        if (!CPU_ISSET(i, &allowed))
            continue;
        const int code = kg_tree_line(root, line, CPU "/cpu%zu/topology/thread_siblings_list", i);
        if (code || !kg_cpu_list_parse(line, &siblings))
            CPU_ZERO(&siblings);
        CPU_AND(&siblings, &siblings, &chosen);
        if (CPU_COUNT(&siblings) == 0)
            CPU_SET(i, &chosen);
    }
    kg_cpu_list_format(&chosen, list);
}

void kg_check_smt(const struct kg_doctor *doctor, const char *topic, struct kg_findings *findings)
{
    char line[KG_TREE_LINE], list[KG_TREE_LINE];
    const int code = kg_tree_line(doctor->root, line, CPU "/smt/active");
    if (kg_tree_missing(code))
        return;
    if (!code && !strcmp(line, "0")) {
        kg_finding_add(findings, KG_FINDING_GOOD, topic, NULL, "off, as far as the kernel knows");
        return;
    }
    if (code || strcmp(line, "1") != 0) {
        kg_finding_unreadable(findings, topic, CPU "/smt/active", code, line);
        return;
    }
    one_of_each_core(doctor->root, list);
    kg_finding_add(findings, KG_FINDING_NOTE, topic,
                   kg_finding_text(findings,
                                   "use one thread per core: taskset -c %.300s kgate ...; or echo "
                                   "off | sudo tee " CPU "/smt/control",
                                   list),
                   "on: work on a core's other thread slows this one");
}

/* Whether `b` contains all CPUs in `a`. */
static bool within(const cpu_set_t *a, const cpu_set_t *b)
{
    cpu_set_t both;
    CPU_AND(&both, a, b);
    return CPU_EQUAL(&both, a);
}

void kg_check_pinning(const struct kg_doctor *doctor, const char *topic,
                      struct kg_findings *findings)
{
    cpu_set_t online, allowed, isolated;
    char line[KG_TREE_LINE], list[KG_TREE_LINE];
    kg_tree_cpus_online(doctor->root, &online);
    kg_tree_cpus_allowed(doctor->root, &allowed);
    if (kg_tree_line(doctor->root, line, CPU "/isolated") != 0 ||
        !kg_cpu_list_parse(line, &isolated))
        CPU_ZERO(&isolated);
    kg_cpu_list_format(&allowed, list);
    if (CPU_COUNT(&allowed) == 0)
        kg_finding_unreadable(findings, topic, "/proc/self/status", ENODATA, "");
    else if (CPU_COUNT(&isolated) && within(&allowed, &isolated))
        kg_finding_add(findings, KG_FINDING_GOOD, topic, NULL, "on isolated CPUs: %.100s", list);
    else if (CPU_COUNT(&isolated))
        kg_finding_add(findings, KG_FINDING_NOTE, topic,
                       kg_finding_text(findings, "taskset -c %.100s kgate ...", line),
                       "CPUs %.100s are isolated, but this process is not limited to them", line);
    else if (CPU_COUNT(&allowed) == 1)
        kg_finding_add(findings, KG_FINDING_WARNING, topic,
                       "allow a second CPU (taskset, cpuset, --cpuset-cpus)",
                       "only CPU %.100s is allowed: all other work on it preempts the measurement",
                       list);
    else if (CPU_COUNT(&online) > CPU_COUNT(&allowed))
        kg_finding_add(findings, KG_FINDING_GOOD, topic, NULL,
                       "CPUs %.100s of %d (affinity or a cpuset); other programs may use them too",
                       list, CPU_COUNT(&online));
    else
        kg_finding_add(findings, KG_FINDING_NOTE, topic,
                       "on a dedicated machine boot with isolcpus=, nohz_full=, rcu_nocbs=; then "
                       "taskset -c LIST kgate ...",
                       "not pinned: CPUs %.100s are allowed, none is isolated", list);
}

static bool flag_hypervisor(const char *root)
{
    /* one CPU's flags fill a page, so kg_tree_line's buffer is too short */
    char path[1024], line[16384];
    bool found = false;
    if (snprintf(path, sizeof path, "%s/proc/cpuinfo", root) >= (int)sizeof path)
        return false;
    FILE *file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof line, file))
        found = !strncmp(line, "flags", 5) && strstr(line, " hypervisor");
    if (file)
        fclose(file);
    return found;
}

void kg_check_hypervisor(const struct kg_doctor *doctor, const char *topic,
                         struct kg_findings *findings)
{
    char name[KG_TREE_LINE];
    if (kg_tree_line(doctor->root, name, "/sys/hypervisor/type") != 0 || !name[0]) {
        if (!flag_hypervisor(doctor->root)) {
            kg_finding_add(findings, KG_FINDING_GOOD, topic, NULL, "none found");
            return;
        }
        if (kg_tree_line(doctor->root, name, "/sys/class/dmi/id/sys_vendor") != 0 || !name[0])
            snprintf(name, sizeof name, "yes");
    }
    kg_finding_add(findings, KG_FINDING_NOTE, topic,
                   "compare within one job (kgate ab), or use a dedicated machine",
                   "%.60s: other guests of the host share caches, memory bandwidth and clock",
                   name);
}

/* The first node that contains all of these CPUs; -1: none does. */
static int node_of(const char *root, const cpu_set_t *nodes, const cpu_set_t *cpus)
{
    char line[KG_TREE_LINE];
    cpu_set_t has;
    for (size_t i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, nodes) &&
            kg_tree_line(root, line, "/sys/devices/system/node/node%zu/cpulist", i) == 0 &&
            kg_cpu_list_parse(line, &has) && within(cpus, &has))
            return (int)i;
    return -1;
}

void kg_check_nodes(const struct kg_doctor *doctor, const char *topic, struct kg_findings *findings)
{
    static const char path[] = "/sys/devices/system/node/has_memory";
    cpu_set_t nodes, allowed;
    char line[KG_TREE_LINE];
    const int code = kg_tree_line(doctor->root, line, path);
    if (kg_tree_missing(code))
        return;
    if (code || !kg_cpu_list_parse(line, &nodes) || CPU_COUNT(&nodes) == 0) {
        kg_finding_unreadable(findings, topic, path, code, line);
        return;
    }
    kg_tree_cpus_allowed(doctor->root, &allowed);
    const int node = node_of(doctor->root, &nodes, &allowed);
    if (CPU_COUNT(&nodes) == 1)
        kg_finding_add(findings, KG_FINDING_GOOD, topic, NULL, "one memory node");
    else if (node >= 0)
        kg_finding_add(findings, KG_FINDING_GOOD, topic, NULL,
                       "all allowed CPUs are on node %d of %d", node, CPU_COUNT(&nodes));
    else
        kg_finding_add(findings, KG_FINDING_WARNING, topic,
                       "stay on one node: numactl --cpunodebind=0 --membind=0 kgate ...",
                       "CPUs of several of %d memory nodes are allowed: memory may be local in one "
                       "run and remote in another",
                       CPU_COUNT(&nodes));
}
