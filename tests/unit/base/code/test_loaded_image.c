#include "test_support.h"

#include <elf.h>

#include "base/code/code_hash.h"
#include "base/code/elf.h"
#include "base/file.h"

/* Programs are built by the compiler; then the tests change bytes that a linker would not write. */

static char *folder;

static int folder_make(void **state)
{
    folder = support_folder();
    return 0;
}

static int folder_remove(void **state)
{
    support_remove(folder);
    return 0;
}

static const char *in_folder(const char *name)
{
    static char path[4][256];
    static size_t next;
    char *made = path[next++ % 4];
    snprintf(made, sizeof path[0], "%s/%s", folder, name);
    return made;
}

/* A program whose main reads COUNT, a constant in the section `.odd`, built with the options. */
static struct kg_text program(const char *options)
{
    char line[2048];
    struct kg_text text = {0};
    struct kg_error err;
    snprintf(line, sizeof line,
             "cd '%s' && { echo '__attribute__((section(ODD), used)) static const volatile int "
             "count = COUNT; static volatile int ones[] = {1}; int main(void) { return count == "
             "*ones; }' >p.c && "
             "cc -O2 p.c -o p %s; } >log 2>&1 || { cat log; false; }",
             folder, options);
    if (system(line) != 0)
        fail_msg("%s", options);
    assert_true(kg_file_read(in_folder("p"), KG_CODE_FILE_MOST, &text, &err));
    return text;
}

static bool sum_of(const struct kg_text *text, struct kg_code_sum *sum)
{
    struct kg_elf elf;
    return kg_elf_open(text->data, text->length, &elf) && elf.linked && kg_image_sum(&elf, sum);
}

static uint64_t hash_of(const struct kg_text *text)
{
    struct kg_code_sum sum;
    assert_true(sum_of(text, &sum));
    assert_true(sum.code_bytes > 0);
    return sum.hash;
}

static uint64_t hash_of_program(const char *options)
{
    struct kg_text text = program(options);
    const uint64_t hash = hash_of(&text);
    kg_text_free(&text);
    return hash;
}

#define NOTE "-DODD='\".note.odd\"' "
#define DATA "-DODD='\".odd\"' "

static void a_constant_in_a_note_counts(void **state)
{
    assert_int_equal(hash_of_program(NOTE "-DCOUNT=2"), hash_of_program(NOTE "-DCOUNT=2"));
    assert_int_not_equal(hash_of_program(NOTE "-DCOUNT=2"), hash_of_program(NOTE "-DCOUNT=8"));
}

static Elf64_Ehdr header_of(const struct kg_text *text)
{
    Elf64_Ehdr header;
    memcpy(&header, text->data, sizeof header);
    return header;
}

/* Index of the section `.odd`. */
static size_t odd_section(const struct kg_text *text)
{
    struct kg_elf elf;
    assert_true(kg_elf_open(text->data, text->length, &elf));
    for (size_t i = 0; i < elf.section_count; i++) {
        const Elf64_Shdr section = kg_elf_section(&elf, i);
        if (!strcmp(kg_elf_section_name(&elf, &section), ".odd"))
            return i;
    }
    fail_msg("the program has no section .odd");
    return 0;
}

static void not_allocated(Elf64_Shdr *section)
{
    section->sh_flags &= ~(Elf64_Xword)SHF_ALLOC;
}
static void a_note(Elf64_Shdr *section)
{
    section->sh_type = SHT_NOTE;
}
static void without_bytes(Elf64_Shdr *section)
{
    section->sh_type = SHT_NOBITS;
}
static void empty(Elf64_Shdr *section)
{
    section->sh_size = 0;
}
static void inactive(Elf64_Shdr *section)
{
    *section = (Elf64_Shdr){.sh_type = SHT_NULL};
}

static struct kg_text forged(const char *options, void (*lie)(Elf64_Shdr *))
{
    struct kg_text text = program(options);
    const Elf64_Ehdr header = header_of(&text);
    char *at = text.data + header.e_shoff + odd_section(&text) * sizeof(Elf64_Shdr);
    Elf64_Shdr section;
    memcpy(&section, at, sizeof section);
    lie(&section);
    memcpy(at, &section, sizeof section);
    return text;
}

static void section_headers_that_lie_hide_nothing(void **state)
{
    static const struct {
        const char *name;
        void (*lie)(Elf64_Shdr *);
    } lies[] = {{"not allocated", not_allocated},
                {"a note", a_note},
                {"without bytes", without_bytes},
                {"empty", empty},
                {"inactive", inactive}};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        struct kg_text before = forged(DATA "-DCOUNT=2", lies[i].lie);
        struct kg_text after = forged(DATA "-DCOUNT=8", lies[i].lie);
        if (hash_of(&before) == hash_of(&after))
            fail_msg("a section that is %s hides a constant", lies[i].name);
        kg_text_free(&before);
        kg_text_free(&after);
    }
}

