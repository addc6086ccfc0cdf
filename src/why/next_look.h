/* next_look.h: of a case whose time nothing explains, the one command that would tell more: the first
 * of those that were not followed yet. */
#pragma once
#include "base/text.h"
#include "model/results.h"

/* Appends why it is not known, and the command, as one sentence: "its instructions were not counted:
 * there is no valgrind; with Valgrind installed `kgate run …` counts branches and cache misses by line".
 * profiled  whether a profile of it was recorded
 * taken     whether other programs preempted its threads
 * returns   false, and nothing appended, of a case that is not on the CPU */
bool kg_next_look(const struct kg_results *results, const struct kg_case_result *result,
                  bool profiled, bool taken, struct kg_text *text);
