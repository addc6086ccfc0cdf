/* known_functions.h: functions of libraries and of the kernel whose time speaks for a cause. */
#pragma once
#include "why/rules/cause.h"

/* By the function's name, with or without the suffix of one of its versions (`memcpy` finds
 * `__memmove_avx_unaligned_erms`). KG_CAUSE_NONE for all others. */
enum kg_cause_kind kg_known_function(const char *function);

/* Of a function of the dynamic linker: what it does for programs without libraries too, as asking
 * what the processor can do, is of no cause. NULL: one without a name. */
enum kg_cause_kind kg_known_linker_function(const char *function);

/* By the name of a system call, with the mean of the bytes that one moves (NaN: not known). */
enum kg_cause_kind kg_known_system_call(const char *name, double bytes);

/* The function's name without the underscores and the `GI_` that libraries put in front of it. */
const char *kg_function_plain(const char *function);
