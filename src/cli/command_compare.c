#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/advice.h"
#include "base/file.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/input_files.h"
#include "judge/comparison_notes.h"
#include "judge/next_commands.h"
#include "judge/profile_compare.h"
#include "model/series.h"
#include "model/suite.h"
#include "profiler/read/profile_load.h"
#include "show/formats.h"
#include "why/suggest.h"

/* --- Other limits than those of the suite ----------------------------------------------------- */

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

/* Replaces limits of stored results by those of --set and --threshold: thresholds, smallest changes, alpha, fail_on
 * and undecided.
 * err  KG_ERROR_USAGE if a key or value is unknown, or if the key concerns the measurement */
static bool settings_apply(const struct kg_arguments *arguments, struct kg_results *results,
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

/* --- Two files -------------------------------------------------------------------------------- */

/* The base, which a second thread reads. */
struct base {
    const char *path;
    struct kg_base loaded;
    bool good;
    struct kg_error err;
};

static void *base_thread(void *user)
{
    struct base *base = user;
    base->good = kg_base_load(base->path, &base->loaded, &base->err);
    return NULL;
}

/* Reads both files at the same time, since they may be large. */
static bool both_load(struct base *base, const char *path, struct kg_results *current,
                      struct kg_error *err)
{
    pthread_t thread;
    const bool threaded = pthread_create(&thread, NULL, base_thread, base) == 0;
    const bool good = kg_results_load(path, current, err);
    if (threaded)
        pthread_join(thread, NULL);
    else
        base_thread(base);
    if (base->good)
        return good;
    *err = base->err;
    return false;
}

static bool summary_print(const struct kg_arguments *arguments,
                          const struct kg_comparison *comparison,
                          const struct kg_suggestions *suggestions, struct kg_error *err)
{
    struct kg_text text = {0};
    const bool good = kg_comparison_summary(comparison, suggestions, arguments, &text, err) &&
                      kg_print(&text, err);
    kg_text_free(&text);
    return good;
}

static bool threshold_parse(const char *text, double *share, struct kg_error *err)
{
    if (!text || kg_share_parse(text, share))
        return true;
    return kg_error_set(err, KG_ERROR_USAGE,
                        "--threshold is '%.60s', but must be a share such as 5%%", text);
}

/* Writes the verdict first. The remaining output is advice. If advice fails, the comparison gets a note. */
static int finish(const struct kg_arguments *arguments, struct kg_comparison *comparison,
                  const struct kg_suggest_input *input, struct kg_error *err)
{
    struct kg_suggestions suggestions = {0};
    struct kg_advice advice = kg_comparison_advice(comparison);
    if (arguments->output && !kg_report_comparison_write(comparison, arguments->output, err))
        return kg_fail_reported(arguments->output, err);
    kg_comparison_stands(comparison);
    const bool advised = arguments->output || kg_comparison_advised(comparison, arguments);
    struct kg_suggest_input asked = *input;
    asked.brief = !arguments->output; /* the summary needs no findings */
    if (advised)
        kg_suggest(&asked, &suggestions);
    const struct kg_report_subject subject = {.comparison = comparison,
                                              .suggestions = kg_suggestions_made(&suggestions),
                                              .results = input->results,
                                              .baseline = input->baseline};
    if (arguments->output)
        kg_report_files_write(&subject, arguments->output, &advice);
    const bool printed = summary_print(arguments, comparison, subject.suggestions, err);
    kg_suggestions_free(&suggestions);
    return printed ? (int)comparison->exit_status : kg_fail(err);
}

/* A profile has no suite whose keys --set could replace. */
static bool no_set(const struct kg_arguments *arguments, struct kg_error *err)
{
    return !arguments->set.count ||
           kg_error_set(err, KG_ERROR_USAGE, "--set is for results; profiles take --threshold");
}

/* Compares two profiles of any program. */
static int profiles_compare(const struct kg_arguments *arguments)
{
    struct kg_profile base = {0}, current = {0};
    struct kg_comparison comparison = {0};
    struct kg_profile_judging judging = kg_profile_judging_usual;
    struct kg_error err;
    judging.same_file = kg_file_alike(arguments->positional[0], arguments->positional[1]);
    const bool good = no_set(arguments, &err) &&
                      threshold_parse(arguments->threshold, &judging.threshold, &err) &&
                      kg_profile_load(arguments->positional[0], &base, &err) &&
                      kg_profile_load(arguments->positional[1], &current, &err) &&
                      kg_profile_compare(&base, &current, &judging, &comparison, &err);
    const struct kg_suggest_input input = {
        .source = arguments->positional[1], .profile = &current, .comparison = &comparison};
    const int status = good ? finish(arguments, &comparison, &input, &err)
                            : kg_fail_reported(arguments->output, &err);
    kg_comparison_free(&comparison);
    kg_profile_free(&base);
    kg_profile_free(&current);
    return status;
}

static int files_compare(const struct kg_arguments *arguments)
{
    const bool base_profile = kg_profile_is(arguments->positional[0]);
    const bool current_profile = kg_profile_is(arguments->positional[1]);
    struct base base = {.path = arguments->positional[0]};
    struct kg_results current = {0};
    struct kg_comparison comparison = {0};
    struct kg_error err;
    if (!kg_profile_or_json(arguments->positional[0], &err) ||
        !kg_profile_or_json(arguments->positional[1], &err))
        return kg_fail_reported(arguments->output, &err);
    if (base_profile && current_profile)
        return profiles_compare(arguments);
    if (base_profile || current_profile) {
        kg_error_set(&err, KG_ERROR_USAGE, "a profile can only be compared with another profile");
        return kg_fail_reported(arguments->output, &err);
    }
    const struct kg_next_source source = {.directory = arguments->output};
    struct kg_cli_waiving waiving = {0};
    const bool good = both_load(&base, arguments->positional[1], &current, &err) &&
                      settings_apply(arguments, &current, &err) &&
                      kg_cli_waiving_load(arguments, current.suite_path, &waiving, &err);
    if (good) {
        current.is_base = kg_file_alike(arguments->positional[0], arguments->positional[1]);
        kg_compare(&base.loaded.baseline, &current,
                   current.sequential ? KG_STAGE_SCREEN : KG_STAGE_FINAL, &comparison);
        kg_comparison_waive(&comparison, &base.loaded.baseline, &current, &waiving.waiving);
        kg_next_commands_make(&comparison, &current, &source);
    }
    struct kg_error pipe; /* a command cannot name a base that is readable only once */
    const bool again = kg_input_regular(arguments->positional[0], &pipe);
    const struct kg_suggest_input input = {.source = arguments->positional[1],
                                           .base = again ? arguments->positional[0] : NULL,
                                           .results = &current,
                                           .baseline = &base.loaded.baseline,
                                           .comparison = &comparison};
    const int status = good ? finish(arguments, &comparison, &input, &err)
                            : kg_fail_reported(arguments->output, &err);
    kg_comparison_free(&comparison);
    kg_cli_waiving_free(&waiving);
    kg_base_free(&base.loaded);
    kg_results_free(&current);
    return status;
}

int kg_cli_compare(const struct kg_arguments *arguments)
{
    int lock;
    struct kg_error err;
    if (arguments->output && !kg_report_files_begin(arguments->output, false, &lock, &err))
        return kg_fail(&err);
    return files_compare(arguments);
}
