#include "code/code_identity.h"

#include <string.h>

#include "code/code_hash.h"
#include "code/code_table.h"
#include "code/elf.h"
#include "util/file.h"

/* In the table of the kgate that `bytes` are. */
static bool table_search(const struct kg_text *bytes, const struct kg_code_owner *owner,
                         char hex[17])
{
    struct kg_elf elf;
    if (!bytes->data || !kg_elf_open(bytes->data, bytes->length, &elf))
        return false;
    for (size_t i = 0; i < elf.section_count; i++) {
        size_t size;
        const Elf64_Shdr section = kg_elf_section(&elf, i);
        if (strcmp(kg_elf_section_name(&elf, &section), KG_CODE_TABLE_SECTION) != 0)
            continue;
        const unsigned char *table = kg_elf_section_bytes(&elf, &section, &size);
        return table &&
               kg_code_table_find((const char *)table, size, owner->kernel, owner->device, hex);
    }
    return false;
}

static bool kernel_hash(const struct kg_code_owner *owner, char hex[17])
{
    struct kg_text bytes = {0};
    struct kg_error err;
    if (!owner->file)
        return kg_code_table_find(kg_code_table, strlen(kg_code_table), owner->kernel,
                                  owner->device, hex);
    const bool found = kg_file_read(owner->file, KG_CODE_FILE_MOST, &bytes, &err) &&
                       table_search(&bytes, owner, hex);
    kg_text_free(&bytes);
    return found;
}

static bool string_same(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

const char *kg_code_identify(struct kg_code_memory *memory, struct kg_arena *arena,
                             struct kg_code_owner owner)
{
    char hex[17];
    const size_t slot = owner.device == KGATE_DEVICE_CUDA;
    const struct kg_code_owner *before = &memory->last[slot].owner;
    if (memory->last[slot].known && string_same(before->file, owner.file) &&
        string_same(before->kernel, owner.kernel))
        return memory->last[slot].hash;
    const bool found =
        owner.kernel ? kernel_hash(&owner, hex) : kg_code_hash_file(owner.file, owner.device, hex);
    memory->last[slot].owner = owner;
    memory->last[slot].hash = found ? kg_arena_copy(arena, hex) : NULL;
    memory->last[slot].known = true;
    return memory->last[slot].hash;
}
