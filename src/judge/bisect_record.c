#include "judge/bisect_record.h"

#include <math.h>
#include <string.h>

const char *const kg_bisect_state_names[10] = {"ends", "searching", "absent",  "unclear", "found",
                                               "set",  "budget",    "refuted", "unbuilt", NULL};
const char *const kg_bisect_revert_names[6] = {"untried", "conflicts", "unbuildable",
                                               "faster",  "same",      NULL};

#define STRUCT kg_bisect_commit
static const struct kg_field commit_fields[] = {
    KG_FIELD(hash, STRING, "hash of the commit"),
    KG_FIELD(subject, STRING, "first line of its message"),
    KG_FIELD(status, ENUM, "progress of the commit", KG_NAMES(kg_bisect_status_names)),
    KG_FIELD(reason, STRING, "reason of `unbuildable` or `left-out`", KG_OPTIONAL),
    KG_FIELD(code, STRING, "digits for the code of the case", KG_OPTIONAL, KG_PATTERN_HASH),
    KG_FIELD(folder, STRING, "kept build: folder relative to that of bisect.json", KG_OPTIONAL),
    KG_FIELD(weight, REAL, "prior weight as the cause, by profile and history; absent: 1",
             KG_OPTIONAL, KG_BETWEEN(1, 10.000001)),
    KG_FIELD(seconds, REAL, "time of its build, s", KG_OPTIONAL, KG_FROM_0),
    KG_LIST(pairs, pair_count, REALS, "per pair: log of its value over the good end's value",
            KG_OPTIONAL),
    KG_FIELD(probability, REAL, "probability that the commit is a cause", KG_OPTIONAL,
             KG_BETWEEN(0, 1.000001)),
    KG_FIELD(in_set, BOOL, "whether the 95 % set has the commit", KG_OPTIONAL),
};
static const struct kg_record commit_record =
    KG_RECORD_OF(commit_fields, "A commit between the ends.");
#undef STRUCT

#define STRUCT kg_bisect_cause
static const struct kg_field cause_fields[] = {
    KG_FIELD(first, SIZE, "index of its first commit in `commits`"),
    KG_FIELD(last, SIZE, "index of its last commit; the commits between them do not build"),
    KG_FIELD(probability, REAL, "probability of these commits", KG_BETWEEN(0, 1.000001)),
    KG_FIELD(ratio, REAL, "value after these commits over the value before", KG_ABOVE_0),
    KG_FIELD(builds_before, SIZE, "number of builds with the value before"),
    KG_FIELD(builds_after, SIZE, "number of builds with the value after"),
    KG_FIELD(parent, SIZE, "index of the nearest build before `first`"),
    KG_FIELD(proof_ratio, REAL, "value of `last` over `parent` in fresh pairs", KG_OPTIONAL),
    KG_FIELD(proof_low, REAL, "lower end of its 95 % interval", KG_OPTIONAL),
    KG_FIELD(proof_high, REAL, "upper end of its 95 % interval", KG_OPTIONAL),
    KG_FIELD(proven, BOOL, "whether fresh pairs confirmed the regression"),
    KG_FIELD(refuted, BOOL, "whether fresh pairs show no regression"),
    KG_FIELD(revert, ENUM, "outcome of the bad end with the commit reverted",
             KG_NAMES(kg_bisect_revert_names)),
    KG_FIELD(revert_ratio, REAL, "value of the reverted build over the bad end", KG_OPTIONAL),
    KG_FIELD(place, STRING, "place in the code with the added time", KG_OPTIONAL),
};
static const struct kg_record cause_record =
    KG_RECORD_OF(cause_fields, "A commit that made the case slower, or a range of commits.");
#undef STRUCT

