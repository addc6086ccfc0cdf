#include "profiler/read/profile_load.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "profiler/read/profile_load_fields.h"

static const size_t FILE_MOST = (size_t)1 << 30;
static const double TIME_MOST_NS = 0x1p57; /* as in a recording */

/* --- The file, with its entries a line each or not ------------------------------------------- */

/* A JSON profile that is open. */
struct reader {
    const char *path;
    FILE *file;
    char *line; /* the last one read */
    size_t capacity, length;
    unsigned number; /* of the line */
    bool lines;      /* entries are a line each, and come next in `file`; else they are loaded */
    struct kg_arena arena;
    struct kg_loaded loaded;
};

static bool line_read(struct reader *reader)
{
    const ssize_t length = getline(&reader->line, &reader->capacity, reader->file);
    reader->length = length < 0 ? 0 : (size_t)length;
    reader->number++;
    return length > 0;
}

static bool line_is(const struct reader *reader, const char *line)
{
    return reader->length && !strcmp(reader->line, line);
}

/* Whether the line is an entry, as kg_profile_json writes it. */
static bool line_is_entry(const struct reader *reader)
{
    const char *line = reader->line;
    const size_t length = reader->length;
    return length > 8 && !strncmp(line, "    {\"", 6) &&
           (!strcmp(line + length - 3, "},\n") || !strcmp(line + length - 2, "}\n"));
}

/* Reads up to the entries, or all of a file without that line. */
static bool head_read(struct reader *reader, struct kg_text *text, bool *lines,
                      struct kg_error *err)
{
    *lines = false;
    while (!*lines && line_read(reader)) {
        *lines = line_is(reader, "  \"entries\": [\n");
        if (!*lines)
            kg_text_append_bytes(text, reader->line, reader->length);
        if (text->length > FILE_MOST)
            return kg_error_set(err, KG_ERROR_USAGE, "'%s' is longer than %zu bytes", reader->path,
                                FILE_MOST);
    }
    if (*lines)
        kg_text_append(text, "  \"entries\": []\n}\n");
    if (ferror(reader->file))
        return kg_error_set(err, KG_ERROR_SYSTEM, "cannot read '%s': %s", reader->path,
                            strerror(errno));
    return true;
}

/* Whether the rest is as kg_profile_json writes it, commas included; leaves the file at the first
 * entry. */
static bool lines_follow(struct reader *reader)
{
    const off_t place = ftello(reader->file);
    const unsigned number = reader->number;
    bool more = line_read(reader), comma = false, separated = true;
    for (bool first = true; more && line_is_entry(reader); first = false) {
        separated = separated && (first || comma);
        comma = reader->line[reader->length - 2] == ',';
        more = line_read(reader);
    }
    const bool ends = separated && !comma && more && line_is(reader, "  ]\n") &&
                      line_read(reader) && line_is(reader, "}\n") && !line_read(reader);
    reader->number = number;
    return ends && place >= 0 && fseeko(reader->file, place, SEEK_SET) == 0;
}

static void reader_close(struct reader *reader)
{
    kg_arena_free(&reader->arena);
    free(reader->line);
    if (reader->file)
        fclose(reader->file);
}

static bool reader_load(struct reader *reader, struct kg_error *err)
{
    struct kg_text text = {0};
    bool good = head_read(reader, &text, &reader->lines, err);
    if (good && reader->lines && !lines_follow(reader)) {
        reader->lines = false;
        kg_text_free(&text);
        good = kg_file_read(reader->path, FILE_MOST, &text, err);
    }
    good =
        good &&
        kg_record_parse(&kg_profile_file_record, KG_PROFILE_SCHEMA, reader->path,
                        kg_text_string(&text), text.length, &reader->arena, &reader->loaded, err) &&
        kg_loaded_check(&reader->loaded, err);
    kg_text_free(&text);
    return good;
}

/* On failure nothing is left open, and err says of which file. */
static bool reader_open(struct reader *reader, const char *path, struct kg_error *err)
{
    const int file = kg_file_open(path, err);
    if (file < 0)
        return false;
    *reader = (struct reader){.path = path, .file = fdopen(file, "r")};
    if (!reader->file) {
        close(file);
        return kg_error_set(err, KG_ERROR_SYSTEM, "cannot read '%s': %s", path, strerror(errno));
    }
    if (reader_load(reader, err))
        return true;
    if (err->kind == KG_ERROR_USAGE)
        snprintf(err->path, sizeof err->path, "%s", path);
    reader_close(reader);
    return false;
}

