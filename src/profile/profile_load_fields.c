#include "profile/profile_load_fields.h"

#include <math.h>
#include <string.h>

#include "profile/fields.h"
#include "profile/paths.h"

/* --- Tables ---------------------------------------------------------------------------------- */

#define OF_REAL KG_FIELD_REAL, .optional = false
#define OF_MAYBE_REAL KG_FIELD_REAL, .optional = true
#define OF_COUNT KG_FIELD_COUNT, .optional = false
#define OF_MAYBE_COUNT KG_FIELD_COUNT, .optional = true
#define OF_SIZE KG_FIELD_SIZE, .optional = false
#define OF_BOOL KG_FIELD_BOOL, .optional = false
#define OF_MAYBE_BOOL KG_FIELD_BOOL, .optional = true
#define OF_TEXT KG_FIELD_STRING, .optional = false
#define OF_MAYBE_TEXT KG_FIELD_STRING, .optional = true
/* PLACE says where the members are; a list's items have commas. */
#define OF_FIELD(member, of)                                                                       \
    {                                                                                              \
        .name = #member, .kind = OF_##of, .offset = PLACE(member)                                  \
    }
#define OF_LIST(member, of) OF_FIELD(member, of),

#define LIST(type, member, count, list_kind, table)                                                \
    {                                                                                              \
        .name = #member, .kind = (list_kind), .offset = offsetof(type, member),                    \
        .count_offset = offsetof(type, count), .record = (table)                                   \
    }

#define PLACE(member) offsetof(struct kgate_profile_losses, member)
static const struct kg_field losses_fields[] = {KG_PROFILE_LOSSES_FIELDS(OF_LIST)};
static const struct kg_record losses_record =
    KG_RECORD_OF(struct kgate_profile_losses, losses_fields);
#undef PLACE

#define PLACE(member) offsetof(struct kg_loaded_process, process.member)
static const struct kg_field process_fields[] = {
    KG_PROFILE_PROCESS_FIELDS(OF_LIST)
        KG_FIELD(struct kg_loaded_process, sampling, KG_FIELD_STRING),
    {.name = "losses", .kind = KG_FIELD_RECORD, .offset = PLACE(losses), .record = &losses_record},
};
static const struct kg_record process_record =
    KG_RECORD_OF(struct kg_loaded_process, process_fields);
#undef PLACE

#define PLACE(member) offsetof(struct kg_loaded_thread, member)
static const struct kg_field thread_fields[] = {
    OF_FIELD(process, SIZE),
    OF_FIELD(thread, COUNT),
    OF_FIELD(system_id, COUNT),
    OF_FIELD(name, TEXT),
};
static const struct kg_record thread_record = KG_RECORD_OF(struct kg_loaded_thread, thread_fields);
#undef PLACE

#define PLACE(member) offsetof(struct kg_profile_share, member)
static const struct kg_field share_fields[] = {
    {.name = "path", .kind = KG_FIELD_SIZE, .offset = PLACE(row)},
    KG_PROFILE_SHARE_FIELDS(OF_LIST)};
static const struct kg_record share_record = KG_RECORD_OF(struct kg_profile_share, share_fields);
#undef PLACE

#define PLACE(member) offsetof(struct kg_profile_name, figures.member)
static const struct kg_field name_fields[] = {
    KG_FIELD(struct kg_profile_name, name, KG_FIELD_STRING), KG_PROFILE_FIGURES_FIELDS(OF_LIST)};
static const struct kg_record name_record = KG_RECORD_OF(struct kg_profile_name, name_fields);
#undef PLACE

static const struct kg_field row_fields[] = {
#define PLACE(member) offsetof(struct kg_loaded_row, row.path.member)
    KG_PROFILE_PATH_FIELDS(OF_LIST)
#undef PLACE
#define PLACE(member) offsetof(struct kg_loaded_row, row.figures.member)
        KG_PROFILE_FIGURES_FIELDS(OF_LIST)
#undef PLACE
            KG_FIELD(struct kg_loaded_row, kind, KG_FIELD_STRING),
    {.name = "rounds_ns",
     .kind = KG_FIELD_REALS,
     .offset = offsetof(struct kg_loaded_row, row.rounds_ns),
     .count_offset = offsetof(struct kg_loaded_row, row.round_count)},
    {.name = "process_calls",
     .kind = KG_FIELD_REALS,
     .offset = offsetof(struct kg_loaded_row, row.calls),
     .count_offset = offsetof(struct kg_loaded_row, row.process_count)},
};
static const struct kg_record row_record = KG_RECORD_OF(struct kg_loaded_row, row_fields);

