#include "run/import/importing.h"

#include <string.h>

#include "base/file.h"
#include "base/text.h"

enum { FILE_MOST = 256 * 1024 * 1024 };

/* --- One file --------------------------------------------------------------------------------- */

static const struct kg_adapter *adapter_of(const struct kg_json *json)
{
    for (size_t i = 0; kg_adapters[i]; i++)
        if (kg_adapters[i]->is_json(json))
            return kg_adapters[i];
    return NULL;
}

static bool adapter_unknown(const char *path, struct kg_error *err)
{
    struct kg_text text = {0};
    for (size_t i = 0; kg_adapters[i]; i++)
        kg_text_printf(&text, "%s%s", i ? ", " : "", kg_adapters[i]->name);
    kg_error_at(err, path, 0, 0,
                "the JSON has none of the formats %s; `kgate import --help` describes them",
                kg_text_string(&text));
    kg_text_free(&text);
    return false;
}

static bool adapter_choose(const char *path, const struct kg_json *json,
                           struct kg_import_files *files, struct kg_error *err)
{
    const struct kg_adapter *found = adapter_of(json);
    if (!found)
        return adapter_unknown(path, err);
    if (files->adapter && files->adapter != found)
        return kg_error_at(err, path, 0, 0, "has the format %s, but %s is expected", found->name,
                           files->adapter->name);
    files->adapter = found;
    return true;
}

/* A table for people or a CSV: JSON's fault at its first character would help nobody. */
static bool json_begins(const char *path, const struct kg_text *text, struct kg_error *err)
{
    const char *bytes = kg_text_string(text);
    const char first = bytes[strspn(bytes, " \t\r\n")];
    struct kg_text words = {0};
    if (first == '{' || first == '[' || !text->length)
        return true;
    kg_text_append(&words, "not JSON; `kgate import` reads: ");
    for (size_t i = 0; kg_adapters[i]; i++)
        kg_text_printf(&words, "%s%s", i ? "; " : "", kg_adapters[i]->help);
    kg_error_at(err, path, 0, 0, "%s", kg_text_string(&words));
    kg_text_free(&words);
    return false;
}

static bool given_once(const struct kg_import_files *files, const struct kg_import_file *file,
                       struct kg_error *err)
{
    for (size_t i = 0; i < files->count; i++)
        if (!strcmp(files->files[i].hash, file->hash))
            return kg_error_at(
                err, file->path, 0, 0,
                "the same as '%.300s': a process is one round, even if you give it twice",
                files->files[i].path);
    return true;
}

static bool file_read(struct kg_arena *arena, const char *path, struct kg_import_files *files,
                      struct kg_error *err)
{
    struct kg_text text = {0};
    struct kg_arena tree = {0};
    const struct kg_json *json = NULL;
    kg_arena_grow(arena, &files->files, files->count, &files->capacity, sizeof *files->files);
    struct kg_import_file *file = &files->files[files->count];
    *file = (struct kg_import_file){.path = kg_arena_copy(arena, path)};
    bool good = kg_file_read(path, FILE_MOST, &text, err) && json_begins(path, &text, err) &&
                (json = kg_json_read(path, kg_text_string(&text), text.length, &tree, err)) &&
                adapter_choose(path, json, files, err);
    if (good && !kg_file_hash(path, file->hash))
        good = kg_error_set(err, KG_ERROR_SYSTEM, "cannot read '%.300s' again", path);
    good = good && given_once(files, file, err);
    if (good && !kg_foreign_read(files->adapter, arena, path, json, &file->content, err))
        good = kg_error_wrap(err, "%.300s", path);
    kg_arena_free(&tree);
    kg_text_free(&text);
    files->count += good;
    return good;
}

/* --- All -------------------------------------------------------------------------------------- */

bool kg_import_files_read(struct kg_arena *arena, const char *const *paths, size_t count,
                          const char *format, struct kg_import_files *files, struct kg_error *err)
{
    *files = (struct kg_import_files){.adapter = format ? kg_adapter_find(format) : NULL};
    if (format && !files->adapter)
        return adapter_unknown(format, err);
    for (size_t i = 0; i < count; i++)
        if (!file_read(arena, paths[i], files, err))
            return false;
    return true;
}
