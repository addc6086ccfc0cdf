
#include "base/escape.h"
#include "base/units.h"
#include "cli/cli.h"
#include "judge/waivers_apply.h"
#include "model/comparison.h"

enum { CASES_SHOWN = 5, ID_MOST = 200 };

static const struct kg_metric *worse_find(const struct kg_case_change *change)
{
    const bool worse =
        change->change == KG_CHANGE_REGRESSION || change->change == KG_CHANGE_SUSPECT;
    for (size_t m = 0; m < change->metric_count && worse && change->waived == KG_WAIVER_NONE; m++)
        if (change->metrics[m].change == change->change &&
            kg_metric_against(&change->metrics[m]) == KG_AGAINST_BASELINE)
            return &change->metrics[m];
    return NULL;
}

static void all_append(const struct kg_comparison *comparison, struct kg_text *text)
{
    size_t count = 0;
    for (size_t i = 0; i < comparison->case_count; i++) {
        char moved[KG_UNIT_BYTES];
        const struct kg_metric *metric = worse_find(&comparison->cases[i]);
        if (!metric || count++ >= CASES_SHOWN)
            continue;
        kg_text_append(text, "warning: stored a worse run: ");
        kg_escape_terminal(text, comparison->cases[i].id, ID_MOST);
        kg_text_printf(text, ", %s %s, %s\n", metric->name, kg_change_format(metric->ratio, moved),
                       kg_change_name(metric->change));
    }
    if (count > CASES_SHOWN)
        kg_text_printf(text, "warning: stored %zu more worse case%s\n", count - CASES_SHOWN,
                       count - CASES_SHOWN == 1 ? "" : "s");
    if (count)
        kg_text_append(text, "Later gates compare with the old runs and with this one. If the "
                             "change is intended, run `kgate accept`, then update again\n");
}

bool kg_stored_slower_text(const struct kg_arguments *arguments, const struct kg_results *results,
                           const struct kg_waiving *waiving, struct kg_text *text,
                           struct kg_error *err)
{
    struct kg_arena arena = {0};
    struct kg_baseline baseline = {0};
    struct kg_comparison comparison = {0};
    const char *path =
        kg_baseline_path(&arena, kg_baseline_directory(arguments), results->machine.fingerprint);
    const bool good = kg_baseline_load(path, &baseline, err) &&
                      kg_stored_prior_load(&baseline.arena, path, results->machine.fingerprint,
                                           &baseline.prior, err);
    if (good) {
        kg_compare(&baseline, results, results->sequential ? KG_STAGE_SCREEN : KG_STAGE_FINAL,
                   &comparison);
        kg_comparison_waive(&comparison, &baseline, results, waiving);
    }
    if (good)
        all_append(&comparison, text);
    kg_comparison_free(&comparison);
    kg_baseline_free(&baseline);
    kg_arena_free(&arena);
    return good;
}
