/* worker_program.h: which executable is started for a case, and what lies beside kgate for it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "run/session.h"

/* Finds the kgate-worker of a kgate: beside it, or in ../libexec/kgate from there.
 * path     4096 bytes; on failure empty
 * returns  false where there is none that may be executed */
bool kg_worker_program_find(const char *kgate, char *path);

/* Finds the libkgate_memory.so of a kgate: beside it, or where it was installed. It may be missing:
 * without it nothing is recorded of memory but what a workload tells itself.
 * path     4096 bytes; on failure empty */
bool kg_memory_library_find(const char *kgate, char *path);

/* Whether a case needs a kgate-worker: a plugin or a command that is not on the GPU. Built-in kernels are in
 * kgate itself, and the GPU is used by kgate. */
bool kg_case_has_worker(const struct kg_session *session, size_t index);

/* The program and the arguments of the worker of a case. Of a build of `ab` that is a kgate
 * it is the kgate-worker beside that one, where there is one; else plugins and commands of
 * all builds are run by this kgate's, so that they differ in nothing else.
 * arguments  NULL-terminated, constant */
const char *kg_case_program(const struct kg_session *session, size_t index,
                            char *const **arguments);

/* Finds this kgate's, where a case needs it. Without one: KG_ERROR_SYSTEM, with what to do. */
bool kg_session_worker_find(const struct kg_session *session, struct kg_error *err);
