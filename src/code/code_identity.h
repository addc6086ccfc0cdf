/* code_identity.h: which code a case runs, as a hash: equal hashes, equal code. Not thread-safe. */
#pragma once
#include <stdbool.h>

#include "kgate/plugin.h"
#include "util/arena.h"

/* Whose code. */
struct kg_code_owner {
    const char *file;   /* a plugin, or a kgate; NULL: this kgate */
    const char *kernel; /* the built-in kernel of that kgate; NULL for a plugin */
    enum kgate_device device;
};

/* The answers before: cases of one workload follow each other, in turns of devices, and reading a
 * file again for each of ten thousand would take longer than measuring them. Zero-initialise. */
struct kg_code_memory {
    struct {
        struct kg_code_owner owner;
        const char *hash;
        bool known;
    } last[2];
};

/* The hash, 16 hexadecimal digits in `arena`; NULL where it is not to be had: a file that is not
 * there or no ELF64 file, a kgate from before it had hashes, or memory that is out.
 * memory   the same arena with each call; strings of owners must live as long as it is used */
const char *kg_code_identify(struct kg_code_memory *memory, struct kg_arena *arena,
                             struct kg_code_owner owner);
