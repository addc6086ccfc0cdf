#include "results/results_validate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum bounds { ABOVE_0, FROM_0, WHOLE };

static const char *const bounds_words[] = {
    [ABOVE_0] = "a number above 0",
    [FROM_0] = "a number from 0 up",
    [WHOLE] = "a whole number from 0 up, of at most 63 bits",
};

/* A figure that may be missing. */
struct rule {
    const char *name;
    size_t offset;
    enum bounds bounds;
};

#define RULE(record, member, bounds)                                                               \
    {                                                                                              \
#member, offsetof(struct record, member), bounds                                           \
    }
#define COUNT(rules) (sizeof(rules) / sizeof *(rules))
static const struct rule round_rules[] = {
    RULE(kg_round, call_ns, FROM_0),         RULE(kg_round, launch_ns, FROM_0),
    RULE(kg_round, median_cycles, FROM_0),   RULE(kg_round, sm_clock_hz, ABOVE_0),
    RULE(kg_round, memory_clock_hz, FROM_0), /* some drivers say 0 where they do not know */
    RULE(kg_round, power_w, FROM_0),         RULE(kg_round, utilization, FROM_0),
    RULE(kg_round, other_processes, WHOLE),  RULE(kg_round, throttle, WHOLE),
};
static const struct rule look_rules[] = {
    RULE(kg_look, alone_ns, ABOVE_0),
    RULE(kg_look, instructions, FROM_0),
    RULE(kg_look, line_bytes, FROM_0),
    RULE(kg_look, memory_line_bytes, FROM_0),
};
static const struct rule trace_rules[] = {
    RULE(kg_trace, launches, FROM_0),        RULE(kg_trace, kernel_ns, FROM_0),
    RULE(kg_trace, transfer_ns, FROM_0),     RULE(kg_trace, other_ns, FROM_0),
    RULE(kg_trace, hidden_ns, FROM_0),       RULE(kg_trace, gap_ns, FROM_0),
    RULE(kg_trace, to_device_bytes, FROM_0), RULE(kg_trace, to_host_bytes, FROM_0),
    RULE(kg_trace, pageable_bytes, FROM_0),
};
static const struct rule gpu_rules[] = {
    RULE(kg_gpu, sm_clock_hz, ABOVE_0),
    RULE(kg_gpu, memory_clock_hz, ABOVE_0),
};

static bool fits(enum bounds bounds, double value)
{
    if (isnan(value))
        return true;
    switch (bounds) {
    case ABOVE_0:
        return value > 0;
    case FROM_0:
        return value >= 0;
    case WHOLE:
        return value >= 0 && value < 0x1p63 && value == floor(value);
    }
    return false;
}

static bool rule_holds(const struct rule *rule, const void *record, const char *place,
                       struct kg_error *err)
{
    double value;
    memcpy(&value, (const char *)record + rule->offset, sizeof value);
    return fits(rule->bounds, value)
               ? true
               : kg_error_set(err, KG_ERROR_USAGE, "%s: expected %s, found %g", place,
                              bounds_words[rule->bounds], value);
}

/* The figures of a part of a case, which is there once. */
static bool part_validate(const struct rule *rules, size_t count, const void *part,
                          const char *part_name, size_t index, struct kg_error *err)
{
    char place[64];
    for (size_t i = 0; i < count; i++) {
        snprintf(place, sizeof place, "cases[%zu].%s.%s", index, part_name, rules[i].name);
        if (!rule_holds(&rules[i], part, place, err))
            return false;
    }
    return true;
}

static bool is_timing(const char *name)
{
    for (size_t i = 0; kg_timing_names[i]; i++)
        if (!strcmp(name, kg_timing_names[i]))
            return true;
    return false;
}

