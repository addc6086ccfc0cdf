/* machine_code.h: functions in an ELF file of x86-64: where one begins and ends, its bytes, and the
 * names of those that it calls. Not thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/code/elf.h"

struct kg_machine_code {
    struct kg_elf elf;
    void *bytes; /* mapped */
    size_t length;
};

/* false where it cannot be read or is no such file; nothing is to be closed then. */
bool kg_machine_code_open(const char *path, struct kg_machine_code *code);
void kg_machine_code_close(struct kg_machine_code *code);

struct kg_function {
    const char *name;           /* of the file's bytes; NULL where there is no symbol */
    const unsigned char *bytes; /* likewise */
    size_t length;
    uint64_t address;
};

/* The function around an address, by symbols, or else by the table that exceptions are unwound by
 * (.eh_frame_hdr), or else the section's code from there on, of `KG_FUNCTION_UNKNOWN_MOST` bytes. */
enum { KG_FUNCTION_UNKNOWN_MOST = 4096 };
bool kg_machine_code_function(const struct kg_machine_code *code, uint64_t address,
                              struct kg_function *function);

/* The name of what is called at an address of the file: of a function, or of what an entry of the
 * procedure linkage table leads to. NULL where it is not known. */
const char *kg_machine_code_callee(const struct kg_machine_code *code, uint64_t target);
/* Likewise by the address of the entry in the global offset table that holds where it is. */
const char *kg_machine_code_imported(const struct kg_machine_code *code, uint64_t table);
