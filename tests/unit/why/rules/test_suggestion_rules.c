/* Every rule fires on facts that are its cause, and not if one of them just falls short. */
#include "why/rules/rule_trials.h"

static void each_rule_fires_on_its_cause_and_not_just_short_of_it(void **state)
{
    for (size_t i = 0; trial_at(i); i++) {
        struct kg_facts facts;
        trial_make(trial_at(i), trial_at(i)->fires, &facts);
        if (!fires(trial_at(i)->rule, &facts))
            fail_msg("%s does not fire with %s = %g", trial_at(i)->rule, trial_at(i)->name,
                     trial_at(i)->fires);
        trial_make(trial_at(i), trial_at(i)->short_of, &facts);
        if (fires(trial_at(i)->rule, &facts))
            fail_msg("%s fires with %s = %g", trial_at(i)->rule, trial_at(i)->name,
                     trial_at(i)->short_of);
    }
}

static void every_rule_has_such_a_trial(void **state)
{
    for (size_t r = 0; kg_rule_at(r); r++) {
        bool found = kg_rule_is_cause(kg_rule_at(r)); /* test_causes.c has those */
        for (size_t i = 0; trial_at(i); i++)
            found = found || !strcmp(trial_at(i)->rule, kg_rule_at(r)->name);
        if (!found)
            fail_msg("no trial of the rule %s in tests/text/suggest/rules.facts",
                     kg_rule_at(r)->name);
    }
}

static void a_rule_needs_each_fact_of_its_trial_that_is_not_only_noted(void **state)
{
    /* without its time no operation has anything to save */
    for (size_t i = 0; trial_at(i); i++) {
        struct kg_facts facts;
        trial_make(trial_at(i), trial_at(i)->fires, &facts);
        const bool memory_alone = !rule_find(trial_at(i)->rule)->estimate_ns;
        const bool by_call = !strcmp(trial_at(i)->device, "cuda");
        facts.traits.time_ns = NAN;
        if (!memory_alone && !by_call && fires(trial_at(i)->rule, &facts))
            fail_msg("%s fires without a time", trial_at(i)->rule);
    }
}

/* --- Nonsense --------------------------------------------------------------------------------- */

static void judged_is_sound(const struct kg_rule *rule, const struct kg_facts *facts,
                            const char *name, double value)
{
    static struct kg_suggest_settings settings;
    struct kg_judged judged;
    struct kg_text text = {0};
    if (settings.min_gain == 0)
        settings = settings_default();
    if (!kg_rule_judge(rule, facts, &settings, &judged))
        return;
    const bool time = kg_known(judged.current_ns) && kg_known(judged.estimated_ns) &&
                      kg_known(judged.saved_ns) && kg_known(judged.speedup) && judged.speedup > 1 &&
                      (rule->last ? judged.rank == 0 : kg_known(judged.rank));
    const bool memory = kg_known(judged.current_bytes) && kg_known(judged.estimated_bytes) &&
                        judged.estimated_bytes < judged.current_bytes && judged.rank == 0;
    kg_rule_text(rule->description, facts, &text);
    kg_rule_text(rule->hint, facts, &text);
    const bool share = kg_known(judged.share) && judged.share <= 1 && judged.rank == 0;
    if (!(rule->share         ? share
          : rule->estimate_ns ? time
                              : memory) ||
        strstr(text.data, "nan") || strstr(text.data, "{"))
        fail_msg("%s with %s = %g: %g ns to %g ns, %g to %g bytes: %s", rule->name, name, value,
                 judged.current_ns, judged.estimated_ns, judged.current_bytes,
                 judged.estimated_bytes, text.data);
    kg_text_free(&text);
}

/* `base` with nonsense for one of its facts. */
static void nonsense_try(const struct kg_facts *base, const struct kg_trait *fact)
{
    static const double nonsense[] = {0, NAN, INFINITY, -INFINITY, -1, -1e300, 1e308, 5e-324};
    for (size_t v = 0; v < sizeof nonsense / sizeof nonsense[0]; v++) {
        struct kg_facts facts = *base;
        memcpy((char *)&facts + fact->offset, &nonsense[v], sizeof nonsense[v]);
        for (size_t r = 0; kg_rule_at(r); r++)
            judged_is_sound(kg_rule_at(r), &facts, fact->name, nonsense[v]);
    }
}

static void no_nonsense_in_any_fact_gives_a_silly_figure(void **state)
{
    for (size_t i = 0; trial_at(i); i++) {
        struct kg_facts base;
        struct kg_trait fact;
        trial_make(trial_at(i), trial_at(i)->fires, &base);
        for (size_t f = 0; f < kg_fact_count; f++)
            nonsense_try(&base, &kg_fact_table[f]);
        for (size_t f = 0; f < kg_trait_count; f++) {
            assert_true(kg_fact_find(kg_trait_table[f].name, &fact));
            nonsense_try(&base, &fact);
        }
    }
}

