#include "profiler/read/profile_load_fields.h"

#include <math.h>
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
    KG_RECORD_OF(losses_fields, "What was not recorded, and why.");
#undef PLACE
#undef STRUCT

#define STRUCT kg_loaded_process
#define PLACE(member) process.member
static const struct kg_field process_fields[] = {
    KG_PROFILE_PROCESS_FIELDS(OF_LIST)
        KG_FIELD(sampling, STRING, "what `sample` is a share of", KG_NAMES(sampling_names)),
    KG_FIELD_AS("losses", process.losses, RECORD, NULL, KG_OF(losses_record)),
};
static const struct kg_record process_record = KG_RECORD_OF(process_fields, "One process.");
#undef PLACE
#undef STRUCT

#define STRUCT kg_loaded_thread
static const struct kg_field thread_fields[] = {
    KG_FIELD(process, SIZE, "index into `processes`"),
    KG_FIELD(thread, COUNT, "its number in the process", KG_BETWEEN(0, UINT32_MAX)),
    KG_FIELD(system_id, COUNT, "the system's"),
    KG_FIELD(name, STRING, "its name; may be empty"),
};
static const struct kg_record thread_record = KG_RECORD_OF(thread_fields, "One thread.");
#undef STRUCT

#define STRUCT kg_profile_share
#define PLACE(member) member
static const struct kg_field share_fields[] = {
    KG_FIELD_AS("path", row, SIZE, "its place in `paths`"), KG_PROFILE_SHARE_FIELDS(OF_LIST)};
static const struct kg_record share_record =
    KG_RECORD_OF(share_fields, "What a path had on one thread of one process.");
#undef PLACE
#undef STRUCT

/* Figures that follow from others. The file has them for readers that do not know the formulas. */
#define FOLLOWING                                                                                  \
    KG_MENTION(gpu_utilization, REAL, "gpu_ns over total_ns; absent without GPU times",            \
               KG_OPTIONAL, KG_FROM_0),                                                            \
        KG_MENTION(bytes_per_second, REAL,                                                         \
                   "of the time on the GPU where known, else of the total; absent without bytes",  \
                   KG_OPTIONAL, KG_FROM_0),

#define STRUCT kg_profile_name
#define PLACE(member) figures.member
static const struct kg_field name_fields[] = {KG_FIELD(name, STRING, "of scopes"),
                                              KG_PROFILE_FIGURES_FIELDS(OF_LIST) FOLLOWING};
static const struct kg_record name_record =
    KG_RECORD_OF(name_fields, "All scopes of one name; recursion is counted once.");
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
            KG_FIELD(kind, STRING, "what its time is", KG_NAMES(kg_scope_kind_names)),
    KG_LIST_AS("rounds_ns", row.rounds_ns, row.round_count, REALS,
               "for comparing: its total in each process, or estimates of it from parts of one",
               KG_FROM_0),
    KG_LIST_AS("process_calls", row.calls, row.process_count, REALS, "in each process", KG_FROM_0),
    FOLLOWING};
static const struct kg_record row_record = KG_RECORD_OF(row_fields, "One path.");
#undef STRUCT

#define STRUCT kg_bottleneck
static const struct kg_field bottleneck_fields[] = {
    KG_MENTION(path, COUNT, "the case"),
    KG_MENTION(kind, STRING,
               "scope: one path has a notable share; name: only all paths of one name have "
               "together; outside: most time is in no scope inside the case; spread: none of these",
               KG_WORDS("scope", "name", "outside", "spread")),
    KG_MENTION(component, COUNT, "the path, or the first of that name"),
    KG_MENTION(places, COUNT, "paths that the share is of", KG_FROM(1)),
    KG_MENTION(share, REAL, "of the case's time", KG_FROM_0),
    KG_MENTION(second, COUNT, "the path with the next most"),
    KG_MENTION(second_share, REAL, "of the case's time", KG_FROM_0),
    KG_MENTION(outside_share, REAL, "of the case's time, in no scope inside it", KG_FROM_0),
    KG_MENTION(calls, COUNT, "of the component"),
    KG_MENTION(
        close, BOOL,
        "the second may well be the first, by how much calls of the two differ among themselves"),
    KG_MENTION(on_gpu, BOOL, "the shares are of its time on the GPU"),
    KG_MENTION(words, STRING, "the same as a sentence, as reports print it", KG_OPTIONAL),
};
static const struct kg_record bottleneck_record = KG_RECORD_OF(
    bottleneck_fields, "The component with the most time of its own, without that of the scopes "
                       "inside it. Paths are places in `paths`; the case's own means none.");
