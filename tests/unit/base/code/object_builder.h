/* object_builder.h: ELF64 object files made by hand, section by section. */
#pragma once
#include <assert.h>
#include <elf.h>
#include <string.h>

#include "kgate/profiler.h"

enum { OBJECT_BYTES_MOST = 8192, OBJECT_SECTIONS_MOST = 16 };

struct object {
    unsigned char bytes[OBJECT_BYTES_MOST]; /* header, contents, section headers */
    size_t length;
    Elf64_Shdr sections[OBJECT_SECTIONS_MOST];
    size_t section_count;
    char strings[1024]; /* names of sections and symbols */
    size_t string_length;
    Elf64_Sym symbols[32];
    size_t symbol_count;
};

static inline Elf64_Word object_string(struct object *object, const char *string)
{
    const size_t at = object->string_length;
    assert(at + strlen(string) + 1 < sizeof object->strings);
    strcpy(object->strings + at, string);
    object->string_length += strlen(string) + 1;
    return (Elf64_Word)at;
}

/* returns the section's index */
static inline size_t object_section(struct object *object, const char *name, Elf64_Word type,
                                    Elf64_Xword flags, const void *bytes, size_t size)
{
    assert(object->section_count < OBJECT_SECTIONS_MOST &&
           object->length + size < OBJECT_BYTES_MOST);
    object->sections[object->section_count] = (Elf64_Shdr){.sh_name = object_string(object, name),
                                                           .sh_type = type,
                                                           .sh_flags = flags,
                                                           .sh_offset = object->length,
                                                           .sh_size = size};
    memcpy(object->bytes + object->length, bytes, size);
    object->length += size;
    return object->section_count++;
}

/* returns the symbol's index */
static inline size_t object_symbol(struct object *object, const char *name, unsigned char bind,
                                   unsigned char type, size_t section, Elf64_Addr value,
                                   size_t size)
{
    object->symbols[object->symbol_count] =
        (Elf64_Sym){.st_name = object_string(object, name),
                    .st_info = (unsigned char)ELF64_ST_INFO(bind, type),
                    .st_shndx = (Elf64_Half)section,
                    .st_value = value,
                    .st_size = size};
    return object->symbol_count++;
}

static inline void object_begin(struct object *object)
{
    *object = (struct object){.length = sizeof(Elf64_Ehdr), .section_count = 1};
    object->string_length = 1;
    object->symbol_count = 1;
}

/* A relocation at `offset` of `section`; call it once for each section. The table of symbols will
 * be the section after. */
static inline void object_reference(struct object *object, size_t section, Elf64_Addr offset,
                                    size_t symbol)
{
    const Elf64_Rela relocation = {
        .r_offset = offset, .r_info = ELF64_R_INFO((Elf64_Xword)symbol, 4), .r_addend = -4};
    const size_t index =
        object_section(object, ".rela", SHT_RELA, SHF_INFO_LINK, &relocation, sizeof relocation);
    object->sections[index].sh_info = (Elf64_Word)section;
    object->sections[index].sh_link = (Elf64_Word)index + 1;
}

static inline void object_end(struct object *object)
{
    Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB},
                         .e_type = ET_REL,
                         .e_shentsize = sizeof(Elf64_Shdr)};
    const size_t symbols = object_section(object, ".symtab", SHT_SYMTAB, 0, object->symbols,
                                          object->symbol_count * sizeof *object->symbols);
    object->sections[symbols].sh_link = (Elf64_Word)symbols + 1;
    const Elf64_Word name = object_string(object, ".strtab");
    const size_t strings =
        object_section(object, "", SHT_STRTAB, 0, object->strings, object->string_length + 1);
    object->sections[strings].sh_name = name;
    header.e_shoff = object->length;
    header.e_shnum = (Elf64_Half)object->section_count;
    header.e_shstrndx = (Elf64_Half)strings;
    assert(object->length + sizeof object->sections < OBJECT_BYTES_MOST);
    memcpy(object->bytes + object->length, object->sections,
           object->section_count * sizeof *object->sections);
    object->length += object->section_count * sizeof *object->sections;
    memcpy(object->bytes, &header, sizeof header);
}

/* Contents of an object with one function. */
struct object_facts {
    const char *text;     /* its code */
    const char *function; /* global; NULL: none */
    const char *calls;    /* a global function; NULL: none */
    const char *kernel;   /* a global variable; NULL: none */
    const char *constant; /* .rodata */
    const char *local;    /* name of a local symbol that the code refers to */
    const char *note, *debug;
    const char *fat_binary; /* .nv_fatbin; NULL: none */
    unsigned line;          /* of a scope's site */
};

static inline void object_make(struct object *object, const struct object_facts *facts)
{
    enum { CODE = SHF_ALLOC | SHF_EXECINSTR };
    const struct kgate_site site = {.line = facts->line};
    object_begin(object);
    const size_t text =
        object_section(object, ".text", SHT_PROGBITS, CODE, facts->text, strlen(facts->text));
    const char *constant = facts->constant ? facts->constant : "constant";
    const size_t data =
        object_section(object, ".rodata", SHT_PROGBITS, SHF_ALLOC, constant, strlen(constant));
    const size_t sites =
        object_section(object, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, &site, sizeof site);
    object_symbol(object, "kgate_site_0.0", STB_LOCAL, STT_OBJECT, sites, 0, sizeof site);
    const size_t local = object_symbol(object, facts->local ? facts->local : "local", STB_LOCAL,
                                       STT_OBJECT, data, 0, 8);
    object_section(object, ".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, "", 0);
    if (facts->note)
        object_section(object, ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, facts->note,
                       strlen(facts->note));
    if (facts->debug)
        object_section(object, ".debug_info", SHT_PROGBITS, 0, facts->debug, strlen(facts->debug));
    if (facts->fat_binary)
        object_section(object, ".nv_fatbin", SHT_PROGBITS, SHF_ALLOC, facts->fat_binary,
                       strlen(facts->fat_binary));
    if (facts->function)
        object_symbol(object, facts->function, STB_GLOBAL, STT_FUNC, text, 0, 8);
    if (facts->kernel)
        object_symbol(object, facts->kernel, STB_GLOBAL, STT_OBJECT, data, 0, 8);
    const size_t called =
        facts->calls ? object_symbol(object, facts->calls, STB_GLOBAL, STT_NOTYPE, 0, 0, 0) : local;
    object_reference(object, text, 2, called);
    object_end(object);
}