static const struct kg_field loaded_fields[] = {
    KG_FIELD(struct kg_loaded, wall_ns, KG_FIELD_REAL),
    KG_FIELD(struct kg_loaded, entry_count, KG_FIELD_COUNT),
    LIST(struct kg_loaded, processes, process_count, KG_FIELD_RECORDS, &process_record),
    LIST(struct kg_loaded, threads, thread_count, KG_FIELD_RECORDS, &thread_record),
    LIST(struct kg_loaded, paths, path_count, KG_FIELD_RECORDS, &row_record),
    LIST(struct kg_loaded, names, name_count, KG_FIELD_RECORDS, &name_record),
    {.name = "thread_shares",
     .kind = KG_FIELD_RECORDS,
     .optional = true,
     .offset = offsetof(struct kg_loaded, thread_shares),
     .count_offset = offsetof(struct kg_loaded, thread_share_count),
     .record = &share_record},
};
const struct kg_record kg_loaded_record = KG_RECORD_OF(struct kg_loaded, loaded_fields);

#define PLACE(member) offsetof(struct kg_loaded_entry, member)
static const struct kg_field entry_fields[] = {
    OF_FIELD(process, SIZE),
    OF_FIELD(path, SIZE),
    OF_FIELD(thread, COUNT),
    OF_FIELD(start_ns, REAL),
    OF_FIELD(duration_ns, REAL),
    OF_FIELD(nested, MAYBE_COUNT),
    OF_FIELD(overhead_ns, MAYBE_REAL),
    OF_FIELD(bytes, MAYBE_COUNT),
    OF_FIELD(allocated_bytes, MAYBE_COUNT),
    OF_FIELD(peak_bytes, MAYBE_COUNT),
    OF_FIELD(cpu_ns, MAYBE_REAL),
    OF_FIELD(gpu_start_ns, MAYBE_REAL),
    OF_FIELD(gpu_ns, MAYBE_REAL),
    OF_FIELD(unfinished, MAYBE_BOOL),
};
const struct kg_record kg_loaded_entry_record = KG_RECORD_OF(struct kg_loaded_entry, entry_fields);
#undef PLACE

/* --- Whether it can be ----------------------------------------------------------------------- */

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

static bool process_check(struct kg_loaded_process *loaded, size_t index, struct kg_error *err)
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
static bool is_nested(const struct kg_loaded *loaded, size_t row)
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

static bool rounds_check(const struct kg_loaded *loaded, size_t index, struct kg_error *err)
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

static bool row_check(const struct kg_loaded *loaded, size_t index, struct kg_error *err)
{
    static const char *const devices[] = {"cpu", "cuda"};
    struct kg_profile_path *path = &loaded->paths[index].row.path;
    size_t device;
    if (!word_find(loaded->paths[index].kind, kg_scope_kind_names, KG_SCOPE_KINDS, &path->kind))
        return refuse(err, "paths", index, "kind", "compute, transfer, profiler, wait or parallel");
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

/* Whether it comes after the one before it, by process, thread and path. */
static bool is_after(const struct kg_profile_share *share, const struct kg_profile_share *before)
{
    if (share->process != before->process)
        return share->process > before->process;
    if (share->thread != before->thread)
        return share->thread > before->thread;
    return share->row > before->row;
}

static bool share_check(const struct kg_loaded *loaded, size_t index, struct kg_error *err)
{
    const struct kg_profile_share *share = &loaded->thread_shares[index];
    if (share->row >= loaded->path_count)
        return refuse(err, "thread_shares", index, "path", "one that is there");
    if (share->process >= loaded->process_count || share->thread > UINT32_MAX)
        return refuse(err, "thread_shares", index, "process", "one that is there");
    if (index && !is_after(share, share - 1))
        return refuse(err, "thread_shares", index, "path",
                      "them in order of process, thread and path");
    return reals_check(&share_record, share, "thread_shares", index, err);
}

bool kg_loaded_check(struct kg_loaded *loaded, struct kg_error *err)
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
    for (size_t i = 0; i < loaded->thread_share_count; i++)
        if (!share_check(loaded, i, err))
            return false;
    for (size_t i = 0; i < loaded->thread_count; i++)
        if (loaded->threads[i].process >= loaded->process_count ||
            loaded->threads[i].thread > UINT32_MAX)
            return refuse(err, "threads", i, "process", "one that is there");
    return isfinite(loaded->wall_ns) && loaded->wall_ns >= 0
               ? true
               : kg_error_set(err, KG_ERROR_USAGE, "wall_ns: expected a number from 0 up");
}