/* --- A profile ------------------------------------------------------------------------------- */

static void profile_make(struct reader *reader, struct kg_profile *profile)
{
    const struct kg_loaded *loaded = &reader->loaded;
    *profile = (struct kg_profile){.arena = reader->arena,
                                   .process_count = loaded->process_count,
                                   .row_count = loaded->path_count,
                                   .names = loaded->names,
                                   .name_count = loaded->name_count,
                                   .shares = loaded->thread_shares,
                                   .share_count = loaded->thread_share_count,
                                   .entry_count = loaded->entry_count,
                                   .wall_ns = loaded->wall_ns};
    reader->arena = (struct kg_arena){0};
    profile->processes =
        kg_arena_alloc(&profile->arena, loaded->process_count, sizeof *profile->processes);
    profile->rows = kg_arena_alloc(&profile->arena, loaded->path_count, sizeof *profile->rows);
    for (size_t i = 0; i < loaded->process_count; i++)
        profile->processes[i] = loaded->processes[i].process;
    for (size_t i = 0; i < loaded->path_count; i++)
        profile->rows[i] = loaded->paths[i].row;
}

bool kg_profile_load(const char *path, struct kg_profile *profile, struct kg_error *err)
{
    struct reader reader;
    *profile = (struct kg_profile){0};
    if (kg_profile_is_recording(path))
        return kg_profile_read(path, profile, err);
    if (!reader_open(&reader, path, err))
        return false;
    profile_make(&reader, profile);
    reader_close(&reader);
    return true;
}

/* --- Its entries ----------------------------------------------------------------------------- */

static bool stream_read(const char *text, uint64_t *stream, struct kg_error *err)
{
    char *end = NULL;
    if (!text)
        return true;
    if (!strncmp(text, "0x", 2))
        *stream = strtoull(text + 2, &end, 16);
    return end && end != text + 2 && !*end
               ? true
               : kg_error_set(err, KG_ERROR_USAGE, "stream: expected an address such as 0x0");
}

static bool times_check(const struct kg_loaded_entry *entry, struct kg_error *err)
{
    const double times[] = {entry->duration_ns, entry->overhead_ns, entry->cpu_ns, entry->gpu_ns};
    bool good = fabs(entry->start_ns) <= TIME_MOST_NS && entry->duration_ns >= 0 &&
                !(fabs(entry->gpu_start_ns) > TIME_MOST_NS);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        good = good && !(times[i] < 0 || times[i] > TIME_MOST_NS);
    return good ? true : kg_error_set(err, KG_ERROR_USAGE, "an impossible time");
}

static bool entry_pass(const struct reader *reader, const struct kg_loaded_entry *loaded,
                       const struct kg_profile_visitor *visitor, struct kg_error *err)
{
    uint64_t stream = 0;
    if (!stream_read(loaded->stream, &stream, err) || !times_check(loaded, err))
        return false;
    if (loaded->process >= reader->loaded.process_count ||
        loaded->path >= reader->loaded.path_count || loaded->thread > UINT32_MAX)
        return kg_error_set(err, KG_ERROR_USAGE, "its process, path or thread does not exist");
    const struct kg_profile_entry entry = {
        .process = loaded->process,
        .path = loaded->path,
        .thread = (uint32_t)loaded->thread,
        .unfinished = loaded->unfinished,
        .start_ns = loaded->start_ns,
        .duration_ns = loaded->duration_ns,
        .overhead_ns = isnan(loaded->overhead_ns) ? 0 : loaded->overhead_ns,
        .nested = loaded->nested,
        .bytes = loaded->bytes,
        .allocated_bytes = loaded->allocated_bytes,
        .peak_bytes = loaded->peak_bytes,
        .cpu_ns = loaded->cpu_ns,
        .gpu_start_ns = loaded->gpu_start_ns,
        .gpu_ns = loaded->gpu_ns,
        .stream = stream,
    };
    return !visitor->entry || visitor->entry(visitor->user, &entry, err);
}

/* Says which entry is wrong, on which line. */
static bool entry_refuse(const struct reader *reader, size_t index, unsigned line,
                         struct kg_error *err)
{
    if (err->kind != KG_ERROR_USAGE)
        return false;
    kg_error_wrap(err, "entries[%zu]", index);
    snprintf(err->path, sizeof err->path, "%s", reader->path);
    err->line = line;
    return false;
}

