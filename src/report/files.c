/* files.c: the files that a comparison leaves in a folder. */
#include "report/report.h"
#include "util/file.h"

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
