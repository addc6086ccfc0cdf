#include <stdint.h>

#include "base/escape.h"
#include "base/wrap.h"
#include "cli/cli.h"
#include "run/suite_check.h"

static size_t skipped_count(const struct kg_plan *plan)
{
    size_t skipped = 0;
    for (size_t i = 0; i < plan->case_count; i++)
        skipped += plan->cases[i].skip_reason != NULL;
    return skipped;
}

/* Appends the suite's path. Shortens a long path in the middle, because a terminal line begins with it. */
static void path_append(struct kg_text *text, const char *path, size_t width)
{
    enum { AFTER = 2 };
    struct kg_text escaped = {0};
    kg_escape_terminal(&escaped, path, SIZE_MAX);
    kg_text_append_ends(text, kg_text_string(&escaped), width ? width - AFTER : SIZE_MAX);
    kg_text_free(&escaped);
}

static void line_end(struct kg_text *line, size_t width, struct kg_text *text)
{
    kg_wrap(text, "", kg_text_string(line), width);
    kg_text_free(line);
}

static void opened_make(const struct kg_opening *opening, size_t width, struct kg_text *text)
{
    struct kg_text line = {0};
    if (opening->sources) {
        kg_text_printf(&line, "%zu case%s of CUDA sources opened or compiled", opening->sources,
                       opening->sources == 1 ? "" : "s");
        line_end(&line, width, text);
    }
    if (opening->uncompiled) {
        kg_text_printf(&line, "%zu case%s of CUDA sources %s", opening->uncompiled,
                       opening->uncompiled == 1 ? "" : "s", opening->why_uncompiled);
        line_end(&line, width, text);
    }
    if (opening->left) {
        kg_text_printf(
            &line, "%zu case%s of plugins and CUDA sources not opened: the first %zu were",
            opening->left, opening->left == 1 ? "" : "s", opening->plugins + opening->sources);
        line_end(&line, width, text);
    }
}

static bool good_print(const struct kg_arguments *arguments, const struct kg_prepared *prepared,
                       const struct kg_opening *opening, struct kg_error *err)
{
    const size_t width = kg_style(arguments).width;
    struct kg_text line = {0}, text = {0};
    path_append(&text, prepared->suite.path, width);
    kg_text_printf(&line, ": good, %zu workload%s, %zu case%s, %zu cannot run on this machine",
                   prepared->suite.workload_count, prepared->suite.workload_count == 1 ? "" : "s",
                   prepared->plan.case_count, prepared->plan.case_count == 1 ? "" : "s",
                   skipped_count(&prepared->plan));
    kg_wrap_on(&text, kg_text_width(kg_text_string(&text)), 0, kg_text_string(&line), width);
    kg_text_free(&line);
    opened_make(opening, width, &text);
    const bool good = kg_print(&text, err);
    kg_text_free(&text);
    return good;
}

int kg_cli_validate(const struct kg_arguments *arguments)
{
    struct kg_prepared prepared;
    struct kg_opening opening;
    struct kg_error err;
    if (!kg_prepare(arguments, &prepared, &err))
        return kg_fail(&err);
    const struct kg_prepared_suite what = kg_prepared_what(&prepared);
    bool good = kg_open_all(&what, &opening, &err);
    if (good && !opening.signal && !arguments->quiet)
        good = good_print(arguments, &prepared, &opening, &err);
    kg_prepared_free(&prepared);
    return !good ? kg_fail(&err) : opening.signal ? KG_EXIT_SIGNAL + opening.signal : KG_EXIT_PASS;
}