/* Whether the rule can do without the trial's last fact. */
static bool speaks_against(const struct trial *trial)
{
    static const char *const against[][2] = {{"access_pattern", "flops_share"},
                                             {"access_pattern", "instructions_per_cycle"},
                                             {"access_pattern", "alone_ns"},
                                             {"cache_results", "cpu_ns"},
                                             {"cache_results", "whole_cores_busy"},
                                             {"unused_cores", "wait_ns"},
                                             {"unused_cores", "thread_busy_ns"},
                                             {"unused_cores", "imbalance"},
                                             {"unused_cores", "preempted"},
                                             {"false_sharing", "preempted"},
                                             {"load_imbalance", "preempted"},
                                             {"access_pattern", "cores_busy"},
                                             {"idle_cpu", "waits"},
                                             {"idle_cpu", "preempted"},
                                             {"idle_cpu", "scheduler_wait_ns"},
                                             {"unvectorised", "cores_busy"},
                                             {"unvectorised", "bytes"},
                                             {"unvectorised", "flops_share"},
                                             {"overlap_transfers", "pageable_bytes"},
                                             {"launch_gaps", "launch_ns"},
                                             {"gpu_untried", "cores_busy"},
                                             {"memory_workspace", "allocated_bytes"}};
    for (size_t i = 0; i < sizeof against / sizeof against[0]; i++)
        if (!strcmp(trial->rule, against[i][0]) && !strcmp(trial->name, against[i][1]))
            return true;
    return false;
}

static void the_fact_that_a_rule_turns_on_must_make_sense(void **state)
{
    static const double nonsense[] = {NAN, INFINITY, -INFINITY, -1};
    for (size_t i = 0; trial_at(i); i++)
        for (size_t v = 0; v < sizeof nonsense / sizeof nonsense[0]; v++) {
            struct kg_facts facts;
            if (speaks_against(trial_at(i)))
                continue;
            trial_make(trial_at(i), nonsense[v], &facts);
            if (fires(trial_at(i)->rule, &facts))
                fail_msg("%s fires with %s = %g", trial_at(i)->rule, trial_at(i)->name,
                         nonsense[v]);
        }
}

static void nothing_known_gives_nothing(void **state)
{
    for (size_t r = 0; kg_rule_at(r); r++)
        for (int scope = 0; scope < 2; scope++) {
            struct kg_facts facts;
            facts_make(&facts, "cpu", scope, (const struct named_fact[]){{"time_ns", 1e9}, {0}});
            assert_false(fires(kg_rule_at(r)->name, &facts));
            facts_make(&facts, "cuda", scope, (const struct named_fact[]){{"time_ns", 1e9}, {0}});
            assert_false(fires(kg_rule_at(r)->name, &facts));
        }
}

/* --- The page --------------------------------------------------------------------------------- */

/* The page at `path`, between two of its markers; `page` is to be freed. */
static const char *page_part(struct kg_text *page, const char *path, const char *begin,
                             const char *end)
{
    char buffer[4096];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, file)) > 0;)
        kg_text_append_bytes(page, buffer, n);
    fclose(file);
    char *first = strstr(page->data, begin), *last = strstr(page->data, end);
    assert_non_null(first);
    assert_non_null(last);
    *last = '\0';
    return first + strlen(begin);
}

static void the_page_names_for_every_rule_where_it_was_seen_to_fire(void **state)
{
    struct kg_text page = {0};
    const char *part = page_part(&page, KGATE_SOURCE_DIR "/docs/evidence/suggestions.md",
                                 "<!-- seen -->", "<!-- /seen -->");
    for (size_t r = 0; kg_rule_at(r); r++) {
        char name[64];
        snprintf(name, sizeof name, "`%s`", kg_rule_at(r)->name);
        const char *found = strstr(part, name);
        if (!found || strstr(found + 1, name))
            fail_msg("docs/evidence/suggestions.md must say once where %s was seen to fire",
                     kg_rule_at(r)->name);
    }
    kg_text_free(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_rule_fires_on_its_cause_and_not_just_short_of_it),
        cmocka_unit_test(every_rule_has_such_a_trial),
        cmocka_unit_test(a_rule_needs_each_fact_of_its_trial_that_is_not_only_noted),
        cmocka_unit_test(no_nonsense_in_any_fact_gives_a_silly_figure),
        cmocka_unit_test(the_fact_that_a_rule_turns_on_must_make_sense),
        cmocka_unit_test(nothing_known_gives_nothing),
        cmocka_unit_test(the_page_names_for_every_rule_where_it_was_seen_to_fire),
    };
    return cmocka_run_group_tests_name("suggestion rules", tests, NULL, NULL);
}
