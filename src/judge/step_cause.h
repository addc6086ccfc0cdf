/* step_cause.h: causes of the steps of one night that need no measuring. Pure function; no allocation; thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "judge/change_point.h"

enum kg_step_cause {
    KG_STEP_UNKNOWN, /* paired rounds of the two builds must decide */
    KG_STEP_CODE,    /* the same case stepped on another host */
    KG_STEP_MACHINE, /* the code is unchanged, or the whole host stepped and its class did not */
    KG_STEP_ENVIRONMENT, /* likewise, and facts of the machine changed: kernel, driver, microcode, clock limit */
    KG_STEP_CONTROL,    /* the control series of the host stepped too: the machine */
    KG_STEP_DEFINITION, /* another workload under the same name */
    KG_STEP_CAUSES
};

/* Returns the cause's name in files: "machine". */
const char *kg_step_cause_name(enum kg_step_cause cause);

/* One or two bad nights beside a step move its split by as many runs, and the interval does not show it. So only code
 * that stays the same for this number of runs beyond either end of the interval counts as unchanged. */
enum { KG_STEP_BESIDE = KG_CHANGE_LEVEL_LEAST - 1 };

/* One alarm. Each flag compares the runs at the ends of the split's interval: number newer_most + 1 and number
 * newer_least of kg_change_alarm. */
struct kg_night_alarm {
    size_t host;             /* index of its host */
    size_t case_number;      /* the same number on every host */
    double step;             /* log of new level over old level */
    double control_step;     /* log of the step of the host's control; 0: none, or no control */
    bool definition_changed; /* hash of the workload's definition */
    bool code_unchanged; /* both hashes are known and equal, KG_STEP_BESIDE runs beyond the ends */
    bool epoch_changed;  /* facts of the machine */
    enum kg_step_cause cause; /* set by kg_step_causes_find */
};

struct kg_night_host {
    size_t class;  /* number of its class: same CPU, GPU and memory */
    size_t series; /* number of series that it measured in this night */
};

/* Sets the causes of all alarms whose split is in one night.
 * alarms  of all hosts of a fleet; at most one per host and case */
void kg_step_causes_find(struct kg_night_alarm *alarms, size_t count,
                         const struct kg_night_host *hosts, size_t host_count);