#undef STRUCT

#define STRUCT kg_loaded_entry
static const struct kg_field entry_fields[] = {
    KG_FIELD(process, SIZE, "index into `processes`"),
    KG_FIELD(thread, COUNT, "its number in the process"),
    KG_FIELD(path, SIZE, "index into `paths`"),
    KG_FIELD(start_ns, REAL, "since the recording of the process began"),
    KG_FIELD(duration_ns, REAL, "how long", KG_FROM_0),
    KG_FIELD(nested, COUNT, "scopes recorded inside", KG_OPTIONAL),
    KG_FIELD(overhead_ns, REAL, "the profiler's own time inside, estimated", KG_OPTIONAL,
             KG_FROM_0),
    KG_FIELD(bytes, COUNT, "read and written", KG_OPTIONAL),
    KG_FIELD(allocated_bytes, COUNT, "inside", KG_OPTIONAL),
    KG_FIELD(peak_bytes, COUNT, "beyond what was allocated at the beginning", KG_OPTIONAL),
    KG_FIELD(cpu_ns, REAL, "CPU time", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(gpu_start_ns, REAL, "on the GPU, since the recording of the process began",
             KG_OPTIONAL),
    KG_FIELD(gpu_ns, REAL, "on the GPU", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(stream, STRING, "the CUDA stream's address", KG_OPTIONAL, KG_PATTERN("^0x[0-9a-f]+$")),
    KG_FIELD(unfinished, BOOL, "it was not its own end that ended it", KG_OPTIONAL),
};
const struct kg_record kg_loaded_entry_record = KG_RECORD_OF(entry_fields, "One scope that ended.");
#undef STRUCT

#define STRUCT kg_loaded
static const struct kg_field loaded_fields[] = {
    KG_FIELD(wall_ns, REAL, "of all processes, added up", KG_FROM_0),
    KG_FIELD(entry_count, COUNT, "of the recording"),
    KG_MENTION(losses, RECORD, NULL, KG_OF(losses_record)),
    KG_LIST(processes, process_count, RECORDS, "of the recording, in its order",
            KG_OF(process_record)),
    KG_LIST(threads, thread_count, RECORDS, "that have told their names", KG_OF(thread_record)),
    KG_LIST(paths, path_count, RECORDS,
            "by nesting, each level by total, cases by the time of a call: a path comes before "
            "those inside it",
            KG_OF(row_record)),
    KG_LIST(names, name_count, RECORDS, "by total; recursion is counted once", KG_OF(name_record)),
    KG_LIST(thread_shares, thread_share_count, RECORDS,
            "what each path had on each thread, by process, thread and path", KG_OPTIONAL,
            KG_OF(share_record)),
    KG_MENTION(bottlenecks, RECORDS,
               "of each case, an outermost scope with others inside it or one that a process was "
               "recorded for: what its time goes to; the slowest first",
               KG_OPTIONAL, KG_OF(bottleneck_record)),
    KG_LIST(entries, listed_count, RECORDS,
            "every scope, in the recording's order; may be left out by hand", KG_OPTIONAL,
            KG_OF(kg_loaded_entry_record)),
};
const struct kg_record kg_profile_file_record = KG_RECORD_OF(
    loaded_fields, "Where a program's time went: `kgate report run.kgprof --format json`.");
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
        return refuse(err, "paths", index, "parent", "its own index, or that of a path around it");
    const size_t depth = path->parent == index ? 0 : loaded->paths[path->parent].row.path.depth + 1;
    if (path->depth != depth || depth >= KG_PATH_DEPTH_MOST)
        return refuse(err, "paths", index, "depth", "how deep the path is nested");
    if (row->process_count != loaded->process_count)
        return refuse(err, "paths", index, "process_calls", "a number for each process");
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
        return refuse(err, "thread_shares", index, "path", "one that is there");
    if (share->process >= loaded->process_count)
        return refuse(err, "thread_shares", index, "process", "one that is there");
    if (index && !is_after(share, share - 1))
        return refuse(err, "thread_shares", index, "path",
                      "them in order of process, thread and path");
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
