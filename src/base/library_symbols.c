/* library_symbols.c: lists the objects that an open library exports, from its dynamic section. The
 * loader can find a symbol by name, but cannot list symbols (System V ABI, "Dynamic Section"). The
 * number of symbols is in the GNU hash table, not in the section itself. */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"

/* Parts of a dynamic section; NULL: missing. */
struct parts {
    const ElfW(Sym) * symbols;
    const char *strings;
    const uint32_t *hash, *gnu_hash;
};

/* The memory at an address of the library, by its distance from the dynamic section. Most loaders
 * replace the file's addresses with addresses in memory; some do not. */
static const void *memory_at(const struct link_map *map, ElfW(Addr) address)
{
    const ElfW(Addr) there = address < map->l_addr ? map->l_addr + address : address;
    return (const char *)map->l_ld + (ptrdiff_t)(there - (ElfW(Addr))map->l_ld);
}

static struct parts parts_find(const struct link_map *map)
{
    struct parts parts = {0};
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
        const void *part = memory_at(map, entry->d_un.d_ptr);
        if (entry->d_tag == DT_SYMTAB)
            parts.symbols = part;
        else if (entry->d_tag == DT_STRTAB)
            parts.strings = part;
        else if (entry->d_tag == DT_HASH)
            parts.hash = part;
        else if (entry->d_tag == DT_GNU_HASH)
            parts.gnu_hash = part;
    }
    return parts;
}

/* The symbols of a bucket are a chain; the last of a chain has an odd hash. */
static size_t gnu_count(const uint32_t *table)
{
    const uint32_t bucket_count = table[0], first = table[1], bloom_count = table[2];
    const uint32_t *buckets = table + 4 + bloom_count * (sizeof(ElfW(Addr)) / sizeof *table);
    const uint32_t *chains = buckets + bucket_count;
    uint32_t last = 0;
    for (uint32_t i = 0; i < bucket_count; i++)
        last = buckets[i] > last ? buckets[i] : last;
    if (last < first)
        return 0;
    while (!(chains[last - first] & 1))
        last++;
    return (size_t)last + 1;
}

static int name_compare(const void *a, const void *b)
{
    return strcmp(((const struct kg_exported *)a)->name, ((const struct kg_exported *)b)->name);
}

size_t kg_library_exported(void *library, const char *beginning, struct kg_exported *exported,
                           size_t most)
{
    const struct link_map *map;
    const size_t length = strlen(beginning);
    size_t found = 0;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0)
        return 0;
    const struct parts parts = parts_find(map);
    const size_t count = parts.gnu_hash ? gnu_count(parts.gnu_hash)
                         : parts.hash   ? parts.hash[1]
                                        : 0;
    for (size_t i = 0; i < count && parts.symbols && parts.strings; i++) {
        const ElfW(Sym) *symbol = &parts.symbols[i];
        const char *name = parts.strings + symbol->st_name;
        if (symbol->st_shndx == SHN_UNDEF || (symbol->st_info & 0xf) != STT_OBJECT ||
            strncmp(name, beginning, length) != 0)
            continue;
        if (found++ < most)
            exported[found - 1] =
                (struct kg_exported){name + length, memory_at(map, map->l_addr + symbol->st_value)};
    }
    qsort(exported, found < most ? found : most, sizeof *exported, name_compare);
    return found;
}
