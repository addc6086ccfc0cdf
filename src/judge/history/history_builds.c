/* history_builds.c: the table `build`: files with the code behind the runs. Paired rounds of a suspected change find
 * the build of each side here, by code hash or by commit, and the file itself in the store (judge/builds.h). */
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "judge/history/history_builds.h"
#include "judge/history/history_writer.h"

enum { SCOPES = 4 };

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

/* --- Writing ---------------------------------------------------------------------------------- */

static const char *libraries_join(struct kg_arena *arena, const struct kg_code_identity *code)
{
    struct kg_text text = {0};
    for (size_t i = 0; i < code->library_count; i++)
        kg_text_printf(&text, "%s%s", i ? "\n" : "", code->libraries[i]);
    const char *joined = kg_arena_copy(arena, kg_text_string(&text));
    kg_text_free(&text);
    return joined;
}

static bool build_write(struct kg_history_writer *writer, struct kg_query *query,
                        struct kg_arena *arena, const struct kg_case_result *result,
                        struct kg_error *err)
{
    const struct kg_code_identity *code = &result->code;
    return kg_query_run(query, err, "tiittt", writer->suite,
                        code->hash ? kg_history_code_number(code->hash) : 0, writer->commit,
                        result->build, kg_code_scope_names[code->scope],
                        libraries_join(arena, code));
}

/* Whether an earlier case of the run has the same code in the same file. */
static bool is_repeated(struct kg_arena *arena, struct kg_names *seen,
                        const struct kg_case_result *result)
{
    const char *key = kg_arena_printf(arena, "%s %s", result->build, or_empty(result->code.hash));
    const size_t length = strlen(key);
    if (kg_names_find(seen, key, length))
        return true;
    kg_names_set(arena, seen, key, length, 1);
    return false;
}

bool kg_history_builds_write(struct kg_history_writer *writer, const struct kg_results *results,
                             struct kg_error *err)
{
    /* The libraries may change between two runs of one commit: the newest count. */
    static const char sql[] =
        "INSERT INTO build (suite, code, commit_, hash, scope, libraries) VALUES ($1, $2, $3, $4, "
        "$5, $6) ON CONFLICT (suite, code, commit_, hash) DO UPDATE SET scope = excluded.scope, "
        "libraries = excluded.libraries";
    struct kg_query query = {0};
    struct kg_arena arena = {0};
    struct kg_names seen = {0};
    bool good = !results->file_count || kg_query_prepare(writer->database, sql, &query, err);
    for (size_t i = 0; good && results->file_count && i < results->case_count; i++) {
        const struct kg_case_result *result = &results->cases[i];
        if (result->build && !is_repeated(&arena, &seen, result))
            good = build_write(writer, &query, &arena, result, err);
    }
    kg_query_free(&query);
    kg_arena_free(&arena);
    return good;
}

/* --- Reading ---------------------------------------------------------------------------------- */

bool kg_builds_query_prepare(struct kg_history_database *database,
                             struct kg_history_builds_query *query, struct kg_error *err)
{
    return kg_query_prepare(database,
                            "SELECT hash, scope, libraries, code FROM build WHERE suite = $1 AND "
                            "code = $2 ORDER BY CASE WHEN commit_ = $3 THEN 0 ELSE 1 END, hash",
                            &query->by_code, err) &&
           kg_query_prepare(database,
                            "SELECT hash, scope, libraries, code FROM build WHERE suite = $1 AND "
                            "commit_ = $2 ORDER BY hash",
                            &query->by_commit, err);
}

void kg_builds_query_free(struct kg_history_builds_query *query)
{
    kg_query_free(&query->by_code);
    kg_query_free(&query->by_commit);
}

static void libraries_split(struct kg_arena *arena, const char *joined,
                            struct kg_code_identity *code)
{
    size_t capacity = 0;
    while (joined && *joined) {
        const size_t length = strcspn(joined, "\n");
        kg_arena_grow(arena, &code->libraries, code->library_count, &capacity,
                      sizeof *code->libraries);
        code->libraries[code->library_count++] = kg_arena_copy_bytes(arena, joined, length);
        joined += length + (joined[length] == '\n');
    }
}

static struct kg_history_build build_read(const struct kg_query *query, struct kg_arena *arena)
{
    const size_t scope =
        kg_word_index(or_empty(kg_row_text(query, 1)), kg_code_scope_names, SCOPES);
    struct kg_history_build build = {.hash = kg_row_copy(query, 0, arena)};
    build.code.scope = scope < SCOPES ? (enum kg_code_scope)scope : KG_CODE_FILE_ALONE;
    if (kg_row_integer(query, 3))
        build.code.hash =
            kg_arena_printf(arena, "%016llx", (unsigned long long)kg_row_integer(query, 3));
    libraries_split(arena, kg_row_text(query, 2), &build.code);
    return build;
}

bool kg_history_builds_find(struct kg_history_builds_query *queries,
                            const struct kg_history_builds_wanted *wanted, struct kg_arena *arena,
                            struct kg_history_build **builds, size_t *count, struct kg_error *err)
{
    struct kg_query *query = wanted->code ? &queries->by_code : &queries->by_commit;
    size_t capacity = 0;
    enum kg_step step;
    *builds = NULL;
    *count = 0;
    if (!wanted->code && !wanted->commit)
        return true;
    if (wanted->code)
        kg_query_begin(query, "tii", wanted->suite, wanted->code, wanted->commit);
    else
        kg_query_begin(query, "ti", wanted->suite, wanted->commit);
    while ((step = kg_query_step(query, err)) == KG_STEP_ROW) {
        kg_arena_grow(arena, builds, *count, &capacity, sizeof **builds);
        (*builds)[(*count)++] = build_read(query, arena);
    }
    kg_query_reset(query);
    if (!wanted->code && *count > 1)
        *count = 0; /* nothing tells which program of the commit had the case */
    return step == KG_STEP_DONE;
}
