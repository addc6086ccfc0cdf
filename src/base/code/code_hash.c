/* The hash of an object file, section by section: the kernels of kgate are hashed so while kgate is
 * built, by code_table_tool. Linked files are those of loaded_image.c. */
#include "base/code/code_hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/code/elf.h"
#include "base/file.h"
#include "base/hash.h"
#include "kgate/profiler.h"

/* What a section of an object file is to the hash. */
enum part { PART_NONE, PART_HOST, PART_DEVICE };

/* Sections that are loaded, but are not what their type says. */
static const struct {
    const char *name;
    enum part part;
} sections[] = {
    {".nv_fatbin", PART_DEVICE},     {"__nv_relfatbin", PART_DEVICE},
    {".nvFatBinSegment", PART_NONE}, /* where the fat binary is */
    {"__nv_module_id", PART_NONE},   /* made of the path */
    {".eh_frame", PART_NONE},
};

struct summing {
    const struct kg_elf *elf;
    bool device;
    uint64_t hash;
    size_t code_bytes;
    size_t hashed_bytes; /* of sections, which do not overlap in a file that is sound */
};

static enum part part_of(const struct kg_elf *elf, const Elf64_Shdr *section)
{
    if (!(section->sh_flags & SHF_ALLOC))
        return PART_NONE;
    const char *name = kg_elf_section_name(elf, section);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (!strcmp(name, sections[i].name))
            return sections[i].part;
    switch (section->sh_type) {
    case SHT_PROGBITS:
    case SHT_NOBITS:
    case SHT_INIT_ARRAY:
    case SHT_FINI_ARRAY:
    case SHT_PREINIT_ARRAY:
        return PART_HOST;
    default:
        return PART_NONE;
    }
}

static bool wanted(const struct summing *summing, enum part part)
{
    return part == PART_HOST || (part == PART_DEVICE && summing->device);
}

static void number_add(struct summing *summing, uint64_t number)
{
    summing->hash = kg_hash_bytes(summing->hash, &number, sizeof number);
}

/* The length of what precedes nvcc's digits for a path, "_GLOBAL__N__" of _GLOBAL__N__0123abcd_,
 * where that begins here; else 0. */
static size_t path_mark(const unsigned char *bytes, size_t length)
{
    static const char *const marks[] = {"_GLOBAL__N__", "_INTERNAL_"};
    enum { DIGITS = 8 };
    for (size_t m = 0; m < sizeof marks / sizeof *marks; m++) {
        const size_t mark = strlen(marks[m]);
        if (length < mark + DIGITS || memcmp(bytes, marks[m], mark) != 0)
            continue;
        size_t digits = 0;
        while (digits < DIGITS && strchr("0123456789abcdef", bytes[mark + digits]) &&
               bytes[mark + digits])
            digits++;
        if (digits == DIGITS)
            return mark;
    }
    return 0;
}

/* Bytes but for such digits. */
static void bytes_add(struct summing *summing, const void *added, size_t length)
{
    const unsigned char *bytes = added;
    size_t done = 0;
    for (size_t at = 0; at < length; at++) {
        const unsigned char *found = memchr(bytes + at, '_', length - at);
        if (!found)
            break;
        at = (size_t)(found - bytes);
        const size_t mark = path_mark(found, length - at);
        if (!mark)
            continue;
        summing->hash = kg_hash_bytes(summing->hash, bytes + done, at + mark - done);
        done = at + mark + 8;
        at = done - 1;
    }
    summing->hash = kg_hash_bytes(summing->hash, bytes + done, length - done);
    number_add(summing, length);
}

static void string_add(struct summing *summing, const char *string)
{
    bytes_add(summing, string, strlen(string));
}

/* Where, from `from` on, the next line number of a scope is stored in an object file's section, as
 * kgate/profiler.h's macros do it in variables kgate_site_N; SIZE_MAX where there is none. A
 * comment moves lines, and changes nothing. */
static size_t line_find(const struct kg_elf *elf, size_t index, size_t from)
{
    static const char SITE[] = "kgate_site_";
    size_t found = SIZE_MAX;
    for (size_t table = 0; table < elf->section_count; table++) {
        const char *name;
        Elf64_Sym symbol;
        if (kg_elf_section(elf, table).sh_type != SHT_SYMTAB)
            continue;
        for (size_t i = 1; kg_elf_symbol(elf, table, i, &symbol, &name); i++) {
            const size_t line = symbol.st_value + offsetof(struct kgate_site, line);
            if (symbol.st_shndx == index && symbol.st_size == sizeof(struct kgate_site) &&
                !strncmp(name, SITE, strlen(SITE)) && line >= from && line < found)
                found = line;
        }
    }
    return found;
}

/* A section's bytes but for line numbers. */
static void content_add(struct summing *summing, size_t index, const unsigned char *bytes,
                        size_t size)
{
    enum { LINE_BYTES = sizeof(((struct kgate_site *)0)->line) };
    size_t done = 0, line;
    while ((line = line_find(summing->elf, index, done)) < size && size - line >= LINE_BYTES) {
        bytes_add(summing, bytes + done, line - done);
        done = line + LINE_BYTES;
    }
    bytes_add(summing, bytes + done, size - done);
}

