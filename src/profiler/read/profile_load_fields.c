#include "profiler/read/profile_load_fields.h"

#include <string.h>

#include "profiler/read/bottleneck.h"
#include "profiler/read/paths.h"
#include "profiler/read/profile_fields.h"

/* --- Tables ---------------------------------------------------------------------------------- */

/* One item of the lists in profile_fields.h: of the member of STRUCT that PLACE says. */
#define OF_LIST(member, kind, help) OF_##kind(member, help),
#define OF_REAL(member, help) KG_FIELD_AS(#member, PLACE(member), REAL, help, KG_FROM_0)
#define OF_MAYBE_REAL(member, help)                                                                \
    KG_FIELD_AS(#member, PLACE(member), REAL, help, KG_OPTIONAL, KG_FROM_0)
#define OF_SHARE(member, help)                                                                     \
    KG_FIELD_AS(#member, PLACE(member), REAL, help,                                                \
                KG_RANGE(.least = 0, .most = 1, .above_least = true))
#define OF_ORDINAL(member, help)                                                                   \
    KG_FIELD_AS(#member, PLACE(member), COUNT, help, KG_BETWEEN(1, UINT32_MAX))
#define OF_COUNT(member, help) KG_FIELD_AS(#member, PLACE(member), COUNT, help)
#define OF_SIZE(member, help) KG_FIELD_AS(#member, PLACE(member), SIZE, help)
#define OF_BOOL(member, help) KG_FIELD_AS(#member, PLACE(member), BOOL, help)
#define OF_TEXT(member, help) KG_FIELD_AS(#member, PLACE(member), STRING, help)
#define OF_DEVICE(member, help)                                                                    \
    KG_FIELD_AS(#member, PLACE(member), STRING, help, KG_WORDS("cpu", "cuda"))
#define OF_MAYBE_TEXT(member, help) KG_FIELD_AS(#member, PLACE(member), STRING, help, KG_OPTIONAL)

static const char *const sampling_names[] = {"requests", "scopes", NULL};

#define STRUCT kgate_profile_losses
#define PLACE(member) member
static const struct kg_field losses_fields[] = {KG_PROFILE_LOSSES_FIELDS(OF_LIST)};
static const struct kg_record losses_record =
    KG_RECORD_OF(losses_fields, "Lost entries by reason.");
#undef PLACE
#undef STRUCT

#define STRUCT kg_loaded_process
#define PLACE(member) process.member
static const struct kg_field process_fields[] = {
    KG_PROFILE_PROCESS_FIELDS(OF_LIST)
        KG_FIELD(sampling, STRING, "items that were sampled", KG_NAMES(sampling_names)),
    KG_FIELD_AS("losses", process.losses, RECORD, NULL, KG_OF(losses_record)),
};
static const struct kg_record process_record = KG_RECORD_OF(process_fields, "One process.");
#undef PLACE
#undef STRUCT

#define STRUCT kg_loaded_thread
static const struct kg_field thread_fields[] = {
    KG_FIELD(process, SIZE, "index into `processes`"),
    KG_FIELD(thread, COUNT, "number of the thread in the process", KG_BETWEEN(0, UINT32_MAX)),
    KG_FIELD(system_id, COUNT, "thread id of the system"),
    KG_FIELD(name, STRING, "name of the thread; may be empty"),
};
static const struct kg_record thread_record = KG_RECORD_OF(thread_fields, "One thread.");
#undef STRUCT

#define STRUCT kg_profile_share
#define PLACE(member) member
static const struct kg_field share_fields[] = {KG_FIELD_AS("path", row, SIZE, "index into `paths`"),
                                               KG_PROFILE_SHARE_FIELDS(OF_LIST)};
static const struct kg_record share_record =
    KG_RECORD_OF(share_fields, "Time of a path per thread and process.");
#undef PLACE
#undef STRUCT

/* Figures that follow from others. The file has them for readers that do not know the formulas. */
#define FOLLOWING                                                                                  \
    KG_MENTION(gpu_utilization, REAL, "gpu_ns over total_ns; absent without GPU times",            \
               KG_OPTIONAL, KG_FROM_0),                                                            \
        KG_MENTION(bytes_per_second, REAL,                                                         \
                   "bytes per second of the GPU time if known, otherwise of the total time; "      \
                   "absent without bytes",                                                         \
                   KG_OPTIONAL, KG_FROM_0),

#define STRUCT kg_profile_name
#define PLACE(member) figures.member
static const struct kg_field name_fields[] = {KG_FIELD(name, STRING, "name of the scopes"),
                                              KG_PROFILE_FIGURES_FIELDS(OF_LIST) FOLLOWING};
static const struct kg_record name_record =
    KG_RECORD_OF(name_fields, "All scopes of one name; recursion counts once.");
#undef PLACE
#undef STRUCT

#define STRUCT kg_loaded_row
static const struct kg_field row_fields[] = {
#define PLACE(member) row.path.member
    KG_PROFILE_PATH_FIELDS(OF_LIST)
#undef PLACE
#define PLACE(member) row.figures.member
        KG_PROFILE_FIGURES_FIELDS(OF_LIST)
#undef PLACE
            KG_FIELD(kind, STRING, "kind of time", KG_NAMES(kg_scope_kind_names)),
    KG_LIST_AS("rounds_ns", row.rounds_ns, row.round_count, REALS,
               "total time per process, or estimates from parts of one process, for comparison, ns",
               KG_FROM_0),
    KG_LIST_AS("process_calls", row.calls, row.process_count, REALS, "number of calls per process",
               KG_FROM_0),
    FOLLOWING};
static const struct kg_record row_record = KG_RECORD_OF(row_fields, "One path.");
#undef STRUCT

#define STRUCT kg_bottleneck
static const struct kg_field bottleneck_fields[] = {
    KG_MENTION(path, COUNT, "index of the case's path; flat: of the component"),
    KG_MENTION(kind, STRING,
               "scope: one path has a notable share; name: only the paths of a name together have "
               "a notable share; "
               "outside: most time is outside the case's inner scopes; spread: none of these",
               KG_WORDS("scope", "name", "outside", "spread")),
    KG_MENTION(component, COUNT, "index of the path, or of the first path of that name"),
    KG_MENTION(places, COUNT, "number of paths in the share", KG_FROM(1)),
    KG_MENTION(share, REAL, "share of the case's time", KG_FROM_0),
    KG_MENTION(second, COUNT, "index of the path with the second largest share"),
    KG_MENTION(second_share, REAL, "second largest share of the case's time", KG_FROM_0),
    KG_MENTION(outside_share, REAL, "share of the case's time outside its inner scopes", KG_FROM_0),
    KG_MENTION(calls, COUNT, "number of calls of the component"),
    KG_MENTION(close, BOOL,
               "whether the second path may be the first, given the scatter of their calls"),
    KG_MENTION(flat, BOOL,
               "whether no scopes are nested: no case, and shares of the time of all scopes",
               KG_OPTIONAL),
    KG_MENTION(on_gpu, BOOL, "whether the shares are of GPU time"),
    KG_MENTION(words, STRING, "bottleneck as the sentence that reports print", KG_OPTIONAL),
};
static const struct kg_record bottleneck_record =
    KG_RECORD_OF(bottleneck_fields,
                 "The component with the most time of its own, without inner scopes. Paths are "
                 "indices into `paths`; the index of the case itself means no component.");
#undef STRUCT

#define STRUCT kg_loaded_entry
static const struct kg_field entry_fields[] = {
    KG_FIELD(process, SIZE, "index into `processes`"),
    KG_FIELD(thread, COUNT, "number of the thread in the process"),
    KG_FIELD(path, SIZE, "index into `paths`"),
    KG_FIELD(start_ns, REAL, "start since the process's recording began, ns"),
    KG_FIELD(duration_ns, REAL, "duration, ns", KG_FROM_0),
    KG_FIELD(nested, COUNT, "number of inner scopes", KG_OPTIONAL),
    KG_FIELD(overhead_ns, REAL, "estimated cost of the profiler inside, ns", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(bytes, COUNT, "bytes read and written", KG_OPTIONAL),
    KG_FIELD(allocated_bytes, COUNT, "bytes allocated inside", KG_OPTIONAL),
    KG_FIELD(peak_bytes, COUNT, "peak memory beyond the memory allocated at the start, bytes",
             KG_OPTIONAL),
    KG_FIELD(cpu_ns, REAL, "CPU time, ns", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(gpu_start_ns, REAL, "start on the GPU since the process's recording began, ns",
             KG_OPTIONAL),
    KG_FIELD(gpu_ns, REAL, "time on the GPU, ns", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(stream, STRING, "address of the CUDA stream", KG_OPTIONAL,
             KG_PATTERN("^0x[0-9a-f]+$")),
    KG_FIELD(unfinished, BOOL, "whether another scope or the thread ended it", KG_OPTIONAL),
};
const struct kg_record kg_loaded_entry_record = KG_RECORD_OF(entry_fields, "One scope that ended.");
#undef STRUCT

#define STRUCT kg_loaded
static const struct kg_field loaded_fields[] = {
    KG_FIELD(wall_ns, REAL, "time of all processes together, ns", KG_FROM_0),
    KG_FIELD(entry_count, COUNT, "number of entries in the recording"),
    KG_MENTION(losses, RECORD, NULL, KG_OF(losses_record)),
    KG_LIST(processes, process_count, RECORDS, "processes in the recording's order",
            KG_OF(process_record)),
    KG_LIST(threads, thread_count, RECORDS, "threads with a recorded name", KG_OF(thread_record)),
    KG_LIST(paths, path_count, RECORDS,
            "paths by nesting, an outer path before its inner paths; each level by total time, "
            "cases by time per call",
            KG_OF(row_record)),
    KG_LIST(names, name_count, RECORDS, "names by total time; recursion counts once",
            KG_OF(name_record)),
    KG_LIST(thread_shares, thread_share_count, RECORDS,
            "time of each path on each thread, by process, thread and path", KG_OPTIONAL,
            KG_OF(share_record)),
    KG_MENTION(bottlenecks, RECORDS,
               "bottleneck per case, slowest case first; a case is an outermost scope with inner "
               "scopes, or the label of a process. Without nested scopes: one for all scopes",
               KG_OPTIONAL, KG_OF(bottleneck_record)),
    KG_LIST(entries, listed_count, RECORDS,
            "every scope in the recording's order; you may remove them", KG_OPTIONAL,
            KG_OF(kg_loaded_entry_record)),
};
const struct kg_record kg_profile_file_record = KG_RECORD_OF(
    loaded_fields, "Time of a program by scope: `kgate report run.kgprof --format json`.");
#undef STRUCT

/* --- Whether it can be ----------------------------------------------------------------------- */

static bool refuse(struct kg_error *err, const char *list, size_t index, const char *member,
                   const char *expected)
{
    return kg_error_set(err, KG_ERROR_USAGE, "%s[%zu].%s: expected %s", list, index, member,
                        expected);
}

/* The place of a word that the table has found among the words. */
static size_t word_index(const char *word, const char *const *words)
{
    size_t index = 0;
    while (words[index] && strcmp(word, words[index]) != 0)
        index++;
    return index;
}

/* Whether `row` may follow the row before it: its parent must be the previous row or an ancestor. */
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

static bool row_check(struct kg_loaded *loaded, size_t index, struct kg_error *err)
{
    const struct kg_profile_row *row = &loaded->paths[index].row;
    const struct kg_profile_path *path = &row->path;
    if (!is_nested(loaded, index))
        return refuse(err, "paths", index, "parent",
                      "its own index, or the index of an outer path");
    const size_t depth = path->parent == index ? 0 : loaded->paths[path->parent].row.path.depth + 1;
    if (path->depth != depth || depth >= KG_PATH_DEPTH_MOST)
        return refuse(err, "paths", index, "depth", "the depth of the path's nesting");
    if (row->process_count != loaded->process_count)
        return refuse(err, "paths", index, "process_calls", "one number per process");
    return true;
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
        return refuse(err, "thread_shares", index, "path", "an existing path");
    if (share->process >= loaded->process_count)
        return refuse(err, "thread_shares", index, "process", "an existing process");
    if (index && !is_after(share, share - 1))
        return refuse(err, "thread_shares", index, "path", "the order process, thread, path");
    return true;
}

/* The numbers that words of the file stand for. */
static void words_number(struct kg_loaded *loaded)
{
    for (size_t i = 0; i < loaded->process_count; i++)
        loaded->processes[i].process.sampling =
            word_index(loaded->processes[i].sampling, sampling_names);
    for (size_t i = 0; i < loaded->path_count; i++)
        loaded->paths[i].row.path.kind = word_index(loaded->paths[i].kind, kg_scope_kind_names);
}

bool kg_loaded_check(struct kg_loaded *loaded, struct kg_error *err)
{
    words_number(loaded);
    for (size_t i = 0; i < loaded->path_count; i++)
        if (!row_check(loaded, i, err))
            return false;
    for (size_t i = 0; i < loaded->thread_share_count; i++)
        if (!share_check(loaded, i, err))
            return false;
    for (size_t i = 0; i < loaded->thread_count; i++)
        if (loaded->threads[i].process >= loaded->process_count)
            return refuse(err, "threads", i, "process", "one that is there");
    return true;
}
