/* ab.c: two builds, turn by turn, without a stored baseline. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "gate/sequence.h"
#include "measure/pairing.h"
#include "util/file.h"

struct ab {
    const struct kg_arguments *arguments;
    struct kg_prepared prepared;
    struct kg_build base;
    struct kg_build head;
    struct kg_pairing pairing;
    struct kg_baseline baseline; /* the base's rounds so far */
    struct kg_comparison comparison;
    struct kg_suggestions suggestions;
    struct kg_progress_bar bar;
    struct kg_arena arena;
    const char *directory;
    const char *base_path;
    const char *head_path;
    double budget_ns;
    int signal;
    struct kg_error err;
};

static bool baseline_renew(struct ab *ab, struct kg_error *err)
{
    kg_pairing_summarize(&ab->pairing);
    kg_baseline_free(&ab->baseline);
    return kg_baseline_from_results(&ab->pairing.base.results, &ab->baseline, err);
}

static bool sequence_measure(void *user, const size_t *wanted, bool confirm, struct kg_error *err)
{
    struct ab *ab = user;
    return kg_pairing_rounds(&ab->pairing, wanted, confirm, err) && baseline_renew(ab, err);
}

static double sequence_elapsed(void *user)
{
    return kg_measurement_elapsed_ns(&((struct ab *)user)->pairing.base);
}

static bool sequence_stopped(void *user)
{
    return kg_measurement_interrupted(&((struct ab *)user)->pairing.head) != 0;
}

static bool sequence(struct ab *ab)
{
    const struct kg_sequence sequence = {.measure = sequence_measure,
                                         .elapsed_ns = sequence_elapsed,
                                         .stopped = sequence_stopped,
                                         .user = ab,
                                         .limits = kg_round_limits(&ab->arena, &ab->prepared.plan),
                                         .budget_ns = ab->budget_ns};
    if (!sequence.limits)
        return kg_error_memory(&ab->err);
    return kg_sequence_run(&sequence, &ab->baseline, &ab->pairing.head.results, &ab->comparison,
                           &ab->err);
}

static bool results_write(struct ab *ab, bool measured)
{
    struct kg_error write_error;
    struct kg_error *err = measured ? &ab->err : &write_error;
    if (!kg_results_write(&ab->pairing.base.results, ab->base_path, err))
        return false;
    kg_measurement_written(&ab->pairing.base);
    if (!kg_results_write(&ab->pairing.head.results, ab->head_path, err))
        return false;
    kg_measurement_written(&ab->pairing.head);
    return measured;
}

static bool measure(struct ab *ab)
{
    const bool good = sequence(ab);
    ab->signal = kg_measurement_interrupted(&ab->pairing.head);
    kg_pairing_end(&ab->pairing);
    kg_progress_bar_clear(&ab->bar);
    return results_write(ab, good);
}

/* After the verdict, and without a say in it. */
static bool suggestions_make(struct ab *ab)
{
    const struct kg_suggest_input input = {.source = ab->head_path,
                                           .base = ab->base_path,
                                           .results = &ab->pairing.head.results,
                                           .baseline = &ab->baseline,
                                           .comparison = &ab->comparison};
    return kg_suggest(&input, &ab->suggestions, &ab->err);
}

/* Cases whose code is the same on both sides: an absolute path in the suite, or one build
 * given twice. */
static size_t same_code_count(const struct ab *ab)
{
    const struct kg_results *base = &ab->pairing.base.results, *head = &ab->pairing.head.results;
    size_t same = 0;
    for (size_t i = 0; i < head->case_count; i++)
        same += base->cases[i].code_hash && head->cases[i].code_hash &&
                !strcmp(base->cases[i].code_hash, head->cases[i].code_hash);
    return same;
}

