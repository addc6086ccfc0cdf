#include "why/observe/loops.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

/* --- The file --------------------------------------------------------------------------------- */

static bool is_x86_64(const struct kg_machine_code *code)
{
    Elf64_Ehdr header;
    memcpy(&header, code->bytes, sizeof header);
    return header.e_machine == EM_X86_64;
}

bool kg_machine_code_open(const char *path, struct kg_machine_code *code)
{
    struct stat facts;
    *code = (struct kg_machine_code){0};
    struct kg_error unread;
    const int file = kg_file_open(path, &unread);
    const bool usable = file >= 0 && fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) &&
                        facts.st_size > (off_t)sizeof(Elf64_Ehdr);
    if (usable) {
        code->length = (size_t)facts.st_size;
        code->bytes = mmap(NULL, code->length, PROT_READ, MAP_PRIVATE, file, 0);
    }
    if (file >= 0)
        close(file);
    if (!usable || code->bytes == MAP_FAILED)
        return false;
    if (kg_elf_open(code->bytes, code->length, &code->elf) && is_x86_64(code))
        return true;
    kg_machine_code_close(code);
    return false;
}

void kg_machine_code_close(struct kg_machine_code *code)
{
    munmap(code->bytes, code->length);
    *code = (struct kg_machine_code){0};
}

/* --- Sections --------------------------------------------------------------------------------- */

/* The bytes of the section around an address; NULL: there is no such section. */
static const unsigned char *section_at(const struct kg_elf *elf, uint64_t address, uint64_t flags,
                                       Elf64_Shdr *section, size_t *size)
{
    for (size_t i = 0; i < elf->section_count; i++) {
        *section = kg_elf_section(elf, i);
        if ((section->sh_flags & flags) != flags || address < section->sh_addr ||
            address - section->sh_addr >= section->sh_size)
            continue;
        return kg_elf_section_bytes(elf, section, size);
    }
    return NULL;
}

static const unsigned char *section_named(const struct kg_elf *elf, const char *name,
                                          Elf64_Shdr *section, size_t *size)
{
    for (size_t i = 0; i < elf->section_count; i++) {
        *section = kg_elf_section(elf, i);
        if (!strcmp(kg_elf_section_name(elf, section), name))
            return kg_elf_section_bytes(elf, section, size);
    }
    return NULL;
}

/* --- Bounds ----------------------------------------------------------------------------------- */

struct bounds {
    uint64_t from, to;
    const char *name;
};

static bool by_symbols(const struct kg_elf *elf, uint64_t address, struct bounds *found)
{
    for (size_t table = 0; table < elf->section_count; table++) {
        const Elf64_Shdr section = kg_elf_section(elf, table);
        if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM)
            continue;
        Elf64_Sym symbol;
        const char *name;
        for (size_t i = 1; kg_elf_symbol(elf, table, i, &symbol, &name); i++) {
            const unsigned type = ELF64_ST_TYPE(symbol.st_info);
            if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF ||
                !*name || address < symbol.st_value || address - symbol.st_value >= symbol.st_size)
                continue;
            *found = (struct bounds){symbol.st_value, symbol.st_value + symbol.st_size, name};
            return true;
        }
    }
    return false;
}

/* Finds a function by the table of .eh_frame_hdr (Linux Standard Base, "Exception Frames") in
 * the linkers' usual form: sorted pairs of 32 bits, relative to the section. A function ends at
 * the start of the next. */
static bool by_frames(const struct kg_elf *elf, uint64_t address, uint64_t end,
                      struct bounds *found)
{
    enum { HEADER = 12, ENTRY = 8, UDATA4 = 0x03, RELATIVE_SDATA4 = 0x3b };
    Elf64_Shdr section;
    size_t size;
    uint32_t count;
    bool any = false;
    const unsigned char *bytes = section_named(elf, ".eh_frame_hdr", &section, &size);
    if (!bytes || size < HEADER || bytes[0] != 1 || bytes[2] != UDATA4 ||
        bytes[3] != RELATIVE_SDATA4)
        return false;
    memcpy(&count, bytes + 8, sizeof count);
    *found = (struct bounds){.to = end};
    for (size_t i = 0; i < count && HEADER + (i + 1) * ENTRY <= size; i++) {
        int32_t relative;
        memcpy(&relative, bytes + HEADER + i * ENTRY, sizeof relative);
        const uint64_t start = section.sh_addr + (uint64_t)(int64_t)relative;
        if (start > address) {
            found->to = start < end ? start : end;
            break;
        }
        found->from = start;
        any = true;
    }
    return any;
}

bool kg_machine_code_function(const struct kg_machine_code *code, uint64_t address,
                              struct kg_function *function)
{
    Elf64_Shdr section;
    size_t size;
    struct bounds found;
    const unsigned char *bytes =
        section_at(&code->elf, address, SHF_ALLOC | SHF_EXECINSTR, &section, &size);
    if (!bytes)
        return false;
    const uint64_t start = section.sh_addr, end = start + size;
    if (!by_symbols(&code->elf, address, &found) && !by_frames(&code->elf, address, end, &found)) {
        found = (struct bounds){.from = address, .to = address + KG_FUNCTION_UNKNOWN_MOST};
    }
    if (found.from < start)
        found.from = start;
    if (found.to > end)
        found.to = end;
    *function = (struct kg_function){.name = found.name,
                                     .bytes = bytes + (found.from - start),
                                     .length = (size_t)(found.to - found.from),
                                     .address = found.from};
    return true;
}

/* --- Callees ---------------------------------------------------------------------------------- */

const char *kg_machine_code_imported(const struct kg_machine_code *code, uint64_t table)
{
    const struct kg_elf *elf = &code->elf;
    for (size_t s = 0; s < elf->section_count; s++) {
        const Elf64_Shdr section = kg_elf_section(elf, s);
        Elf64_Rela relocation;
        if (section.sh_type != SHT_RELA)
            continue;
        for (size_t i = 0; kg_elf_relocation(elf, &section, i, &relocation); i++) {
            Elf64_Sym symbol;
            const char *name;
            if (relocation.r_offset == table &&
                kg_elf_symbol(elf, section.sh_link, ELF64_R_SYM(relocation.r_info), &symbol, &name))
                return *name ? name : NULL;
        }
    }
    return NULL;
}

/* An entry of the procedure linkage table is `jmp *offset(%rip)`, after an optional endbr64 or
 * bnd. */
static uint64_t linkage_entry(const unsigned char *bytes, size_t length, uint64_t address)
{
    enum { JUMP = 6, LOOK = 8 };
    for (size_t i = 0; i + JUMP <= length && i < LOOK; i++) {
        int32_t offset;
        if (bytes[i] != 0xff || bytes[i + 1] != 0x25)
            continue;
        memcpy(&offset, bytes + i + 2, sizeof offset);
        return address + i + JUMP + (uint64_t)(int64_t)offset;
    }
    return 0;
}

const char *kg_machine_code_callee(const struct kg_machine_code *code, uint64_t target)
{
    struct bounds found;
    Elf64_Shdr section;
    size_t size;
    if (by_symbols(&code->elf, target, &found))
        return found.from == target ? found.name : NULL;
    const unsigned char *bytes =
        section_at(&code->elf, target, SHF_ALLOC | SHF_EXECINSTR, &section, &size);
    if (!bytes)
        return NULL;
    const size_t at = (size_t)(target - section.sh_addr);
    const uint64_t table = linkage_entry(bytes + at, size - at, target);
    return table ? kg_machine_code_imported(code, table) : NULL;
}
