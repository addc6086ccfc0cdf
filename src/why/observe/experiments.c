#include "why/observe/hot_steps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/statistics/stats.h"
#include "run/case_worker.h"
#include "run/interleaving.h"

/* Numbers of pairs of processes. The first three show whether the change has an effect; the
 * others narrow the interval. */
enum { PAIRS_FIRST = 3, PAIRS_LEAST = 6, PAIRS_MOST = 12 };
static const double MOVES = 0.97;  /* ratio of times that needs more pairs */
static const double NARROW = 1.05; /* ratio of the interval's ends */
static const double TURN_NS = 1e6; /* time of a slice; each side has two in a block of four */
/* Time after which an experiment begins no further pair. The longer one is for changes with an
 * effect. */
static const double BUDGET_NS = 0.5e9, MOVING_BUDGET_NS = 1.2e9;
static const double CALLS_OF_PAIR = 8; /* estimate: warm-up and slices of both processes */
static const double HANGS_NS = 5e9;    /* a pair that takes longer has failed */
static const double CONFIDENCE = 0.95;

/* --- Changes to try --------------------------------------------------------------------------- */

static double cpu_ns(const struct kg_case_result *result)
{
    const struct kg_round *last =
        result->round_count ? &result->rounds[result->round_count - 1] : NULL;
    return last ? last->cpu_ns : NAN;
}

/* Whether nearly all of the time is in analysed loops without floating-point arithmetic. */
static bool without_floats(const struct kg_hot *hot)
{
    double share = 0;
    for (size_t i = 0; i < hot->loop_count; i++) {
        if (hot->loops[i].scalar_floats > 0 || hot->loops[i].vector_floats > 0)
            return false;
        share += hot->loops[i].share;
    }
    return share > 0.8;
}

/* Arithmetic on a denormal number takes about 150 cycles, so few instructions retire per cycle.
 * If their rate is unknown, kgate tries. The floating-point mode of a process ends with exec, so
 * other programs are excluded. */
static bool denormals_wanted(const struct kg_session *session, size_t index)
{
    static const double FEW_PER_CYCLE = 0.7;
    const struct kg_results *results = session->results;
    const struct kg_case_result *result = &results->cases[index];
    const double cycles = cpu_ns(result) * 1e-9 * results->cpu_ceilings.clock_hz;
    const double per_cycle = result->look.instructions / cycles;
#if !defined __x86_64__
    return false;
#endif
    return !kg_session_own_process(session, index) && !without_floats(&result->hot) &&
           !(per_cycle >= FEW_PER_CYCLE);
}

/* Whether the kernel gives huge pages on request, or always. */
static bool huge_pages_there(void)
{
    char words[128] = "";
    FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "re");
    const bool read = file && fgets(words, sizeof words, file);
    if (file)
        fclose(file);
    return read && !strstr(words, "[never]");
}

static bool huge_pages_wanted(const struct kg_session *session, size_t index)
{
    static const double SMALL_BYTES = 1 << 20, FEW_MISSES = 0.02;
    const struct kg_case_result *result = &session->results->cases[index];
    const struct kg_counted *counted = &result->hot.counted;
    double bytes = (double)result->memory.allocated_bytes;
    for (size_t i = 0; i < result->round_count; i++)
        bytes = fmax(bytes, (double)result->rounds[i].peak_bytes);
    return bytes > SMALL_BYTES && !(counted->line_misses < FEW_MISSES * counted->loads) &&
           huge_pages_there();
}

/* Whether the C library takes memory from the kernel in each call. Each page then costs a fault. */
static bool kept_memory_wanted(const struct kg_session *session, size_t index)
{
    static const char *const calls[] = {"brk", "mmap", "munmap", "mremap"};
    const struct kg_system_calls *made = &session->results->cases[index].hot.system_calls;
    for (size_t i = 0; i < made->kind_count; i++)
        for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
            if (!strcmp(made->kinds[i].name, calls[k]) && made->kinds[i].calls >= 1)
                return true;
    return false;
}

static const struct change {
    const char *name;
    bool (*wanted)(const struct kg_session *session, size_t index);
    bool flush_denormals;
    bool huge_pages;
    bool keeps_memory;
} changes[] = {
    {.name = "flush_denormals", .wanted = denormals_wanted, .flush_denormals = true},
    {.name = "huge_pages", .wanted = huge_pages_wanted, .huge_pages = true},
    {.name = "kept_memory", .wanted = kept_memory_wanted, .keeps_memory = true},
};
enum { CHANGES = sizeof changes / sizeof *changes };

/* --- A pair ----------------------------------------------------------------------------------- */

/* The pairs so far: times of the unchanged case, and of the changed case. */
struct trial {
    const struct kg_session *session;
    size_t index;
    const struct change *change;
    double times[KG_SIDES][PAIRS_MOST];
    size_t count;
    struct kg_error *err;
};

static bool side_start(const struct trial *trial, size_t side, struct kg_arena *arena,
                       struct kg_turns *turns)
{
    const struct kg_task_options options = {.task = KG_TASK_TURNS,
                                            .patience = 1,
                                            .turn_ns = TURN_NS,
                                            .shares_cpu = true,
                                            .flush_denormals =
                                                side && trial->change->flush_denormals,
                                            .huge_pages = side && trial->change->huge_pages,
                                            .keeps_memory = side && trial->change->keeps_memory};
    kg_case_launch_make(trial->session, trial->index, &options, arena,
                        &turns->players[side].launch);
    return kg_turns_start(turns, side, trial->err);
}

