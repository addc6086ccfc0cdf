/* The kernels of a cubin, and the header of a fat binary. */
#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "base/code/elf.h"
#include "base/code/gpu_kernels.h"

enum { EM_CUDA_MACHINE = 190, NAME_MOST = 4096 };
/* Of a symbol's st_other: it is an entry, STO_CUDA_ENTRY. */
enum { ENTRY_MARK = 0x10 };

struct reading {
    struct kg_elf elf;
    const char *wanted;
    struct kg_arena *arena;
    struct kg_gpu_kernels *kernels;
    size_t capacity;
    size_t wanted_section; /* of its code; 0 where it was not found */
    struct kg_error *err;
};

/* A name that can be shown. */
static bool name_good(const char *name)
{
    size_t length = 0;
    while (length <= NAME_MOST && isgraph((unsigned char)name[length]))
        length++;
    return length > 0 && length <= NAME_MOST && !name[length];
}

/* --- Kernels ----------------------------------------------------------------------------------- */

static bool is_kernel(const struct kg_elf *elf, const Elf64_Sym *symbol, const char *name)
{
    static const char code[] = ".text.";
    if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || !(symbol->st_other & ENTRY_MARK) ||
        symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= elf->section_count || !name_good(name))
        return false;
    const Elf64_Shdr section = kg_elf_section(elf, symbol->st_shndx);
    const char *section_name = kg_elf_section_name(elf, &section);
    return !strncmp(section_name, code, strlen(code)) && !strcmp(section_name + strlen(code), name);
}

static bool kernels_read(struct reading *reading, size_t table)
{
    struct kg_gpu_kernels *kernels = reading->kernels;
    Elf64_Sym symbol;
    const char *name;
    for (size_t i = 0; kg_elf_symbol(&reading->elf, table, i, &symbol, &name); i++) {
        if (!is_kernel(&reading->elf, &symbol, name))
            continue;
        if (!kg_arena_grow(reading->arena, &kernels->names, kernels->count, &reading->capacity,
                           sizeof *kernels->names))
            return kg_error_memory(reading->err);
        kernels->names[kernels->count++] = name;
        if (strcmp(name, reading->wanted) != 0)
            continue;
        kernels->found = true;
        reading->wanted_section = symbol.st_shndx;
    }
    return true;
}

/* --- Parameters -------------------------------------------------------------------------------- */

/* An attribute is a format, a number, and two bytes: its value, or in one format the size of what
 * follows. Of a parameter (KPARAM_INFO): an index, its number, its offset, and its size from bit 18 of
 * the last word on. Seen so in what NVRTC 13.0 makes for sm_75 to sm_100. */
enum {
    SIZED = 4,
    PARAMETERS_BYTES = 0x19,
    PARAMETER = 0x17,
    PARAMETER_LARGE = 0x45,
    PARAMETER_LENGTH = 12,
    PARAMETERS_MOST = 4096,
};

struct attribute {
    unsigned char format, kind;
    uint16_t value;
    const unsigned char *payload; /* `value` bytes, where it is sized */
};

/* false at the end, and where what is left cannot be one */
static bool attribute_next(const unsigned char **bytes, size_t *left, struct attribute *attribute)
{
    const unsigned char *at = *bytes;
    enum { HEAD = 4 };
    if (*left < HEAD)
        return false;
    *attribute = (struct attribute){at[0], at[1], (uint16_t)(at[2] | at[3] << 8), at + HEAD};
    const size_t length = HEAD + (attribute->format == SIZED ? attribute->value : 0U);
    if (length > *left)
        return false;
    *bytes += length;
    *left -= length;
    return true;
}

/* Keeps the size of one. false where it is of another kind than is known here. */
static bool parameter_take(const struct attribute *attribute, size_t *sizes, size_t *count)
{
    const unsigned char *payload = attribute->payload;
    if (attribute->kind == PARAMETER_LARGE)
        return false;
    if (attribute->kind != PARAMETER)
        return true;
    if (attribute->format != SIZED || attribute->value != PARAMETER_LENGTH)
        return false;
    const size_t number = (size_t)(payload[4] | payload[5] << 8);
    const size_t size = (size_t)(payload[10] >> 2 | payload[11] << 6);
    if (number >= PARAMETERS_MOST || !size || sizes[number])
        return false;
    sizes[number] = size;
    ++*count;
    return true;
}

