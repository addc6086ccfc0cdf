/* judging.h: decisions of kgate and of other rules on the same recorded rounds. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "recording.h"

/* Counts for one rule in one machine state. */
struct score {
    const char *name;
    size_t gates;       /* comparisons of the twenty cases with unchanged code */
    size_t gate_alarms; /* gates with at least one case called slower */
    size_t case_alarms; /* cases called slower, of gates * CASES */
    size_t doubts;      /* cases called INCONCLUSIVE or SUSPECT; kgate only */
    size_t tried[SLOWDOWNS][WORKLOADS];
    size_t caught[SLOWDOWNS][WORKLOADS];
    double rounds; /* deciding or examined rounds, over all cases of all gates */
};

/* kgate against one stored run (`stored` 1) or several. Each run is compared with every other run,
 * or with `stored` other runs. */
bool kgate_judge(const struct recording *recording, size_t stored, struct score *score,
                 struct kg_error *err);

/* The rule rules[index] of rules.h on screening rounds. */
bool rule_judge(const struct recording *recording, size_t index, struct score *score,
                struct kg_error *err);
