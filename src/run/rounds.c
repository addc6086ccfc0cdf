#include "run/rounds.h"

#include "base/clock.h"
#include "model/disturbance.h"
#include "run/case_worker.h"

/* Whether the case's next round would end after the run's time limit. The estimate of its time is the
 * average of the rounds so far. */
static bool is_late(const struct kg_run *run, size_t i)
{
    const size_t count = run->results.cases[i].round_count;
    const double each_ns = count ? run->elapsed_ns[i] / (double)count : 0;
    return run->until_ns && (double)kg_clock_ns() + each_ns > (double)run->until_ns;
}

static size_t missing(const struct kg_rounds *rounds, size_t i)
{
    const struct kg_run *run = rounds->run;
    const struct kg_case_result *result = &run->results.cases[i];
    size_t target = kg_case_measurable(result) ? rounds->wanted[i] : 0;
    if (target && is_late(run, i)) {
        /* the minimum, and no second try for preempted rounds */
        const size_t fewest = (size_t)run->plan->cases[i].spec->settings.rounds_min;
        target = target < fewest ? target : fewest;
        return target > result->round_count ? target - result->round_count : 0;
    }
    const size_t good = result->round_count - kg_rounds_to_repeat(result, target);
    return target > good ? target - good : 0;
}

/* How many of its minimum rounds a case still lacks, unless fewer are wanted. */
static size_t missing_of_fewest(const struct kg_rounds *rounds, size_t i)
{
    const struct kg_run *run = rounds->run;
    const struct kg_case_result *result = &run->results.cases[i];
    const size_t fewest = (size_t)run->plan->cases[i].spec->settings.rounds_min;
    const size_t target = rounds->wanted[i] < fewest ? rounds->wanted[i] : fewest;
    return kg_case_measurable(result) && target > result->round_count ? target - result->round_count
                                                                      : 0;
}

/* Estimates the time of the missing minimum rounds. A round takes as long as the case's average round
 * so far. Before the first round the estimate is its measured time, which is too short. */
static void fewest_report(const struct kg_rounds *rounds)
{
    const struct kg_run *run = rounds->run;
    double missing_ns = 0;
    if (!run->fewest.report)
        return;
    const struct kg_session session = kg_run_session(rounds->run);
    for (size_t i = 0; i < run->results.case_count; i++) {
        const size_t count = run->results.cases[i].round_count;
        const double each_ns = count && run->elapsed_ns[i] > 0 ? run->elapsed_ns[i] / (double)count
                                                               : kg_session_round_ns(&session, i);
        missing_ns += (double)missing_of_fewest(rounds, i) * each_ns;
    }
    if (missing_ns > 0)
        run->fewest.report(run->fewest.user, missing_ns);
}

static size_t missing_sum(const struct kg_rounds *rounds)
{
    size_t sum = 0;
    for (size_t i = 0; i < rounds->run->results.case_count; i++)
        sum += missing(rounds, i);
    return sum;
}

static bool is_shared(const struct kg_rounds *rounds, size_t index)
{
    return rounds->shares && rounds->shares(rounds, index);
}

/* The process of the last wanted round checks the result of its timed calls. Later rounds may follow,
 * after a preempted round or because more are wanted. Their processes check too, while all checks of
 * the case take at most a tenth of its time. */
static void check_plan(const struct kg_rounds *rounds, size_t index)
{
    struct kg_run *run = rounds->run;
    const double checked_ns = run->launcher.checked_ns[index];
    run->launcher.check_due[index] =
        run->results.cases[index].round_count + 1 >= rounds->wanted[index] &&
        (!(checked_ns > 0) || checked_ns <= 0.1 * run->elapsed_ns[index]);
}

/* One round of every case that shares processes, in the wave's order from `first` on. */
static bool shared_measure(const struct kg_rounds *rounds, size_t first, struct kg_error *err)
{
    struct kg_run *run = rounds->run;
    size_t count = 0;
    for (size_t k = first; k < run->results.case_count; k++) {
        const size_t i = run->order[k];
        if (is_shared(rounds, i) && missing(rounds, i)) {
            check_plan(rounds, i);
            run->grouped[count++] = i;
        }
    }
    return rounds->shared(rounds, run->grouped, count, err) ||
           kg_error_wrap(err, "measuring on the GPU");
}

static bool one_measure(const struct kg_rounds *rounds, size_t index, struct kg_error *err)
{
    struct kg_run *run = rounds->run;
    const struct kg_session session = kg_run_session(run);
    const char *id = run->results.cases[index].id;
    const uint64_t start = kg_clock_ns();
    kg_session_progress(&session, id);
    check_plan(rounds, index);
    if (!rounds->one(rounds, index, err))
        return kg_error_wrap(err, "measuring '%s'", id);
    run->elapsed_ns[index] += (double)(kg_clock_ns() - start);
    run->steps.done++;
    return true;
}

/* One round of every unfinished case. The cases that share processes are measured together, at the
 * first position that the shuffle gave one of them. */
static bool wave(const struct kg_rounds *rounds, struct kg_error *err)
{
    struct kg_run *run = rounds->run;
    const size_t count = run->results.case_count;
    bool shared = false;
    kg_random_shuffle(&run->random, run->order, count);
    for (size_t k = 0; k < count && !kg_interrupt_caught(); k++) {
        const size_t i = run->order[k];
        const bool shares = is_shared(rounds, i);
        if (!missing(rounds, i) || (shares && shared))
            continue;
        if (!(shares ? shared_measure(rounds, k, err) : one_measure(rounds, i, err)))
            return false;
        shared = shared || shares;
    }
    return true;
}

bool kg_rounds_run(const struct kg_rounds *rounds, struct kg_error *err)
{
    struct kg_run *run = rounds->run;
    const struct kg_session session = kg_run_session(run);
    size_t left = missing_sum(rounds);
    for (size_t i = 0; i < run->results.case_count; i++)
        run->order[i] = i;
    run->steps.planned = run->steps.done + left;
    if (rounds->confirm && left)
        kg_session_pause(&session, rounds->confirm_after_ns);
    fewest_report(rounds);
    while (left && !kg_interrupt_caught()) {
        const uint64_t start = kg_clock_ns();
        if (!wave(rounds, err))
            return false;
        fewest_report(rounds);
        left = missing_sum(rounds);
        if (rounds->confirm && left)
            kg_session_pause(&session, rounds->confirm_apart_ns - (double)(kg_clock_ns() - start));
    }
    return true;
}
