#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/json_print.h"
#include "base/wrap.h"
#include "cli/cli.h"
#include "judge/waivers_apply.h"

enum { ID_MOST = 4096, REASON_MOST = 400 };

static void json_make(const struct kg_prepared *prepared, struct kg_text *text)
{
    const struct kg_plan *plan = &prepared->plan;
    struct kg_json_writer writer = {.text = text};
    kg_json_begin(&writer, NULL, "[");
    for (size_t i = 0; i < plan->case_count; i++) {
        const struct kg_case *planned = &plan->cases[i];
        kg_json_begin(&writer, NULL, "{");
        kg_json_put_string(&writer, "id", planned->id);
        kg_json_put_string(&writer, "workload", planned->spec->name);
        kg_json_put_string(&writer, "device", kg_device_names[planned->device]);
        kg_json_put_string(&writer, "definition_hash", planned->definition_hash);
        if (planned->skip_reason)
            kg_json_put_string(&writer, "skip_reason", planned->skip_reason);
        if (kg_prepared_untrusted(prepared, planned))
            kg_json_put_string(&writer, "waived", kg_waiver_names[KG_WAIVER_UNTRUSTED]);
        kg_json_finish(&writer, "}");
    }
    kg_json_finish(&writer, "]");
    kg_text_append(text, "\n");
}

/* Lists the skip reasons once below the cases, because they do not fit on the lines. */
static void reasons_make(const struct kg_plan *plan, size_t width, struct kg_text *text)
{
    for (size_t i = 0; i < plan->case_count; i++) {
        const char *reason = plan->cases[i].skip_reason;
        size_t count = 0, before = 0;
        for (size_t k = 0; reason && k < plan->case_count; k++) {
            const char *other = plan->cases[k].skip_reason;
            const bool same = other && !strcmp(other, reason);
            count += same;
            before += same && k < i;
        }
        if (!reason || before)
            continue;
        struct kg_text line = {0};
        kg_text_printf(&line, "%zu skipped: ", count);
        kg_escape_terminal(&line, reason, REASON_MOST);
        kg_wrap(text, "", kg_text_string(&line), width);
        kg_text_free(&line);
    }
}

static void lines_make(const struct kg_arguments *arguments, const struct kg_prepared *prepared,
                       struct kg_text *text)
{
    const struct kg_plan *plan = &prepared->plan;
    const size_t width = kg_style(arguments).width;
    for (size_t i = 0; i < plan->case_count; i++) {
        const struct kg_case *planned = &plan->cases[i];
        kg_escape_terminal(text, planned->id, ID_MOST);
        if (planned->skip_reason && !arguments->quiet && width) {
            kg_text_append(text, "  (skipped)");
        } else if (planned->skip_reason && !arguments->quiet) {
            kg_text_append(text, "  (skipped: ");
            kg_escape_terminal(text, planned->skip_reason, REASON_MOST);
            kg_text_append(text, ")");
        }
        if (kg_prepared_untrusted(prepared, planned) && !arguments->quiet)
            kg_text_append(text, "  (not in the trusted suite: shown, not judged)");
        kg_text_append(text, "\n");
    }
    if (width && !arguments->quiet)
        reasons_make(plan, width, text);
}

/* Prints to standard error, because programs read the list from standard output. */
static void trust_print(struct kg_trust *trust)
{
    struct kg_text text = {0};
    const char *uncovered;
    kg_trust_uncovered(trust, &uncovered);
    kg_text_printf(&text, "kgate: suite and thresholds: %s\n", trust->words);
    for (size_t i = 0; i < trust->edit_count; i++) {
        kg_text_append(&text, "kgate: this change edits ");
        kg_escape_terminal(&text, trust->edits[i], 400);
        kg_text_append(&text, "\n");
    }
    if (uncovered) {
        kg_text_append(&text, "kgate: ");
        kg_escape_terminal(&text, uncovered, REASON_MOST);
        kg_text_append(&text, "\n");
    }
    fputs(kg_text_string(&text), stderr);
    kg_text_free(&text);
}

int kg_cli_list(const struct kg_arguments *arguments)
{
    struct kg_prepared prepared;
    struct kg_text text = {0};
    struct kg_error err;
    if (!kg_prepare(arguments, &prepared, &err))
        return kg_fail(&err);
    if (prepared.trusted && !arguments->quiet)
        trust_print(&prepared.trust);
    if (arguments->json)
        json_make(&prepared, &text);
    else
        lines_make(arguments, &prepared, &text);
    const bool good = kg_print(&text, &err);
    kg_text_free(&text);
    kg_prepared_free(&prepared);
    return good ? KG_EXIT_PASS : kg_fail(&err);
}
