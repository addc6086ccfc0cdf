/* The loop over rounds, with rounds that are only counted, and the reading of answers. */
#include <signal.h>

#include "run/rounds.h"
#include "run/worker_ask.h"
#include "test_support.h"

enum { CASES = 3, ROUNDS_MOST = 8 };

struct scene {
    struct kg_run run;
    struct kg_case_result cases[CASES];
    struct kg_round rounds[CASES][ROUNDS_MOST];
    size_t order[CASES];
    size_t grouped[CASES];
    double elapsed_ns[CASES];
    double checked_ns[CASES];
    bool check_due[CASES];
    size_t checks[CASES];
    size_t checked_at[CASES];
    size_t shared_calls; /* calls of the operation for cases that share processes */
    size_t shared_most;  /* most cases in one call */
    size_t failing;      /* the case that fails at its second round; CASES: none does */
};

static void scene_make(struct scene *scene)
{
    *scene = (struct scene){.failing = CASES};
    for (size_t i = 0; i < CASES; i++)
        scene->cases[i] = (struct kg_case_result){.id = "case", .rounds = scene->rounds[i]};
    scene->run.results.cases = scene->cases;
    scene->run.results.case_count = CASES;
    scene->run.order = scene->order;
    scene->run.grouped = scene->grouped;
    scene->run.elapsed_ns = scene->elapsed_ns;
    scene->run.launcher.checked_ns = scene->checked_ns;
    scene->run.launcher.check_due = scene->check_due;
    for (size_t i = 0; i < CASES; i++)
        scene->cases[i].status = KG_STATUS_UNMEASURED;
}

static void round_add(struct scene *scene, size_t index)
{
    struct kg_case_result *result = &scene->cases[index];
    assert_true(result->round_count < ROUNDS_MOST);
    if (index == scene->failing && result->round_count == 1) {
        result->status = KG_STATUS_FAILED;
        return;
    }
    result->rounds[result->round_count++] = (struct kg_round){.median_ns = 1};
    result->status = KG_STATUS_OK;
}

static bool one(const struct kg_rounds *rounds, size_t index, struct kg_error *err)
{
    (void)err;
    round_add(rounds->user, index);
    return true;
}

static bool shares_but_the_first(const struct kg_rounds *rounds, size_t index)
{
    (void)rounds;
    return index > 0;
}

static bool shared(const struct kg_rounds *rounds, const size_t *indexes, size_t count,
                   struct kg_error *err)
{
    struct scene *scene = rounds->user;
    (void)err;
    scene->shared_calls++;
    if (count > scene->shared_most)
        scene->shared_most = count;
    for (size_t i = 0; i < count; i++)
        round_add(scene, indexes[i]);
    return true;
}

static void every_case_gets_its_rounds(void **state)
{
    struct scene scene;
    const size_t wanted[CASES] = {3, 0, 5};
    struct kg_error err;
    scene_make(&scene);
    const struct kg_rounds rounds = {
        .run = &scene.run, .wanted = wanted, .one = one, .user = &scene};
    assert_true(kg_rounds_run(&rounds, &err));
    for (size_t i = 0; i < CASES; i++)
        assert_int_equal(scene.cases[i].round_count, wanted[i]);
    assert_int_equal(scene.run.steps.done, 8);
    assert_int_equal(scene.run.steps.planned, 8);
    /* existing rounds are not measured again */
    assert_true(kg_rounds_run(&rounds, &err));
    assert_int_equal(scene.run.steps.done, 8);
}

/* Notes the round in which a case was checked. */
static bool one_noted(const struct kg_rounds *rounds, size_t index, struct kg_error *err)
{
    struct scene *scene = rounds->user;
    scene->checks[index] += scene->check_due[index];
    scene->checked_at[index] = scene->check_due[index] ? scene->cases[index].round_count : 0;
    scene->checked_ns[index] += scene->check_due[index] ? 1e18 : 0;
    return one(rounds, index, err);
}

