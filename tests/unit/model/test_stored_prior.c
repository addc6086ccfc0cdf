/* Files of kgate.prior.v1, and their refusals. */
#include "model/stored_prior.h"
#include "test_support.h"

#define HEAD                                                                                       \
    "{\"schema\": \"kgate.prior.v1\", \"fingerprint\": \"a-1cpu-1gib-0\", \"created\": "           \
    "\"2026-01-31T12:00:00Z\", \"kgate_version\": \"0.1.0\", \"series\": ["
#define SERIES(name, freedom)                                                                      \
    "{\"suite\": \"s\", \"case\": \"" name "\", \"definition_hash\": \"0123456789abcdef\", "       \
    "\"metric\": \"time\", \"source\": \"rounds\", \"runs\": 53, \"between\": "                    \
    "2e-5, \"between_freedom\": " freedom ", \"within_freedom\": 0}"

static bool read_text(const char *text, const char *fingerprint, struct kg_arena *arena,
                      const struct kg_stored_prior **prior, struct kg_error *err)
{
    return kg_stored_prior_parse(arena, "x.prior.json", text, strlen(text), fingerprint, prior,
                                 err);
}

static void a_series_is_found_by_all_its_names(void **state)
{
    const struct kg_stored_prior *prior;
    struct kg_arena arena = {0};
    struct kg_error err;
    struct kg_prior_series wanted = {.suite = "s",
                                     .id_of_case = "a/cpu",
                                     .definition_hash = "0123456789abcdef",
                                     .metric = "time",
                                     .source = "rounds"};
    assert_true(read_text(HEAD SERIES("b/cpu", "60") "," SERIES("a/cpu", "41.5") "]}",
                          "a-1cpu-1gib-0", &arena, &prior, &err));
    const struct kg_prior_series *found = kg_stored_prior_find(prior, &wanted);
    assert_non_null(found);
    assert_true(found->between.freedom == 41.5 && found->between.value == 2e-5);
    assert_true(found->within.freedom == 0 && isnan(found->within.value) && found->runs == 53);
    wanted.definition_hash = "0000000000000000";
    assert_null(kg_stored_prior_find(prior, &wanted));
    assert_null(kg_stored_prior_find(NULL, &wanted));
    kg_arena_free(&arena);
}

static void wrong_files_are_refused(void **state)
{
    static const struct {
        const char *text, *fingerprint, *message;
    } rows[] = {
        {"", "a-1cpu-1gib-0", "malformed"},
        {HEAD SERIES("a/cpu", "60") "]}", "b-1cpu-1gib-0", "another machine: a-1cpu-1gib-0"},
        {HEAD SERIES("a/cpu", "61") "]}", "a-1cpu-1gib-0", "between_freedom"},
        {HEAD SERIES("a/cpu", "60") "," SERIES("a/cpu", "60") "]}", "a-1cpu-1gib-0", "two series"},
        {"{\"schema\": \"kgate.prior.v2\", \"series\": []}", "a-1cpu-1gib-0", "kgate.prior.v2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct kg_stored_prior *prior;
        struct kg_arena arena = {0};
        struct kg_error err = {0};
        if (read_text(rows[i].text, rows[i].fingerprint, &arena, &prior, &err) ||
            !strstr(err.message, rows[i].message) || err.kind != KG_ERROR_USAGE)
            fail_msg("row %zu: %s", i, err.message);
        kg_arena_free(&arena);
    }
}

static void a_prior_lies_beside_its_baseline(void **state)
{
    struct kg_arena arena = {0};
    const struct kg_stored_prior *prior;
    struct kg_error err;
    assert_string_equal(kg_stored_prior_path(&arena, "b/m.json"), "b/m.prior.json");
    assert_string_equal(kg_stored_prior_path(&arena, "b/m"), "b/m.prior.json");
    assert_true(kg_stored_prior_named("m.prior.json") && !kg_stored_prior_named("m.json"));
    assert_true(kg_stored_prior_load(&arena, "/nowhere/m.json", "m", &prior, &err));
    assert_null(prior);
    kg_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_series_is_found_by_all_its_names),
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(a_prior_lies_beside_its_baseline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
