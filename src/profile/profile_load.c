#include "profile/profile_load.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/fields.h"
#include "profile/paths.h"
#include "util/file.h"
#include "util/record.h"

static const size_t FILE_MOST = (size_t)1 << 30;
static const double TIME_MOST_NS = 0x1p57; /* as in a recording */

/* --- What the file holds, by tables
 * --------------------------------------------------------------- */

struct loaded_process {
    struct kg_profile_process process;
    const char *sampling;
};

struct loaded_row {
    struct kg_profile_row row;
    const char *kind;
};

struct loaded_thread {
    size_t process;
    uint64_t thread, system_id;
    const char *name;
};

struct loaded {
    double wall_ns;
    uint64_t entry_count;
    struct loaded_process *processes;
    size_t process_count;
    struct loaded_thread *threads;
    size_t thread_count;
    struct loaded_row *paths;
    size_t path_count;
    struct kg_profile_name *names;
    size_t name_count;
};

struct loaded_entry {
    size_t process, path;
    uint64_t thread, nested, bytes, allocated_bytes, peak_bytes;
    double start_ns, duration_ns, overhead_ns, cpu_ns, gpu_start_ns, gpu_ns;
    bool unfinished;
};

#define OF_REAL KG_FIELD_REAL, .optional = false
#define OF_MAYBE_REAL KG_FIELD_REAL, .optional = true
#define OF_COUNT KG_FIELD_COUNT, .optional = false
#define OF_MAYBE_COUNT KG_FIELD_COUNT, .optional = true
#define OF_SIZE KG_FIELD_SIZE, .optional = false
#define OF_BOOL KG_FIELD_BOOL, .optional = false
#define OF_MAYBE_BOOL KG_FIELD_BOOL, .optional = true
#define OF_TEXT KG_FIELD_STRING, .optional = false
#define OF_MAYBE_TEXT KG_FIELD_STRING, .optional = true
#define OF_FIELD(member, of) {.name = #member, .kind = OF_##of, .offset = PLACE(member)},
#define LIST(type, member, count, list_kind, table)                                                \
    {                                                                                              \
        .name = #member, .kind = (list_kind), .offset = offsetof(type, member),                    \
        .count_offset = offsetof(type, count), .record = (table)                                   \
    }

#define PLACE(member) offsetof(struct kgate_profile_losses, member)
static const struct kg_field losses_fields[] = {KG_PROFILE_LOSSES_FIELDS(OF_FIELD)};
static const struct kg_record losses_record =
    KG_RECORD_OF(struct kgate_profile_losses, losses_fields);
#undef PLACE

#define PLACE(member) offsetof(struct loaded_process, process.member)
static const struct kg_field process_fields[] = {
    KG_PROFILE_PROCESS_FIELDS(OF_FIELD){.name = "sampling",
                                        .kind = KG_FIELD_STRING,
                                        .offset = offsetof(struct loaded_process, sampling)},
    {.name = "losses", .kind = KG_FIELD_RECORD, .offset = PLACE(losses), .record = &losses_record},
};
static const struct kg_record process_record = KG_RECORD_OF(struct loaded_process, process_fields);
#undef PLACE

#define PLACE(member) offsetof(struct loaded_thread, member)
static const struct kg_field thread_fields[] = {OF_FIELD(process, SIZE) OF_FIELD(
    thread, COUNT) OF_FIELD(system_id, COUNT) OF_FIELD(name, TEXT)};
static const struct kg_record thread_record = KG_RECORD_OF(struct loaded_thread, thread_fields);
#undef PLACE

#define PLACE(member) offsetof(struct kg_profile_name, figures.member)
static const struct kg_field name_fields[] = {
    KG_FIELD(struct kg_profile_name, name, KG_FIELD_STRING), KG_PROFILE_FIGURES_FIELDS(OF_FIELD)};
static const struct kg_record name_record = KG_RECORD_OF(struct kg_profile_name, name_fields);
#undef PLACE

static const struct kg_field row_fields[] = {
#define PLACE(member) offsetof(struct loaded_row, row.path.member)
    KG_PROFILE_PATH_FIELDS(OF_FIELD)
#undef PLACE
#define PLACE(member) offsetof(struct loaded_row, row.figures.member)
        KG_PROFILE_FIGURES_FIELDS(OF_FIELD)
#undef PLACE
            KG_FIELD(struct loaded_row, kind, KG_FIELD_STRING),
    {.name = "rounds_ns",
     .kind = KG_FIELD_REALS,
     .offset = offsetof(struct loaded_row, row.rounds_ns),
     .count_offset = offsetof(struct loaded_row, row.round_count)},
    {.name = "process_calls",
     .kind = KG_FIELD_REALS,
     .offset = offsetof(struct loaded_row, row.calls),
     .count_offset = offsetof(struct loaded_row, row.process_count)},
};
static const struct kg_record row_record = KG_RECORD_OF(struct loaded_row, row_fields);

