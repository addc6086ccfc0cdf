#include "base/arena.h"
#include "base/error.h"
#include "base/grow.h"
#include "base/nearest.h"
#include "base/table.h"
#include "base/text.h"
#include "test_support.h"

static void arena_gives_zeroed_aligned_memory(void **state)
{
    struct kg_arena arena = {0};
    for (size_t size = 1; size < 300000; size = size * 3 + 1) {
        unsigned char *memory = kg_arena_alloc(&arena, size, 1);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(memory[i], 0);
        memset(memory, 0xff, size);
    }
    kg_arena_free(&arena);
}

static void arena_refuses_overflow(void **state)
{
    struct kg_arena arena = {0};
    assert_null(kg_arena_alloc(&arena, SIZE_MAX / 2, 3));
    assert_null(kg_arena_alloc(&arena, SIZE_MAX, 1));
    assert_non_null(kg_arena_alloc(&arena, 0, 8));
    kg_arena_free(&arena);
}

static void a_cleared_arena_gives_the_same_memory_zeroed_again(void **state)
{
    struct kg_arena arena = {0};
    kg_arena_clear(&arena);
    char *first = kg_arena_alloc(&arena, 1000, 1);
    assert_non_null(first);
    memset(first, 'x', 1000);
    assert_non_null(kg_arena_alloc(&arena, 1000000, 1)); /* a block of its own */
    kg_arena_clear(&arena);
    char *again = kg_arena_alloc(&arena, 2000, 1);
    assert_ptr_equal(again, first);
    for (size_t i = 0; i < 2000; i++)
        assert_int_equal(again[i], 0);
    kg_arena_free(&arena);
}

static void arena_formats(void **state)
{
    struct kg_arena arena = {0};
    assert_string_equal(kg_arena_printf(&arena, "%d-%s", 7, "x"), "7-x");
    assert_string_equal(kg_arena_copy_bytes(&arena, "abcdef", 3), "abc");
    kg_arena_free(&arena);
}

static void arrays_keep_what_they_hold_as_they_grow(void **state)
{
    enum { ITEMS = 1000 };
    struct kg_arena arena = {0};
    size_t capacity = 0, arena_capacity = 0;
    double *items = NULL, *in_arena = NULL;
    for (size_t i = 0; i < ITEMS; i++) {
        assert_true(kg_grow(&items, i, &capacity, sizeof *items));
        assert_true(kg_arena_grow(&arena, &in_arena, i, &arena_capacity, sizeof *in_arena));
        assert_true(capacity > i && arena_capacity > i);
        items[i] = in_arena[i] = (double)i;
    }
    for (size_t i = 0; i < ITEMS; i++) {
        assert_true(items[i] == (double)i);
        assert_true(in_arena[i] == (double)i);
    }
    free(items);
    kg_arena_free(&arena);
}

/* Whoever reads an array from a file makes it just long enough, and notes no capacity. */
static void an_array_without_a_capacity_is_full(void **state)
{
    enum { ITEMS = 20 };
    struct kg_arena arena = {0};
    size_t capacity = 0;
    double *items = kg_arena_alloc(&arena, ITEMS, sizeof *items);
    items[ITEMS - 1] = 7;
    assert_true(kg_arena_grow(&arena, &items, ITEMS, &capacity, sizeof *items));
    assert_true(capacity > ITEMS);
    assert_true(items[ITEMS - 1] == 7);
    kg_arena_free(&arena);
}

static void an_array_that_cannot_grow_stays(void **state)
{
    struct kg_arena arena = {0};
    char item = 'x', *items = &item;
    size_t capacity = SIZE_MAX / 2;
    assert_false(kg_grow(&items, capacity, &capacity, 2));
    assert_false(kg_arena_grow(&arena, &items, capacity, &capacity, 2));
    assert_ptr_equal(items, &item);
    assert_int_equal(capacity, SIZE_MAX / 2);
    kg_arena_free(&arena);
}

static void table_aligns_and_trims(void **state)
{
    struct kg_table table = {
        .columns = 3, .heads = {"name", "n", "note"}, .left = {true, false, true}};
    struct kg_text text = {0};
    for (int trimmed = 0; trimmed < 2; trimmed++) {
        struct kg_table_row *row = kg_table_row_add(&table);
        row->cells[0] = "long name";
        row->cells[1] = "100";
        row->under = "below";
        table.trimmed = trimmed;
        table.indent = trimmed ? 0 : 1;
        kg_table_print(&table, false, &text);
        assert_string_equal(kg_text_string(&text),
                            trimmed ? "name         n  note\nlong name  100\n      below\n"
                                    : " name         n  note\n long name  100  \n      below\n");
        kg_table_free(&table);
        table.rows = NULL;
        table.row_count = table.capacity = 0;
        kg_text_free(&text);
    }
}

static void text_grows_and_truncates(void **state)
{
    struct kg_text text = {0};
    assert_string_equal(kg_text_string(&text), "");
    for (int i = 0; i < 1000; i++)
        kg_text_printf(&text, "%03d,", i);
    assert_int_equal(text.length, 4000);
    assert_memory_equal(text.data + 3996, "999,", 4);
    kg_text_truncate(&text, 7);
    assert_string_equal(kg_text_string(&text), "000,001");
    assert_false(text.failed);
    kg_text_free(&text);
}

static void error_keeps_place_and_takes_context(void **state)
{
    struct kg_error err;
    char filler[3000];
    assert_false(kg_error_at(&err, "a.yaml", 3, 4, "bad %s", "key"));
    assert_false(kg_error_wrap(&err, "in workload '%s'", "x"));
    assert_string_equal(err.message, "in workload 'x': bad key");
    assert_string_equal(err.path, "a.yaml");
    assert_int_equal(err.line * 10 + err.column, 34);
    memset(filler, 'a', sizeof filler - 1);
    filler[sizeof filler - 1] = '\0';
    kg_error_set(&err, KG_ERROR_SYSTEM, "%s", filler);
    kg_error_wrap(&err, "%s", filler);
    assert_true(strlen(err.message) < sizeof err.message);
}

static void nearest_word_is_found_only_when_near(void **state)
{
    static const char *const words[] = {"threshold", "rounds", "timeout"};
    assert_string_equal(kg_nearest("treshold", words, 3), "threshold");
    assert_string_equal(kg_nearest("ruonds", words, 3), "rounds");
    assert_string_equal(kg_nearest("TIMEOUT", words, 3), "timeout");
    assert_null(kg_nearest("devices", words, 3));
    assert_null(kg_nearest("x", words, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_gives_zeroed_aligned_memory),
        cmocka_unit_test(arena_refuses_overflow),
        cmocka_unit_test(a_cleared_arena_gives_the_same_memory_zeroed_again),
        cmocka_unit_test(arena_formats),
        cmocka_unit_test(arrays_keep_what_they_hold_as_they_grow),
        cmocka_unit_test(an_array_without_a_capacity_is_full),
        cmocka_unit_test(an_array_that_cannot_grow_stays),
        cmocka_unit_test(table_aligns_and_trims),
        cmocka_unit_test(text_grows_and_truncates),
        cmocka_unit_test(error_keeps_place_and_takes_context),
        cmocka_unit_test(nearest_word_is_found_only_when_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
