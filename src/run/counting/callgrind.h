/* callgrind.h: Valgrind's Callgrind: where it is, what it is told, and what its files say. Its
 * format is that of Valgrind's manual, "Callgrind Format Specification". */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "run/timing/counting.h"

/* The program `valgrind` in $PATH; false where there is none. */
bool kg_callgrind_find(char *path, size_t bytes);

/* Writes the option that sets the size of the simulated last level of cache, in bytes, into `text`.
 * Without it Callgrind asks the processor, and a virtual one may name the cache of the whole
 * machine. An empty text for what is no size. Valgrind wants a power of two of sets, so the rest is
 * associativity. */
void kg_callgrind_last_level(double bytes, char *text, size_t text_bytes);

/* The counts in one of its files; NaN for what it did not count. */
struct kg_counts kg_callgrind_read(const char *path);

/* The sum over the files of a folder, which are removed; NaN where there are none. A process leaves
 * PID at its end, and PID.1 where a worker asked for what was counted so far: then what comes after
 * that is not the workload's. */
struct kg_counts kg_callgrind_take(const char *folder, bool asked_for);
