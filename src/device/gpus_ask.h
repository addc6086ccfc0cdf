/* gpus_ask.h: the process that asks the driver, for gpus.c. */
#pragma once
#include "device/gpus.h"

/* A kg_apart_work of a struct kg_gpus_query: answers with the facts (struct kg_gpus,
 * `problem` unset), then with the problem of the chosen device (as many bytes as struct
 * kg_gpus has for it). */
void kg_gpus_ask(const void *query, int pipe);
