/* callgrind.h: Valgrind's Callgrind: its program, its options and its files. Valgrind's manual
 * describes the files ("Callgrind Format Specification"). */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "run/timing/counting.h"

/* Finds the program `valgrind` in $PATH; false if it is missing. */
bool kg_callgrind_find(char *path, size_t bytes);

/* Writes the option that sets the size of the simulated last-level cache, in bytes, into `text`.
 * Without the option Callgrind asks the processor, and a virtual one may name the cache of the whole
 * machine. An impossible size makes an empty text. Valgrind wants a power of two of sets, so the
 * associativity takes the rest. */
void kg_callgrind_last_level(double bytes, char *text, size_t text_bytes);

/* The counts in one of Callgrind's files; NaN for events that the file lacks. */
struct kg_counts kg_callgrind_read(const char *path);

/* Sums the counts of a folder's files, and removes the files; NaN if there are none. A process leaves
 * a file PID at its end. If a worker asked for its counts before, it also leaves PID.1. The file PID
 * then has later counts, which are not the workload's. */
struct kg_counts kg_callgrind_take(const char *folder, bool asked_for);