static void the_last_round_is_checked_and_a_slow_check_is_not_repeated(void **state)
{
    struct scene scene;
    size_t wanted[CASES] = {3, 0, 5};
    struct kg_error err;
    scene_make(&scene);
    const struct kg_rounds rounds = {
        .run = &scene.run, .wanted = wanted, .one = one_noted, .user = &scene};
    assert_true(kg_rounds_run(&rounds, &err));
    assert_true(scene.checks[0] == 1 && scene.checks[1] == 0 && scene.checks[2] == 1);
    assert_true(scene.checked_at[0] == 2 && scene.checked_at[2] == 4);
    wanted[0] = 4;
    assert_true(kg_rounds_run(&rounds, &err));
    assert_int_equal(scene.checks[0], 1);
    scene.checked_ns[0] = 0;
    wanted[0] = 5;
    assert_true(kg_rounds_run(&rounds, &err));
    assert_int_equal(scene.checks[0], 2);
}

static void a_case_that_fails_has_no_more_rounds(void **state)
{
    struct scene scene;
    const size_t wanted[CASES] = {4, 4, 4};
    struct kg_error err;
    scene_make(&scene);
    scene.failing = 1;
    const struct kg_rounds rounds = {
        .run = &scene.run, .wanted = wanted, .one = one, .user = &scene};
    assert_true(kg_rounds_run(&rounds, &err));
    assert_int_equal(scene.cases[0].round_count, 4);
    assert_int_equal(scene.cases[1].round_count, 1);
    assert_int_equal(scene.cases[2].round_count, 4);
}

static void cases_that_share_processes_are_measured_together(void **state)
{
    struct scene scene;
    const size_t wanted[CASES] = {2, 3, 2};
    struct kg_error err;
    scene_make(&scene);
    const struct kg_rounds rounds = {.run = &scene.run,
                                     .wanted = wanted,
                                     .one = one,
                                     .shares = shares_but_the_first,
                                     .shared = shared,
                                     .user = &scene};
    assert_true(kg_rounds_run(&rounds, &err));
    for (size_t i = 0; i < CASES; i++)
        assert_int_equal(scene.cases[i].round_count, wanted[i]);
    /* once per wave, in any order: both cases twice, and one case a third time */
    assert_int_equal(scene.shared_calls, 3);
    assert_int_equal(scene.shared_most, 2);
}

/* A clock that has passed the end of the time. */
static void when_the_time_is_over_only_the_fewest_rounds_are_taken(void **state)
{
    const struct kg_workload_spec spec = {.settings = {.rounds_min = 2}};
    struct kg_case planned[CASES] = {{.spec = &spec}, {.spec = &spec}, {.spec = &spec}};
    const struct kg_plan plan = {.cases = planned, .case_count = CASES};
    const size_t wanted[CASES] = {5, 0, 1};
    struct scene scene;
    struct kg_error err;
    scene_make(&scene);
    scene.run.plan = &plan;
    scene.run.until_ns = 1;
    scene.cases[0].disturbance_limit = 0.01;
    /* a disturbed round is not measured again */
    scene.rounds[0][0] = (struct kg_round){.median_ns = 1, .disturbance = 1};
    scene.cases[0].round_count = 1;
    const struct kg_rounds rounds = {
        .run = &scene.run, .wanted = wanted, .one = one, .user = &scene};
    assert_true(kg_rounds_run(&rounds, &err));
    assert_int_equal(scene.cases[0].round_count, 2);
    assert_int_equal(scene.cases[1].round_count, 0);
    assert_int_equal(scene.cases[2].round_count, 1);
}

struct missing {
    size_t count;
    double first_ns, last_ns;
};

static void missing_note(void *user, double missing_ns)
{
    struct missing *missing = user;
    missing->first_ns = missing->count++ ? missing->first_ns : missing_ns;
    missing->last_ns = missing_ns;
}

/* Without a measured round, the estimate is min_time per round. kgate reports it while a minimum
 * round is missing. */