/* Known where each of the parameters from the first on has its size, or where there are none. */
static bool parameters_take(struct reading *reading, const unsigned char *bytes, size_t left)
{
    struct attribute attribute;
    bool good = true, taken = false;
    size_t count = 0;
    size_t *sizes = kg_arena_alloc(reading->arena, PARAMETERS_MOST, sizeof *sizes);
    if (!sizes)
        return kg_error_memory(reading->err);
    while (good && attribute_next(&bytes, &left, &attribute)) {
        good = parameter_take(&attribute, sizes, &count);
        taken = taken || (attribute.kind == PARAMETERS_BYTES && attribute.value);
    }
    for (size_t i = 0; i < count; i++)
        good = good && sizes[i];
    reading->kernels->parameters_known = good && !left && (count || !taken);
    reading->kernels->parameter_bytes = sizes;
    reading->kernels->parameter_count = count;
    return true;
}

/* In .nv.info.NAME, a section about that of the code. */
static bool parameters_read(struct reading *reading)
{
    static const char about[] = ".nv.info.";
    size_t size;
    for (size_t i = 0; i < reading->elf.section_count; i++) {
        const Elf64_Shdr section = kg_elf_section(&reading->elf, i);
        const char *name = kg_elf_section_name(&reading->elf, &section);
        if (section.sh_info != reading->wanted_section || strncmp(name, about, strlen(about)) != 0)
            continue;
        const unsigned char *bytes = kg_elf_section_bytes(&reading->elf, &section, &size);
        return !bytes || parameters_take(reading, bytes, size);
    }
    return true;
}

bool kg_gpu_kernels_cubin(const void *bytes, size_t length, const char *wanted,
                          struct kg_arena *arena, struct kg_gpu_kernels *kernels,
                          struct kg_error *err)
{
    struct reading reading = {.wanted = wanted, .arena = arena, .kernels = kernels, .err = err};
    *kernels = (struct kg_gpu_kernels){0};
    if (length < SELFMAG || memcmp(bytes, ELFMAG, SELFMAG) != 0)
        return kg_error_set(err, KG_ERROR_USAGE, "is no cubin file: it is no ELF file");
    if (!kg_elf_open(bytes, length, &reading.elf))
        return kg_error_set(err, KG_ERROR_USAGE,
                            "is no cubin file: its ELF header is wrong: is the file whole?");
    if (reading.elf.machine != EM_CUDA_MACHINE)
        return kg_error_set(
            err, KG_ERROR_USAGE,
            "is no cubin file: it is an ELF file for the machine %u, and CUDA's is %d",
            reading.elf.machine, EM_CUDA_MACHINE);
    for (size_t i = 0; i < reading.elf.section_count; i++)
        if (kg_elf_section(&reading.elf, i).sh_type == SHT_SYMTAB && !kernels_read(&reading, i))
            return false;
    return !reading.wanted_section || parameters_read(&reading);
}

/* --- Fat binaries ------------------------------------------------------------------------------ */

bool kg_gpu_fatbin_check(const void *bytes, size_t length, struct kg_error *err)
{
    struct {
        uint32_t magic;
        uint16_t version, header_bytes;
        uint64_t bytes; /* behind the header */
    } header;
    static const uint32_t MAGIC = 0xba55ed50;
    if (length >= sizeof header)
        memcpy(&header, bytes, sizeof header);
    if (length < sizeof header || header.magic != MAGIC)
        return kg_error_set(err, KG_ERROR_USAGE, "is no fatbin file: it does not begin with 0x%08X",
                            (unsigned)MAGIC);
    if (header.header_bytes < sizeof header || header.header_bytes > length || !header.bytes ||
        header.bytes > length - header.header_bytes)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "is no fatbin file: it is shorter than its header says: is it whole?");
    return true;
}
