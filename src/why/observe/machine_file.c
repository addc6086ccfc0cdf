/* The contents of a file of machine code: size of the code, compiled assertions, linked libraries. A report
 * compares them between two builds. */
#include "why/observe/loops.h"
#include "why/observe/modules.h"

enum { LIBRARIES_MOST = 64 };

/* A failed assert of the C library calls it. */
static const char *const ASSERT_FAILED[] = {"__assert_fail", NULL};
/* A failed check of libstdc++ calls one of these, if the program is built with _GLIBCXX_DEBUG or _GLIBCXX_ASSERTIONS. */
static const char *const LIBRARY_CHECK_FAILED[] = {"_ZNK11__gnu_debug16_Error_formatter8_M_errorEv",
                                                   "_ZSt21__glibcxx_assert_failPKciS0_S0_", NULL};

static uint64_t code_bytes(const struct kg_elf *elf)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < elf->section_count; i++) {
        const Elf64_Shdr section = kg_elf_section(elf, i);
        size_t size;
        if (section.sh_type == SHT_PROGBITS && section.sh_flags & SHF_EXECINSTR &&
            kg_elf_section_bytes(elf, &section, &size))
            sum += size;
    }
    return sum;
}

void kg_machine_file_read(struct kg_arena *arena, const char *path, struct kg_sampled *sampled)
{
    struct kg_machine_code code;
    const char *name;
    if (!kg_machine_code_open(path, &code))
        return;
    sampled->code_bytes = code_bytes(&code.elf);
    sampled->asserts = kg_elf_imports(&code.elf, ASSERT_FAILED);
    sampled->library_checks = kg_elf_imports(&code.elf, LIBRARY_CHECK_FAILED);
    sampled->libraries = kg_arena_alloc(arena, LIBRARIES_MOST, sizeof *sampled->libraries);
    while (sampled->library_count < LIBRARIES_MOST &&
           (name = kg_elf_needed(&code.elf, sampled->library_count)))
        sampled->libraries[sampled->library_count++] = kg_arena_copy(arena, name);
    kg_machine_code_close(&code);
}
