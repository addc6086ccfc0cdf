/* The file of accepted changes: read, changed, written. */
#include "test_support.h"

#include "model/waivers.h"
#include "suite/waivers_file.h"

static const char FILE_TEXT[] =
    "version: 1\n"
    "quarantined:\n  - {case: z/cpu, because: noise, since: 2026-01-02T00:00:00Z}\n"
    "accepted:\n"
    "  - {case: b/cpu, metric: time, change: +12%, because: \"a: b\", since: 2026-01-02T00:00:00Z, "
    "until: 2026-02-28}\n"
    "  - {case: a/cpu, metric: rate, change: -3.5%, because: x, since: 2026-01-02T00:00:00Z}\n";

static void parse(const char *text, struct kg_waivers *waivers)
{
    struct kg_error err = {0};
    if (!kg_waivers_parse("f.yaml", text, strlen(text), waivers, &err))
        fail_msg("%u: %s", err.line, err.message);
}

static struct kg_error refused(const char *text, const char *why)
{
    struct kg_waivers waivers;
    struct kg_error err = {0};
    if (kg_waivers_parse("f.yaml", text, strlen(text), &waivers, &err))
        fail_msg("taken: %s", text);
    if (!strstr(err.message, why))
        fail_msg("expected '%s', found: %s", why, err.message);
    return err;
}

static void refused_at(const char *text, unsigned line, unsigned column, const char *why)
{
    const struct kg_error err = refused(text, why);
    if (err.line != line || err.column != column)
        fail_msg("expected at %u:%u, found at %u:%u: %s", line, column, err.line, err.column, text);
}

static void entries_are_sorted_by_kind_case_and_metric(void **state)
{
    struct kg_waivers waivers;
    parse(FILE_TEXT, &waivers);
    assert_int_equal(waivers.count, 3);
    assert_string_equal(waivers.waivers[0].id, "a/cpu");
    assert_float_equal(waivers.waivers[0].change, -0.035, 1e-12);
    assert_string_equal(waivers.waivers[1].until, "2026-02-28");
    assert_string_equal(waivers.waivers[1].because, "a: b");
    assert_int_equal(waivers.waivers[2].kind, KG_WAIVER_QUARANTINED);
    assert_true(isnan(waivers.waivers[2].change));
    kg_waivers_free(&waivers);
}

static void those_of_a_case_are_found(void **state)
{
    static const char file[] =
        "version: 1\n"
        "quarantined:\n"
        "- {case: b/cpu, because: x, since: 2026-01-02T00:00:00Z}\n"
        "accepted:\n"
        "- {case: c/cpu, metric: time, change: 1%, because: x, since: 2026-01-02T00:00:00Z}\n"
        "- {case: b/cpu, metric: time, change: 1%, because: x, since: 2026-01-02T00:00:00Z}\n"
        "- {case: b/cpu, metric: energy, change: 1%, because: x, since: 2026-01-02T00:00:00Z}\n";
    struct kg_waivers waivers;
    size_t count;
    parse(file, &waivers);
    const struct kg_waiver *those = kg_waivers_of(&waivers, KG_WAIVER_ACCEPTED, "b/cpu", &count);
    assert_int_equal(count, 2);
    assert_string_equal(those[0].metric, "energy");
    assert_string_equal(those[1].metric, "time");
    those = kg_waivers_of(&waivers, KG_WAIVER_QUARANTINED, "b/cpu", &count);
    assert_int_equal(count, 1);
    assert_null(those->metric);
    assert_null(kg_waivers_of(&waivers, KG_WAIVER_QUARANTINED, "c/cpu", &count));
    assert_null(kg_waivers_of(&waivers, KG_WAIVER_ACCEPTED, "a/cpu", &count));
    assert_int_equal(count, 0);
    kg_waivers_free(&waivers);
}

static void what_is_written_reads_as_the_same_text(void **state)
{
    struct kg_waivers waivers, again;
    struct kg_text text = {0}, second = {0};
    struct kg_error err;
    parse(FILE_TEXT, &waivers);
    const struct kg_waiver hostile = {.kind = KG_WAIVER_ACCEPTED,
                                      .id = "c/v=\"1\",p=\\n: #/cpu",
                                      .metric = "time",
                                      .change = 0.1234567,
                                      .because = "- [x]: {y} # \"quoted\" 'it' é",
                                      .by = "Ann \"A\" Lee",
                                      .since = "2026-01-02T00:00:00Z"};
    assert_true(kg_waivers_put(&waivers, &hostile, &err));
    kg_waivers_print(&waivers, &text);
    parse(kg_text_string(&text), &again);
    assert_string_equal(again.waivers[2].id, hostile.id);
    assert_string_equal(again.waivers[2].because, hostile.because);
    assert_string_equal(again.waivers[2].by, hostile.by);
    assert_null(again.waivers[0].by);
    kg_waivers_print(&again, &second);
    assert_string_equal(kg_text_string(&text), kg_text_string(&second));
    kg_text_free(&text);
    kg_text_free(&second);
    kg_waivers_free(&waivers);
    kg_waivers_free(&again);
}

