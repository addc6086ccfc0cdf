#include "cli/compare_settings.h"

#include <math.h>
#include <string.h>

#include "model/series.h"
#include "model/suite.h"

enum { KEY_BYTES = 64 };

/* Replaces the threshold or the smallest absolute change of a metric in all cases that judge it. */
static void limit_replace(struct kg_results *results, enum kg_metric_kind kind, bool relative,
                          double limit)
{
    for (size_t i = 0; i < results->case_count; i++) {
        struct kg_series *series = kg_case_series(&results->cases[i], kind);
        if (series && relative && !isnan(series->threshold))
            series->threshold = limit;
        if (series && !relative)
            series->min_effect = limit;
    }
}

/* Replaces the limits that the key names. Returns false if it names none. */
static bool metric_key_apply(const char *key, const struct kg_suite *suite,
                             struct kg_results *results)
{
    bool known = false;
    for (int kind = 0; kind < KG_METRIC_KINDS; kind++) {
        const struct kg_metric_row *row = &kg_metric_rows[kind];
        const bool relative = !strcmp(key, row->threshold_key);
        if (!relative && !(row->min_effect_key && !strcmp(key, row->min_effect_key)))
            continue;
        limit_replace(results, (enum kg_metric_kind)kind, relative,
                      kg_settings_number(&suite->defaults, key));
        known = true;
    }
    return known;
}

static bool policy_key_apply(const char *key, const struct kg_policy *policy,
                             struct kg_results *results)
{
    const bool alpha = !strcmp(key, "alpha"), fail_on = !strcmp(key, "policy.fail_on");
    const bool undecided = !strcmp(key, "policy.undecided");
    if (alpha)
        results->policy.alpha = policy->alpha;
    if (fail_on)
        results->policy.fail_on = policy->fail_on;
    if (undecided)
        results->policy.undecided = policy->undecided;
    return alpha || fail_on || undecided;
}

static bool key_apply(const char *set, const struct kg_suite *suite, struct kg_results *results,
                      struct kg_error *err)
{
    char key[KEY_BYTES] = "";
    const size_t length = strcspn(set, "=");
    if (length < sizeof key)
        memcpy(key, set, length);
    return policy_key_apply(key, &suite->policy, results) ||
           metric_key_apply(key, suite, results) ||
           kg_error_set(err, KG_ERROR_USAGE,
                        "--set %.60s: the rounds are already measured; `compare` takes thresholds, "
                        "min_effect, min_memory_effect, alpha, policy.fail_on and policy.undecided",
                        set);
}

bool kg_compare_settings_apply(const struct kg_arguments *arguments, struct kg_results *results,
                               struct kg_error *err)
{
    /* a suite's reader checks the keys and values */
    static const char text[] = "version: 1\nworkloads: [{name: stored, command: [stored]}]\n";
    const char *set[KG_TEXTS_MOST + 1];
    struct kg_suite suite;
    size_t count = 0;
    if (arguments->threshold)
        set[count++] = kg_arena_printf(&results->arena, "threshold=%s", arguments->threshold);
    for (size_t i = 0; i < arguments->set.count; i++)
        set[count++] = arguments->set.at[i];
    if (!count)
        return true;
    if (!kg_suite_parse("", text, sizeof text - 1, set, count, &suite, err))
        return false;
    bool good = true;
    for (size_t i = 0; i < count && good; i++)
        good = key_apply(set[i], &suite, results, err);
    kg_suite_free(&suite);
    return good;
}
