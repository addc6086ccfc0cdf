#include "model/stored_prior.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char ENDING[] = ".json", PRIOR_ENDING[] = ".prior.json";

#define FREEDOM KG_BETWEEN(0, KG_PRIOR_FREEDOM_MOST)

#define STRUCT kg_prior_series
static const struct kg_field series_fields[] = {
    KG_FIELD(suite, STRING, "name of the suite"),
    KG_FIELD_AS("case", id_of_case, STRING, "id of the case", KG_NOT_EMPTY),
    KG_FIELD(definition_hash, STRING, "hash of the case's definition", KG_PATTERN_HASH),
    KG_FIELD(metric, STRING, "name of the metric", KG_NOT_EMPTY),
    KG_FIELD(source, STRING, "tool that counted; kgate does not compare values of two tools"),
    KG_FIELD(runs, SIZE, "number of runs of the case in the history"),
    KG_FIELD_AS(
        "between", between.value, REAL,
        "variance between runs, beyond the scatter of their rounds: of the logarithm of a value",
        KG_OPTIONAL, KG_FROM_0),
    KG_FIELD_AS("between_freedom", between.freedom, REAL, "degrees of freedom of `between`",
                FREEDOM),
    KG_FIELD_AS("within", within.value, REAL,
                "variance within runs: of the logarithm of a round's value", KG_OPTIONAL,
                KG_FROM_0),
    KG_FIELD_AS("within_freedom", within.freedom, REAL, "degrees of freedom of `within`", FREEDOM),
};
static const struct kg_record series_record =
    KG_RECORD_OF(series_fields, "The noise of one metric of a case.");
#undef STRUCT

#define STRUCT kg_stored_prior
static const struct kg_field prior_fields[] = {
    KG_FIELD(fingerprint, STRING, "fingerprint of the machine", KG_NOT_EMPTY),
    KG_FIELD(created, STRING, "creation time, UTC", KG_PATTERN_TIME),
    KG_FIELD(kgate_version, STRING, "version of kgate"),
    KG_LIST(series, series_count, RECORDS, "noise by case and metric", KG_OF(series_record)),
};
const struct kg_record kg_stored_prior_record =
    KG_RECORD_OF(prior_fields, "The noise of each case of one machine, from a history.");
#undef STRUCT

char *kg_stored_prior_path(struct kg_arena *arena, const char *baseline_path)
{
    const size_t length = strlen(baseline_path);
    const size_t stem =
        kg_string_ends(baseline_path, ENDING) ? length - (sizeof ENDING - 1) : length;
    return kg_arena_printf(arena, "%.*s%s", (int)stem, baseline_path, PRIOR_ENDING);
}

bool kg_stored_prior_named(const char *name)
{
    return kg_string_ends(name, PRIOR_ENDING);
}

int kg_prior_series_compare(const void *a, const void *b)
{
    const struct kg_prior_series *x = a, *y = b;
    const char *const texts[][2] = {{x->suite, y->suite},
                                    {x->id_of_case, y->id_of_case},
                                    {x->definition_hash, y->definition_hash},
                                    {x->metric, y->metric},
                                    {x->source, y->source}};
    int order = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !order; i++)
        order = strcmp(texts[i][0], texts[i][1]);
    return order;
}

void kg_stored_prior_sort(struct kg_stored_prior *prior)
{
    if (prior->series_count)
        qsort(prior->series, prior->series_count, sizeof *prior->series, kg_prior_series_compare);
}

const struct kg_prior_series *kg_stored_prior_find(const struct kg_stored_prior *prior,
                                                   const struct kg_prior_series *wanted)
{
    if (!prior || !prior->series_count)
        return NULL;
    return bsearch(wanted, prior->series, prior->series_count, sizeof *prior->series,
                   kg_prior_series_compare);
}

/* Refuses a series that is there twice, a freedom without its variance, and another machine. */
static bool prior_check(struct kg_stored_prior *prior, const char *path, const char *fingerprint,
                        struct kg_error *err)
{
    kg_stored_prior_sort(prior);
    for (size_t i = 0; i < prior->series_count; i++) {
        const struct kg_prior_series *series = &prior->series[i];
        if (i && !kg_prior_series_compare(series - 1, series))
            return kg_error_set(err, KG_ERROR_USAGE, "%s: '%.200s' has two series of %.60s", path,
                                series->id_of_case, series->metric);
        if ((series->between.freedom > 0 && isnan(series->between.value)) ||
            (series->within.freedom > 0 && isnan(series->within.value)))
            return kg_error_set(err, KG_ERROR_USAGE,
                                "%s: %.60s of '%.200s' has degrees of freedom, but no variance",
                                path, series->metric, series->id_of_case);
    }
    return !strcmp(prior->fingerprint, fingerprint) ||
           kg_error_set(err, KG_ERROR_USAGE,
                        "%s: the prior is of another machine: %.200s, not %.200s. Remove it, or "
                        "write one by `kgate history export --format prior`",
                        path, prior->fingerprint, fingerprint);
}

bool kg_stored_prior_parse(struct kg_arena *arena, const char *path, const char *bytes,
                           size_t length, const char *fingerprint,
                           const struct kg_stored_prior **prior, struct kg_error *err)
{
    struct kg_stored_prior *read = kg_arena_alloc(arena, 1, sizeof *read);
    *read = (struct kg_stored_prior){0};
    *prior = read;
    return kg_record_parse(&kg_stored_prior_record, KG_PRIOR_SCHEMA, path, bytes, length, arena,
                           read, err) &&
           prior_check(read, path, fingerprint, err);
}

bool kg_stored_prior_load(struct kg_arena *arena, const char *baseline_path,
                          const char *fingerprint, const struct kg_stored_prior **prior,
                          struct kg_error *err)
{
    const char *path = kg_stored_prior_path(arena, baseline_path);
    *prior = NULL;
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return true;
    struct kg_stored_prior *read = kg_arena_alloc(arena, 1, sizeof *read);
    *read = (struct kg_stored_prior){0};
    *prior = read;
    return kg_record_load(&kg_stored_prior_record, KG_PRIOR_SCHEMA, path, arena, read, err) &&
           prior_check(read, path, fingerprint, err);
}