/* The median time of a player's slices; NaN: none. */
static double side_finish(struct kg_turns *turns, size_t side, struct kg_arena *arena)
{
    struct kg_answer answer;
    if (!kg_turns_finish(turns, side))
        return NAN;
    kg_answer_read(&turns->players[side].outcome, arena, &answer);
    return answer.response.good && answer.response.round_count == 1
               ? answer.response.rounds->median_ns
               : NAN;
}

/* Measures a pair. A process that fails does not fail the case, which has completed its rounds.
 * measured  whether there is a new pair */
static bool pair_measure(struct trial *trial, bool *measured)
{
    struct kg_turns turns = {.kills = kg_out_of_memory_kills(),
                             .deadline_ns = kg_clock_ns() + (uint64_t)HANGS_NS};
    struct kg_arena arena = {0};
    double times[KG_SIDES] = {NAN, NAN};
    const bool started =
        side_start(trial, 0, &arena, &turns) && side_start(trial, 1, &arena, &turns);
    if (started && kg_turns_play(&turns, 0))
        for (size_t side = 0; side < KG_SIDES; side++)
            times[side] = side_finish(&turns, side, &arena);
    kg_turns_free(&turns);
    kg_arena_free(&arena);
    *measured = times[0] > 0 && times[1] > 0;
    for (size_t side = 0; side < KG_SIDES && *measured; side++)
        trial->times[side][trial->count] = times[side];
    trial->count += *measured;
    return started;
}

/* --- Evaluation ------------------------------------------------------------------------------- */

static void ratio_find(const struct trial *trial, struct kg_experiment *experiment)
{
    double ratios[PAIRS_MOST], logs[PAIRS_MOST];
    for (size_t i = 0; i < trial->count; i++)
        ratios[i] = trial->times[1][i] / trial->times[0][i];
    const struct kg_location found = kg_log_location(ratios, trial->count, logs);
    const double half =
        kg_student_point((1 - CONFIDENCE) / 2, found.freedom) * sqrt(found.variance / found.count);
    experiment->ratio = exp(found.value);
    experiment->ratio_low = exp(found.value - half);
    experiment->ratio_high = exp(found.value + half);
    experiment->pairs = (double)trial->count;
    experiment->base_ns = kg_median_of(trial->times[0], trial->count, logs);
    experiment->time_ns = kg_median_of(trial->times[1], trial->count, logs);
}

static bool enough(const struct trial *trial, const struct kg_experiment *experiment)
{
    if (trial->count < PAIRS_FIRST)
        return false;
    if (trial->count == PAIRS_FIRST && experiment->ratio > MOVES)
        return true;
    return trial->count == PAIRS_MOST ||
           (trial->count >= PAIRS_LEAST && experiment->ratio_high < NARROW * experiment->ratio_low);
}

static double budget_ns(const struct trial *trial, const struct kg_experiment *experiment)
{
    return trial->count >= PAIRS_FIRST && experiment->ratio <= MOVES ? MOVING_BUDGET_NS : BUDGET_NS;
}

/* Whether the first pairs fit into the budget. */
static bool affordable(const struct kg_case_result *result)
{
    const struct kg_round *last =
        result->round_count ? &result->rounds[result->round_count - 1] : NULL;
    return last && PAIRS_FIRST * CALLS_OF_PAIR * last->median_ns < MOVING_BUDGET_NS;
}

/* Runs an experiment.
 * known  whether there are enough pairs for a result */
static bool trial_run(struct trial *trial, struct kg_experiment *experiment, bool *known)
{
    const uint64_t start = kg_clock_ns();
    bool measured = true;
    *experiment = (struct kg_experiment){.name = trial->change->name};
    while (measured && !enough(trial, experiment) && !kg_interrupt_caught() &&
           (double)(kg_clock_ns() - start) < budget_ns(trial, experiment)) {
        if (!pair_measure(trial, &measured))
            return false;
        if (trial->count)
            ratio_find(trial, experiment);
    }
    *known = measured && trial->count >= PAIRS_FIRST;
    return true;
}

bool kg_experiments_step(const struct kg_session *session, size_t index, struct kg_hot_look *look,
                         struct kg_error *err)
{
    struct kg_hot *hot = &session->results->cases[index].hot;
    (void)look;
    hot->experiments = kg_arena_alloc(&session->results->arena, CHANGES, sizeof *hot->experiments);
    hot->experiment_count = 0;
    if (!affordable(&session->results->cases[index]))
        return true;
    for (size_t i = 0; i < CHANGES && !kg_interrupt_caught(); i++) {
        struct trial trial = {
            .session = session, .index = index, .change = &changes[i], .err = err};
        bool known;
        if (!changes[i].wanted(session, index))
            continue;
        if (!trial_run(&trial, &hot->experiments[hot->experiment_count], &known))
            return false;
        hot->experiment_count += known;
    }
    return true;
}
