#include "base/code/elf.h"

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

/* Programs have about a dozen segments. Without a limit a file could keep its reader busy for long. */
enum { SEGMENTS_MOST = 128, DYNAMIC_MOST = 65536 };

static void segments_read(const Elf64_Ehdr *header, struct kg_elf *elf)
{
    const uint64_t size = (uint64_t)header->e_phnum * sizeof(Elf64_Phdr);
    if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phnum > SEGMENTS_MOST ||
        !inside(elf, header->e_phoff, size))
        return;
    elf->segments_at = header->e_phoff;
    elf->segment_count = header->e_phnum;
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
    segments_read(&header, elf);
    return header_good(&header) && counts_read(&header, elf);
}

/* Data in a file may be unaligned, so headers are copied. */
Elf64_Shdr kg_elf_section(const struct kg_elf *elf, size_t i)
{
    Elf64_Shdr section;
    memcpy(&section, elf->bytes + elf->sections_at + i * sizeof section, sizeof section);
    return section;
}

/* The string at `offset` of the section `index`, a table of strings: its last byte must end a
 * string. */
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

/* Entry i of a section of entries of `entry` bytes; NULL if the section has no such entry. */
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

/* --- Program headers ------------------------------------------------------------------------- */

Elf64_Phdr kg_elf_segment(const struct kg_elf *elf, size_t i)
{
    Elf64_Phdr segment;
    memcpy(&segment, elf->bytes + elf->segments_at + i * sizeof segment, sizeof segment);
    return segment;
}

/* The `size` bytes that a loaded segment puts at this address; NULL if the file does not hold all of
 * them. A segment that is loaded later lies above an earlier one. */
static const unsigned char *at_address(const struct kg_elf *elf, uint64_t address, uint64_t size)
{
    for (size_t i = elf->segment_count; i-- > 0;) {
        const Elf64_Phdr segment = kg_elf_segment(elf, i);
        if (segment.p_type != PT_LOAD || address < segment.p_vaddr ||
            address - segment.p_vaddr >= segment.p_filesz)
            continue;
        const uint64_t from = address - segment.p_vaddr;
        return size <= segment.p_filesz - from && inside(elf, segment.p_offset, segment.p_filesz)
                   ? elf->bytes + segment.p_offset + from
                   : NULL;
    }
    return NULL;
}

/* The first segment of that type; false if there is none. */
static bool segment_find(const struct kg_elf *elf, Elf64_Word type, Elf64_Phdr *found)
{
    for (size_t i = 0; i < elf->segment_count; i++) {
        *found = kg_elf_segment(elf, i);
        if (found->p_type == type)
            return true;
    }
    return false;
}

const char *kg_elf_interpreter(const struct kg_elf *elf)
{
    Elf64_Phdr segment;
    if (!segment_find(elf, PT_INTERP, &segment) || segment.p_filesz < 2 ||
        !inside(elf, segment.p_offset, segment.p_filesz))
        return NULL;
    const char *path = (const char *)elf->bytes + segment.p_offset;
    return path[segment.p_filesz - 1] == '\0' ? path : NULL;
}

/* The first build id in notes of `size` bytes (System V ABI, "Note Section"): each has a header, a
 * name and its contents, the contents and the next note aligned. */
static const unsigned char *build_id_in(const unsigned char *notes, size_t size, size_t align,
                                        size_t *length)
{
    enum { LONGEST = 64 };
    static const char OWNER[] = "GNU";
    Elf64_Nhdr note;
    for (size_t at = 0; size - at >= sizeof note;) {
        memcpy(&note, notes + at, sizeof note);
        const size_t name = at + sizeof note;
        const size_t contents = (name + note.n_namesz + align - 1) / align * align;
        if (note.n_namesz > size - name || contents > size || note.n_descsz > size - contents)
            return NULL;
        *length = note.n_descsz;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof OWNER && *length &&
            *length <= LONGEST && !memcmp(notes + name, OWNER, sizeof OWNER))
            return notes + contents;
        at = (contents + *length + align - 1) / align * align;
        if (at > size)
            return NULL;
    }
    return NULL;
}

const unsigned char *kg_elf_build_id(const struct kg_elf *elf, size_t *size)
{
    const unsigned char *id = NULL;
    for (size_t i = 0; i < elf->segment_count && !id; i++) {
        const Elf64_Phdr segment = kg_elf_segment(elf, i);
        if (segment.p_type == PT_NOTE && inside(elf, segment.p_offset, segment.p_filesz))
            id = build_id_in(elf->bytes + segment.p_offset, segment.p_filesz,
                             segment.p_align == 8 ? 8 : 4, size);
    }
    return id;
}

/* --- The dynamic table ----------------------------------------------------------------------- */