#define STRUCT kg_bisect
static const struct kg_field bisect_fields[] = {
    KG_FIELD(created, STRING, "start of the search, UTC", KG_PATTERN_TIME),
    KG_FIELD(kgate_version, STRING, "version of kgate"),
    KG_FIELD(suite_path, STRING, "path of the suite"),
    KG_FIELD(filter, STRING, "glob of --case", KG_OPTIONAL),
    KG_FIELD(build, STRING, "build command"),
    KG_FIELD(good, STRING, "good end, as given"),
    KG_FIELD(bad, STRING, "bad end, as given"),
    KG_FIELD(state, ENUM, "progress of the search", KG_NAMES(kg_bisect_state_names)),
    KG_FIELD_AS("case", id_of_case, STRING, "id of the searched case", KG_OPTIONAL),
    KG_FIELD_AS("definition_hash", definition, STRING, "hash of the case's definition",
                KG_OPTIONAL),
    KG_FIELD(metric, STRING, "name of the searched metric", KG_OPTIONAL),
    KG_FIELD(others, SIZE, "number of other cases that became slower"),
    KG_FIELD(offset, REAL, "usual standard deviation of a build's own offset, as a log",
             KG_BETWEEN(0.0001, 1)),
    KG_FIELD(effect, REAL, "log of the bad end's value over the good end's", KG_OPTIONAL),
    KG_FIELD(low, REAL, "lower end of the 95 % interval of an undecided `effect`", KG_OPTIONAL),
    KG_FIELD(high, REAL, "upper end of that interval", KG_OPTIONAL),
    KG_FIELD(deviation, REAL, "standard deviation of a pair, as a log", KG_OPTIONAL, KG_FROM_0),
    KG_FIELD(two, REAL, "probability of two causes", KG_OPTIONAL),
    KG_FIELD(set, REAL, "probability that the set has the cause", KG_OPTIONAL),
    KG_FIELD(builds, SIZE, "number of build commands that ran"),
    KG_FIELD(keeps_all, BOOL, "whether no commit is left out, since a proof refuted such a search",
             KG_OPTIONAL),
    KG_LIST(commits, commit_count, RECORDS, "the good end, then the commits, oldest first",
            KG_OF(commit_record)),
    KG_LIST(causes, cause_count, RECORDS, "causes, the larger step first", KG_OPTIONAL,
            KG_OF(cause_record)),
};
const struct kg_record kg_bisect_record =
    KG_RECORD_OF(bisect_fields, "Search for the commit that made a case slower: `kgate bisect`.");
#undef STRUCT

/* --- The file --------------------------------------------------------------------------------- */

static bool cause_is_good(const struct kg_bisect *bisect, const struct kg_bisect_cause *cause)
{
    return cause->first > 0 && cause->first <= cause->last && cause->last < bisect->commit_count &&
           cause->parent < cause->first;
}

/* Describes a contradiction; NULL: there is none. */
static const char *fault_find(const struct kg_bisect *bisect)
{
    const bool has_case = bisect->state != KG_BISECT_ENDS && bisect->state != KG_BISECT_ABSENT &&
                          bisect->state != KG_BISECT_UNCLEAR;
    if (bisect->commit_count < 2)
        return "`commits` has fewer than two commits";
    if (bisect->id_of_case && (!bisect->metric || isnan(bisect->effect)))
        return "`case` needs `metric` and `effect`";
    if (has_case && (!bisect->id_of_case || !bisect->definition || !(bisect->effect > 0)))
        return "this `state` needs `case`, `definition_hash` and an `effect` above 0";
    if (has_case && !bisect->commits[bisect->commit_count - 1].pair_count)
        return "the last commit has no `pairs`";
    if (bisect->cause_count > 2)
        return "`causes` has more than two causes";
    for (size_t i = 0; i < bisect->cause_count; i++)
        if (!cause_is_good(bisect, &bisect->causes[i]))
            return "a cause has wrong indices of commits";
    return NULL;
}

/* Length of the folder's part of a path, with its slash. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

bool kg_bisect_load(const char *path, struct kg_arena *arena, struct kg_bisect *bisect,
                    struct kg_error *err)
{
    if (!kg_record_load(&kg_bisect_record, KG_BISECT_SCHEMA, path, arena, bisect, err))
        return false;
    const char *fault = fault_find(bisect);
    if (fault)
        return kg_error_at(err, path, 0, 0, "%s: the file is damaged", fault);
    for (size_t c = 0; c < bisect->commit_count; c++) {
        const char **folder = &bisect->commits[c].folder;
        if (isnan(bisect->commits[c].weight))
            bisect->commits[c].weight = 1;
        if (*folder && **folder != '/')
            *folder = kg_arena_printf(arena, "%.*s%s", (int)folder_length(path), path, *folder);
    }
    return true;
}

bool kg_bisect_write(const struct kg_bisect *bisect, const char *path, struct kg_error *err)
{
    struct kg_arena scratch = {0};
    struct kg_bisect stored = *bisect;
    const size_t length = folder_length(path);
    stored.commits = kg_arena_alloc(&scratch, bisect->commit_count, sizeof *stored.commits);
    memcpy(stored.commits, bisect->commits, bisect->commit_count * sizeof *stored.commits);
    for (size_t c = 0; c < bisect->commit_count; c++) {
        const char **folder = &stored.commits[c].folder;
        if (*folder && !strncmp(*folder, path, length))
            *folder += length;
    }
    const bool good = kg_record_save(&kg_bisect_record, &stored, KG_BISECT_SCHEMA, path, err);
    kg_arena_free(&scratch);
    return good;
}

void kg_bisect_free(struct kg_bisect *bisect)
{
    kg_arena_free(&bisect->arena);
    *bisect = (struct kg_bisect){0};
}