static int compare_strings(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool ids_validate(const struct kg_results *results, struct kg_error *err)
{
    bool good = true;
    const char **ids = calloc(results->case_count + 1, sizeof *ids);
    if (!ids)
        return kg_error_memory(err);
    for (size_t i = 0; i < results->case_count; i++)
        ids[i] = results->cases[i].id;
    qsort(ids, results->case_count, sizeof *ids, compare_strings);
    for (size_t i = 0; i < results->case_count && good; i++) {
        if (!ids[i][0])
            good = kg_error_set(err, KG_ERROR_USAGE, "a case's id is empty");
        else if (i && !strcmp(ids[i], ids[i - 1]))
            good = kg_error_set(err, KG_ERROR_USAGE, "two cases have the id '%.200s'", ids[i]);
    }
    free(ids);
    return good;
}

static bool case_validate(const struct kg_case_result *result, size_t index, struct kg_error *err)
{
    char place[64];
    if (result->timing && !is_timing(result->timing))
        return kg_error_set(err, KG_ERROR_USAGE,
                            "cases[%zu].timing: expected cold, hot, graph or wall, found '%.60s'",
                            index, result->timing);
    for (size_t r = 0; r < result->round_count; r++) {
        const struct kg_round *round = &result->rounds[r];
        if (!(round->median_ns > 0) || !(round->wall_ns >= 0))
            return kg_error_set(err, KG_ERROR_USAGE,
                                "cases[%zu].rounds.median_ns[%zu]: expected a time above 0", index,
                                r);
        for (size_t i = 0; i < COUNT(round_rules); i++) {
            snprintf(place, sizeof place, "cases[%zu].rounds.%s[%zu]", index, round_rules[i].name,
                     r);
            if (!rule_holds(&round_rules[i], round, place, err))
                return false;
        }
    }
    if (result->status == KG_STATUS_OK && !result->round_count)
        return kg_error_set(err, KG_ERROR_USAGE, "cases[%zu].rounds: a case of status OK has none",
                            index);
    if (!part_validate(trace_rules, COUNT(trace_rules), &result->trace, "trace", index, err) ||
        !part_validate(look_rules, COUNT(look_rules), &result->look, "look", index, err))
        return false;
    for (size_t c = 0; c < result->counter_count; c++)
        if (result->counters[c].value_count &&
            !kg_counter_values_good(result->counters[c].values, result->counters[c].value_count))
            return kg_error_set(err, KG_ERROR_USAGE,
                                "cases[%zu].counters[%zu].values: expected numbers from 0 up",
                                index, c);
    if (!(result->threshold >= 0) || !(result->min_effect_ns >= 0) ||
        !(result->memory_threshold >= 0))
        return kg_error_set(err, KG_ERROR_USAGE,
                            "cases[%zu].threshold: expected thresholds from 0 up", index);
    return true;
}

static bool machine_validate(const struct kg_machine *machine, struct kg_error *err)
{
    char place[64];
    if (machine->gpu_chosen && machine->gpu_chosen >= machine->gpu_count)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "machine.gpu_chosen: expected the number of one of %zu gpus, found %zu",
                            machine->gpu_count, machine->gpu_chosen);
    for (size_t g = 0; g < machine->gpu_count; g++)
        for (size_t i = 0; i < COUNT(gpu_rules); i++) {
            snprintf(place, sizeof place, "machine.gpus[%zu].%s", g, gpu_rules[i].name);
            if (!rule_holds(&gpu_rules[i], &machine->gpus[g], place, err))
                return false;
        }
    return true;
}

bool kg_results_validate(const struct kg_results *results, struct kg_error *err)
{
    if (!(results->policy.alpha > 0 && results->policy.alpha < 1))
        return kg_error_set(err, KG_ERROR_USAGE, "policy.alpha: expected a number between 0 and 1");
    if (!machine_validate(&results->machine, err))
        return false;
    if (!kg_ceilings_good(&results->ceilings))
        return kg_error_set(err, KG_ERROR_USAGE,
                            "ceilings: expected figures above 0 that a GPU could have");
    if (!kg_cpu_ceilings_good(&results->cpu_ceilings))
        return kg_error_set(err, KG_ERROR_USAGE,
                            "cpu_ceilings: expected figures above 0 that a machine could have, and "
                            "all threads not slower than one");
    for (size_t i = 0; i < results->case_count; i++)
        if (!case_validate(&results->cases[i], i, err))
            return false;
    return ids_validate(results, err);
}
