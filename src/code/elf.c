#include "code/elf.h"

#include <endian.h>
#include <string.h>

static bool inside(const struct kg_elf *elf, uint64_t offset, uint64_t size)
{
    return offset <= elf->length && size <= elf->length - offset;
}

static bool header_good(const Elf64_Ehdr *header)
{
    const unsigned char order = BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
    return !memcmp(header->e_ident, ELFMAG, SELFMAG) && header->e_ident[EI_CLASS] == ELFCLASS64 &&
           header->e_ident[EI_DATA] == order &&
           (header->e_shoff == 0 || header->e_shentsize == sizeof(Elf64_Shdr));
}

/* Counts too large for the header are in the first section's (System V ABI, "Section Header"). */
static bool counts_read(const Elf64_Ehdr *header, struct kg_elf *elf)
{
    uint64_t count = header->e_shnum;
    if (header->e_shoff == 0)
        return true;
    if (!inside(elf, header->e_shoff, sizeof(Elf64_Shdr)))
        return false;
    elf->sections_at = header->e_shoff;
    const Elf64_Shdr first = kg_elf_section(elf, 0);
    if (count == 0)
        count = first.sh_size;
    elf->section_names = header->e_shstrndx == SHN_XINDEX ? first.sh_link : header->e_shstrndx;
    if (count > (elf->length - header->e_shoff) / sizeof(Elf64_Shdr))
        return false;
    elf->section_count = count;
    return true;
}

bool kg_elf_open(const void *bytes, size_t length, struct kg_elf *elf)
{
    Elf64_Ehdr header;
    *elf = (struct kg_elf){.bytes = bytes, .length = length};
    if (length < sizeof header)
        return false;
    memcpy(&header, bytes, sizeof header);
    elf->machine = header.e_machine;
    elf->linked = header.e_type != ET_REL;
    return header_good(&header) && counts_read(&header, elf);
}

/* Nothing in a file need be aligned: headers are copied out. */
Elf64_Shdr kg_elf_section(const struct kg_elf *elf, size_t i)
{
    Elf64_Shdr section;
    memcpy(&section, elf->bytes + elf->sections_at + i * sizeof section, sizeof section);
    return section;
}

/* The string at `offset` of the section `index`, a table of strings: its
 * last byte ends the last. */
static const char *string_at(const struct kg_elf *elf, size_t index, uint64_t offset)
{
    size_t size;
    if (index >= elf->section_count)
        return "";
    const Elf64_Shdr section = kg_elf_section(elf, index);
    const unsigned char *bytes = kg_elf_section_bytes(elf, &section, &size);
    if (!bytes || offset >= size || bytes[size - 1] != 0)
        return "";
    return (const char *)bytes + offset;
}

const char *kg_elf_section_name(const struct kg_elf *elf, const Elf64_Shdr *section)
{
    return string_at(elf, elf->section_names, section->sh_name);
}

const unsigned char *kg_elf_section_bytes(const struct kg_elf *elf, const Elf64_Shdr *section,
                                          size_t *size)
{
    if (section->sh_type == SHT_NOBITS || !inside(elf, section->sh_offset, section->sh_size))
        return NULL;
    *size = section->sh_size;
    return elf->bytes + section->sh_offset;
}

/* Entry i of a section of entries of `entry` bytes; NULL where it has no such. */
static const unsigned char *entry_at(const struct kg_elf *elf, const Elf64_Shdr *section, size_t i,
                                     size_t entry)
{
    size_t size;
    const unsigned char *bytes = kg_elf_section_bytes(elf, section, &size);
    return bytes && i < size / entry ? bytes + i * entry : NULL;
}

bool kg_elf_symbol(const struct kg_elf *elf, size_t table, size_t i, Elf64_Sym *symbol,
                   const char **name)
{
    if (table >= elf->section_count)
        return false;
    const Elf64_Shdr section = kg_elf_section(elf, table);
    if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM)
        return false;
    const unsigned char *entry = entry_at(elf, &section, i, sizeof *symbol);
    if (!entry)
        return false;
    memcpy(symbol, entry, sizeof *symbol);
    *name = string_at(elf, section.sh_link, symbol->st_name);
    return true;
}