static const struct kg_field loaded_fields[] = {
    KG_FIELD(struct loaded, wall_ns, KG_FIELD_REAL),
    KG_FIELD(struct loaded, entry_count, KG_FIELD_COUNT),
    LIST(struct loaded, processes, process_count, KG_FIELD_RECORDS, &process_record),
    LIST(struct loaded, threads, thread_count, KG_FIELD_RECORDS, &thread_record),
    LIST(struct loaded, paths, path_count, KG_FIELD_RECORDS, &row_record),
    LIST(struct loaded, names, name_count, KG_FIELD_RECORDS, &name_record),
};
static const struct kg_record loaded_record = KG_RECORD_OF(struct loaded, loaded_fields);

#define PLACE(member) offsetof(struct loaded_entry, member)
static const struct kg_field entry_fields[] = {
    OF_FIELD(process, SIZE) OF_FIELD(path, SIZE) OF_FIELD(thread, COUNT) OF_FIELD(start_ns, REAL)
        OF_FIELD(duration_ns, REAL) OF_FIELD(nested, MAYBE_COUNT) OF_FIELD(overhead_ns, MAYBE_REAL)
            OF_FIELD(bytes, MAYBE_COUNT) OF_FIELD(allocated_bytes, MAYBE_COUNT)
                OF_FIELD(peak_bytes, MAYBE_COUNT) OF_FIELD(cpu_ns, MAYBE_REAL)
                    OF_FIELD(gpu_start_ns, MAYBE_REAL) OF_FIELD(gpu_ns, MAYBE_REAL)
                        OF_FIELD(unfinished, MAYBE_BOOL)};
static const struct kg_record entry_record = KG_RECORD_OF(struct loaded_entry, entry_fields);
#undef PLACE

/* --- Whether it can be
 * ---------------------------------------------------------------------------- */

static bool refuse(struct kg_error *err, const char *list, size_t index, const char *member,
                   const char *expected)
{
    return kg_error_set(err, KG_ERROR_USAGE, "%s[%zu].%s: expected %s", list, index, member,
                        expected);
}

/* Reals that must be there are finite and not negative; null would be neither. */
static bool reals_check(const struct kg_record *record, const void *object, const char *list,
                        size_t index, struct kg_error *err)
{
    for (size_t i = 0; i < record->field_count; i++) {
        const struct kg_field *field = &record->fields[i];
        double value;
        if (field->kind != KG_FIELD_REAL)
            continue;
        memcpy(&value, (const char *)object + field->offset, sizeof value);
        if (isfinite(value) ? value < 0 : !field->optional)
            return refuse(err, list, index, field->name, "a number from 0 up");
    }
    return true;
}

static bool word_find(const char *word, const char *const *words, size_t count, size_t *index)
{
    for (*index = 0; *index < count; ++*index)
        if (!strcmp(word, words[*index]))
            return true;
    return false;
}

static bool process_check(struct loaded_process *loaded, size_t index, struct kg_error *err)
{
    static const char *const words[] = {"requests", "scopes"};
    struct kg_profile_process *process = &loaded->process;
    if (!word_find(loaded->sampling, words, 2, &process->sampling))
        return refuse(err, "processes", index, "sampling", "requests or scopes");
    if (!(process->sample > 0 && process->sample <= 1))
        return refuse(err, "processes", index, "sample", "a share above 0 up to 1");
    return reals_check(&process_record, loaded, "processes", index, err);
}

/* Whether `row` may come after the one before it: its parent is that one, or one around it. */
static bool is_nested(const struct loaded *loaded, size_t row)
{
    const size_t parent = loaded->paths[row].row.path.parent;
    if (parent == row)
        return true;
    for (size_t at = row - 1; row && parent < row; at = loaded->paths[at].row.path.parent) {
        if (at == parent)
            return true;
        if (loaded->paths[at].row.path.parent == at)
            break;
    }
    return false;
}

