#include "test_support.h"

#include "base/code/code_identity.h"
#include "base/code/code_table.h"
#include "base/code/object_builder.h"
#include "base/text.h"
#include "suite/sources/kernel_registry.h"

/* Two kernels, of which one calls what is in common. */
enum { ONE, ONE_CPU, ONE_GPU, OTHER, COMMON, COUNT };
static const char *const names[COUNT] = {"one.c", "one_cpu.c", "one.cu", "other.c", "common.c"};
static const struct object_facts sources[COUNT] = {
    [ONE] = {.text = "choose", .function = "choose", .calls = "fast", .kernel = "kg_kernel_one"},
    [ONE_CPU] = {.text = "fast", .function = "fast", .calls = "launch"},
    [ONE_GPU] = {.text = "launch", .function = "launch", .calls = "libc", .fat_binary = "device"},
    [OTHER] = {.text = "other",
               .function = "kg_kernel_other_function",
               .calls = "shared",
               .kernel = "kg_kernel_other"},
    [COMMON] = {.text = "shared", .function = "shared", .calls = "libc"},
};

struct hashes {
    char one[2][17], other[2][17];
};

static void hashes_find(const struct kg_text *table, struct hashes *hashes)
{
    for (int device = 0; device < 2; device++) {
        assert_true(kg_code_table_find(table->data, table->length, "one", (enum kgate_device)device,
                                       hashes->one[device]));
        assert_true(kg_code_table_find(table->data, table->length, "other",
                                       (enum kgate_device)device, hashes->other[device]));
    }
}

/* The table with the code of one object changed; COUNT: of none. */
static void table_of(size_t changed, struct hashes *hashes)
{
    struct object objects[COUNT];
    struct kg_code_object files[COUNT];
    struct kg_text table = {0};
    for (size_t i = 0; i < COUNT; i++) {
        struct object_facts facts = sources[i];
        facts.text = i == changed ? "changed" : facts.text;
        object_make(&objects[i], &facts);
        files[i] = (struct kg_code_object){names[i], objects[i].bytes, objects[i].length};
    }
    assert_true(kg_code_table_make(files, COUNT, &table));
    hashes_find(&table, hashes);
    kg_text_free(&table);
}

static void a_kernels_hash_follows_its_references_and_no_others(void **state)
{
    struct hashes before, after;
    (void)state;
    table_of(COUNT, &before);
    for (size_t i = 0; i < COUNT; i++) {
        table_of(i, &after);
        const bool one = i == ONE || i == ONE_CPU, other = i == OTHER || i == COMMON;
        if ((strcmp(before.one[0], after.one[0]) != 0) != one ||
            (strcmp(before.other[0], after.other[0]) != 0) != other)
            fail_msg("change of %s: hashes %s and %s, before %s and %s", names[i], after.one[0],
                     after.other[0], before.one[0], before.other[0]);
    }
}

static void versions_for_the_other_device_do_not_count(void **state)
{
    struct hashes before, after;
    (void)state;
    /* the kernel calls what is in the .cu file */
    struct object objects[2];
    struct kg_code_object files[2];
    for (size_t changed = 0; changed < 3; changed++) {
        struct object_facts kernel = sources[ONE], device = sources[ONE_GPU];
        struct kg_text table = {0};
        kernel.calls = "launch";
        device.fat_binary = changed == 1 ? "another" : device.fat_binary;
        device.text = changed == 2 ? "launches" : device.text;
        object_make(&objects[0], &kernel);
        object_make(&objects[1], &device);
        files[0] = (struct kg_code_object){"one.c", objects[0].bytes, objects[0].length};
        files[1] = (struct kg_code_object){"one.cu", objects[1].bytes, objects[1].length};
        assert_true(kg_code_table_make(files, 2, &table));
        for (int d = 0; d < 2; d++)
            assert_true(kg_code_table_find(table.data, table.length, "one", (enum kgate_device)d,
                                           after.one[d]));
        kg_text_free(&table);
        if (changed) {
            assert_string_equal(before.one[KGATE_DEVICE_CPU], after.one[KGATE_DEVICE_CPU]);
            assert_string_not_equal(before.one[KGATE_DEVICE_CUDA], after.one[KGATE_DEVICE_CUDA]);
        } else {
            before = after;
        }
    }
    /* and a change of NAME_cpu.c is none for the GPU */
    table_of(COUNT, &before);
    table_of(ONE_CPU, &after);
    assert_string_equal(before.one[KGATE_DEVICE_CUDA], after.one[KGATE_DEVICE_CUDA]);
}

static void the_order_of_objects_does_not_matter(void **state)
{
    struct object objects[COUNT];
    struct kg_code_object files[COUNT];
    struct kg_text tables[2] = {{0}, {0}};
    (void)state;
    for (size_t turn = 0; turn < 2; turn++) {
        for (size_t i = 0; i < COUNT; i++) {
            const size_t at = turn ? COUNT - 1 - i : i;
            object_make(&objects[at], &sources[i]);
            files[at] = (struct kg_code_object){names[i], objects[at].bytes, objects[at].length};
        }
        assert_true(kg_code_table_make(files, COUNT, &tables[turn]));
    }
    assert_string_equal(tables[0].data, tables[1].data);
    kg_text_free(&tables[0]);
    kg_text_free(&tables[1]);
}

