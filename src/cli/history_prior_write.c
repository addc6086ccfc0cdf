/* history_prior_write.c: `kgate history export --format prior`: a file beside the baseline, where a gate finds it. */
#include <string.h>

#include "base/file.h"
#include "cli/history_parts.h"
#include "model/baseline.h"

/* The fingerprint of --machine, or of this machine; NULL on failure. */
static const char *fingerprint_find(const struct kg_arguments *arguments, struct kg_arena *arena,
                                    struct kg_error *err)
{
    struct kg_machine machine;
    if (arguments->machine)
        return kg_fingerprint_check("--machine", arguments->machine, err) ? arguments->machine
                                                                          : NULL;
    return kg_machine_read(arena, NULL, &machine, err) ? machine.fingerprint : NULL;
}

static bool done_print(const struct kg_stored_prior *prior, const char *path, struct kg_error *err)
{
    struct kg_text text = {0};
    size_t runs = 0;
    for (size_t i = 0; i < prior->series_count; i++)
        runs = prior->series[i].runs > runs ? prior->series[i].runs : runs;
    kg_text_printf(&text, "wrote the noise of %zu series, from up to %zu runs, to %s\n",
                   prior->series_count, runs, path);
    const bool good = kg_print(&text, err);
    kg_text_free(&text);
    return good;
}

static bool prior_print(const struct kg_stored_prior *prior, struct kg_error *err)
{
    struct kg_text text = {0};
    const bool good =
        kg_record_print(&kg_stored_prior_record, prior, KG_PRIOR_SCHEMA, &text, err) &&
        kg_print(&text, err);
    kg_text_free(&text);
    return good;
}

static bool prior_save(const struct kg_arguments *arguments, struct kg_arena *arena,
                       struct kg_stored_prior *prior, struct kg_error *err)
{
    const char *directory = kg_baseline_directory(arguments), *path = arguments->output;
    prior->created = kg_timestamp(arena);
    prior->kgate_version = KGATE_VERSION;
    if (path && !strcmp(path, "-"))
        return prior_print(prior, err);
    if (!path) {
        path = kg_stored_prior_path(arena, kg_baseline_path(arena, directory, prior->fingerprint));
        if (!kg_directory_make(directory, err))
            return false;
    }
    return kg_record_save(&kg_stored_prior_record, prior, KG_PRIOR_SCHEMA, path, err) &&
           (arguments->quiet || done_print(prior, path, err));
}

bool kg_history_prior_write(const struct kg_arguments *arguments,
                            struct kg_history_database *database, struct kg_error *err)
{
    struct kg_arena arena = {0};
    struct kg_stored_prior prior;
    if (arguments->last != KG_LAST_UNSET || arguments->all)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "`--format prior` takes no %s: a prior is of all runs",
                            arguments->all ? "--all" : "--last");
    const struct kg_history_filter filter = {.machine = fingerprint_find(arguments, &arena, err),
                                             .suite = arguments->only_suite};
    const bool good = filter.machine && kg_history_prior(database, &filter, &arena, &prior, err) &&
                      prior_save(arguments, &arena, &prior, err);
    kg_arena_free(&arena);
    return good;
}
