/* suite_in_memory.h: makes a suite in memory for a user without one, from one command, one kernel or the workloads of
 * a plugin. kgate measures it like any other suite. Pure. */
#pragma once
#include "base/error.h"
#include "base/shell_words.h"
#include "base/text.h"

/* Writes a suite with the command as its only workload. For two commands this is the candidate's, since reports speak
 * of the candidate. The workload is named after the program, with the characters that a name allows.
 * words  at least one */
void kg_suite_of_command(struct kg_words words, struct kg_text *yaml);

/* Writes a suite with these workloads of a plugin. */
void kg_suite_of_plugin(const char *path, struct kg_words workloads, struct kg_text *yaml);

/* A built-in kernel as the user named it. */
struct kg_kernel_request {
    const char *kernel;
    const char *const *params; /* "lattice=D4,q=4": one value per key */
    size_t param_count;
    const char *const *matrix; /* "batch=1,10,100": every value of the key */
    size_t matrix_count;
};

/* Writes a suite with the kernel as its only workload.
 * err  KG_ERROR_USAGE if a text is no list of keys and values */
bool kg_suite_of_kernel(const struct kg_kernel_request *request, struct kg_text *yaml,
                        struct kg_error *err);
