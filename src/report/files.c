/* files.c: the files that a comparison leaves in a folder. */
#include <stdio.h>
#include <unistd.h>

#include "report/report.h"
#include "util/escape.h"
#include "util/file.h"

/* The reports first, then what a gate measured. */
static const char *const files[] = {"report.md",    "comparison.json", "suggestions.json",
                                    "results.json", "base.json",       "head.json"};
enum { REPORTS = 3, FILES = sizeof files / sizeof *files, PATH_BYTES = 4096 };

bool kg_report_files_begin(const char *directory, bool measures, int *lock, struct kg_error *err)
{
    char path[PATH_BYTES];
    *lock = -1;
    if (!kg_directory_make(directory, err) ||
        (measures && !kg_directory_lock(directory, lock, err)))
        return false;
    for (size_t i = 0; i < (measures ? FILES : REPORTS); i++) {
        if (snprintf(path, sizeof path, "%s/%s", directory, files[i]) >= PATH_BYTES)
            return kg_error_set(err, KG_ERROR_USAGE, "the path '%.100s…' is too long", directory);
        unlink(path);
        if (measures)
            kg_file_sweep(path);
    }
    return true;
}

void kg_report_files_fail(const char *directory, const struct kg_error *why)
{
    char path[PATH_BYTES];
    struct kg_text text = {0};
    struct kg_error ignored; /* why there is no report is more than that there is none */
    kg_text_append(&text, "## kgate: no verdict\n\nNothing was decided, because of an error: ");
    if (why->path[0]) {
        kg_escape_markdown(&text, why->path, sizeof why->path);
        if (why->line)
            kg_text_printf(&text, ":%u", why->line);
        kg_text_append(&text, ": ");
    }
    kg_escape_markdown(&text, why->message, sizeof why->message);
    kg_text_append(&text, "\n");
    if (!text.failed && snprintf(path, sizeof path, "%s/%s", directory, files[0]) < PATH_BYTES)
        kg_file_write(path, kg_text_string(&text), text.length, &ignored);
    kg_text_free(&text);
}

bool kg_report_files_write(const struct kg_comparison *comparison,
                           const struct kg_suggestions *suggestions, const char *directory,
                           struct kg_error *err)
{
    struct kg_arena arena = {0};
    struct kg_text markdown = {0};
    const char *json_path = kg_arena_printf(&arena, "%s/comparison.json", directory);
    const char *suggestions_path = kg_arena_printf(&arena, "%s/suggestions.json", directory);
    const char *markdown_path = kg_arena_printf(&arena, "%s/report.md", directory);
    kg_report_comparison_markdown(comparison, suggestions, 0, &markdown);
    bool good = json_path && suggestions_path && markdown_path && !markdown.failed
                    ? true
                    : kg_error_memory(err);
    good = good && kg_directory_make(directory, err) &&
           kg_comparison_write(comparison, json_path, err) &&
           kg_suggestions_write(suggestions, suggestions_path, err) &&
           kg_file_write(markdown_path, kg_text_string(&markdown), markdown.length, err);
    kg_text_free(&markdown);
    kg_arena_free(&arena);
    return good;
}
