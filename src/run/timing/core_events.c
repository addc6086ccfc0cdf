#include "run/timing/core_events.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const kg_core_event_names[KG_CORE_EVENTS] = {
    [KG_CORE_CYCLES] = "cycles",
    [KG_CORE_INSTRUCTIONS] = "core_instructions",
    [KG_CORE_BRANCHES] = "branches",
    [KG_CORE_MISPREDICTED] = "mispredicted",
    [KG_CORE_CACHE_REFERENCES] = "cache_references",
    [KG_CORE_CACHE_MISSES] = "cache_misses",
    [KG_CORE_STALLED_FRONTEND] = "stalled_frontend",
    [KG_CORE_STALLED_BACKEND] = "stalled_backend",
    [KG_CORE_SLOTS] = "slots",
    [KG_CORE_ISSUED] = "slots_issued",
    [KG_CORE_RETIRED] = "slots_retired",
    [KG_CORE_WASTED] = "slots_wasted",
    [KG_CORE_RECOVERY] = "slots_recovering",
    [KG_CORE_UNFED] = "slots_unfed",
    [KG_CORE_BLOCKED] = "slots_blocked",
    [KG_CORE_MEMORY] = "slots_memory",
    [KG_CORE_UNRETIRED] = "cycles_unretired",
    [KG_CORE_LOADING] = "cycles_loading",
};

/* Counters are few. So only comparable events count at the same time; the groups alternate. */
enum { WORK, CACHES, STALLS, SLOTS, WAITS };

static const struct {
    enum kg_core_event event;
    uint64_t config;
    int group;
} everywhere[] = {
    {KG_CORE_CYCLES, PERF_COUNT_HW_CPU_CYCLES, WORK},
    {KG_CORE_INSTRUCTIONS, PERF_COUNT_HW_INSTRUCTIONS, WORK},
    {KG_CORE_BRANCHES, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, WORK},
    {KG_CORE_MISPREDICTED, PERF_COUNT_HW_BRANCH_MISSES, WORK},
    {KG_CORE_CACHE_REFERENCES, PERF_COUNT_HW_CACHE_REFERENCES, CACHES},
    {KG_CORE_CACHE_MISSES, PERF_COUNT_HW_CACHE_MISSES, CACHES},
    {KG_CORE_STALLED_FRONTEND, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, STALLS},
    {KG_CORE_STALLED_BACKEND, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, STALLS},
};

struct row {
    enum kg_core_event event;
    const char *text; /* the kernel's name of it; with '=': the definition of such a name */
    double scale;     /* default, if the kernel gives none */
    int group;
    bool optional;
};
enum { ROWS_MOST = 8 };

/* Names: arch/x86/events/intel/core.c in Linux. The leader is the first. */
static const struct row ice_lake[ROWS_MOST] = {
    {KG_CORE_SLOTS, "slots", 1, SLOTS, false},
    {KG_CORE_RETIRED, "topdown-retiring", 1, SLOTS, false},
    {KG_CORE_WASTED, "topdown-bad-spec", 1, SLOTS, false},
    {KG_CORE_UNFED, "topdown-fe-bound", 1, SLOTS, false},
    {KG_CORE_BLOCKED, "topdown-be-bound", 1, SLOTS, false},
    {KG_CORE_MEMORY, "topdown-mem-bound", 1, SLOTS, true}, /* from Sapphire Rapids on */
};
static const struct row sandy_bridge[ROWS_MOST] = {
    {KG_CORE_SLOTS, "topdown-total-slots", 1, SLOTS, false},
    {KG_CORE_ISSUED, "topdown-slots-issued", 1, SLOTS, false},
    {KG_CORE_RETIRED, "topdown-slots-retired", 1, SLOTS, false},
    {KG_CORE_UNFED, "topdown-fetch-bubbles", 1, SLOTS, false},
    {KG_CORE_RECOVERY, "topdown-recovery-bubbles", 1, SLOTS, false},
};
/* The kernel names none. Events and slots a cycle: tools/perf/pmu-events/arch/x86/amdzen4 and
 * amdzen5 in Linux, pipeline.json, which are of AMD's manuals. */
static const struct row zen_4[ROWS_MOST] = {
    {KG_CORE_SLOTS, "event=0x76", 6, SLOTS, false},
    {KG_CORE_ISSUED, "event=0xaa,umask=0x7", 1, SLOTS, false},
    {KG_CORE_RETIRED, "event=0xc1", 1, SLOTS, false},
    {KG_CORE_UNFED, "event=0x1a0,umask=0x1", 1, SLOTS, false},
    {KG_CORE_BLOCKED, "event=0x1a0,umask=0x1e", 1, SLOTS, false},
    {KG_CORE_UNRETIRED, "event=0xd6,umask=0x2", 1, WAITS, true},
    {KG_CORE_LOADING, "event=0xd6,umask=0xa2", 1, WAITS, true},
};

/* --- The kernel's exports --------------------------------------------------------------------- */

enum { PATH_BYTES = 512, TEXT_BYTES = 256 };

struct device {
    char path[PATH_BYTES];
    uint32_t type;
};

/* The first line of a small file; false if it is missing. */
static bool line_read(const char *folder, const char *name, char text[TEXT_BYTES])
{
    char path[PATH_BYTES + 2 * TEXT_BYTES];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "re");
    const bool good = file && fgets(text, TEXT_BYTES, file);
    if (file)
        fclose(file);
    if (good)
        text[strcspn(text, "\n")] = '\0';
    return good;
}