/* Entry i of PT_DYNAMIC; false after the last. */
static bool dynamic_entry(const struct kg_elf *elf, size_t i, Elf64_Dyn *entry)
{
    Elf64_Phdr segment;
    if (!segment_find(elf, PT_DYNAMIC, &segment) || i >= DYNAMIC_MOST ||
        i >= segment.p_memsz / sizeof *entry)
        return false;
    const unsigned char *bytes =
        at_address(elf, segment.p_vaddr + i * sizeof *entry, sizeof *entry);
    if (bytes)
        memcpy(entry, bytes, sizeof *entry);
    return bytes && entry->d_tag != DT_NULL;
}

/* The value of the table's last entry with that tag, the loader's choice; 0 without such an
 * entry. */
static uint64_t dynamic_value(const struct kg_elf *elf, Elf64_Sxword tag)
{
    Elf64_Dyn entry;
    uint64_t value = 0;
    for (size_t i = 0; dynamic_entry(elf, i, &entry); i++)
        if (entry.d_tag == tag)
            value = entry.d_un.d_val;
    return value;
}

/* The string at `offset` of DT_STRTAB; "" without a DT_STRTAB. */
static const char *dynamic_string(const struct kg_elf *elf, uint64_t offset)
{
    const uint64_t size = dynamic_value(elf, DT_STRSZ);
    const unsigned char *strings = at_address(elf, dynamic_value(elf, DT_STRTAB), size);
    return strings && offset < size && !strings[size - 1] ? (const char *)strings + offset : "";
}

bool kg_elf_is_pie(const struct kg_elf *elf)
{
    return dynamic_value(elf, DT_FLAGS_1) & DF_1_PIE;
}

bool kg_elf_has_auditors(const struct kg_elf *elf)
{
    Elf64_Dyn entry;
    for (size_t i = 0; dynamic_entry(elf, i, &entry); i++)
        if (entry.d_tag == DT_AUDIT || entry.d_tag == DT_DEPAUDIT)
            return true;
    return false;
}

const char *kg_elf_needed(const struct kg_elf *elf, size_t n)
{
    Elf64_Dyn entry;
    for (size_t i = 0; dynamic_entry(elf, i, &entry); i++)
        if (entry.d_tag == DT_NEEDED && !n--)
            return dynamic_string(elf, entry.d_un.d_val);
    return NULL;
}

bool kg_elf_needs(const struct kg_elf *elf, const char *begin)
{
    const char *name;
    for (size_t n = 0; (name = kg_elf_needed(elf, n)); n++)
        if (!strncmp(name, begin, strlen(begin)))
            return true;
    return false;
}

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++) {
        const size_t length = strlen(*names);
        const bool begins = length && (*names)[length - 1] == '*';
        if (begins ? !strncmp(name, *names, length - 1) : !strcmp(name, *names))
            return true;
    }
    return false;
}

/* Whether one of `size` bytes of relocations, `entry` bytes each, refers to one of the names. */
static bool relocations_name(const struct kg_elf *elf, uint64_t address, uint64_t size,
                             size_t entry, const char *const *names)
{
    const uint64_t symbols = dynamic_value(elf, DT_SYMTAB);
    const uint64_t length = dynamic_value(elf, DT_STRSZ);
    const unsigned char *strings = at_address(elf, dynamic_value(elf, DT_STRTAB), length);
    const unsigned char *relocations = at_address(elf, address, size);
    if (!strings || !relocations || !length || strings[length - 1])
        return false;
    for (size_t i = 0; i < size / entry; i++) {
        Elf64_Rel relocation;
        Elf64_Sym symbol;
        memcpy(&relocation, relocations + i * entry, sizeof relocation);
        const uint64_t index = ELF64_R_SYM(relocation.r_info);
        const unsigned char *bytes =
            index ? at_address(elf, symbols + index * sizeof symbol, sizeof symbol) : NULL;
        if (!bytes)
            continue;
        memcpy(&symbol, bytes, sizeof symbol);
        if (symbol.st_shndx == SHN_UNDEF && symbol.st_name < length &&
            is_one_of((const char *)strings + symbol.st_name, names))
            return true;
    }
    return false;
}

bool kg_elf_imports(const struct kg_elf *elf, const char *const *names)
{
    const bool calls_add = dynamic_value(elf, DT_PLTREL) == DT_RELA;
    const struct {
        Elf64_Sxword address, size;
        size_t entry;
    } tables[] = {
        {DT_RELA, DT_RELASZ, sizeof(Elf64_Rela)},
        {DT_REL, DT_RELSZ, sizeof(Elf64_Rel)},
        {DT_JMPREL, DT_PLTRELSZ, calls_add ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel)},
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (relocations_name(elf, dynamic_value(elf, tables[i].address),
                             dynamic_value(elf, tables[i].size), tables[i].entry, names))
            return true;
    return false;
}
