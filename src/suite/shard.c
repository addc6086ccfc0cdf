/* shard.c: --shard. A table has a row per scheduler, with the variables that it sets for each of many equal jobs. */
#include "suite/shard.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

/* Variables of a scheduler; NULL: it sets none. */
struct scheduler {
    const char *name;
    const char *index;
    uint64_t from;     /* smallest index, unless `least` names it */
    const char *least; /* with `auto`: the smallest index of this fleet; not set: `from` */
    const char *step;  /* with `auto`: the distance between two indexes; not set: 1 */
    const char *count;
    const char *needs; /* without this variable, or with a single shard, the row does not apply */
    const char *job;
    const char *attempt;
    uint64_t attempt_from; /* value of `attempt` at the first attempt */
};

/* In the order of precedence. The last row has no index and only gives job and attempt. */
static const struct scheduler schedulers[] = {
    {.name = "a Slurm array",
     .index = "SLURM_ARRAY_TASK_ID",
     .least = "SLURM_ARRAY_TASK_MIN",
     .step = "SLURM_ARRAY_TASK_STEP",
     .count = "SLURM_ARRAY_TASK_COUNT",
     .job = "SLURM_ARRAY_JOB_ID",
     .attempt = "SLURM_RESTART_COUNT"},
    {.name = "a Slurm step",
     .index = "SLURM_PROCID",
     .count = "SLURM_NTASKS",
     .needs = "SLURM_STEP_ID",
     .job = "SLURM_JOB_ID",
     .attempt = "SLURM_RESTART_COUNT"},
    {.name = "GitLab",
     .index = "CI_NODE_INDEX",
     .from = 1,
     .count = "CI_NODE_TOTAL",
     .job = "CI_PIPELINE_ID"},
    {.name = "Buildkite",
     .index = "BUILDKITE_PARALLEL_JOB",
     .count = "BUILDKITE_PARALLEL_JOB_COUNT",
     .job = "BUILDKITE_BUILD_ID",
     .attempt = "BUILDKITE_RETRY_COUNT"},
    {.name = "a Kubernetes indexed Job", .index = "JOB_COMPLETION_INDEX"},
    {.name = "GitHub Actions",
     .job = "GITHUB_RUN_ID",
     .attempt = "GITHUB_RUN_ATTEMPT",
     .attempt_from = 1},
};
enum { SCHEDULERS = sizeof schedulers / sizeof *schedulers };

static const char auto_word[] = "auto";

struct environment {
    kg_variable_find find;
    void *user;
};

/* An empty variable counts as not set. */
static const char *value_of(const struct environment *environment, const char *name)
{
    const char *value = name ? environment->find(environment->user, name) : NULL;
    return value && *value ? value : NULL;
}

static bool number_read(const struct environment *environment, const char *name, uint64_t *number,
                        struct kg_error *err)
{
    const char *value = value_of(environment, name);
    if (!value)
        return kg_error_set(err, KG_ERROR_USAGE, "--shard auto: %s is not set. Give --shard auto/N",
                            name);
    return kg_count_parse(value, number) ||
           kg_error_set(err, KG_ERROR_USAGE,
                        "--shard auto: %s is '%.60s', but must be a whole number", name, value);
}

/* Whether the scheduler started this process as one of many. */
static bool applies(const struct scheduler *scheduler, const struct environment *environment)
{
    uint64_t count;
    const char *counted = value_of(environment, scheduler->count);
    const bool single = counted && kg_count_parse(counted, &count) && count <= 1;
    return value_of(environment, scheduler->index) &&
           (!scheduler->needs || (value_of(environment, scheduler->needs) && !single));
}

