/* producer.c: the compiler and the options of a file of machine code. GCC writes both into the
 * debug information of each compilation unit (DW_AT_producer); clang writes its version. */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "why/observe/modules.h"

enum { PRODUCERS_MOST = 16 };

struct producers {
    const char *of[PRODUCERS_MOST];
    size_t units[PRODUCERS_MOST];
    size_t count;
};

static void producer_add(struct producers *producers, const char *producer)
{
    size_t i = 0;
    while (i < producers->count && strcmp(producers->of[i], producer) != 0)
        i++;
    if (i == PRODUCERS_MOST)
        return;
    producers->of[i] = producer;
    producers->units[i]++;
    producers->count += i == producers->count;
}

/* Assembler has no options. With -flto a second unit repeats each source's code, and has the
 * linker's options. */
static bool is_skipped(const char *producer)
{
    static const char *const names[] = {"GNU AS ", "GNU GIMPLE "};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(producer, names[i], strlen(names[i])))
            return true;
    return false;
}

static void units_read(Dwarf *debug, struct producers *producers)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Half version;
    uint8_t type;
    Dwarf_Die die, sub;
    while (dwarf_get_units(debug, unit, &unit, &version, &type, &die, &sub) == 0) {
        Dwarf_Attribute attribute;
        const char *producer = dwarf_formstring(dwarf_attr(&die, DW_AT_producer, &attribute));
        if (producer && !is_skipped(producer))
            producer_add(producers, producer);
    }
}

const char *kg_producer_read(struct kg_arena *arena, const char *path)
{
    struct producers producers = {0};
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    Dwarf *debug = file < 0 ? NULL : dwarf_begin(file, DWARF_C_READ);
    const char *kept = NULL;
    size_t most = 0;
    if (debug)
        units_read(debug, &producers);
    for (size_t i = 1; i < producers.count; i++)
        if (producers.units[i] > producers.units[most])
            most = i;
    if (producers.count)
        kept = kg_arena_copy(arena, producers.of[most]);
    if (debug)
        dwarf_end(debug);
    if (file >= 0)
        close(file);
    return kept;
}
