#include "cli/input_files.h"

#include <string.h>
#include <sys/stat.h>

bool kg_base_load(const char *path, struct kg_base *base, struct kg_error *err)
{
    struct kg_error as_baseline;
    *base = (struct kg_base){0};
    const bool baseline = kg_schema_begins(path, KG_BASELINE_SCHEMA);
    if (!baseline && kg_results_load(path, &base->results, err)) {
        kg_baseline_from_results(&base->results, &base->baseline);
        return base->baseline.expected = true;
    }
    /* Reads the file as a baseline only if its schema says so. Otherwise the errors of the results reader matter. */
    char schema[64];
    if (!baseline &&
        (!kg_schema_peek(path, schema, &as_baseline) || !kg_schema_is(KG_BASELINE_SCHEMA, schema)))
        return false;
    struct kg_baseline *stored = &base->baseline;
    if (!kg_baseline_load(path, stored, err) ||
        (stored->fingerprint &&
         !kg_stored_prior_load(&stored->arena, path, stored->fingerprint, &stored->prior, err)))
        return false;
    return stored->expected = true;
}

void kg_base_free(struct kg_base *base)
{
    kg_baseline_free(&base->baseline);
    kg_results_free(&base->results);
}

bool kg_input_regular(const char *path, struct kg_error *err)
{
    struct stat status;
    if (strcmp(path, "-") != 0 &&
        (stat(path, &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)))
        return true;
    return kg_error_set(
        err, KG_ERROR_USAGE,
        "'%.300s' is not a regular file: kgate cannot read results and recordings from a pipe",
        path);
}