static bool none_found(struct kg_error *err)
{
    struct kg_text names = {0};
    for (size_t i = 0; i < SCHEDULERS; i++)
        if (schedulers[i].index)
            kg_text_printf(&names, "%s%s (%s)", i ? ", " : "", schedulers[i].index,
                           schedulers[i].name);
    kg_error_set(err, KG_ERROR_USAGE,
                 "--shard auto finds no scheduler, because none of these variables is set: %s. "
                 "Give --shard I/N",
                 kg_text_string(&names));
    kg_text_free(&names);
    return false;
}

/* Ids of a fleet: `count` ids from `least` on, `step` apart. */
struct ids {
    uint64_t least;
    uint64_t step;
    uint64_t count;
};

static bool ids_read(const struct scheduler *scheduler, const struct environment *environment,
                     struct ids *ids, struct kg_error *err)
{
    ids->least = scheduler->from;
    ids->step = 1;
    if (!scheduler->count)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "--shard auto: %s does not set the number of shards. Give --shard "
                            "auto/N",
                            scheduler->name);
    if (!number_read(environment, scheduler->count, &ids->count, err) ||
        (value_of(environment, scheduler->least) &&
         !number_read(environment, scheduler->least, &ids->least, err)) ||
        (value_of(environment, scheduler->step) &&
         !number_read(environment, scheduler->step, &ids->step, err)))
        return false;
    return (ids->count && ids->step) ||
           kg_error_set(err, KG_ERROR_USAGE, "--shard auto: %s is 0, but must be 1 or more",
                        ids->count ? scheduler->step : scheduler->count);
}

static bool index_read(const struct scheduler *scheduler, const struct environment *environment,
                       const struct ids *ids, struct kg_shard *shard, struct kg_error *err)
{
    uint64_t id;
    if (!number_read(environment, scheduler->index, &id, err))
        return false;
    const uint64_t distance = id - ids->least;
    if (id < ids->least || distance % ids->step != 0 || distance / ids->step >= ids->count)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "--shard auto: %s is %" PRIu64 ", but the ids of %" PRIu64
                            " shards are %" PRIu64 " to %" PRIu64 ", %" PRIu64
                            " apart. For one of them alone give --shard I/N",
                            scheduler->index, id, ids->count, ids->least,
                            ids->least + (ids->count - 1) * ids->step, ids->step);
    shard->index = (size_t)(distance / ids->step) + 1;
    shard->count = (size_t)ids->count;
    return true;
}

/* A missing or strange number of attempts is the first attempt. */
static void job_set(struct kg_arena *arena, const struct scheduler *scheduler,
                    const struct environment *environment, struct kg_shard *shard)
{
    uint64_t attempt;
    const char *value = value_of(environment, scheduler->attempt);
    shard->job = kg_arena_keep(arena, value_of(environment, scheduler->job));
    if (value && kg_count_parse(value, &attempt) && attempt >= scheduler->attempt_from &&
        attempt < SIZE_MAX)
        shard->attempt = (size_t)(attempt - scheduler->attempt_from) + 1;
}

/* Checks that the scheduler's own number agrees with N. A Slurm array may repeat one of its tasks alone, so only an
 * array of N tasks must count from 0. */
static bool count_check(const struct scheduler *scheduler, const struct environment *environment,
                        uint64_t count, struct kg_error *err)
{
    uint64_t own, least;
    const char *counted = value_of(environment, scheduler->count);
    const char *lowest = value_of(environment, scheduler->least);
    if (!counted || !kg_count_parse(counted, &own))
        return true;
    if (!scheduler->least && own != count)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "--shard auto/%" PRIu64 ": %s is %" PRIu64 ". Give --shard auto", count,
                            scheduler->count, own);
    if (own == count && count > 1 && lowest && kg_count_parse(lowest, &least) && least)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "--shard auto/%" PRIu64 ": the ids of the array start at %" PRIu64
                            ", but must start at 0. Give --shard auto",
                            count, least);
    return true;
}