static bool summary_print(struct ab *ab)
{
    struct kg_text text = {0};
    if (!kg_comparison_summary(&ab->comparison, &ab->suggestions, ab->arguments, &text, &ab->err))
        return false;
    const size_t same = same_code_count(ab);
    if (!ab->arguments->json && same)
        kg_text_printf(&text, "  note: %zu of %zu cases have the same code on both sides\n", same,
                       ab->pairing.head.results.case_count);
    if (!ab->arguments->json && !ab->arguments->quiet)
        kg_text_printf(&text,
                       "  base: %s, head: %s\n"
                       "  reports: %s/report.md, comparison.json, suggestions.json, base.json, "
                       "head.json\n",
                       ab->base.given, ab->head.given, ab->directory);
    const bool good = kg_print(&text, &ab->err);
    kg_text_free(&text);
    return good;
}

/* A side that says nothing about any case is a mistake on the command line. */
static bool any_case(struct ab *ab)
{
    const struct kg_results *results = &ab->pairing.head.results;
    const char *reason = NULL;
    for (size_t i = 0; i < results->case_count; i++) {
        const struct kg_case_result *sides[] = {&ab->pairing.base.results.cases[i],
                                                &results->cases[i]};
        for (int s = 0; s < 2; s++)
            if (sides[s]->status == KG_STATUS_SKIPPED)
                reason = sides[s]->reason;
        if (sides[0]->status == KG_STATUS_FAILED ||
            (sides[0]->status != KG_STATUS_SKIPPED && sides[1]->status != KG_STATUS_SKIPPED))
            return true;
    }
    return kg_error_set(&ab->err, KG_ERROR_USAGE, "no case can be compared: %s",
                        reason ? reason : "the suite has none");
}

static bool ab_start(struct ab *ab)
{
    const struct kg_arguments *arguments = ab->arguments;
    ab->directory = arguments->output ? arguments->output : "out";
    ab->base_path = kg_arena_printf(&ab->arena, "%s/base.json", ab->directory);
    ab->head_path = kg_arena_printf(&ab->arena, "%s/head.json", ab->directory);
    if (!ab->base_path || !ab->head_path)
        return kg_error_memory(&ab->err);
    if (!kg_build_resolve(&ab->arena, "base", arguments->base, &ab->base, &ab->err) ||
        !kg_build_resolve(&ab->arena, "head", arguments->head, &ab->head, &ab->err) ||
        !kg_directory_make(ab->directory, &ab->err))
        return false;
    const struct kg_prepared_suite what = kg_prepared_what(&ab->prepared);
    const struct kg_pairing_options options = {.base_path = ab->base_path,
                                               .head_path = ab->head_path,
                                               .filter = ab->prepared.left_out,
                                               .progress =
                                                   kg_progress_bar_start(&ab->bar, arguments),
                                               .base = &ab->base,
                                               .head = &ab->head};
    return kg_pairing_begin(&ab->pairing, &what, &options, &ab->err);
}

static int ab_run(struct ab *ab)
{
    if (!ab_start(ab))
        return kg_fail(&ab->err);
    const bool possible = any_case(ab);
    const bool good =
        measure(ab) && possible && suggestions_make(ab) &&
        kg_comparison_reports(&ab->comparison, &ab->suggestions, ab->directory, &ab->err) &&
        summary_print(ab);
    if (ab->signal)
        fprintf(stderr, "kgate: interrupted; what was measured is in %s\n", ab->head_path);
    const int status = !good        ? kg_fail(&ab->err)
                       : ab->signal ? KG_EXIT_SIGNAL + ab->signal
                                    : (int)ab->comparison.exit_status;
    kg_pairing_free(&ab->pairing);
    return status;
}

int kg_cli_ab(const struct kg_arguments *arguments)
{
    struct ab ab = {.arguments = arguments};
    if (!kg_budget_option(arguments, &ab.budget_ns, &ab.err) ||
        !kg_prepare(arguments, &ab.prepared, &ab.err))
        return kg_fail(&ab.err);
    const int status = ab_run(&ab);
    kg_suggestions_free(&ab.suggestions);
    kg_comparison_free(&ab.comparison);
    kg_baseline_free(&ab.baseline);
    kg_prepared_free(&ab.prepared);
    kg_arena_free(&ab.arena);
    return status;
}
