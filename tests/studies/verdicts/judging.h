/* judging.h: kgate's decisions and those of other rules on the same recorded rounds. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "recording.h"

/* What one rule did in one state of the machine. */
struct score {
    const char *name;
    size_t gates;       /* comparisons of the twenty cases, the code unchanged */
    size_t gate_alarms; /* … with at least one case called slower */
    size_t case_alarms; /* cases called slower in them, of gates * CASES */
    size_t doubts;      /* … called INCONCLUSIVE; kgate only */
    size_t tried[SLOWDOWNS][WORKLOADS];
    size_t caught[SLOWDOWNS][WORKLOADS];
    double rounds; /* that decided or were looked at, over all cases of all gates */
};

/* kgate against one stored run (`stored` 1) or several: every run against every other, and against
 * as many others as there are to store. */
bool kgate_judge(const struct recording *recording, size_t stored, struct score *score,
                 struct kg_error *err);

/* The rule rules[index] of rules.h on screening rounds. */
bool rule_judge(const struct recording *recording, size_t index, struct score *score,
                struct kg_error *err);
