/* step_cause.c: on public nightly series, 15 % of the clear steps have no code between the two nights. Many of these
 * steps name their cause. */
#include "judge/step_cause.h"

#include <math.h>

/* Share of a host's series that makes a step one of the whole host. */
static const double WHOLE_SHARE = 0.5;
enum { WHOLE_LEAST = 3 /* series */ };

const char *kg_step_cause_name(enum kg_step_cause cause)
{
    static const char *const names[KG_STEP_CAUSES] = {
        [KG_STEP_UNKNOWN] = "unknown", [KG_STEP_CODE] = "code",
        [KG_STEP_MACHINE] = "machine", [KG_STEP_ENVIRONMENT] = "environment",
        [KG_STEP_CONTROL] = "control", [KG_STEP_DEFINITION] = "definition",
    };
    return names[cause];
}

struct night {
    const struct kg_night_alarm *alarms;
    size_t count;
    const struct kg_night_host *hosts;
    size_t host_count;
};

static bool same_direction(double one, double other)
{
    return one * other > 0;
}

/* A new workload under the same name says nothing about code or machine. */
static bool is_step_of(const struct kg_night_alarm *alarm, size_t host, double step)
{
    return alarm->host == host && !alarm->definition_changed && same_direction(alarm->step, step);
}

/* Whether at least half of the host's series step in this direction. */
static bool whole_host(const struct night *night, size_t host, double step)
{
    size_t steps = 0;
    for (size_t i = 0; i < night->count; i++)
        steps += is_step_of(&night->alarms[i], host, step);
    return steps >= WHOLE_LEAST && (double)steps >= WHOLE_SHARE * (double)night->hosts[host].series;
}

/* Whether a host of the same class measured and did not step as a whole. Without such a peer the rule cannot tell: a
 * compiler's flag moves all cases, and is code. Code for one class does not run on another. */
static bool peer_stayed(const struct night *night, size_t host, double step)
{
    for (size_t i = 0; i < night->host_count; i++)
        if (i != host && night->hosts[i].class == night->hosts[host].class &&
            night->hosts[i].series > 0 && !whole_host(night, i, step))
            return true;
    return false;
}

/* Whether the case steps on another host as well, and not all of these hosts changed. */
static bool seen_elsewhere(const struct night *night, const struct kg_night_alarm *alarm)
{
    bool seen = false, machine_same = !alarm->epoch_changed;
    for (size_t i = 0; i < night->count; i++) {
        const struct kg_night_alarm *other = &night->alarms[i];
        if (other->host == alarm->host || other->case_number != alarm->case_number ||
            !is_step_of(other, other->host, alarm->step) || other->code_unchanged)
            continue;
        seen = true;
        machine_same = machine_same || !other->epoch_changed;
    }
    return seen && machine_same;
}

/* The control moves by at least half of the step: it explains the step. */
static bool control_stepped(const struct kg_night_alarm *alarm)
{
    return same_direction(alarm->control_step, alarm->step) &&
           fabs(alarm->control_step) >= fabs(alarm->step) / 2;
}

static enum kg_step_cause cause_of(const struct night *night, const struct kg_night_alarm *alarm)
{
    const enum kg_step_cause machine = alarm->epoch_changed ? KG_STEP_ENVIRONMENT : KG_STEP_MACHINE;
    if (alarm->definition_changed)
        return KG_STEP_DEFINITION;
    if (control_stepped(alarm))
        return KG_STEP_CONTROL;
    if (alarm->code_unchanged)
        return machine;
    if (seen_elsewhere(night, alarm))
        return KG_STEP_CODE;
    if (alarm->epoch_changed)
        return KG_STEP_ENVIRONMENT;
    if (whole_host(night, alarm->host, alarm->step) && peer_stayed(night, alarm->host, alarm->step))
        return KG_STEP_MACHINE;
    return KG_STEP_UNKNOWN;
}

void kg_step_causes_find(struct kg_night_alarm *alarms, size_t count,
                         const struct kg_night_host *hosts, size_t host_count)
{
    const struct night night = {alarms, count, hosts, host_count};
    for (size_t i = 0; i < count; i++)
        alarms[i].cause = cause_of(&night, &alarms[i]);
}
