/* suite_in_memory.h: makes a suite in memory for a user without one, from one command or from the workloads of a
 * plugin. kgate measures it like any other suite. Pure. */
#pragma once
#include "base/shell_words.h"
#include "base/text.h"

/* Writes a suite with the command as its only workload. For two commands this is the candidate's, since reports speak
 * of the candidate. The workload is named after the program, with the characters that a name allows.
 * words  at least one */
void kg_suite_of_command(struct kg_words words, struct kg_text *yaml);

/* Writes a suite with these workloads of a plugin. */
void kg_suite_of_plugin(const char *path, struct kg_words workloads, struct kg_text *yaml);