static bool rounds_check(const struct loaded *loaded, size_t index, struct kg_error *err)
{
    const struct kg_profile_row *row = &loaded->paths[index].row;
    for (size_t i = 0; i < row->round_count; i++)
        if (!(row->rounds_ns[i] >= 0))
            return refuse(err, "paths", index, "rounds_ns", "numbers from 0 up");
    if (row->process_count != loaded->process_count)
        return refuse(err, "paths", index, "process_calls", "a number for each process");
    for (size_t i = 0; i < row->process_count; i++)
        if (!(row->calls[i] >= 0))
            return refuse(err, "paths", index, "process_calls", "numbers from 0 up");
    return true;
}

static bool row_check(const struct loaded *loaded, size_t index, struct kg_error *err)
{
    static const char *const kinds[] = {"compute", "transfer", "profiler"};
    static const char *const devices[] = {"cpu", "cuda"};
    struct kg_profile_path *path = &loaded->paths[index].row.path;
    size_t device;
    if (!word_find(loaded->paths[index].kind, kinds, 3, &path->kind))
        return refuse(err, "paths", index, "kind", "compute, transfer or profiler");
    if (!word_find(path->device, devices, 2, &device))
        return refuse(err, "paths", index, "device", "cpu or cuda");
    if (!is_nested(loaded, index))
        return refuse(err, "paths", index, "parent", "its own index, or that of a path around it");
    const size_t depth = path->parent == index ? 0 : loaded->paths[path->parent].row.path.depth + 1;
    if (path->depth != depth || depth >= KG_PATH_DEPTH_MOST)
        return refuse(err, "paths", index, "depth", "how deep the path is nested");
    return rounds_check(loaded, index, err) &&
           reals_check(&row_record, &loaded->paths[index], "paths", index, err);
}

static bool loaded_check(const struct loaded *loaded, struct kg_error *err)
{
    for (size_t i = 0; i < loaded->process_count; i++)
        if (!process_check(&loaded->processes[i], i, err))
            return false;
    for (size_t i = 0; i < loaded->path_count; i++)
        if (!row_check(loaded, i, err))
            return false;
    for (size_t i = 0; i < loaded->name_count; i++)
        if (!reals_check(&name_record, &loaded->names[i], "names", i, err))
            return false;
    for (size_t i = 0; i < loaded->thread_count; i++)
        if (loaded->threads[i].process >= loaded->process_count ||
            loaded->threads[i].thread > UINT32_MAX)
            return refuse(err, "threads", i, "process", "one that is there");
    return isfinite(loaded->wall_ns) && loaded->wall_ns >= 0
               ? true
               : kg_error_set(err, KG_ERROR_USAGE, "wall_ns: expected a number from 0 up");
}

/* --- The file, with its entries a line each or not
 * --------------------------------------------------
 */

/* A JSON profile that is open. */
struct reader {
    const char *path;
    FILE *file;
    char *line; /* the last one read */
    size_t capacity, length;
    unsigned number; /* of the line */
    json_t *whole;   /* NULL where entries are a line each, and come next in `file` */
    struct kg_arena arena;
    struct loaded loaded;
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
    return text->failed ? kg_error_memory(err) : true;
}

/* Whether the rest of the file is as kg_profile_json writes it; leaves the file at the first entry.
 */
static bool lines_follow(struct reader *reader)
{
    const off_t place = ftello(reader->file);
    const unsigned number = reader->number;
    bool more = line_read(reader);
    while (more && line_is_entry(reader))
        more = line_read(reader);
    const bool ends = more && line_is(reader, "  ]\n") && line_read(reader) &&
                      line_is(reader, "}\n") && !line_read(reader);
    reader->number = number;
    return ends && place >= 0 && fseeko(reader->file, place, SEEK_SET) == 0;
}

static bool text_parse(struct reader *reader, const struct kg_text *text, bool whole,
                       struct kg_error *err)
{
    json_t *json;
    if (!kg_json_parse(reader->path, kg_text_string(text), text->length, &json, err))
        return false;
    const char *schema = json_string_value(json_object_get(json, "schema"));
    bool good = schema && !strcmp(schema, KG_PROFILE_SCHEMA);
    if (!good)
        kg_error_set(err, KG_ERROR_USAGE, "schema: expected '" KG_PROFILE_SCHEMA "', found %s%.60s",
                     schema ? "" : "nothing", schema ? schema : "");
    good = good && kg_record_read(&loaded_record, json, &reader->arena, &reader->loaded, err) &&
           loaded_check(&reader->loaded, err);
    if (good && whole)
        reader->whole = json_incref(json);
    json_decref(json);
    return good;
}

