/* decide.h: judges all estimated metrics of a comparison together: the change and doubt of each. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "judge/evidence.h"

/* tests  that these are made together with, as struct kg_results has it; 0: no others
 * asked_alpha  the suite's; above 2.5 % it is taken for that, so that no verdict contradicts its
 *              95 % interval
 *
 * Settles every metric by what is usual among the cases, adjusts the p-values of all tests
 * together, and sets `change`, `doubt`, `suspected` and `p_value` of every metric, and the members
 * they were decided from. false where memory is out. */
bool kg_evidence_decide(struct kg_arena *scratch, struct kg_evidence *evidence, size_t count,
                        enum kg_stage stage, size_t tests, double asked_alpha,
                        struct kg_student_points *points);