bool kg_elf_relocation(const struct kg_elf *elf, const Elf64_Shdr *table, size_t i,
                       Elf64_Rela *relocation)
{
    const bool addends = table->sh_type == SHT_RELA;
    const size_t size = addends ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    if (!addends && table->sh_type != SHT_REL)
        return false;
    const unsigned char *entry = entry_at(elf, table, i, size);
    if (!entry)
        return false;
    *relocation = (Elf64_Rela){0};
    memcpy(relocation, entry, size);
    return true;
}

/* The first section of that name; false where there is none. */
static bool section_find(const struct kg_elf *elf, const char *name, Elf64_Shdr *found)
{
    for (size_t i = 0; i < elf->section_count; i++) {
        *found = kg_elf_section(elf, i);
        if (!strcmp(kg_elf_section_name(elf, found), name))
            return true;
    }
    return false;
}

const char *kg_elf_interpreter(const struct kg_elf *elf)
{
    Elf64_Shdr section;
    size_t size;
    if (!section_find(elf, ".interp", &section))
        return NULL;
    const unsigned char *bytes = kg_elf_section_bytes(elf, &section, &size);
    return bytes && size > 1 && bytes[size - 1] == 0 ? (const char *)bytes : NULL;
}

bool kg_elf_is_pie(const struct kg_elf *elf)
{
    Elf64_Shdr section;
    const unsigned char *bytes;
    Elf64_Dyn entry;
    if (!section_find(elf, ".dynamic", &section))
        return false;
    for (size_t i = 0; (bytes = entry_at(elf, &section, i, sizeof entry)) != NULL; i++) {
        memcpy(&entry, bytes, sizeof entry);
        if (entry.d_tag == DT_FLAGS_1)
            return entry.d_un.d_val & DF_1_PIE;
    }
    return false;
}

bool kg_elf_needs(const struct kg_elf *elf, const char *begin)
{
    Elf64_Shdr section;
    const unsigned char *bytes;
    Elf64_Dyn entry;
    if (!section_find(elf, ".dynamic", &section))
        return false;
    for (size_t i = 0; (bytes = entry_at(elf, &section, i, sizeof entry)) != NULL; i++) {
        memcpy(&entry, bytes, sizeof entry);
        if (entry.d_tag == DT_NEEDED &&
            !strncmp(string_at(elf, section.sh_link, entry.d_un.d_val), begin, strlen(begin)))
            return true;
    }
    return false;
}

/* Of a note's header, its name and its contents, each rounded up to 4 bytes (System V ABI). */
const unsigned char *kg_elf_build_id(const struct kg_elf *elf, size_t *size)
{
    static const char OWNER[] = "GNU";
    Elf64_Shdr section;
    Elf64_Nhdr note;
    size_t length;
    if (!section_find(elf, ".note.gnu.build-id", &section))
        return NULL;
    const unsigned char *bytes = kg_elf_section_bytes(elf, &section, &length);
    if (!bytes || length < sizeof note + sizeof OWNER)
        return NULL;
    memcpy(&note, bytes, sizeof note);
    const size_t before = sizeof note + sizeof OWNER;
    if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof OWNER || !note.n_descsz ||
        note.n_descsz > length - before || memcmp(bytes + sizeof note, OWNER, sizeof OWNER) != 0)
        return NULL;
    *size = note.n_descsz;
    return bytes + before;
}

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(name, *names) != 0)
        names++;
    return *names != NULL;
}

bool kg_elf_imports(const struct kg_elf *elf, const char *const *names)
{
    for (size_t table = 0; table < elf->section_count; table++) {
        const char *name;
        Elf64_Sym symbol;
        if (kg_elf_section(elf, table).sh_type != SHT_DYNSYM)
            continue;
        for (size_t i = 1; kg_elf_symbol(elf, table, i, &symbol, &name); i++)
            if (symbol.st_shndx == SHN_UNDEF && is_one_of(name, names))
                return true;
    }
    return false;
}
