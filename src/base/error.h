/* error.h: errors are values. A function that can fail takes a `struct kg_error *` last and returns
 * false after filling it; its caller adds context, handles it, or passes it up. Thread-safe: each
 * error belongs to its caller. */
#pragma once
#include <stdbool.h>

enum kg_error_kind {
    KG_ERROR_NONE,
    KG_ERROR_USAGE,       /* bad arguments, suite or file: the user can fix it */
    KG_ERROR_SYSTEM,      /* a system call failed: disk full, no permission */
    KG_ERROR_MEMORY,      /* an allocation failed */
    KG_ERROR_MEASURE,     /* measuring is impossible here */
    KG_ERROR_INTERRUPTED, /* a signal asked to stop */
    KG_ERROR_UNDECIDED,   /* there is nothing to judge: no verdict */
    KG_ERROR_NOTHING,     /* there is nothing to do, as planned: no failure */
};

struct kg_error {
    enum kg_error_kind kind;
    char path[512];     /* the file at fault; empty if there is none */
    unsigned line;      /* 1-based; 0 if there is none */
    unsigned column;    /* 1-based; 0 if there is none */
    char message[2048]; /* one sentence: the event and the remedy, no final newline */
};

/* Fills err; a message too long is cut. All three return false, for `return kg_error_set(…)`. */
__attribute__((format(printf, 3, 4))) bool
kg_error_set(struct kg_error *err, enum kg_error_kind kind, const char *format, ...);
/* The same with kind KG_ERROR_USAGE and a place in a file. */
__attribute__((format(printf, 5, 6))) bool kg_error_at(struct kg_error *err, const char *path,
                                                       unsigned line, unsigned column,
                                                       const char *format, ...);
/* Puts "context: " before the present message. */
__attribute__((format(printf, 2, 3))) bool kg_error_wrap(struct kg_error *err, const char *format,
                                                         ...);

/* The only way to report that memory is out. It ends a process of kgate's (memory.h). */
bool kg_error_memory(struct kg_error *err);
