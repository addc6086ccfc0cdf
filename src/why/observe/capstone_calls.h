/* capstone_calls.h: the functions of Capstone that kgate calls. The library is opened when code is
 * first read: its tables have 77,000 addresses to relocate, which took a quarter of the time that
 * each worker needs to start, and workers read no code. */
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

/* The same table each time. NULL where the library is not installed. Thread-safe. */
const struct kg_capstone_calls *kg_capstone(void);
