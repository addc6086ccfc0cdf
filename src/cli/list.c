#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "util/escape.h"
#include "util/json_string.h"

static bool json_make(const struct kg_plan *plan, struct kg_text *text)
{
    json_t *array = json_array();
    for (size_t i = 0; i < plan->case_count; i++) {
        const struct kg_case *planned = &plan->cases[i];
        json_t *entry = json_pack("{s:s, s:s, s:s, s:s}", "id", planned->id, "workload",
                                  planned->spec->name, "device", kg_device_names[planned->device],
                                  "definition_hash", planned->definition_hash);
        if (entry && planned->skip_reason)
            json_object_set_new(entry, "skip_reason", kg_json_string(planned->skip_reason));
        json_array_append_new(array, entry);
    }
    char *dump = json_dumps(array, JSON_INDENT(2));
    json_decref(array);
    if (dump)
        kg_text_printf(text, "%s\n", dump);
    free(dump);
    return dump != NULL;
}

static void lines_make(const struct kg_arguments *arguments, const struct kg_plan *plan,
                       struct kg_text *text)
{
    for (size_t i = 0; i < plan->case_count; i++) {
        const struct kg_case *planned = &plan->cases[i];
        kg_escape_terminal(text, planned->id, 4096);
        if (planned->skip_reason && !arguments->quiet) {
            kg_text_append(text, "  (skipped: ");
            kg_escape_terminal(text, planned->skip_reason, 400);
            kg_text_append(text, ")");
        }
        kg_text_append(text, "\n");
    }
}

int kg_cli_list(const struct kg_arguments *arguments)
{
    struct kg_prepared prepared;
    struct kg_text text = {0};
    struct kg_error err;
    if (!kg_prepare(arguments, &prepared, &err))
        return kg_fail(&err);
    bool good = true;
    if (arguments->json)
        good = json_make(&prepared.plan, &text) ? true : kg_error_memory(&err);
    else
        lines_make(arguments, &prepared.plan, &text);
    good = good && kg_print(&text, &err);
    kg_text_free(&text);
    kg_prepared_free(&prepared);
    return good ? KG_EXIT_PASS : kg_fail(&err);
}
