/* Shortened names keep their distinctive parts. */
#include "test_support.h"

#include "base/elide.h"
#include "base/escape.h"
#include "base/text.h"

enum { MOST = 8 };

/* names, expected: as many, ended by NULL */
static void expect(size_t most, const char *const *names, const char *const *expected)
{
    struct kg_arena arena = {0};
    const char *shown[MOST];
    size_t count = 0;
    while (names[count])
        count++;
    assert_true(kg_elide(&arena, names, count, most, shown));
    for (size_t i = 0; i < count; i++)
        if (strcmp(shown[i], expected[i]) != 0)
            fail_msg("in %zu characters <%s> is <%s>, expected <%s>", most, names[i], shown[i],
                     expected[i]);
    kg_arena_free(&arena);
}

#define EXPECT(most, names, ...) expect(most, names, (const char *[]){__VA_ARGS__, NULL})

static const char *const versions[] = {"gemm/m=192,n=192,k=192,version=naive/cpu",
                                       "gemm/m=192,n=192,k=192,version=blas/cpu", NULL};

static void what_fits_is_whole(void **state)
{
    expect(40, versions, versions);
    EXPECT(3, ((const char *[]){"", "abc", NULL}), "", "abc");
}

static void what_is_in_common_goes_first_and_no_more_than_need_be(void **state)
{
    EXPECT(37, versions, "gemm/…n=192,k=192,version=naive/cpu",
           "gemm/…n=192,k=192,version=blas/cpu");
    EXPECT(30, versions, "gemm/…k=192,version=naive/cpu", "gemm/…k=192,version=blas/cpu");
    EXPECT(24, versions, "gemm/…version=naive/cpu", "gemm/…version=blas/cpu");
}

static void then_go_the_keys_and_values_stay(void **state)
{
    static const char *const sweeps[] = {"attention/d=64,seq_len=64,heads=4,version=plain/cpu",
                                         "attention/d=64,seq_len=256,heads=4,version=plain/cpu",
                                         "attention/d=64,seq_len=256,heads=4,version=flash/cpu",
                                         NULL};
    EXPECT(18, versions, "gemm/…naive/cpu", "gemm/…blas/cpu");
    EXPECT(26, sweeps, "attention/…64,…plain/cpu", "attention/…256,…plain/cpu",
           "attention/…256,…flash/cpu");
}

static void then_goes_the_end_of_the_first_part(void **state)
{
    static const char *const passes[] = {"transformer_layer/batch=2,pass=forward/cpu",
                                         "transformer_layer/batch=2,pass=backward/cpu", NULL};
    EXPECT(22, passes, "transforme…forward/cpu", "transform…backward/cpu");
}

static void names_of_other_groups_lose_nothing(void **state)
{
    static const char *const mixed[] = {"gemm/m=192,n=192,k=192,version=naive/cpu",
                                        "triad/bytes=1/cpu",
                                        "gemm/m=192,n=192,k=192,version=blas/cpu", NULL};
    EXPECT(24, mixed, "gemm/…version=naive/cpu", "triad/bytes=1/cpu", "gemm/…version=blas/cpu");
}

static void text_without_parameters_is_cut_in_the_middle(void **state)
{
    EXPECT(9, ((const char *[]){"äbcdefghijklmnopqrstuvwxyz", NULL}), "äbcd…wxyz");
}

static void names_that_would_become_the_same_are_longer_than_asked(void **state)
{
    static const char *const inner[] = {"aaaaaaaaaaaaaaaaaa1aaaaaaaaaaaaaaaaaa",
                                        "aaaaaaaaaaaaaaaaaa2aaaaaaaaaaaaaaaaaa", NULL};
    struct kg_arena arena = {0};
    const char *shown[2];
    assert_true(kg_elide(&arena, inner, 2, 10, shown));
    assert_string_not_equal(shown[0], shown[1]);
    assert_true(
        kg_elide(&arena, (const char *[]){"same same same", "same same same"}, 2, 5, shown));
    assert_string_equal(shown[0], shown[1]);
    assert_int_equal(kg_text_width(shown[0]), 5);
    kg_arena_free(&arena);
}

/* More parts than kgate examines, and no names at all. */
static void many_parts_and_none_are_no_matter(void **state)
{
    struct kg_arena arena = {0};
    struct kg_text many[2] = {{0}, {0}};
    const char *shown[2];
    for (int i = 0; i < 200; i++)
        for (int k = 0; k < 2; k++)
            kg_text_printf(&many[k], "key%d=%d,", i, i < 199 ? i : k);
    assert_true(kg_elide(&arena, (const char *[]){many[0].data, many[1].data}, 2, 30, shown));
    assert_string_not_equal(shown[0], shown[1]);
    assert_true(kg_text_width(shown[0]) <= 60);
    assert_true(kg_elide(&arena, NULL, 0, 30, shown));
    kg_text_free(&many[0]);
    kg_text_free(&many[1]);
    kg_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_is_whole),
        cmocka_unit_test(what_is_in_common_goes_first_and_no_more_than_need_be),
        cmocka_unit_test(then_go_the_keys_and_values_stay),
        cmocka_unit_test(then_goes_the_end_of_the_first_part),
        cmocka_unit_test(names_of_other_groups_lose_nothing),
        cmocka_unit_test(text_without_parameters_is_cut_in_the_middle),
        cmocka_unit_test(names_that_would_become_the_same_are_longer_than_asked),
        cmocka_unit_test(many_parts_and_none_are_no_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