static bool lines_pass(struct reader *reader, const struct kg_profile_visitor *visitor,
                       struct kg_error *err)
{
    struct kg_arena arena = {0};
    bool good = true;
    for (size_t i = 0; good && line_read(reader) && line_is_entry(reader); i++) {
        struct kg_loaded_entry entry = {0};
        size_t length = reader->length - 1;
        if (reader->line[length - 1] == ',')
            length--;
        good = (kg_record_parse(&kg_loaded_entry_record, NULL, reader->path, reader->line, length,
                                &arena, &entry, err) &&
                entry_pass(reader, &entry, visitor, err)) ||
               entry_refuse(reader, i, reader->number, err);
        kg_arena_clear(&arena);
    }
    kg_arena_free(&arena);
    return good;
}

static bool entries_pass(struct reader *reader, const struct kg_profile_visitor *visitor,
                         struct kg_error *err)
{
    const struct kg_loaded *loaded = &reader->loaded;
    if (reader->lines)
        return lines_pass(reader, visitor, err);
    for (size_t i = 0; i < loaded->listed_count; i++)
        if (!entry_pass(reader, &loaded->entries[i], visitor, err))
            return entry_refuse(reader, i, 0, err);
    return true;
}

/* Processes, paths, threads. */
static bool facts_pass(const struct kg_loaded *loaded, const struct kg_profile_visitor *visitor,
                       struct kg_error *err)
{
    for (size_t i = 0; i < loaded->process_count && visitor->process; i++)
        if (!visitor->process(visitor->user, i, &loaded->processes[i].process, err))
            return false;
    for (size_t i = 0; i < loaded->path_count && visitor->path; i++)
        if (!visitor->path(visitor->user, i, &loaded->paths[i].row.path, err))
            return false;
    for (size_t i = 0; i < loaded->thread_count && visitor->thread; i++) {
        const struct kg_loaded_thread *thread = &loaded->threads[i];
        if (!visitor->thread(visitor->user, thread->process, (uint32_t)thread->thread,
                             thread->system_id, thread->name, err))
            return false;
    }
    return true;
}

bool kg_profile_json_scan(const char *path, const struct kg_profile_visitor *visitor,
                          struct kg_error *err)
{
    struct reader reader;
    if (!reader_open(&reader, path, err))
        return false;
    const struct kg_loaded *loaded = &reader.loaded;
    bool good = facts_pass(loaded, visitor, err) && entries_pass(&reader, visitor, err);
    for (size_t i = 0; i < loaded->process_count && visitor->process_end && good; i++)
        good = visitor->process_end(visitor->user, i, &loaded->processes[i].process, err);
    reader_close(&reader);
    return good;
}

/* --- Which kind ------------------------------------------------------------------------------ */

/* The beginning of a regular file as a string; opening a pipe could wait, and would take bytes from
 * whoever reads it. */
static bool beginning_read(const char *path, char *bytes, size_t size)
{
    struct stat status;
    FILE *file = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "re") : NULL;
    if (!file)
        return false;
    bytes[fread(bytes, 1, size - 1, file)] = '\0';
    fclose(file);
    return true;
}

bool kg_profile_is(const char *path)
{
    char bytes[4096];
    if (kg_profile_is_recording(path))
        return true;
    if (!beginning_read(path, bytes, sizeof bytes))
        return false;
    const char *schema = strstr(bytes, "\"schema\"");
    if (!schema)
        return false;
    schema += strlen("\"schema\"");
    schema += strspn(schema, " \t\r\n:");
    return !strncmp(schema, "\"kgate.profile.", strlen("\"kgate.profile."));
}

bool kg_profile_or_json(const char *path, struct kg_error *err)
{
    char bytes[4096];
    if (kg_profile_is_recording(path) || !beginning_read(path, bytes, sizeof bytes))
        return true;
    const char *first = bytes + strspn(bytes, " \t\r\n");
    if (*first == '{' || *first == '[')
        return true;
    struct stat status;
    if (stat(path, &status) == 0 && !status.st_size)
        return kg_error_set(err, KG_ERROR_USAGE, "'%s' is empty", path);
    return kg_error_set(err, KG_ERROR_USAGE,
                        "'%s' is neither JSON nor a recording: not a file of kgate", path);
}