static void a_second_acceptance_takes_the_place_of_the_first(void **state)
{
    struct kg_waivers waivers;
    struct kg_error err;
    parse(FILE_TEXT, &waivers);
    const struct kg_waiver more = {.kind = KG_WAIVER_ACCEPTED,
                                   .id = "b/cpu",
                                   .metric = "time",
                                   .change = 0.5,
                                   .because = "more",
                                   .since = "2026-03-02T00:00:00Z"};
    assert_true(kg_waivers_put(&waivers, &more, &err));
    assert_int_equal(waivers.count, 3);
    assert_string_equal(waivers.waivers[1].because, "more");
    assert_null(waivers.waivers[1].until);
    assert_int_equal(kg_waivers_remove(&waivers, KG_WAIVER_QUARANTINED, "b/cpu", NULL), 0);
    assert_int_equal(kg_waivers_remove(&waivers, KG_WAIVER_ACCEPTED, "b/cpu", "cpu_time"), 0);
    assert_int_equal(kg_waivers_remove(&waivers, KG_WAIVER_ACCEPTED, "b/cpu", NULL), 1);
    kg_waivers_free(&waivers);
}

static void what_is_no_such_file_is_refused(void **state)
{
    refused("[]", "a mapping with the key version");
    refused("version: 2", "version 1");
    refused("version: 1\nacepted: []", "unknown key 'acepted'");
    refused("version: 1\naccepted: {}", "must be a list");
    refused("version: 1\naccepted: [x]", "must be a mapping");
    refused("version: 1\nquarantined: [{case: a/b, metric: time}]", "unknown key 'metric'");
    refused("version: 1\naccepted: [{case: a/b, metric: time, change: 12, because: x, since: "
            "2026-01-02T00:00:00Z}]",
            "must be a change that is not 0");
    refused("version: 1\nquarantined: [{case: a/b, because: x, since: 2026-01-02}]",
            "must be a time in UTC");
    refused("version: 1\nquarantined: [{case: ab, because: x, since: 2026-01-02T00:00:00Z}]",
            "the id of a case");
    refused("version: 1\nquarantined:\n  - &a {case: a/b, because: x, since: "
            "2026-01-02T00:00:00Z}\n  - *a\n",
            "is quarantined twice");
}

static void a_reason_has_words(void **state)
{
    for (const char *const *reason = (const char *const[]){"''", "'  '", NULL}; *reason; reason++) {
        char text[200];
        snprintf(
            text, sizeof text,
            "version: 1\nquarantined:\n  - {case: a/b, since: 2026-01-02T00:00:00Z, because: %s}",
            *reason);
        refused_at(text, 3, 55, "a reason: one line of words");
    }
}

static void an_improvement_needs_no_acceptance(void **state)
{
    struct kg_waivers waivers;
    refused_at("version: 1\naccepted:\n  - {case: a/b, metric: cpu_time, change: -5%, because: x, "
               "since: 2026-01-02T00:00:00Z}",
               3, 43, "'change' is '-5%', but less cpu_time is better");
    /* which way is better of a counter, the file does not know */
    parse("version: 1\naccepted:\n  - {case: a/b, metric: hits, change: -5%, because: x, "
          "since: 2026-01-02T00:00:00Z}",
          &waivers);
    kg_waivers_free(&waivers);
}

static void a_day_is_one_of_the_calendar(void **state)
{
    assert_true(kg_waiver_day_is("2028-02-29"));
    assert_false(kg_waiver_day_is("2026-02-29"));
    assert_false(kg_waiver_day_is("2026-2-9"));
    assert_false(kg_waiver_day_is("2026-02-09 "));
    assert_false(kg_waiver_day_is(""));
}

static void the_file_lies_beside_the_suite(void **state)
{
    struct kg_arena arena = {0};
    assert_string_equal(kg_waivers_path(&arena, "a/kgate.yaml"), "a/kgate.accepted.yaml");
    assert_string_equal(kg_waivers_path(&arena, "b.yml"), "b.accepted.yaml");
    assert_string_equal(kg_waivers_path(&arena, "suite"), "suite.accepted.yaml");
    kg_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_sorted_by_kind_case_and_metric),
        cmocka_unit_test(those_of_a_case_are_found),
        cmocka_unit_test(what_is_written_reads_as_the_same_text),
        cmocka_unit_test(a_second_acceptance_takes_the_place_of_the_first),
        cmocka_unit_test(what_is_no_such_file_is_refused),
        cmocka_unit_test(a_reason_has_words),
        cmocka_unit_test(an_improvement_needs_no_acceptance),
        cmocka_unit_test(a_day_is_one_of_the_calendar),
        cmocka_unit_test(the_file_lies_beside_the_suite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
