/* Properties of all rules on all their trials, and of their texts. causes.facts has the properties
 * of single causes. */
#include "why/rules/rule_trials.h"
#include "why/rules/rules.h"

enum { NAME_MOST = 64 };

static void what_is_saved_at_most_has_a_medium_priority_at_most(void **state)
{
    for (size_t r = 0; kg_rule_at(r); r++)
        for (size_t i = 0; trial_at(i); i++) {
            const struct kg_suggest_settings settings = settings_default();
            struct kg_facts facts;
            struct kg_judged judged;
            trial_make(trial_at(i), trial_at(i)->fires, &facts);
            if (kg_rule_judge(kg_rule_at(r), &facts, &settings, &judged) &&
                judged.basis == KG_BASIS_AT_MOST && kg_rule_at(r)->estimate_ns) {
                assert_true(judged.priority >= KG_PRIORITY_MEDIUM);
                assert_true(judged.rank < judged.saved_ns);
            }
        }
}

static void a_rule_looks_at_cases_or_at_scopes(void **state)
{
    for (size_t i = 0; trial_at(i); i++) {
        struct trial trial = *trial_at(i);
        struct kg_facts facts;
        trial.scope = !trial.scope;
        trial_make(&trial, trial.fires, &facts);
        if (!rule_find(trial.rule)->anywhere)
            assert_false(fires(trial.rule, &facts));
    }
}

static void words_name_facts_that_exist(void **state)
{
    static const char *const texts[] = {"other_device_id", "faster_version_id", "sweep_parameter",
                                        "sweep_measure", "whole"};
    for (size_t r = 0; kg_rule_at(r); r++) {
        const char *words[] = {kg_rule_at(r)->description, kg_rule_at(r)->hint,
                               kg_rule_at(r)->doubt};
        assert_int_equal(!kg_rule_at(r)->doubtful, !kg_rule_at(r)->doubt);
        struct kg_trait fact;
        assert_non_null(kg_rule_at(r)->when);
        assert_non_null(kg_rule_at(r)->assumes);
        for (size_t i = 0; i < KG_RULE_EVIDENCE_MOST && kg_rule_at(r)->evidence[i]; i++)
            if (!kg_fact_find(kg_rule_at(r)->evidence[i], &fact))
                fail_msg("%s has no fact %s", kg_rule_at(r)->name, kg_rule_at(r)->evidence[i]);
        for (size_t w = 0; w < 3; w++)
            for (const char *at = words[w] ? words[w] : ""; (at = strchr(at, '{')); at++) {
                char name[NAME_MOST];
                bool text = false;
                snprintf(name, sizeof name, "%.*s", (int)strcspn(at + 1, "}"), at + 1);
                for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
                    text = text || !strcmp(name, texts[i]);
                if (!text && !kg_fact_find(name, &fact))
                    fail_msg("%s has no fact %s", kg_rule_at(r)->name, name);
            }
    }
}

static void words_are_filled_in(void **state)
{
    struct kg_facts facts;
    struct kg_text text = {0};
    facts_make(&facts, "cpu", false, (const struct named_fact[]){{"time_ns", 2.5e6}, {0}});
    kg_rule_text("{operation} takes {time_ns}, or {wait_ns}, {nothing}{} and {open", &facts, &text);
    assert_string_equal(kg_text_string(&text), "case takes 2.50 ms, or ?, ?? and {open");
    kg_text_free(&text);
}

/* A line each on a terminal, which shows control characters as such. */
static void sketches_are_single_lines(void **state)
{
    for (size_t r = 0; kg_rule_at(r); r++) {
        const struct kg_rule *rule = kg_rule_at(r);
        if (strpbrk(rule->before ? rule->before : "", "\n\t") ||
            strpbrk(rule->after ? rule->after : "", "\n\t"))
            fail_msg("the sketch of %s has more than a line", rule->name);
        for (const struct kg_sketch *row = rule->sketches; row && row->by; row++)
            if (strpbrk(row->before ? row->before : "", "\n\t") ||
                strpbrk(row->after ? row->after : "", "\n\t") || !row->before != !row->after)
                fail_msg("the sketch of %s in %s is not a line before and one after", rule->name,
                         row->words ? row->words : "all");
    }
}

static void sketches_are_of_causes_and_none_stands_behind_one_for_all(void **state)
{
    for (size_t r = 0; kg_rule_at(r); r++) {
        const struct kg_rule *rule = kg_rule_at(r);
        bool all = false;
        assert_true(!rule->sketches || rule->cause);
        for (const struct kg_sketch *row = rule->sketches; row && row->by; row++) {
            if (all)
                fail_msg("no row of %s is reached behind that for all", rule->name);
            all = row->by == KG_BY_CALL && !row->words;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_saved_at_most_has_a_medium_priority_at_most),
        cmocka_unit_test(a_rule_looks_at_cases_or_at_scopes),
        cmocka_unit_test(words_name_facts_that_exist),
        cmocka_unit_test(words_are_filled_in),
        cmocka_unit_test(sketches_are_single_lines),
        cmocka_unit_test(sketches_are_of_causes_and_none_stands_behind_one_for_all),
    };
    return cmocka_run_group_tests_name("suggestion causes", tests, NULL, NULL);
}
