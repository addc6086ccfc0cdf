#include "base/code/code_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/code/code_hash.h"
#include "base/code/elf.h"
#include "base/hash.h"

static const char PREFIX[] = "kg_kernel_";
enum { DEVICES = 2 };

struct symbol {
    const char *name;
    size_t object;
    bool data; /* a variable, not a function */
};

struct tables {
    const struct kg_code_object *objects;
    size_t count;
    struct kg_arena arena;
    struct symbol *defined; /* global ones, in order of name */
    size_t defined_count;
    struct symbol *needed;
    size_t needed_count;
};

static int symbol_order(const void *a, const void *b)
{
    const struct symbol *left = a, *right = b;
    const int order = strcmp(left->name, right->name);
    return order ? order : (left->object > right->object) - (left->object < right->object);
}

/* Adds the global symbols of an object, defined and needed; only counts them where there is no room
 * yet. */
static void symbols_add(struct tables *tables, const struct kg_elf *elf, size_t object)
{
    const char *name;
    Elf64_Sym symbol;
    for (size_t table = 0; table < elf->section_count; table++) {
        if (kg_elf_section(elf, table).sh_type != SHT_SYMTAB)
            continue;
        for (size_t i = 1; kg_elf_symbol(elf, table, i, &symbol, &name); i++) {
            if (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL)
                continue;
            const bool needed = symbol.st_shndx == SHN_UNDEF;
            struct symbol *list = needed ? tables->needed : tables->defined;
            size_t *count = needed ? &tables->needed_count : &tables->defined_count;
            if (list)
                list[*count] =
                    (struct symbol){name, object, ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT};
            ++*count;
        }
    }
}

/* false where an object is no ELF file. */
static bool objects_read(struct tables *tables)
{
    tables->defined_count = tables->needed_count = 0;
    for (size_t i = 0; i < tables->count; i++) {
        struct kg_elf elf;
        if (!kg_elf_open(tables->objects[i].bytes, tables->objects[i].length, &elf))
            return false;
        symbols_add(tables, &elf, i);
    }
    return true;
}

static bool ends_with(const char *string, const char *end)
{
    const size_t length = strlen(string), tail = strlen(end);
    return length >= tail && !strcmp(string + length - tail, end);
}

static bool entered(const struct kg_code_object *object, enum kgate_device device)
{
    return device == KGATE_DEVICE_CPU ? !ends_with(object->name, ".cu")
                                      : !ends_with(object->name, "_cpu.c");
}

/* Marks the objects that define `name` and count for the device; returns whether any is new. */
static bool definers_mark(const struct tables *tables, const char *name, enum kgate_device device,
                          bool *marked)
{
    size_t low = 0, high = tables->defined_count;
    bool more = false;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(tables->defined[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < tables->defined_count && !strcmp(tables->defined[low].name, name); low++) {
        const size_t object = tables->defined[low].object;
        if (marked[object] || !entered(&tables->objects[object], device))
            continue;
        marked[object] = more = true;
    }
    return more;
}

/* Follows the references of the marked objects until nothing new is found. */
static void references_follow(const struct tables *tables, enum kgate_device device, bool *marked)
{
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < tables->needed_count; i++)
            if (marked[tables->needed[i].object] &&
                definers_mark(tables, tables->needed[i].name, device, marked))
                more = true;
    }
}

static int number_order(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* " HASH" of the marked objects, whatever their order. */
static bool hash_append(struct tables *tables, enum kgate_device device, const bool *marked,
                        struct kg_text *table)
{
    size_t count = 0, code_bytes = 0;
    uint64_t *hashes = kg_arena_alloc(&tables->arena, tables->count, sizeof *hashes);
    if (!hashes)
        return false;
    for (size_t i = 0; i < tables->count; i++) {
        struct kg_code_sum sum;
        if (!marked[i])
            continue;
        if (!kg_code_sum_bytes(tables->objects[i].bytes, tables->objects[i].length, device, &sum)) {
            code_bytes = 0;
            break;
        }
        hashes[count++] = sum.hash;
        code_bytes += sum.code_bytes;
    }
    qsort(hashes, count, sizeof *hashes, number_order);
    if (code_bytes)
        kg_text_printf(table, " %016" PRIx64,
                       kg_hash_bytes(KG_HASH_START, hashes, count * sizeof *hashes));
    else
        kg_text_append(table, " -");
    return true;
}

static bool kernel_append(struct tables *tables, const struct symbol *kernel, struct kg_text *table)
{
    kg_text_append(table, kernel->name + strlen(PREFIX));
    for (int device = 0; device < DEVICES; device++) {
        bool *marked = kg_arena_alloc(&tables->arena, tables->count, sizeof *marked);
        if (!marked)
            return false;
        marked[kernel->object] = true;
        references_follow(tables, (enum kgate_device)device, marked);
        if (!hash_append(tables, (enum kgate_device)device, marked, table))
            return false;
    }
    kg_text_append(table, "\n");
    return true;
}

static bool kernels_append(struct tables *tables, struct kg_text *table)
{
    if (!objects_read(tables))
        return true;
    tables->defined =
        kg_arena_alloc(&tables->arena, tables->defined_count, sizeof *tables->defined);
    tables->needed = kg_arena_alloc(&tables->arena, tables->needed_count, sizeof *tables->needed);
    if (!tables->defined || !tables->needed)
        return false;
    objects_read(tables);
    qsort(tables->defined, tables->defined_count, sizeof *tables->defined, symbol_order);
    for (size_t i = 0; i < tables->defined_count; i++)
        if (tables->defined[i].data && !strncmp(tables->defined[i].name, PREFIX, strlen(PREFIX)) &&
            !kernel_append(tables, &tables->defined[i], table))
            return false;
    return true;
}

bool kg_code_table_make(const struct kg_code_object *objects, size_t count, struct kg_text *table)
{
    struct tables tables = {.objects = objects, .count = count};
    kg_text_append(table, KG_CODE_TABLE_MARK);
    const bool good = kernels_append(&tables, table);
    kg_arena_free(&tables.arena);
    return good && !table->failed;
}

bool kg_code_table_find(const char *table, size_t length, const char *kernel,
                        enum kgate_device device, char hex[17])
{
    enum { DIGITS = 16 };
    const size_t mark = strlen(KG_CODE_TABLE_MARK), name = strlen(kernel);
    if (length < mark || memcmp(table, KG_CODE_TABLE_MARK, mark) != 0)
        return false;
    const char *end = table + length, *line = table + mark, *next;
    for (; (next = memchr(line, '\n', (size_t)(end - line))); line = next + 1) {
        const size_t size = (size_t)(next - line);
        if (size <= name || memcmp(line, kernel, name) != 0 || line[name] != ' ')
            continue;
        const char *hash = line + name + 1;
        const char *space = memchr(hash, ' ', (size_t)(next - hash));
        const char *stop = device == KGATE_DEVICE_CPU ? space : next;
        hash = device == KGATE_DEVICE_CPU || !space ? hash : space + 1;
        if (!space || stop - hash != DIGITS)
            return false;
        memcpy(hex, hash, DIGITS);
        hex[DIGITS] = '\0';
        return true;
    }
    return false;
}
