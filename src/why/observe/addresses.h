/* addresses.h: the hottest addresses of machine code that the samples of one case found: what a
 * disassembler starts from. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "model/hot_code.h"

enum { KG_HOT_ADDRESSES_MOST = 512 };

struct kg_hot_address {
    const char *module_path; /* the file of machine code, as the process had it open */
    uint64_t address;        /* of the instruction, as in the ELF file */
    double share;            /* of the samples: a thread was about to execute it */
    struct kg_place place;   /* of it; inlined functions by their own names */
};

/* What samples of a case found, by share, the hottest first. */
struct kg_hot_addresses {
    struct kg_hot_address *of;
    size_t count;
};