static void what_the_fewest_rounds_still_take_is_noted(void **state)
{
    const struct kg_workload_spec spec = {.settings = {.rounds_min = 3, .min_time_ns = 1e12}};
    struct kg_case planned[CASES] = {{.spec = &spec}, {.spec = &spec}, {.spec = &spec}};
    const struct kg_plan plan = {.cases = planned, .case_count = CASES};
    const size_t wanted[CASES] = {5, 0, 2};
    struct missing missing = {0};
    struct scene scene;
    struct kg_error err;
    scene_make(&scene);
    scene.run.plan = &plan;
    scene.run.fewest = (struct kg_fewest_watch){missing_note, &missing};
    scene.cases[2].round_ns = 1e11;
    const struct kg_rounds rounds = {
        .run = &scene.run, .wanted = wanted, .one = one, .user = &scene};
    assert_true(kg_rounds_run(&rounds, &err));
    assert_int_equal(scene.cases[0].round_count, 5);
    assert_int_equal(missing.count, 3); /* not before the fourth wave, when all have them */
    assert_true(fabs(missing.first_ns - (3 * 1e12 + 2 * 1e11)) < 1);
    /* then it is the measured time, a count here */
    assert_true(missing.last_ns > 0 && missing.last_ns < 1e11);
}

/* --- Answers ----------------------------------------------------------------------------------- */

static struct kg_answer answer_of(const char *text, enum kg_ending ending, int code,
                                  struct kg_arena *arena)
{
    struct kg_outcome outcome = {.ending = ending, .code = code, .tail = "last words"};
    struct kg_answer answer;
    kg_text_append(&outcome.response, text);
    kg_answer_read(&outcome, arena, &answer);
    kg_outcome_free(&outcome);
    return answer;
}

/* As a worker writes it. */
static char *response_text(bool good)
{
    struct kg_response response = {.good = good,
                                   .message = good ? NULL : "it cannot",
                                   .work = KG_WORK_UNKNOWN,
                                   .check = {.error = NAN, .tolerance = NAN},
                                   .trace = KG_TRACE_NONE,
                                   .ceilings = KG_CEILINGS_NONE,
                                   .cpu_ceilings = KG_CPU_CEILINGS_NONE,
                                   .call_ns = NAN,
                                   .malloc_used_bytes = NAN,
                                   .malloc_cached_bytes = NAN,
                                   .device_peak_bytes = NAN,
                                   .device_allocated_bytes = NAN};
    struct kg_text text = {0};
    kg_record_line(&kg_response_record, &response, KG_RESPONSE_SCHEMA, &text);
    return text.data;
}

static void an_answer_is_whole_or_it_is_not(void **state)
{
    struct kg_arena arena = {0};
    char *good = response_text(true), *bad = response_text(false);
    struct kg_answer answer = answer_of(good, KG_ENDED_EXIT, 0, &arena);
    assert_true(answer.whole && answer.response.good);
    assert_string_equal(answer.tail, "last words");
    /* if a process crashes after its answer, the answer counts */
    answer = answer_of(good, KG_ENDED_SIGNAL, SIGSEGV, &arena);
    assert_true(answer.whole && answer.response.good);
    assert_int_equal(answer.code, SIGSEGV);
    answer = answer_of(bad, KG_ENDED_EXIT, 0, &arena);
    assert_true(answer.whole && !answer.response.good);
    assert_string_equal(answer.response.message, "it cannot");
    good[strlen(good) / 2] = '\0';
    answer = answer_of(good, KG_ENDED_SIGNAL, SIGKILL, &arena);
    assert_true(!answer.whole && !answer.response.good);
    answer = answer_of("", KG_ENDED_TIMEOUT, 0, &arena);
    assert_true(!answer.whole && !answer.response.good);
    free(good);
    free(bad);
    kg_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_gets_its_rounds),
        cmocka_unit_test(the_last_round_is_checked_and_a_slow_check_is_not_repeated),
        cmocka_unit_test(a_case_that_fails_has_no_more_rounds),
        cmocka_unit_test(cases_that_share_processes_are_measured_together),
        cmocka_unit_test(when_the_time_is_over_only_the_fewest_rounds_are_taken),
        cmocka_unit_test(what_the_fewest_rounds_still_take_is_noted),
        cmocka_unit_test(an_answer_is_whole_or_it_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
