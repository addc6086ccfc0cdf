/* elf.h: reads an ELF64 file in memory: its sections, symbols and relocations, as the System V ABI
 * describes them. The file may be anything. The functions read nothing outside its bytes, and treat
 * parts outside them as absent. Pure, thread-safe. */
#pragma once
#include <elf.h>
#include <stdbool.h>
#include <stddef.h>

struct kg_elf {
    const unsigned char *bytes; /* borrowed from the caller while the view is used */
    size_t length;
    size_t section_count;
    size_t section_names; /* index of the section with the names of sections */
    size_t sections_at;   /* offset of the first section header */
    size_t
        segment_count; /* program headers; at most 128; 0 if there are more, or the file ends before */
    size_t segments_at; /* offset of the first program header */
    unsigned machine;   /* processor: EM_X86_64, … */
    bool linked;        /* a program or shared object; false: an object file, yet to be linked */
};

/* false if the bytes are no ELF64 file of this machine's byte order, or do not hold all section
 * headers. A file without section headers has no sections. */
bool kg_elf_open(const void *bytes, size_t length, struct kg_elf *elf);

/* i below section_count. */
Elf64_Shdr kg_elf_section(const struct kg_elf *elf, size_t i);
/* "" if it has none. */
const char *kg_elf_section_name(const struct kg_elf *elf, const Elf64_Shdr *section);
/* The section's bytes within the file, `size` of them. NULL if the file does not hold them all, or
 * if the section takes no room in the file. */
const unsigned char *kg_elf_section_bytes(const struct kg_elf *elf, const Elf64_Shdr *section,
                                          size_t *size);

/* Program header i, i below segment_count. The kernel and the loader use program headers alone. */
Elf64_Phdr kg_elf_segment(const struct kg_elf *elf, size_t i);

/* Entry i of a table of symbols (SHT_SYMTAB, SHT_DYNSYM), by the index of its section. *name is ""
 * if it has none. false if there is no such entry. */
bool kg_elf_symbol(const struct kg_elf *elf, size_t table, size_t i, Elf64_Sym *symbol,
                   const char **name);
/* Entry i of a table of relocations (SHT_RELA, SHT_REL, which has no addends). false if there is no
 * such entry. */
bool kg_elf_relocation(const struct kg_elf *elf, const Elf64_Shdr *table, size_t i,
                       Elf64_Rela *relocation);

/* The functions below read program headers, as the loader does. */

/* The path of the program interpreter (PT_INTERP): the dynamic loader; NULL if there is none, as
 * in a static program or a shared object. */
const char *kg_elf_interpreter(const struct kg_elf *elf);
/* Whether the file says that it is a program that can be loaded anywhere (DF_1_PIE). */
bool kg_elf_is_pie(const struct kg_elf *elf);
/* The build id that the linker made of the contents, `size` bytes, at most 64: the first one of the
 * notes (PT_NOTE). NULL if the file has none. */
const unsigned char *kg_elf_build_id(const struct kg_elf *elf, size_t *size);
/* The n-th library that the file needs (DT_NEEDED), from 0; "" without a name; NULL after the
 * last. */
const char *kg_elf_needed(const struct kg_elf *elf, size_t n);
/* Whether the file needs a library (DT_NEEDED) whose name begins with `begin`. */
bool kg_elf_needs(const struct kg_elf *elf, const char *begin);
/* Whether the file names auditors (DT_AUDIT, DT_DEPAUDIT; rtld-audit(7)). */
bool kg_elf_has_auditors(const struct kg_elf *elf);
/* Whether the loader must find one of these names, ended by NULL, for the file: a relocation refers
 * to the name. A * at the end of a name matches every name with that beginning. */
bool kg_elf_imports(const struct kg_elf *elf, const char *const *names);