/* The core's counters. If the machine has two kinds of core: the large ones' counters. */
static bool device_find(const char *devices, struct device *device)
{
    static const char *const names[] = {"cpu", "cpu_core"};
    char text[TEXT_BYTES];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(device->path, sizeof device->path, "%s/%s", devices, names[i]);
        if (line_read(device->path, "type", text) && sscanf(text, "%" SCNu32, &device->type) == 1)
            return true;
    }
    return false;
}

/* Puts a value's bits into the places of a format: "config:0-7,32-35" takes the lowest eight and the
 * next four. False if the format is of another word, or the value does not fit. */
static bool bits_put(const char *format, uint64_t value, uint64_t *config)
{
    static const char word[] = "config:";
    unsigned first, last;
    int read = 0;
    if (strncmp(format, word, sizeof word - 1) != 0)
        return false;
    for (format += sizeof word - 1; *format; format += *format == ',') {
        if (sscanf(format, "%u%n", &first, &read) != 1)
            return false;
        format += read;
        last = first;
        if (*format == '-') {
            if (sscanf(++format, "%u%n", &last, &read) != 1)
                return false;
            format += read;
        }
        if (last < first || last > 63 || (*format && *format != ','))
            return false;
        for (; first <= last; first++, value >>= 1)
            *config |= (value & 1) << first;
    }
    return value == 0;
}

/* "event=0x9c,umask=0x1,any=1", each in the bits that its format has. */
static bool terms_encode(const struct device *device, const char *terms, uint64_t *config)
{
    char copy[TEXT_BYTES], name[TEXT_BYTES + 8], format[TEXT_BYTES], *rest;
    *config = 0;
    snprintf(copy, sizeof copy, "%s", terms);
    for (char *term = strtok_r(copy, ",", &rest); term; term = strtok_r(NULL, ",", &rest)) {
        char *equals = strchr(term, '=');
        const uint64_t value = equals ? strtoull(equals + 1, NULL, 0) : 1;
        if (equals)
            *equals = '\0';
        snprintf(name, sizeof name, "format/%s", term);
        if (!line_read(device->path, name, format) || !bits_put(format, value, config))
            return false;
    }
    return *config != 0;
}

static bool row_find(const struct device *device, const struct row *row,
                     struct kg_core_counter *counter)
{
    char name[TEXT_BYTES], terms[TEXT_BYTES], scale[TEXT_BYTES];
    *counter = (struct kg_core_counter){
        .scale = row->scale, .group = row->group, .event.type = device->type};
    snprintf(terms, sizeof terms, "%s", row->text);
    if (!strchr(row->text, '=')) {
        snprintf(name, sizeof name, "events/%s", row->text);
        if (!line_read(device->path, name, terms))
            return false;
        snprintf(name, sizeof name, "events/%s.scale", row->text);
        if (line_read(device->path, name, scale))
            counter->scale = strtod(scale, NULL);
    }
    counter->there = terms_encode(device, terms, &counter->event.config) && counter->scale > 0;
    return counter->there;
}

/* All that a method needs, or nothing of it. */
static bool method_find(const struct device *device, const struct row *rows, double slots,
                        struct kg_core_events *events)
{
    struct kg_core_events found = *events;
    for (size_t i = 0; i < ROWS_MOST && rows[i].text; i++)
        if (!row_find(device, &rows[i], &found.of[rows[i].event]) && !rows[i].optional)
            return false;
    if (slots > 0)
        found.of[KG_CORE_SLOTS].scale = slots;
    *events = found;
    return true;
}

/* --- AMD, by model ---------------------------------------------------------------------------- */

static long cpuinfo_number(const char *text, const char *key)
{
    const char *found = strstr(text, key);
    const char *colon = found ? strchr(found, ':') : NULL;
    return colon ? strtol(colon + 1, NULL, 10) : -1;
}

/* Operations that the core dispatches per cycle; 0 if these events are unknown. The models of Zen 4 and
 * 5 are in tools/perf/pmu-events/arch/x86/mapfile.csv in Linux. */
static double zen_slots(const char *cpuinfo)
{
    char text[2048];
    FILE *file = fopen(cpuinfo, "re");
    const size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[length] = '\0';
    const long family = cpuinfo_number(text, "cpu family");
    const long model = cpuinfo_number(text, "\nmodel\t");
    const bool zen_3 =
        model <= 0x0f || (model >= 0x20 && model <= 0x2f) || (model >= 0x40 && model <= 0x5f);
    const bool zen_5 = model <= 0x4f || (model >= 0x60 && model <= 0x7f);
    if (!strstr(text, "AuthenticAMD") || model < 0)
        return 0;
    return family == 0x19 && !zen_3 ? 6 : family == 0x1a && zen_5 ? 8 : 0;
}

void kg_core_events_find(const char *devices, const char *cpuinfo, struct kg_core_events *events)
{
    struct device device;
    *events = (struct kg_core_events){0};
    for (size_t i = 0; i < sizeof everywhere / sizeof *everywhere; i++)
        events->of[everywhere[i].event] =
            (struct kg_core_counter){.there = true,
                                     .event = {PERF_TYPE_HARDWARE, everywhere[i].config},
                                     .scale = 1,
                                     .group = everywhere[i].group};
    const double slots = zen_slots(cpuinfo);
    if (!device_find(devices, &device) || method_find(&device, ice_lake, 0, events) ||
        method_find(&device, sandy_bridge, 0, events))
        return;
    if (slots > 0)
        method_find(&device, zen_4, slots, events);
}
