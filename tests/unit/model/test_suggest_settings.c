/* Thresholds of suggestions: from a suite, from --set, and defaults for missing ones. */
#include "test_support.h"

#include "model/suite.h"
#include "suite/suggest_overrides.h"
#include "suite/suite_keys.h"

static const char head[] = "version: 1\n";
static const char tail[] = "workloads: [{name: a, kernel: a}]\n";

static void load(struct kg_suite *suite, const char *section, const char *const *overrides,
                 size_t count)
{
    struct kg_error err = {0};
    struct kg_text text = {0};
    kg_text_printf(&text, "%s%s%s", head, section, tail);
    if (!kg_suite_parse("s.yaml", text.data, text.length, overrides, count, suite, &err))
        fail_msg("%u:%u: %s\nin:\n%s", err.line, err.column, err.message, text.data);
    kg_text_free(&text);
}

static void about(double expected, double value)
{
    if (!(fabs(value - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%g, expected %g", value, expected);
}

static void defaults_check(const struct kg_suggest_settings *settings)
{
    about(1e6, settings->small_call_ns);
    about(10e6, settings->large_call_ns);
    assert_int_equal(settings->batch_calls, 10);
    assert_int_equal(settings->cache_calls, 100);
    assert_int_equal(settings->memory_bytes, 100000000);
    about(0.5, settings->utilization);
    about(0.2, settings->gap_share);
    about(0.2, settings->wait_share);
    about(0.3, settings->imbalance);
    about(1, settings->line_waste);
    about(0.3, settings->growth);
    about(0.5, settings->bound_share);
    about(0.8, settings->attainable);
    about(0.1, settings->min_gain);
}

static void a_suite_without_them_has_the_defaults(void **state)
{
    struct kg_suite suite;
    load(&suite, "", NULL, 0);
    defaults_check(&suite.suggest);
    kg_suite_free(&suite);
}

static void every_key_has_a_member_of_its_own_and_every_member_a_key(void **state)
{
    bool covered[sizeof(struct kg_suggest_settings) / 8] = {false};
    for (size_t i = 0; i < kg_suggest_keys.count; i++) {
        const size_t word = kg_suggest_keys.keys[i].offset / 8;
        assert_int_equal(kg_suggest_keys.keys[i].base, KG_BASE_SUGGEST);
        assert_false(covered[word]);
        covered[word] = true;
    }
    assert_int_equal(kg_suggest_keys.count, sizeof covered);
    assert_int_equal(kg_suggest_settings_record.field_count, sizeof covered);
}

static void a_suite_sets_some_and_the_command_line_wins(void **state)
{
    static const char *const overrides[] = {"suggest.min_gain=5%", "suggest.memory=1GiB"};
    struct kg_suite suite;
    load(&suite, "suggest: {min_gain: 20%, small_call: 2ms, batch_calls: 4}\n", overrides, 2);
    about(0.05, suite.suggest.min_gain);
    about(2e6, suite.suggest.small_call_ns);
    assert_int_equal(suite.suggest.batch_calls, 4);
    assert_int_equal(suite.suggest.memory_bytes, UINT64_C(1) << 30);
    about(0.2, suite.suggest.gap_share);
    kg_suite_free(&suite);
}

static void without_a_suite_both_ways_to_write_a_key_do(void **state)
{
    static const char *const overrides[] = {"suggest.min_gain=5%", "small_call=2ms"};
    struct kg_suggest_settings settings = {0};
    struct kg_error err = {0};
    assert_true(kg_suggest_settings_set(&settings, overrides, 2, &err));
    about(0.05, settings.min_gain);
    about(2e6, settings.small_call_ns);
    settings.min_gain = 0.1;
    settings.small_call_ns = 1e6;
    defaults_check(&settings); /* the rest was completed */
}

static void bad_texts_are_errors_that_leave_the_settings_alone(void **state)
{
    static const struct {
        const char *text;
        const char *message;
    } cases[] = {
        {"min_gian=5%", "did you mean 'min_gain'?"},
        {"suggest.min_gian=5%", "did you mean 'suggest.min_gain'?"},
        {"policy.fail_on=NEW", "unknown key 'policy.fail_on'"},
        {"rounds.min=3", "--set rounds.min=3: unknown key 'rounds.min'; for saved results only"},
        {"threshold=5%", "known keys: small_call"},
        {"min_gain", "write key=value, such as suggest.min_gain=5%"},
        {"", "write key=value"},
        {"=5%", "unknown key ''"},
        {"min_gain=5", "must be a share with %; write 5%"},
        {"min_gain=100%", "from 0.1% to 99%"},
        {"min_gain=nan%", "must be a share"},
        {"memory=0B", "from 1B to 1024TiB"},
        {"large_call=0ms", "from 1ns to 1h"},
        {"large_call=5%", "a time with its unit"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kg_suggest_settings settings = {.min_gain = 0.25};
        struct kg_error err = {0};
        const char *const texts[] = {"small_call=3ms", cases[i].text};
        assert_false(kg_suggest_settings_set(&settings, texts, 2, &err));
        assert_int_equal(err.kind, KG_ERROR_USAGE);
        if (!strstr(err.message, cases[i].message))
            fail_msg("'%s' says: %s", cases[i].text, err.message);
        about(0.25, settings.min_gain);
        assert_true(settings.small_call_ns <= 0);
    }
}

static void what_a_file_lacks_or_has_wrong_becomes_the_default(void **state)
{
    static const double wrong[] = {0, NAN, INFINITY, -INFINITY, -1, 1e300};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct kg_suggest_settings settings = {wrong[i], wrong[i], 0,        0,        0,
                                               wrong[i], wrong[i], wrong[i], wrong[i], wrong[i],
                                               wrong[i], wrong[i], wrong[i], wrong[i]};
        kg_suggest_settings_complete(&settings);
        defaults_check(&settings);
    }
}

static void what_a_file_has_right_stays(void **state)
{
    struct kg_suggest_settings settings = {.small_call_ns = 5, .batch_calls = 7, .growth = 0.02};
    kg_suggest_settings_complete(&settings);
    about(5, settings.small_call_ns);
    assert_int_equal(settings.batch_calls, 7);
    about(0.02, settings.growth);
    about(0.8, settings.attainable);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_suite_without_them_has_the_defaults),
        cmocka_unit_test(every_key_has_a_member_of_its_own_and_every_member_a_key),
        cmocka_unit_test(a_suite_sets_some_and_the_command_line_wins),
        cmocka_unit_test(without_a_suite_both_ways_to_write_a_key_do),
        cmocka_unit_test(bad_texts_are_errors_that_leave_the_settings_alone),
        cmocka_unit_test(what_a_file_lacks_or_has_wrong_becomes_the_default),
        cmocka_unit_test(what_a_file_has_right_stays),
    };
    return cmocka_run_group_tests_name("suggest settings", tests, NULL, NULL);
}
