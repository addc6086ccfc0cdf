/* results_v1.h: results of version 1 as those of version 2. */
#pragma once
#include <jansson.h>
#include <stdbool.h>

/* Thresholds stood in fields of their own, beside counters; in version 2 all metrics have series.
 * What is not as version 1 has it stays, for the reader to refuse. false where memory is out. */
bool kg_results_from_v1(json_t *file);

/* The same of one case; one of version 2 stays as it is. */
bool kg_case_from_v1(json_t *result);