static void reader_close(struct reader *reader)
{
    json_decref(reader->whole);
    kg_arena_free(&reader->arena);
    free(reader->line);
    if (reader->file)
        fclose(reader->file);
}

static bool reader_load(struct reader *reader, struct kg_error *err)
{
    struct kg_text text = {0};
    bool lines;
    bool good = head_read(reader, &text, &lines, err);
    if (good && lines && !lines_follow(reader)) {
        lines = false;
        kg_text_free(&text);
        good = kg_file_read(reader->path, FILE_MOST, &text, err);
    }
    good = good && text_parse(reader, &text, !lines, err);
    kg_text_free(&text);
    return good;
}

/* On failure nothing is left open, and err says of which file. */
static bool reader_open(struct reader *reader, const char *path, struct kg_error *err)
{
    *reader = (struct reader){.path = path, .file = fopen(path, "re")};
    if (!reader->file)
        return kg_error_set(err, KG_ERROR_USAGE, "cannot read '%s': %s", path, strerror(errno));
    if (reader_load(reader, err))
        return true;
    if (err->kind == KG_ERROR_USAGE)
        snprintf(err->path, sizeof err->path, "%s", path);
    reader_close(reader);
    return false;
}

/* --- A profile
 * ------------------------------------------------------------------------------------ */

static bool profile_make(struct reader *reader, struct kg_profile *profile, struct kg_error *err)
{
    const struct loaded *loaded = &reader->loaded;
    *profile = (struct kg_profile){.arena = reader->arena,
                                   .process_count = loaded->process_count,
                                   .row_count = loaded->path_count,
                                   .names = loaded->names,
                                   .name_count = loaded->name_count,
                                   .entry_count = loaded->entry_count,
                                   .wall_ns = loaded->wall_ns};
    reader->arena = (struct kg_arena){0};
    profile->processes =
        kg_arena_alloc(&profile->arena, loaded->process_count, sizeof *profile->processes);
    profile->rows = kg_arena_alloc(&profile->arena, loaded->path_count, sizeof *profile->rows);
    if (!profile->processes || !profile->rows) {
        kg_profile_free(profile);
        return kg_error_memory(err);
    }
    for (size_t i = 0; i < loaded->process_count; i++)
        profile->processes[i] = loaded->processes[i].process;
    for (size_t i = 0; i < loaded->path_count; i++)
        profile->rows[i] = loaded->paths[i].row;
    return true;
}

bool kg_profile_load(const char *path, struct kg_profile *profile, struct kg_error *err)
{
    struct reader reader;
    *profile = (struct kg_profile){0};
    if (kg_profile_is_recording(path))
        return kg_profile_read(path, profile, err);
    if (!reader_open(&reader, path, err))
        return false;
    const bool good = profile_make(&reader, profile, err);
    reader_close(&reader);
    return good;
}

/* --- Its entries
 * ---------------------------------------------------------------------------------- */

static bool stream_read(const json_t *json, uint64_t *stream, struct kg_error *err)
{
    const json_t *member = json_object_get(json, "stream");
    const char *text = json_string_value(member);
    char *end = NULL;
    if (!member)
        return true;
    if (text && !strncmp(text, "0x", 2))
        *stream = strtoull(text + 2, &end, 16);
    return end && end != text + 2 && !*end
               ? true
               : kg_error_set(err, KG_ERROR_USAGE, "stream: expected an address such as 0x0");
}

static bool times_check(const struct loaded_entry *entry, struct kg_error *err)
{
    const double times[] = {entry->duration_ns, entry->overhead_ns, entry->cpu_ns, entry->gpu_ns};
    bool good = fabs(entry->start_ns) <= TIME_MOST_NS && entry->duration_ns >= 0 &&
                !(fabs(entry->gpu_start_ns) > TIME_MOST_NS);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        good = good && !(times[i] < 0 || times[i] > TIME_MOST_NS);
    return good ? true : kg_error_set(err, KG_ERROR_USAGE, "a time that cannot be");
}

