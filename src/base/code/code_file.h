/* code_file.h: what an ELF file says of the code that runs with it. Each file is read once: the
 * libraries of ten thousand cases are mostly the same few. Not thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct kg_code_file {
    const char *path;
    const char *hash;        /* 16 hexadecimal digits; NULL where there is none */
    const char *interpreter; /* path of its dynamic loader; NULL without one */
    bool system;             /* in a folder of the operating system's */
    bool has_auditors;       /* it names libraries that decide what the loader loads: DT_AUDIT */
    bool loads_code;         /* it can load code while it runs: dlopen */
    bool starts_programs;    /* it can start programs: exec, posix_spawn, system, popen */
    bool opens_files;        /* it can open files, sockets or shared memory by name */
};

/* Zero-initialise. */
struct kg_code_files {
    struct kg_code_file *files;
    size_t count, capacity;
};

/* What is known of a file; without a hash where it cannot be read, is no ELF64 file or holds no
 * code. The pointer is good until the next call.
 * arena    the same with each call
 * library  a file in a system folder is known by its build id where it has one, which takes
 *          microseconds however large it is; else by its code (code_hash.h)
 * returns  NULL where memory is out */
const struct kg_code_file *kg_code_file_find(struct kg_code_files *files, struct kg_arena *arena,
                                             const char *path, bool library);
