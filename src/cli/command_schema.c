#include <string.h>

#include "base/nearest.h"
#include "base/record_schema.h"
#include "cli/cli.h"
#include "judge/bisect_record.h"
#include "judge/calibration.h"
#include "judge/history/history.h"
#include "model/baseline.h"
#include "model/comparison.h"
#include "model/results.h"
#include "model/shard_plan.h"
#include "profiler/read/profile_load.h"
#include "run/ceilings/ceilings_measure.h"
#include "why/explanation.h"
#include "why/observe/hot_cache.h"
#include "why/suggestions.h"

/* Kinds of files, in the order of the pipeline. */
static const struct kg_file_kind kinds[] = {
    {"results", KG_RESULTS_SCHEMA, &kg_results_record},
    {"baseline", KG_BASELINE_SCHEMA, &kg_baseline_record},
    {"prior", KG_PRIOR_SCHEMA, &kg_stored_prior_record},
    {"comparison", KG_COMPARISON_SCHEMA, &kg_comparison_record},
    {"plan", KG_PLAN_SCHEMA, &kg_shard_plan_record},
    {"history", KG_HISTORY_SCHEMA, &kg_history_record},
    {"bisect", KG_BISECT_SCHEMA, &kg_bisect_record},
    {"calibration", KG_CALIBRATION_SCHEMA, &kg_calibration_record},
    {"suggestions", KG_SUGGESTIONS_SCHEMA, &kg_suggestions_record},
    {"explanation", KG_EXPLANATION_SCHEMA, &kg_explanation_record},
    {"profile", KG_PROFILE_SCHEMA, &kg_profile_file_record},
    {"doctor", KG_DOCTOR_SCHEMA, &kg_diagnosis_record},
    {"ceilings", KG_CEILINGS_SCHEMA, &kg_ceilings_file_record},
    {"cpu_ceilings", KG_CPU_CEILINGS_SCHEMA, &kg_cpu_ceilings_file_record},
    {"looked", KG_LOOKED_SCHEMA, &kg_looked_record},
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

static bool kind_unknown(const char *name, struct kg_error *err)
{
    const char *names[KIND_COUNT];
    for (size_t i = 0; i < KIND_COUNT; i++)
        names[i] = kinds[i].name;
    return kg_error_unknown(err, name, names, KIND_COUNT, "there is no file named '%.60s'", name);
}

/* Prints the schema of a kind.
 * name  "results", or the schema "kgate.results.v1" */
static bool schema_print(const char *name, struct kg_text *text, struct kg_error *err)
{
    for (size_t i = 0; i < KIND_COUNT; i++)
        if (!strcmp(name, kinds[i].name) || !strcmp(name, kinds[i].schema)) {
            kg_schema_write(&kinds[i], text);
            return true;
        }
    return kind_unknown(name, err);
}

static void kinds_print(struct kg_text *text)
{
    for (size_t i = 0; i < KIND_COUNT; i++)
        kg_text_printf(text, "%-13s %-22s %s\n", kinds[i].name, kinds[i].schema,
                       kinds[i].record->help);
}

static bool text_make(const struct kg_arguments *arguments, struct kg_text *text,
                      struct kg_error *err)
{
    const char *format = arguments->format ? arguments->format : "json";
    if (!strcmp(format, "markdown")) {
        kg_file_reference_write(kinds, KIND_COUNT, text);
        return true;
    }
    if (strcmp(format, "json") != 0)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "--format is '%.60s', but must be json or markdown", format);
    if (arguments->positional_count)
        return schema_print(arguments->positional[0], text, err);
    kinds_print(text);
    return true;
}

int kg_cli_schema(const struct kg_arguments *arguments)
{
    struct kg_text text = {0};
    struct kg_error err;
    const bool good = text_make(arguments, &text, &err) && kg_print(&text, &err);
    kg_text_free(&text);
    return good ? KG_EXIT_PASS : kg_fail(&err);
}
