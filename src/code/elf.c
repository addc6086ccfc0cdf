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