static bool entry_tell(const struct reader *reader, const json_t *json,
                       const struct kg_profile_visitor *visitor, struct kg_error *err)
{
    struct loaded_entry loaded = {0};
    uint64_t stream = 0;
    if (!kg_record_read(&entry_record, json, NULL, &loaded, err) ||
        !stream_read(json, &stream, err) || !times_check(&loaded, err))
        return false;
    if (loaded.process >= reader->loaded.process_count ||
        loaded.path >= reader->loaded.path_count || loaded.thread > UINT32_MAX)
        return kg_error_set(err, KG_ERROR_USAGE, "its process, path or thread is not there");
    const struct kg_profile_entry entry = {
        .process = loaded.process,
        .path = loaded.path,
        .thread = (uint32_t)loaded.thread,
        .unfinished = loaded.unfinished,
        .start_ns = loaded.start_ns,
        .duration_ns = loaded.duration_ns,
        .overhead_ns = isnan(loaded.overhead_ns) ? 0 : loaded.overhead_ns,
        .nested = loaded.nested,
        .bytes = loaded.bytes,
        .allocated_bytes = loaded.allocated_bytes,
        .peak_bytes = loaded.peak_bytes,
        .cpu_ns = loaded.cpu_ns,
        .gpu_start_ns = loaded.gpu_start_ns,
        .gpu_ns = loaded.gpu_ns,
        .stream = stream,
    };
    return !visitor->entry || visitor->entry(visitor->user, &entry, err);
}

static bool lines_tell(struct reader *reader, const struct kg_profile_visitor *visitor,
                       struct kg_error *err)
{
    for (size_t i = 0; line_read(reader) && line_is_entry(reader); i++) {
        size_t length = reader->length - 1;
        json_t *json;
        if (reader->line[length - 1] == ',')
            length--;
        if (!kg_json_parse(reader->path, reader->line, length, &json, err)) {
            err->line = reader->number;
            return false;
        }
        const bool good = entry_tell(reader, json, visitor, err);
        json_decref(json);
        if (!good && err->kind == KG_ERROR_USAGE) {
            kg_error_wrap(err, "entries[%zu]", i);
            snprintf(err->path, sizeof err->path, "%s", reader->path);
            err->line = reader->number;
        }
        if (!good)
            return false;
    }
    return true;
}

static bool entries_tell(struct reader *reader, const struct kg_profile_visitor *visitor,
                         struct kg_error *err)
{
    const json_t *entries = json_object_get(reader->whole, "entries");
    if (!reader->whole)
        return lines_tell(reader, visitor, err);
    if (entries && !json_is_array(entries))
        return kg_error_at(err, reader->path, 0, 0, "entries: expected a list");
    for (size_t i = 0; i < json_array_size(entries); i++) {
        if (entry_tell(reader, json_array_get(entries, i), visitor, err))
            continue;
        if (err->kind == KG_ERROR_USAGE) {
            kg_error_wrap(err, "entries[%zu]", i);
            snprintf(err->path, sizeof err->path, "%s", reader->path);
        }
        return false;
    }
    return true;
}

/* Processes, paths, threads. */
static bool facts_tell(const struct loaded *loaded, const struct kg_profile_visitor *visitor,
                       struct kg_error *err)
{
    for (size_t i = 0; i < loaded->process_count && visitor->process; i++)
        if (!visitor->process(visitor->user, i, &loaded->processes[i].process, err))
            return false;
    for (size_t i = 0; i < loaded->path_count && visitor->path; i++)
        if (!visitor->path(visitor->user, i, &loaded->paths[i].row.path, err))
            return false;
    for (size_t i = 0; i < loaded->thread_count && visitor->thread; i++) {
        const struct loaded_thread *thread = &loaded->threads[i];
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
    const struct loaded *loaded = &reader.loaded;
    bool good = facts_tell(loaded, visitor, err) && entries_tell(&reader, visitor, err);
    for (size_t i = 0; i < loaded->process_count && visitor->process_end && good; i++)
        good = visitor->process_end(visitor->user, i, &loaded->processes[i].process, err);
    reader_close(&reader);
    return good;
}

/* --- Which kind
 * ----------------------------------------------------------------------------------- */

bool kg_profile_is(const char *path)
{
    char bytes[4096];
    if (kg_profile_is_recording(path))
        return true;
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    const size_t length = fread(bytes, 1, sizeof bytes - 1, file);
    fclose(file);
    bytes[length] = '\0';
    const char *schema = strstr(bytes, "\"schema\"");
    if (!schema)
        return false;
    schema += strlen("\"schema\"");
    schema += strspn(schema, " \t\r\n:");
    return !strncmp(schema, "\"kgate.profile.", strlen("\"kgate.profile."));
}