/* The kernel maps whole pages. */
static void bytes_between_two_segments_count(void **state)
{
    struct kg_elf elf;
    struct kg_text text = program(DATA "-DCOUNT=2");
    const uint64_t before = hash_of(&text);
    assert_true(kg_elf_open(text.data, text.length, &elf));
    for (size_t i = 0; i < elf.segment_count; i++) {
        const Elf64_Phdr segment = kg_elf_segment(&elf, i);
        const uint64_t end = segment.p_offset + segment.p_filesz;
        if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X) || !(end % 4096))
            continue;
        text.data[end] ^= 1;
        assert_int_not_equal(hash_of(&text), before);
        text.data[end] ^= 1;
    }
    assert_int_equal(hash_of(&text), before);
    kg_text_free(&text);
}

/* Program headers decide the addresses of bytes, and which segments are executable. */
static void an_address_or_a_flag_of_a_segment_counts(void **state)
{
    struct kg_elf elf;
    struct kg_text text = program(DATA "-DCOUNT=2");
    const uint64_t before = hash_of(&text);
    assert_true(kg_elf_open(text.data, text.length, &elf));
    for (size_t i = 0; i < elf.segment_count; i++) {
        char *at = text.data + elf.segments_at + i * sizeof(Elf64_Phdr);
        at[offsetof(Elf64_Phdr, p_flags)] ^= PF_W;
        assert_int_not_equal(hash_of(&text), before);
        at[offsetof(Elf64_Phdr, p_flags)] ^= PF_W;
        at[offsetof(Elf64_Phdr, p_vaddr)] ^= 1;
        assert_int_not_equal(hash_of(&text), before);
        at[offsetof(Elf64_Phdr, p_vaddr)] ^= 1;
    }
    kg_text_free(&text);
}

#define BUILD_ID "-DCOUNT=2 -Wl,--build-id=0x"
#define ONES "1111111111111111111111111111111111111111"
#define TWOS "2222222222222222222222222222222222222222"

static void a_build_id_debug_information_and_symbols_do_not_count(void **state)
{
    const uint64_t hash = hash_of_program(DATA BUILD_ID ONES);
    assert_int_equal(hash_of_program(DATA BUILD_ID TWOS), hash);
    assert_int_equal(hash_of_program(DATA BUILD_ID TWOS " -g"), hash);
    assert_int_equal(hash_of_program(DATA BUILD_ID TWOS " -s"), hash);
    assert_int_equal(hash_of_program(DATA BUILD_ID TWOS " && strip p"), hash);
    assert_int_not_equal(hash_of_program(DATA "-DCOUNT=8 -Wl,--build-id=0x" ONES), hash);
}

static void what_a_segment_lacks_of_the_file_has_no_hash(void **state)
{
    struct kg_code_sum sum;
    struct kg_text text = program(DATA "-DCOUNT=2");
    struct kg_elf elf;
    assert_true(kg_elf_open(text.data, text.length, &elf));
    char *first = text.data + elf.segments_at;
    Elf64_Phdr segment = kg_elf_segment(&elf, 0);
    segment.p_filesz = UINT64_MAX - 8;
    memcpy(first, &segment, sizeof segment);
    assert_false(sum_of(&text, &sum));
    kg_text_free(&text);
}

/* The loader goes by relocations, and never looks at section headers. */
static void section_headers_hide_no_library_and_no_call(void **state)
{
    static const char *const names[] = {"puts", NULL}, *const others[] = {"system", NULL};
    struct kg_elf elf;
    struct kg_text text = program(DATA "-DCOUNT=2 -include stdio.h -D'return=puts(\"x\");return'");
    Elf64_Ehdr header = header_of(&text);
    header.e_shoff = 0;
    header.e_shnum = header.e_shstrndx = 0;
    memcpy(text.data, &header, sizeof header);
    assert_true(kg_elf_open(text.data, text.length, &elf));
    assert_true(kg_elf_imports(&elf, names));
    assert_false(kg_elf_imports(&elf, others));
    assert_true(kg_elf_needs(&elf, "libc.so"));
    assert_non_null(kg_elf_interpreter(&elf));
    kg_text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_constant_in_a_note_counts),
        cmocka_unit_test(section_headers_that_lie_hide_nothing),
        cmocka_unit_test(bytes_between_two_segments_count),
        cmocka_unit_test(an_address_or_a_flag_of_a_segment_counts),
        cmocka_unit_test(a_build_id_debug_information_and_symbols_do_not_count),
        cmocka_unit_test(what_a_segment_lacks_of_the_file_has_no_hash),
        cmocka_unit_test(section_headers_hide_no_library_and_no_call),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
