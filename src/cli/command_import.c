#include "run/import/import.h"

#include <string.h>

#include "cli/cli.h"

static int status_of(const struct kg_results *results)
{
    for (size_t i = 0; i < results->case_count; i++)
        if (results->cases[i].status == KG_STATUS_FAILED)
            return KG_EXIT_FAILED;
    return KG_EXIT_PASS;
}

/* Checks the suite's name. The option is repeatable because `ab` takes two names. */
static bool name_check(const struct kg_texts *names, struct kg_error *err)
{
    if (names->count > 1)
        return kg_error_set(err, KG_ERROR_USAGE, "--name is given twice, but a suite has one name");
    if (names->count && !names->at[0][strspn(names->at[0], " ")])
        return kg_error_set(err, KG_ERROR_USAGE,
                            "--name is '%.60s', but must be a name, such as bench", names->at[0]);
    return true;
}

int kg_cli_import(const struct kg_arguments *arguments)
{
    struct kg_results results;
    struct kg_error err;
    if (!name_check(&arguments->names, &err))
        return kg_fail(&err);
    const struct kg_import_options options = {
        .format = arguments->format,
        .suite = arguments->names.count ? arguments->names.at[0] : NULL,
        .machine = arguments->machine,
        .set = arguments->set.at,
        .set_count = arguments->set.count};
    if (!kg_import(arguments->positional, arguments->positional_count, &options, &results, &err))
        return kg_fail(&err);
    const bool good = kg_results_write(&results, arguments->output, &err) &&
                      kg_results_summary(arguments, &results, &err);
    const int status = good ? status_of(&results) : kg_fail(&err);
    kg_results_free(&results);
    return status;
}

void kg_cli_import_more(struct kg_text *text)
{
    kg_text_append(text, "\nformats:\n");
    kg_import_formats_append(text);
}
