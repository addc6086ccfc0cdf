/* capstone_calls.h: the functions of Capstone that kgate calls. kgate opens the library before
 * it first disassembles code. Its tables need many relocations, which would slow the start of
 * each worker, and workers disassemble nothing. */
#pragma once
#include <capstone/capstone.h>

struct kg_capstone_calls {
    __typeof__(cs_open) *open;
    __typeof__(cs_close) *close;
    __typeof__(cs_option) *option;
    __typeof__(cs_malloc) *allocate;
    __typeof__(cs_free) *release;
    __typeof__(cs_disasm_iter) *next;
    __typeof__(cs_regs_access) *registers;
};

/* Always the same table. NULL: the library is not installed. Thread-safe. */
const struct kg_capstone_calls *kg_capstone(void);
