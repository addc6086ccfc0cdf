#include "test_support.h"

#include "base/code/code_hash.h"
#include "base/code/elf.h"
#include "base/code/object_builder.h"
#include "base/file.h"
#include "base/random.h"

static uint64_t hash_of(const struct object_facts *facts, enum kgate_device device)
{
    struct object object;
    struct kg_code_sum sum;
    object_make(&object, facts);
    if (!kg_code_sum_bytes(object.bytes, object.length, device, &sum))
        fail_msg("no hash of an object with code '%s'", facts->text);
    return sum.hash;
}

static const struct object_facts plain = {
    .text = "code", .function = "run", .calls = "sin", .line = 7};

static void what_decides_how_code_runs_is_in_its_hash(void **state)
{
    const uint64_t hash = hash_of(&plain, KGATE_DEVICE_CPU);
    struct object_facts other[5] = {plain, plain, plain, plain, plain};
    (void)state;
    other[0].text = "cods";
    other[1].constant = "constans";
    other[2].calls = "cos";
    other[3].calls = NULL;
    other[4].function = "walk";
    assert_int_equal(hash, hash_of(&plain, KGATE_DEVICE_CPU));
    for (size_t i = 0; i < 5; i++)
        if (hash_of(&other[i], KGATE_DEVICE_CPU) == hash)
            fail_msg("difference %zu is not seen", i);
}

static void what_does_not_is_not(void **state)
{
    struct object_facts facts = plain;
    (void)state;
    facts.calls = NULL; /* the local symbol instead */
    const uint64_t hash = hash_of(&facts, KGATE_DEVICE_CPU);
    facts.local = "another";
    facts.note = "0123456789";
    facts.debug = "/home/me/file.c";
    facts.line = 1000;
    assert_int_equal(hash, hash_of(&facts, KGATE_DEVICE_CPU));
}

static void code_for_the_gpu_counts_there_alone_and_the_hosts_with_it(void **state)
{
    struct object_facts one = plain, other = plain;
    (void)state;
    one.fat_binary = "cubin of mine";
    other.fat_binary = "cubin of yours";
    assert_int_equal(hash_of(&one, KGATE_DEVICE_CPU), hash_of(&other, KGATE_DEVICE_CPU));
    assert_int_not_equal(hash_of(&one, KGATE_DEVICE_CUDA), hash_of(&other, KGATE_DEVICE_CUDA));
    assert_int_not_equal(hash_of(&one, KGATE_DEVICE_CUDA), hash_of(&one, KGATE_DEVICE_CPU));
    assert_int_equal(hash_of(&plain, KGATE_DEVICE_CUDA), hash_of(&plain, KGATE_DEVICE_CPU));
    other = one;
    other.constant = "threads a block";
    assert_int_not_equal(hash_of(&one, KGATE_DEVICE_CUDA), hash_of(&other, KGATE_DEVICE_CUDA));
}

static void digits_of_a_path_in_names_of_the_gpus_code_do_not_count(void **state)
{
    static const char *const alike[] = {"x_GLOBAL__N__01234567_4_k_cu_run",
                                        "x_GLOBAL__N__89abcdef_4_k_cu_run"};
    static const char *const unlike[] = {"x_GLOBAL__N__01234567_4_k_cu_run",
                                         "x_GLOBAL__N__01234567_4_k_cu_Run",
                                         "x_GLOBAL__N__0123456_", "x_GLOBAL__N__0123457_"};
    struct object_facts facts = plain;
    uint64_t hashes[4];
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        facts.fat_binary = alike[i];
        hashes[i] = hash_of(&facts, KGATE_DEVICE_CUDA);
    }
    assert_int_equal(hashes[0], hashes[1]);
    for (size_t i = 0; i < 4; i++) {
        facts.fat_binary = unlike[i];
        hashes[i] = hash_of(&facts, KGATE_DEVICE_CUDA);
    }
    assert_int_not_equal(hashes[0], hashes[1]);
    assert_int_not_equal(hashes[2], hashes[3]);
}

static void an_object_without_code_says_so(void **state)
{
    struct object object;
    struct kg_code_sum sum;
    struct kg_error err;
    char path[128], hex[17];
    char *folder = support_folder();
    (void)state;
    object_make(&object, &(struct object_facts){.text = ""});
    assert_true(kg_code_sum_bytes(object.bytes, object.length, KGATE_DEVICE_CPU, &sum));
    assert_int_equal(sum.code_bytes, 0);
    snprintf(path, sizeof path, "%s/object", folder);
    assert_true(kg_file_write(path, (const char *)object.bytes, object.length, &err));
    assert_false(kg_code_hash_file(path, hex));
    support_remove(folder);
}

static void only_elf_files_of_64_bits_have_a_hash(void **state)
{
    struct object object;
    struct kg_code_sum sum;
    char hex[17];
    (void)state;
    object_make(&object, &plain);
    for (size_t i = 0; i < 6; i++) { /* mark, class, byte order */
        object.bytes[i] ^= 0x3;
        if (kg_code_sum_bytes(object.bytes, object.length, KGATE_DEVICE_CPU, &sum))
            fail_msg("byte %zu of the header is not looked at", i);
        object.bytes[i] ^= 0x3;
    }
    assert_false(kg_code_sum_bytes("", 0, KGATE_DEVICE_CPU, &sum));
    assert_false(kg_code_hash_file("/etc/passwd", hex));
    assert_false(kg_code_hash_file("/nowhere", hex));
    assert_false(kg_code_hash_file("/", hex));
}

