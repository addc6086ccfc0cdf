/* gpus_ask.h: the process that asks the driver, for gpus.c. */
#pragma once
#include "device/gpus.h"

/* In the child: writes the facts (struct kg_gpus, `problem` unset) to `pipe`, then the problem of
 * the chosen device (as many bytes as struct kg_gpus has for it), and ends. */
_Noreturn void kg_gpus_ask(const struct kg_gpus_query *query, int pipe);