static bool section_add(struct summing *summing, size_t index, enum part part)
{
    size_t size = 0;
    const Elf64_Shdr header = kg_elf_section(summing->elf, index), *section = &header;
    const unsigned char *bytes = kg_elf_section_bytes(summing->elf, section, &size);
    string_add(summing, kg_elf_section_name(summing->elf, section));
    number_add(summing, section->sh_size);
    if (section->sh_type == SHT_NOBITS)
        return true;
    summing->hashed_bytes += size;
    if (!bytes || summing->hashed_bytes > summing->elf->length)
        return false;
    content_add(summing, index, bytes, size);
    if (part == PART_DEVICE || section->sh_flags & SHF_EXECINSTR)
        summing->code_bytes += size;
    return true;
}

/* A place that a symbol stands for: within a section, or by its name alone. */
static void place_add(struct summing *summing, const Elf64_Sym *symbol)
{
    const struct kg_elf *elf = summing->elf;
    if (symbol->st_shndx < elf->section_count) {
        const Elf64_Shdr section = kg_elf_section(elf, symbol->st_shndx);
        string_add(summing, kg_elf_section_name(elf, &section));
    }
    number_add(summing, symbol->st_value);
}

/* Local names are not looked at: a compiler numbers them as it likes. */
static void target_add(struct summing *summing, size_t table, const Elf64_Rela *relocation)
{
    const char *name = "";
    Elf64_Sym symbol = {0};
    const size_t index = ELF64_R_SYM(relocation->r_info);
    if (index == 0 || !kg_elf_symbol(summing->elf, table, index, &symbol, &name)) {
        number_add(summing, (uint64_t)relocation->r_addend);
        return;
    }
    if (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL)
        place_add(summing, &symbol);
    else
        string_add(summing, name);
    number_add(summing, (uint64_t)relocation->r_addend);
}

static void relocations_add(struct summing *summing, const Elf64_Shdr *table)
{
    const struct kg_elf *elf = summing->elf;
    Elf64_Rela relocation;
    if (table->sh_info >= elf->section_count)
        return;
    const Elf64_Shdr section = kg_elf_section(elf, table->sh_info);
    if (!wanted(summing, part_of(elf, &section)))
        return;
    string_add(summing, kg_elf_section_name(elf, &section));
    for (size_t i = 0; kg_elf_relocation(elf, table, i, &relocation); i++) {
        number_add(summing, relocation.r_offset);
        number_add(summing, ELF64_R_TYPE(relocation.r_info));
        target_add(summing, table->sh_link, &relocation);
    }
}

/* The names under which others find the code. */
static void exports_add(struct summing *summing, size_t table)
{
    const struct kg_elf *elf = summing->elf;
    const char *name;
    Elf64_Sym symbol;
    for (size_t i = 1; kg_elf_symbol(elf, table, i, &symbol, &name); i++) {
        if (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL || symbol.st_shndx == SHN_UNDEF ||
            symbol.st_shndx >= elf->section_count)
            continue;
        const Elf64_Shdr section = kg_elf_section(elf, symbol.st_shndx);
        if (!wanted(summing, part_of(elf, &section)))
            continue;
        string_add(summing, name);
        place_add(summing, &symbol);
    }
}

static bool part_add(struct summing *summing, size_t i)
{
    const Elf64_Shdr section = kg_elf_section(summing->elf, i);
    const enum part part = part_of(summing->elf, &section);
    if (wanted(summing, part))
        return section_add(summing, i, part);
    if (section.sh_type == SHT_RELA || section.sh_type == SHT_REL)
        relocations_add(summing, &section);
    else if (section.sh_type == SHT_SYMTAB)
        exports_add(summing, i);
    return true;
}

static bool object_sum(const struct kg_elf *elf, enum kgate_device device, struct kg_code_sum *sum)
{
    struct summing summing = {
        .elf = elf, .device = device == KGATE_DEVICE_CUDA, .hash = KG_HASH_START};
    for (size_t i = 0; i < elf->section_count; i++)
        if (!part_add(&summing, i))
            return false;
    *sum = (struct kg_code_sum){summing.hash, summing.code_bytes};
    return true;
}

bool kg_code_sum_bytes(const void *bytes, size_t length, enum kgate_device device,
                       struct kg_code_sum *sum)
{
    struct kg_elf elf;
    if (!kg_elf_open(bytes, length, &elf))
        return false;
    return elf.linked ? kg_image_sum(&elf, sum) : object_sum(&elf, device, sum);
}

bool kg_code_hash_file(const char *path, char hex[17])
{
    struct kg_text text = {0};
    struct kg_code_sum sum;
    struct kg_error err;
    const bool good = kg_file_read(path, KG_CODE_FILE_MOST, &text, &err) && text.data &&
                      kg_code_sum_bytes(text.data, text.length, KGATE_DEVICE_CPU, &sum) &&
                      sum.code_bytes;
    if (good)
        snprintf(hex, 17, "%016" PRIx64, sum.hash);
    kg_text_free(&text);
    return good;
}