/* In a block of its own, so that a sanitizer sees each byte too many. */
static bool sum_of_copy(const void *bytes, size_t length, struct kg_code_sum *sum)
{
    void *copy = malloc(length ? length : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, length);
    const bool good = kg_code_sum_bytes(copy, length, KGATE_DEVICE_CUDA, sum);
    free(copy);
    return good;
}

static void a_file_cut_anywhere_is_no_danger(void **state)
{
    struct object object;
    struct kg_code_sum sum;
    (void)state;
    object_make(&object, &plain);
    assert_true(sum_of_copy(object.bytes, object.length, &sum));
    for (size_t length = 0; length < object.length; length++)
        if (sum_of_copy(object.bytes, length, &sum))
            fail_msg("%zu of %zu bytes were taken for all", length, object.length);
}

static void headers_that_point_anywhere_are_no_danger(void **state)
{
    const uint64_t seed = 20260131;
    struct kg_random random = {seed};
    struct object object;
    struct kg_code_sum sum;
    (void)state;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (size_t turn = 0; turn < 20000; turn++) {
        object_make(&object, &plain);
        for (uint64_t changes = 1 + kg_random_below(&random, 4); changes; changes--) {
            /* the header, or the headers of sections; bytes all of one's, or random ones */
            const size_t from = kg_random_below(&random, 3) ? object.length - 8 * sizeof(Elf64_Shdr)
                                                            : sizeof(Elf64_Ehdr) - 24;
            const size_t room = from > sizeof(Elf64_Ehdr) ? 8 * sizeof(Elf64_Shdr) : 24;
            const size_t at = from + kg_random_below(&random, room);
            for (size_t i = at; i < object.length && i < at + 1 + kg_random_below(&random, 8); i++)
                object.bytes[i] = kg_random_below(&random, 2)
                                      ? 0xff
                                      : (unsigned char)kg_random_below(&random, 256);
        }
        sum_of_copy(object.bytes, object.length, &sum);
    }
}

static void a_count_of_sections_beyond_the_file_is_refused(void **state)
{
    struct object object;
    struct kg_code_sum sum;
    Elf64_Ehdr header;
    Elf64_Shdr first = {0};
    (void)state;
    object_make(&object, &plain);
    memcpy(&header, object.bytes, sizeof header);
    const size_t count = header.e_shnum;
    header.e_shnum = 0; /* the first section says how many */
    header.e_shstrndx = SHN_XINDEX;
    first.sh_link = (Elf64_Word)count - 1;
    const uint64_t counts[] = {count, count + 1, UINT64_MAX, UINT64_MAX / 64 + 2};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        first.sh_size = counts[i];
        memcpy(object.bytes, &header, sizeof header);
        memcpy(object.bytes + header.e_shoff, &first, sizeof first);
        assert_int_equal(sum_of_copy(object.bytes, object.length, &sum), i == 0);
    }
    header.e_shoff = UINT64_MAX - 8;
    memcpy(object.bytes, &header, sizeof header);
    assert_false(sum_of_copy(object.bytes, object.length, &sum));
}

/* Or a small file could keep its reader busy for long. */
static void sections_that_overlap_are_refused(void **state)
{
    struct object object;
    struct kg_code_sum sum;
    Elf64_Ehdr header;
    (void)state;
    object_make(&object, &plain);
    memcpy(&header, object.bytes, sizeof header);
    for (size_t i = 1; i <= 3; i++) {
        object.sections[i].sh_offset = 0;
        object.sections[i].sh_size = object.length;
    }
    memcpy(object.bytes + header.e_shoff, object.sections, sizeof(Elf64_Shdr) * header.e_shnum);
    assert_false(sum_of_copy(object.bytes, object.length, &sum));
}

static void a_linked_program_has_a_hash_cut_or_not(void **state)
{
    struct kg_text text = {0};
    struct kg_error err;
    struct kg_code_sum sum;
    char hex[17];
    (void)state;
    assert_true(kg_code_hash_file("/proc/self/exe", hex));
    assert_int_equal(strspn(hex, "0123456789abcdef"), 16);
    assert_true(kg_file_read("/proc/self/exe", KG_CODE_FILE_MOST, &text, &err));
    for (size_t i = 1; i < 8; i++)
        assert_false(sum_of_copy(text.data, text.length * i / 8, &sum));
    kg_text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_decides_how_code_runs_is_in_its_hash),
        cmocka_unit_test(what_does_not_is_not),
        cmocka_unit_test(code_for_the_gpu_counts_there_alone_and_the_hosts_with_it),
        cmocka_unit_test(digits_of_a_path_in_names_of_the_gpus_code_do_not_count),
        cmocka_unit_test(an_object_without_code_says_so),
        cmocka_unit_test(only_elf_files_of_64_bits_have_a_hash),
        cmocka_unit_test(a_file_cut_anywhere_is_no_danger),
        cmocka_unit_test(headers_that_point_anywhere_are_no_danger),
        cmocka_unit_test(a_count_of_sections_beyond_the_file_is_refused),
        cmocka_unit_test(sections_that_overlap_are_refused),
        cmocka_unit_test(a_linked_program_has_a_hash_cut_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
