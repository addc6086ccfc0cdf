#include <stdlib.h>
#include <unistd.h>

#include "cli/suggest_subject.h"
#include "why/explanation.h"
#include "why/suggest.h"

static void report(const struct kg_arguments *arguments, const struct kg_explanation *explanation,
                   struct kg_text *text)
{
    struct kg_report_style style = kg_style(arguments);
    if (arguments->json) {
        kg_explanation_json(explanation, text);
        return;
    }
    if (arguments->output)
        kg_style_for_file(&style);
    style.top = 0;
    kg_report_explanation(explanation, &style, text);
}

/* A single operand is the results file, and stands for all of its cases. */
static bool operands_take(const struct kg_arguments *arguments, const char **which,
                          const char **path, struct kg_error *err)
{
    *which = arguments->positional_count > 1 ? arguments->positional[0] : "*";
    *path = arguments->positional[arguments->positional_count - 1];
    return arguments->positional_count > 1 || access(*path, F_OK) == 0 ||
           kg_error_set(err, KG_ERROR_USAGE,
                        "there is no file '%.300s'; usage: kgate explain CASE RESULTS.json", *path);
}

static bool explain(const struct kg_arguments *arguments, struct kg_text *text,
                    struct kg_error *err)
{
    const char *which, *path;
    struct kg_subject subject;
    struct kg_suggestions suggestions = {0};
    struct kg_explanation explanation = {0};
    size_t index;
    if (!operands_take(arguments, &which, &path, err))
        return false;
    const bool good = kg_subject_load(arguments, path, &subject, err) &&
                      kg_explanation_find(&subject.results, which, &index, err);
    if (good) {
        kg_suggest(&subject.input, &suggestions);
        kg_explain(&subject.input, index, &suggestions, &explanation);
        report(arguments, &explanation, text);
    }
    kg_explanation_free(&explanation);
    kg_suggestions_free(&suggestions);
    kg_subject_free(&subject);
    return good;
}

int kg_cli_explain(const struct kg_arguments *arguments)
{
    struct kg_text text = {0};
    struct kg_error err;
    const bool good = explain(arguments, &text, &err) && kg_output(arguments, &text, &err);
    kg_text_free(&text);
    return good ? KG_EXIT_PASS : kg_fail(&err);
}