/* count  the N of auto/N; 0: the scheduler gives it */
static bool auto_parse(struct kg_arena *arena, uint64_t count,
                       const struct environment *environment, struct kg_shard *shard,
                       struct kg_error *err)
{
    size_t found = 0;
    while (found < SCHEDULERS && !applies(&schedulers[found], environment))
        found++;
    if (found == SCHEDULERS)
        return none_found(err);
    const struct scheduler *scheduler = &schedulers[found];
    struct ids ids = {.least = scheduler->from, .step = 1, .count = count};
    if ((!count && !ids_read(scheduler, environment, &ids, err)) ||
        (count && !count_check(scheduler, environment, count, err)) ||
        !index_read(scheduler, environment, &ids, shard, err))
        return false;
    job_set(arena, scheduler, environment, shard);
    return true;
}

/* Parses "I/N".
 * length  number of characters before the slash */
static bool numbers_parse(const char *text, size_t length, struct kg_shard *shard)
{
    char first[24];
    uint64_t index, count;
    if (!length || length >= sizeof first)
        return false;
    memcpy(first, text, length);
    first[length] = '\0';
    if (!kg_count_parse(first, &index) || !kg_count_parse(text + length + 1, &count) || !index ||
        index > count)
        return false;
    shard->index = (size_t)index;
    shard->count = (size_t)count;
    return true;
}

static void job_find(struct kg_arena *arena, const struct environment *environment,
                     struct kg_shard *shard)
{
    for (size_t i = 0; i < SCHEDULERS; i++)
        if (value_of(environment, schedulers[i].job)) {
            job_set(arena, &schedulers[i], environment, shard);
            return;
        }
}

bool kg_shard_names_output(const char *text)
{
    const size_t length = sizeof auto_word - 1;
    return text && !strncmp(text, auto_word, length) && (!text[length] || text[length] == '/');
}

bool kg_shard_parse(struct kg_arena *arena, const char *text, kg_variable_find find, void *user,
                    struct kg_shard *shard, struct kg_error *err)
{
    const struct environment environment = {find, user};
    const char *slash = strchr(text, '/');
    const size_t length = slash ? (size_t)(slash - text) : strlen(text);
    uint64_t count = 0;
    *shard = (struct kg_shard){.attempt = 1};
    if (kg_shard_names_output(text) && (!slash || (kg_count_parse(slash + 1, &count) && count)))
        return auto_parse(arena, count, &environment, shard, err);
    if (slash && numbers_parse(text, length, shard)) {
        job_find(arena, &environment, shard);
        return true;
    }
    return kg_error_set(err, KG_ERROR_USAGE,
                        "--shard is '%.60s', but must be I/N with I from 1 to N, such as 2/4, or "
                        "auto or auto/N",
                        text);
}

/* Appends the job's id as a part of a file name. */
static void job_append(const char *job, struct kg_text *text)
{
    enum { MOST = 64 };
    kg_text_append(text, ".job-");
    for (size_t i = 0; job[i] && i < MOST; i++) {
        const bool plain = isalnum((unsigned char)job[i]) || job[i] == '-' || job[i] == '_';
        kg_text_printf(text, "%c", plain ? job[i] : '-');
    }
}

const char *kg_shard_label(struct kg_arena *arena, const struct kg_shard *shard)
{
    char count[24];
    struct kg_text text = {0};
    const int digits = snprintf(count, sizeof count, "%zu", shard->count);
    kg_text_printf(&text, "shard-%0*zu-of-%s", digits, shard->index, count);
    if (shard->job)
        job_append(shard->job, &text);
    kg_text_printf(&text, ".attempt-%zu", shard->attempt);
    const char *label = kg_arena_copy(arena, kg_text_string(&text));
    kg_text_free(&text);
    return label;
}

const char *kg_shard_file(struct kg_arena *arena, const struct kg_shard *shard, const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    const size_t length = dot ? (size_t)(dot - path) : strlen(path);
    return kg_arena_printf(arena, "%.*s.%s%s", (int)length, path, kg_shard_label(arena, shard),
                           path + length);
}
