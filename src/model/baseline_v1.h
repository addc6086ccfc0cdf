/* baseline_v1.h: a baseline of version 1 as one of version 2. */
#pragma once
#include <jansson.h>
#include <stdbool.h>

/* The rounds' figures stood in four arrays beside counters; in version 2 all are series. What is not
 * as version 1 has it stays, for the reader to refuse. false where memory is out. */
bool kg_baseline_from_v1(json_t *file);
