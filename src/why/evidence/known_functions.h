/* known_functions.h: functions of libraries and of the kernel whose time indicates a cause. */
#pragma once
#include "why/rules/cause.h"

/* The cause by a function's name, with or without a version suffix (`memcpy` matches
 * `__memmove_avx_unaligned_erms`). KG_CAUSE_NONE for all others. */
enum kg_cause_kind kg_known_function(const char *function);

/* The cause by a function of the dynamic linker. Startup code of every program, such as the
 * detection of CPU features, indicates no cause. NULL: a function without a name; it counts as
 * linking. */
enum kg_cause_kind kg_known_linker_function(const char *function);

/* The cause by the name of a system call and its mean number of bytes (NaN: unknown). */
enum kg_cause_kind kg_known_system_call(const char *name, double bytes);

/* The function's name without the leading underscores and `GI_` that libraries add. */
const char *kg_function_plain(const char *function);
