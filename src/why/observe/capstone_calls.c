#include "why/observe/capstone_calls.h"

#ifdef KGATE_PORTABLE

const struct kg_capstone_calls *kg_capstone(void)
{
    static const struct kg_capstone_calls linked = {.open = cs_open,
                                                    .close = cs_close,
                                                    .option = cs_option,
                                                    .allocate = cs_malloc,
                                                    .release = cs_free,
                                                    .next = cs_disasm_iter,
                                                    .registers = cs_regs_access};
    return &linked;
}

#else

#include <pthread.h>
#include <stddef.h>

#include "base/library.h"

#define TEXT_OF(number) #number
#define FILE_OF(version) "libcapstone.so." TEXT_OF(version)
#define CALL(member) offsetof(struct kg_capstone_calls, member)

static const struct kg_symbol symbols[] = {
    {"cs_open", NULL, CALL(open), false},
    {"cs_close", NULL, CALL(close), false},
    {"cs_option", NULL, CALL(option), false},
    {"cs_malloc", NULL, CALL(allocate), false},
    {"cs_free", NULL, CALL(release), false},
    {"cs_disasm_iter", NULL, CALL(next), false},
    {"cs_regs_access", NULL, CALL(registers), false},
};

static struct kg_capstone_calls calls;
static const struct kg_capstone_calls *found;

/* Opens the library, which then stays open. */
static void find(void)
{
    void *library = kg_library_open(FILE_OF(CS_API_MAJOR), NULL, 0);
    if (!library)
        return;
    if (!kg_library_symbols(library, symbols, sizeof symbols / sizeof *symbols, &calls))
        found = &calls;
    else
        kg_library_close(library);
}

const struct kg_capstone_calls *kg_capstone(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find);
    return found;
}

#endif
