#include "suite/shard.h"
#include "test_support.h"

enum { VARIABLES_MOST = 10 };

/* An environment: names and values in turn, ended by NULL. */
struct variables {
    const char *at[2 * VARIABLES_MOST + 1];
};

static const char *find(void *user, const char *name)
{
    const struct variables *variables = user;
    for (size_t i = 0; variables->at[i]; i += 2)
        if (!strcmp(variables->at[i], name))
            return variables->at[i + 1];
    return NULL;
}

/* A Slurm array of the ids 4, 6, 8 and 10. */
#define SLURM_ARRAY(id)                                                                            \
    "SLURM_ARRAY_TASK_ID", id, "SLURM_ARRAY_TASK_MIN", "4", "SLURM_ARRAY_TASK_STEP", "2",          \
        "SLURM_ARRAY_TASK_COUNT", "4", "SLURM_ARRAY_JOB_ID", "4711"
#define SLURM_STEP(id, tasks)                                                                      \
    "SLURM_STEP_ID", "0", "SLURM_PROCID", id, "SLURM_NTASKS", tasks, "SLURM_JOB_ID", "12"

struct expected {
    const char *text;
    struct variables variables;
    size_t index, count, attempt;
    const char *job;
};

static void each_scheduler_gives_number_job_and_attempt(void **state)
{
    static const struct expected rows[] = {
        {"2/4", {{NULL}}, 2, 4, 1, NULL},
        {"auto", {{SLURM_ARRAY("4")}}, 1, 4, 1, "4711"},
        {"auto", {{SLURM_ARRAY("10"), "SLURM_RESTART_COUNT", "2"}}, 4, 4, 3, "4711"},
        {"auto", {{SLURM_STEP("0", "3")}}, 1, 3, 1, "12"},
        {"auto", {{SLURM_STEP("2", "3"), "SLURM_RESTART_COUNT", "0"}}, 3, 3, 1, "12"},
        {"auto",
         {{"CI_NODE_INDEX", "1", "CI_NODE_TOTAL", "5", "CI_PIPELINE_ID", "99"}},
         1,
         5,
         1,
         "99"},
        {"auto",
         {{"BUILDKITE_PARALLEL_JOB", "0", "BUILDKITE_PARALLEL_JOB_COUNT", "5", "BUILDKITE_BUILD_ID",
           "0af-1", "BUILDKITE_RETRY_COUNT", "1"}},
         1,
         5,
         2,
         "0af-1"},
        /* without the smallest id and the step: from 0, one by one */
        {"auto", {{"SLURM_ARRAY_TASK_ID", "1", "SLURM_ARRAY_TASK_COUNT", "2"}}, 2, 2, 1, NULL},
        {"auto/7", {{"JOB_COMPLETION_INDEX", "6"}}, 7, 7, 1, NULL},
        /* the id of an array as it is */
        {"auto/16", {{SLURM_ARRAY("10")}}, 11, 16, 1, "4711"},
        {"auto/16", {{"CI_NODE_INDEX", "16"}}, 16, 16, 1, NULL},
        /* the array comes before the step, and a single task is no fleet */
        {"auto", {{SLURM_STEP("0", "1"), SLURM_ARRAY("6")}}, 2, 4, 1, "4711"},
        {"auto",
         {{SLURM_STEP("0", "1"), "CI_NODE_INDEX", "2", "CI_NODE_TOTAL", "2"}},
         2,
         2,
         1,
         NULL},
        /* with I/N the environment gives job and attempt only */
        {"3/4", {{SLURM_ARRAY("6"), "SLURM_RESTART_COUNT", "1"}}, 3, 4, 2, "4711"},
        {"3/4", {{"GITHUB_RUN_ID", "8", "GITHUB_RUN_ATTEMPT", "2"}}, 3, 4, 2, "8"},
        {"3/4", {{"GITHUB_RUN_ID", "8", "GITHUB_RUN_ATTEMPT", "none"}}, 3, 4, 1, "8"},
        {"3/4", {{"GITHUB_RUN_ID", "", "GITHUB_RUN_ATTEMPT", "2"}}, 3, 4, 1, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct kg_arena arena = {0};
        struct kg_shard shard;
        struct kg_error err;
        if (!kg_shard_parse(&arena, rows[i].text, find, (void *)&rows[i].variables, &shard, &err))
            fail_msg("row %zu: %s", i, err.message);
        if (shard.index != rows[i].index || shard.count != rows[i].count ||
            shard.attempt != rows[i].attempt || !shard.job != !rows[i].job)
            fail_msg("row %zu: %zu/%zu, attempt %zu", i, shard.index, shard.count, shard.attempt);
        if (shard.job)
            assert_string_equal(shard.job, rows[i].job);
        kg_arena_free(&arena);
    }
}

static void wrong_values_are_refused_by_name(void **state)
{
    static const struct {
        const char *text;
        struct variables variables;
        const char *message;
    } rows[] = {
        {"", {{NULL}}, "must be I/N"},
        {"0/4", {{NULL}}, "must be I/N"},
        {"5/4", {{NULL}}, "must be I/N"},
        {"1/0", {{NULL}}, "must be I/N"},
        {"a/4", {{NULL}}, "must be I/N"},
        {"1/4x", {{NULL}}, "must be I/N"},
        {"/4", {{NULL}}, "must be I/N"},
        {"automatic", {{NULL}}, "must be I/N"},
        {"auto/0", {{NULL}}, "must be I/N"},
        {"auto/x", {{NULL}}, "must be I/N"},
        {"123456789012345678901234/4", {{NULL}}, "must be I/N"},
        {"auto", {{NULL}}, "JOB_COMPLETION_INDEX (a Kubernetes indexed Job)"},
        {"auto", {{"CI_NODE_TOTAL", "1"}}, "finds no scheduler"},
        {"auto", {{"CI_NODE_INDEX", ""}}, "finds no scheduler"},
        {"auto", {{SLURM_STEP("0", "1")}}, "finds no scheduler"},
        {"auto", {{"CI_NODE_INDEX", "1"}}, "CI_NODE_TOTAL is not set"},
        {"auto", {{"SLURM_ARRAY_TASK_ID", "1"}}, "SLURM_ARRAY_TASK_COUNT is not set"},
        {"auto",
         {{"SLURM_ARRAY_TASK_ID", "2", "SLURM_ARRAY_TASK_COUNT", "2"}},
         "SLURM_ARRAY_TASK_ID is 2"},
        {"auto", {{"CI_NODE_INDEX", "0", "CI_NODE_TOTAL", "2"}}, "CI_NODE_INDEX is 0"},
        {"auto", {{"CI_NODE_INDEX", "3", "CI_NODE_TOTAL", "2"}}, "CI_NODE_INDEX is 3"},
        {"auto", {{"CI_NODE_INDEX", "1", "CI_NODE_TOTAL", "0"}}, "CI_NODE_TOTAL is 0"},
        {"auto", {{"CI_NODE_INDEX", "one", "CI_NODE_TOTAL", "2"}}, "CI_NODE_INDEX is 'one'"},
        {"auto", {{"CI_NODE_INDEX", "1", "CI_NODE_TOTAL", "-2"}}, "CI_NODE_TOTAL is '-2'"},
        {"auto",
         {{SLURM_ARRAY("5")}},
         "SLURM_ARRAY_TASK_ID is 5, but the ids of 4 shards are 4 to 10"},
        {"auto", {{SLURM_ARRAY("12")}}, "SLURM_ARRAY_TASK_ID is 12"},
        {"auto", {{SLURM_ARRAY("2")}}, "SLURM_ARRAY_TASK_ID is 2"},
        {"auto/10", {{SLURM_ARRAY("10")}}, "SLURM_ARRAY_TASK_ID is 10"},
        {"auto", {{"JOB_COMPLETION_INDEX", "0"}}, "Give --shard auto/N"},
        {"auto/2", {{"JOB_COMPLETION_INDEX", "2"}}, "JOB_COMPLETION_INDEX is 2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct kg_arena arena = {0};
        struct kg_shard shard;
        struct kg_error err = {0};
        if (kg_shard_parse(&arena, rows[i].text, find, (void *)&rows[i].variables, &shard, &err))
            fail_msg("row %zu: %zu/%zu", i, shard.index, shard.count);
        assert_int_equal(err.kind, KG_ERROR_USAGE);
        if (!strstr(err.message, rows[i].message))
            fail_msg("row %zu: %s", i, err.message);
        kg_arena_free(&arena);
    }
}

static void only_auto_names_the_output(void **state)
{
    assert_true(kg_shard_names_output("auto"));
    assert_true(kg_shard_names_output("auto/4"));
    assert_false(kg_shard_names_output("2/4"));
    assert_false(kg_shard_names_output("automatic"));
    assert_false(kg_shard_names_output(NULL));
}

static void labels_sort_and_stay_in_their_folder(void **state)
{
    struct kg_arena arena = {0};
    const struct kg_shard plain = {.index = 3, .count = 16, .attempt = 2, .job = "4711"},
                          strange = {.index = 1, .count = 1, .attempt = 1, .job = "../a b"},
                          bare = {.index = 3, .count = 4, .attempt = 1};
    assert_string_equal(kg_shard_label(&arena, &plain), "shard-03-of-16.job-4711.attempt-2");
    assert_string_equal(kg_shard_label(&arena, &strange), "shard-1-of-1.job----a-b.attempt-1");
    assert_string_equal(kg_shard_label(&arena, &bare), "shard-3-of-4.attempt-1");
    assert_string_equal(kg_shard_file(&arena, &bare, "a.b/results.json"),
                        "a.b/results.shard-3-of-4.attempt-1.json");
    assert_string_equal(kg_shard_file(&arena, &bare, "a.b/results"),
                        "a.b/results.shard-3-of-4.attempt-1");
    kg_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_scheduler_gives_number_job_and_attempt),
        cmocka_unit_test(wrong_values_are_refused_by_name),
        cmocka_unit_test(only_auto_names_the_output),
        cmocka_unit_test(labels_sort_and_stay_in_their_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