/* What link-time optimisation leaves: an object without code, or one that is no ELF file. */
static void objects_without_machine_code_make_a_table_without_hashes(void **state)
{
    struct object object;
    struct kg_text table = {0};
    char hex[17];
    (void)state;
    object_make(&object, &(struct object_facts){.text = "", .kernel = "kg_kernel_one"});
    struct kg_code_object file = {"one.c", object.bytes, object.length};
    assert_true(kg_code_table_make(&file, 1, &table));
    assert_string_equal(table.data, KG_CODE_TABLE_MARK "one - -\n");
    assert_false(kg_code_table_find(table.data, table.length, "one", KGATE_DEVICE_CPU, hex));
    assert_false(kg_code_table_find(table.data, table.length, "one", KGATE_DEVICE_CUDA, hex));
    kg_text_free(&table);
    table = (struct kg_text){0};
    file = (struct kg_code_object){"one.c", "BC\xc0\xde", 4};
    assert_true(kg_code_table_make(&file, 1, &table));
    assert_string_equal(table.data, KG_CODE_TABLE_MARK);
    kg_text_free(&table);
}

static void a_table_may_be_anything(void **state)
{
    static const char whole[] = KG_CODE_TABLE_MARK "one 0123456789abcdef fedcba9876543210\n";
    static const char *const broken[] = {"",
                                         "\n",
                                         "kgate.code.v2\none 0123456789abcdef -\n",
                                         KG_CODE_TABLE_MARK "one\n",
                                         KG_CODE_TABLE_MARK "one \n",
                                         KG_CODE_TABLE_MARK "one 0123456789abcdef\n",
                                         KG_CODE_TABLE_MARK "one 0123456789abcde -\n",
                                         KG_CODE_TABLE_MARK "ones 0123456789abcdef -\n"};
    char hex[17];
    (void)state;
    assert_true(kg_code_table_find(whole, sizeof whole - 1, "one", KGATE_DEVICE_CUDA, hex));
    assert_string_equal(hex, "fedcba9876543210");
    for (size_t length = 0; length < sizeof whole - 1; length++) {
        char *copy = malloc(length ? length : 1);
        assert_non_null(copy);
        memcpy(copy, whole, length);
        assert_false(kg_code_table_find(copy, length, "one", KGATE_DEVICE_CPU, hex));
        free(copy);
    }
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
        if (kg_code_table_find(broken[i], strlen(broken[i]), "one", KGATE_DEVICE_CPU, hex))
            fail_msg("found in '%s': %s", broken[i], hex);
}

static void every_built_in_kernel_has_a_hash_that_another_kgate_reads_from_the_file(void **state)
{
    struct kg_arena arena = {0};
    size_t count;
    const struct kgate_workload *const *workloads = kg_registry_workloads(&count);
    (void)state;
    for (size_t i = 0; i < count; i++) {
        struct kg_code_memory *here = kg_code_memory_make(&arena),
                              *there = kg_code_memory_make(&arena);
        struct kg_code_owner owner = {.kernel = workloads[i]->name, .device = KGATE_DEVICE_CPU};
        const char *own = kg_code_identify(here, &arena, owner).hash;
        owner.file = "/proc/self/exe";
        const char *read = kg_code_identify(there, &arena, owner).hash;
        if (!own || !read || strcmp(own, read) != 0)
            fail_msg("%s: %s in memory, %s in the file", workloads[i]->name, own ? own : "nothing",
                     read ? read : "nothing");
    }
    kg_arena_free(&arena);
}

static void what_is_not_there_has_no_hash_and_answers_are_not_mixed_up(void **state)
{
    struct kg_arena arena = {0};
    struct kg_code_memory *memory = kg_code_memory_make(&arena);
    const struct kg_code_owner kernel = {.kernel = "softmax"}, none = {.kernel = "none"},
                               plugin = {.file = "/proc/self/exe"}, nowhere = {.file = "/nowhere"},
                               script = {.file = "/etc/passwd", .kernel = "softmax"};
    (void)state;
    for (size_t turn = 0; turn < 2; turn++) {
        const char *hash = kg_code_identify(memory, &arena, kernel).hash;
        assert_non_null(hash);
        assert_ptr_equal(hash, kg_code_identify(memory, &arena, kernel).hash);
        assert_null(kg_code_identify(memory, &arena, none).hash);
        const char *file = kg_code_identify(memory, &arena, plugin).hash;
        assert_non_null(file);
        assert_string_not_equal(file, hash);
        assert_null(kg_code_identify(memory, &arena, nowhere).hash);
        assert_null(kg_code_identify(memory, &arena, script).hash);
    }
    kg_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernels_hash_follows_its_references_and_no_others),
        cmocka_unit_test(versions_for_the_other_device_do_not_count),
        cmocka_unit_test(the_order_of_objects_does_not_matter),
        cmocka_unit_test(objects_without_machine_code_make_a_table_without_hashes),
        cmocka_unit_test(a_table_may_be_anything),
        cmocka_unit_test(every_built_in_kernel_has_a_hash_that_another_kgate_reads_from_the_file),
        cmocka_unit_test(what_is_not_there_has_no_hash_and_answers_are_not_mixed_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
