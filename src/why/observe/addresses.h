/* addresses.h: the hottest addresses of machine code in the samples of one case. A disassembler
 * starts from them. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "model/hot_code.h"

enum { KG_HOT_ADDRESSES_MOST = 512 };

struct kg_hot_address {
    const char *module_path; /* path of the file of machine code, as the process opened it */
    uint64_t address;        /* address of the instruction, as in the ELF file */
    double share;            /* share of the samples with this instruction next */
    struct kg_place place;   /* place of the address; inlined functions by their own names */
};

/* The addresses in a case's samples, by share, hottest first. */
struct kg_hot_addresses {
    struct kg_hot_address *of;
    size_t count;
};
