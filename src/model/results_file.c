/* results_file.c: writes results to a file and reads them back. If a killed run left a journal, it
 * is read as results. */
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/text.h"
#include "model/journal.h"
#include "model/results.h"

bool kg_results_write(const struct kg_results *results, const char *path, struct kg_error *err)
{
    if (!kg_results_validate(results, err)) {
        err->kind = KG_ERROR_SYSTEM;
        return kg_error_wrap(err, "the results just written could not be read again");
    }
    return kg_record_save(&kg_results_record, results, KG_RESULTS_SCHEMA, path, err);
}

static bool is_journal(const struct kg_text *text)
{
    static const char mark[] = "{\"schema\": \"" KG_JOURNAL_MARK;
    return text->length >= sizeof mark - 1 && !memcmp(text->data, mark, sizeof mark - 1);
}

static bool text_parse(const char *path, const struct kg_text *text, struct kg_results *results,
                       struct kg_error *err)
{
    return is_journal(text)
               ? kg_journal_parse(path, text->data, text->length, results, err)
               : kg_record_parse(&kg_results_record, KG_RESULTS_SCHEMA, path, kg_text_string(text),
                                 text->length, &results->arena, results, err);
}

bool kg_results_load(const char *path, struct kg_results *results, struct kg_error *err)
{
    struct kg_text text = {0};
    *results = (struct kg_results){0};
    const bool good = kg_record_load_parts(&kg_results_record, KG_RESULTS_SCHEMA, path,
                                           &results->arena, results) ||
                      (kg_file_read(path, KG_RECORD_FILE_MOST, &text, err) &&
                       text_parse(path, &text, results, err));
    kg_text_free(&text);
    if (good && kg_results_validate(results, err))
        return true;
    if (!err->path[0] && err->kind == KG_ERROR_USAGE && !strstr(err->message, path))
        kg_error_wrap(err, "%s", path);
    kg_results_free(results);
    return false;
}

const char *kg_results_recording(struct kg_arena *arena, const char *path,
                                 const struct kg_results *results)
{
    const char *slash = strrchr(path, '/');
    struct stat status;
    if (!results->profile || strchr(results->profile, '/'))
        return NULL;
    const char *beside = kg_arena_printf(arena, "%.*s%s", slash ? (int)(slash + 1 - path) : 0, path,
                                         results->profile);
    /* kgate would wait for a pipe of that name */
    return beside && stat(beside, &status) == 0 && !S_ISREG(status.st_mode) ? NULL : beside;
}
