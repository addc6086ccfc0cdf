#include "device/cpu_caches.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "device/sysfs.h"

const char *const kg_level_names[KG_LEVEL_COUNT + 1] = {"L1", "L2", "L3", "memory", NULL};

/* caches per CPU: data and instructions of three levels, and spare room */
enum { INDEXES_MOST = 8 };

/* "48K" in bytes; NaN if the text is anything else. */
static double size_parse(const char *text)
{
    static const char UNITS[] = "KMG";
    const char *rest;
    double size;
    if (!kg_tree_number(text, &size, &rest) || !(size > 0))
        return NAN;
    const char *unit = *rest ? strchr(UNITS, *rest) : NULL;
    return *rest && !unit ? NAN : unit ? ldexp(size, 10 * (int)(unit - UNITS + 1)) : size;
}

/* Whether `cpu` is the first CPU of `set` with this cache. */
static bool is_first(const cpu_set_t *shared, const cpu_set_t *set, int cpu)
{
    for (int other = 0; other < cpu; other++)
        if (CPU_ISSET((unsigned)other, shared) && CPU_ISSET((unsigned)other, set))
            return false;
    return true;
}

/* The level of a data cache, from 0; -1 for any other cache. */
static int level_read(const char *root, int cpu, int index)
{
    static const char PATH[] = "/sys/devices/system/cpu/cpu%d/cache/index%d/%s";
    char line[KG_TREE_LINE];
    double level;
    if (kg_tree_line(root, line, PATH, cpu, index, "type") != 0 || !strcmp(line, "Instruction"))
        return -1;
    if (kg_tree_line(root, line, PATH, cpu, index, "level") != 0 ||
        !kg_tree_number(line, &level, NULL) || level < 1 || level > KG_LEVEL_MEMORY)
        return -1;
    return (int)level - 1;
}

/* Counts one cache of one CPU, unless an earlier CPU shares the cache. */
static void index_read(const char *root, const cpu_set_t *set, int cpu, int index,
                       struct kg_cpu_caches *caches)
{
    static const char PATH[] = "/sys/devices/system/cpu/cpu%d/cache/index%d/%s";
    char line[KG_TREE_LINE];
    cpu_set_t shared;
    const int level = level_read(root, cpu, index);
    if (level < 0 || kg_tree_line(root, line, PATH, cpu, index, "shared_cpu_list") != 0 ||
        !kg_cpu_list_parse(line, &shared) || !is_first(&shared, set, cpu))
        return;
    struct kg_cpu_cache *cache = &caches->levels[level];
    cache->count = isnan(cache->count) ? 1 : cache->count + 1;
    if (level == 0 && cache->count <= 2)
        caches->apart[(int)cache->count - 1] = cpu;
    if (isnan(cache->bytes) && kg_tree_line(root, line, PATH, cpu, index, "size") == 0)
        cache->bytes = size_parse(line);
}

/* The first two CPUs, if nothing tells which CPUs share a core. */
static void apart_guess(const cpu_set_t *set, int *apart)
{
    int found = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE && found < 2; cpu++)
        if (CPU_ISSET((unsigned)cpu, set))
            apart[found++] = cpu;
}

/* Fills gaps from glibc, for example without /sys: glibc knows sizes, not which CPUs share a
 * cache. */
static void library_ask(const cpu_set_t *set, struct kg_cpu_caches *caches)
{
    if (isnan(caches->levels[KG_LEVEL_L1].count))
        apart_guess(set, caches->apart);
    static const int names[KG_LEVEL_MEMORY] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE,
                                               _SC_LEVEL3_CACHE_SIZE};
    for (int level = 0; level < KG_LEVEL_MEMORY; level++) {
        struct kg_cpu_cache *cache = &caches->levels[level];
        const long bytes = isnan(cache->bytes) ? sysconf(names[level]) : 0;
        if (bytes > 0)
            *cache = (struct kg_cpu_cache){(double)bytes,
                                           level == KG_LEVEL_L3 ? 1 : (double)CPU_COUNT(set)};
    }
}

void kg_cpu_caches_read(const char *root, const cpu_set_t *set, struct kg_cpu_caches *caches)
{
    *caches =
        (struct kg_cpu_caches){.levels = {{NAN, NAN}, {NAN, NAN}, {NAN, NAN}}, .apart = {-1, -1}};
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        for (int index = 0; CPU_ISSET((unsigned)cpu, set) && index < INDEXES_MOST; index++)
            index_read(root, set, cpu, index, caches);
    if (!*root)
        library_ask(set, caches);
    if (caches->apart[1] < 0)
        caches->apart[0] = -1;
}
