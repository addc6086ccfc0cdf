/* suite_in_memory.h: a suite in memory, for who has none: of one command, or of the workloads of a plugin.
 * What is measured then is measured as any suite is. Pure. */
#pragma once
#include "base/shell_words.h"
#include "base/text.h"

/* A suite whose one workload is the command: of two that are compared the new one, as what a
 * comparison says of a case is said of the head. Its name is that of the program, as far as names of
 * workloads allow.
 * words  at least one */
void kg_suite_of_command(struct kg_words words, struct kg_text *yaml);

/* A suite of these workloads of a plugin. */
void kg_suite_of_plugin(const char *path, struct kg_words workloads, struct kg_text *yaml);
