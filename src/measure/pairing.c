#include "measure/pairing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "measure/case_result.h"
#include "measure/case_worker.h"
#include "measure/rounds.h"
#include "timing/clock.h"

enum { SIDES = 2 };
static const double TURN_LEAST_NS = 0.5e6, TURN_MOST_NS = 4e6;
/* Turns of each build in a round, where the limits of a turn allow it. */
static const double TURNS = 8;
static const char *const side_names[SIDES] = {"base", "head"};

/* One build's process in a round. */
struct player {
    struct kg_measurement *measurement;
    struct kg_launch launch;
    struct kg_process process;
    struct kg_outcome outcome;
    bool started;
    double spent_ns; /* measured in its turns so far */
};

struct match {
    struct player players[SIDES];
    size_t index; /* of the case */
    uint64_t deadline_ns;
    uint64_t kills;
    double min_time_ns;
    size_t block_count;
    size_t at_fault; /* the player whose process failed */
    enum kg_ending ending;
    struct kg_error *err;
};

static bool player_start(struct match *match, struct player *player, struct kg_arena *arena)
{
    const double turn = match->min_time_ns / TURNS;
    const struct kg_task_options options = {.task = KG_TASK_TURNS,
                                            .patience = 1,
                                            .turn_ns =
                                                fmin(TURN_MOST_NS, fmax(TURN_LEAST_NS, turn))};
    if (!kg_case_launch_make(player->measurement, match->index, &options, arena, &player->launch,
                             match->err))
        return false;
    player->started = true;
    if (kg_process_start(&player->launch, &player->process, match->err))
        return true;
    return kg_error_wrap(match->err, "the %s", side_names[player - match->players]);
}

/* Takes the first line off what a player has written; false where none came, and then the match
 * holds who is at fault, and how its process ended. */
static bool line_await(struct match *match, struct player *player, char line[64])
{
    struct kg_outcome *outcome = &player->outcome;
    match->ending =
        kg_process_wait(&player->launch, &player->process, match->deadline_ns, true, outcome);
    if (match->ending != KG_ENDED_LINE) {
        match->at_fault = (size_t)(player - match->players);
        return false;
    }
    const char *end = memchr(outcome->response.data, '\n', outcome->response.length);
    const size_t length = (size_t)(end - outcome->response.data);
    snprintf(line, 64, "%.*s", (int)length, outcome->response.data);
    kg_text_remove(&outcome->response, length + 1);
    return true;
}

static bool ask(struct match *match, struct player *player, const char *what)
{
    const ssize_t sent = send(player->process.response, what, strlen(what), MSG_NOSIGNAL);
    if (sent == (ssize_t)strlen(what))
        return true;
    match->ending = KG_ENDED_EXIT;
    match->at_fault = (size_t)(player - match->players);
    return false;
}

/* One turn. */
static bool turn(struct match *match, size_t side)
{
    struct player *player = &match->players[side];
    char line[64], *end;
    if (!ask(match, player, KG_TURN) || !line_await(match, player, line))
        return false;
    const double measured_ns = strtod(line, &end);
    player->spent_ns += measured_ns;
    if (measured_ns > 0 && !*end)
        return true;
    match->ending = KG_ENDED_EXIT; /* what it says is no time: as good as gone */
    match->at_fault = side;
    return false;
}

/* Base, head, head, base, or the other way round: a steady drift cancels over the block. */
static bool block(struct match *match)
{
    const size_t first = match->block_count++ % 2;
    return turn(match, first) && turn(match, 1 - first) && turn(match, 1 - first) &&
           turn(match, first);
}

static bool play(struct match *match)
{
    char line[64];
    for (size_t side = 0; side < SIDES; side++) {
        if (!line_await(match, &match->players[side], line))
            return false;
        if (strcmp(line, "ready") != 0) { /* the response already: it says why it cannot */
            kg_text_append(&match->players[side].outcome.response, line);
            match->ending = KG_ENDED_EXIT;
            match->at_fault = side;
            return false;
        }
    }
    while (!match->block_count || match->players[0].spent_ns < match->min_time_ns)
        if (!block(match))
            return false;
    return true;
}

/* A case that one build cannot measure cannot be compared. It is FAILED where the head fails. Where
 * only the base fails, the head may have added or repaired it: the case is SKIPPED, with the
 * reason. */
static bool sides_join(struct kg_pairing *pairing, size_t index, struct kg_error *err)
{
    const struct kg_case_result *base = &pairing->base.results.cases[index];
    struct kg_results *results = &pairing->head.results;
    struct kg_case_result *head = &results->cases[index];
    if (kg_case_measurable(base) || !kg_case_measurable(head))
        return true;
    head->status = KG_STATUS_SKIPPED;
    head->reason =
        base->status == KG_STATUS_SKIPPED
            ? kg_arena_copy(&results->arena, base->reason)
            : kg_arena_printf(&results->arena, "the base cannot be measured: %s", base->reason);
    if (!head->reason)
        return kg_error_memory(err);
    return !pairing->head.journaled || kg_journal_case(&pairing->head.journal, index, head, err);
}

/* Reads what the process at fault left: its response, or how it ended. */
static bool failure_read(struct match *match, struct kg_arena *arena)
{
    struct player *player = &match->players[match->at_fault];
    struct kg_answer answer;
    enum kg_ending ending = match->ending;
    if (ending == KG_ENDED_INTERRUPT)
        return true;
    if (ending == KG_ENDED_EXIT) /* let it come to its end by itself */
        ending = kg_process_wait(&player->launch, &player->process, match->deadline_ns, false,
                                 &player->outcome);
    kg_process_finish(&player->process, ending, match->kills, &player->outcome);
    kg_answer_read(&player->outcome, arena, &answer);
    if (!kg_case_answer_take(player->measurement, match->index, &answer, match->err))
        return false;
    return !answer.response.good ||
           kg_case_fail(player->measurement, match->index,
                        "the worker ended before it was asked to", "", match->err);
}

/* Asks a player for its round. *got is false where none came: the case is then FAILED, or the user
 * asked to stop. */
static bool round_ask(struct match *match, size_t side, struct kg_arena *arena,
                      struct kg_response *response, bool *got)
{
    struct player *player = &match->players[side];
    *got = false;
    if (!ask(match, player, KG_TURN_END))
        return failure_read(match, arena);
    const enum kg_ending ending = kg_process_wait(&player->launch, &player->process,
                                                  match->deadline_ns, false, &player->outcome);
    kg_process_finish(&player->process, ending, match->kills, &player->outcome);
    struct kg_answer answer;
    kg_answer_read(&player->outcome, arena, &answer);
    if (!kg_case_answer_take(player->measurement, match->index, &answer, match->err))
        return false;
    *response = answer.response;
    *got = response->good && response->round_count == 1;
    return !response->good || *got ||
           kg_case_fail(player->measurement, match->index, "the worker gave no round", "",
                        match->err);
}

static bool rounds_take(struct match *match, struct kg_arena *arena, bool confirm)
{
    struct kg_response responses[SIDES] = {{0}};
    for (size_t side = 0; side < SIDES; side++) {
        bool got;
        if (!round_ask(match, side, arena, &responses[side], &got))
            return false;
        if (!got)
            return true;
    }
    responses[1].rounds[0].base_ratio =
        responses[1].rounds[0].median_ns / responses[0].rounds[0].median_ns;
    /* a pair is as good as the worse of the two */
    const bool throttled = responses[0].rounds[0].throttled || responses[1].rounds[0].throttled;
    const double disturbance =
        fmax(responses[0].rounds[0].disturbance, responses[1].rounds[0].disturbance);
    for (size_t side = 0; side < SIDES; side++) {
        responses[side].rounds[0].confirms = confirm;
        responses[side].rounds[0].throttled = throttled;
        responses[side].rounds[0].disturbance = disturbance;
        if (!kg_case_round_store(match->players[side].measurement, match->index, &responses[side],
                                 match->err))
            return false;
    }
    return true;
}

static void match_end(struct match *match)
{
    for (size_t side = 0; side < SIDES; side++) {
        struct player *player = &match->players[side];
        if (player->started)
            kg_process_end(&player->process);
        kg_outcome_free(&player->outcome);
    }
}

/* One round of one case in both builds. */
static bool pair_round(struct kg_pairing *pairing, size_t index, bool confirm, struct kg_error *err)
{
    const struct kg_settings *settings = &pairing->base.plan->cases[index].spec->settings;
    struct match match = {
        .players = {{.measurement = &pairing->base}, {.measurement = &pairing->head}},
        .index = index,
        .kills = kg_out_of_memory_kills(),
        .min_time_ns = kg_measurement_round_ns(&pairing->head, index),
        .err = err};
    struct kg_arena arena = {0};
    match.deadline_ns = kg_clock_ns() + (uint64_t)(SIDES * settings->timeout_ns);
    bool good = player_start(&match, &match.players[0], &arena) &&
                player_start(&match, &match.players[1], &arena);
    if (good)
        good = play(&match) ? rounds_take(&match, &arena, confirm) : failure_read(&match, &arena);
    match_end(&match);
    kg_arena_free(&arena);
    return good && sides_join(pairing, index, err);
}

static bool round_of_both(const struct kg_rounds *rounds, size_t index, struct kg_error *err)
{
    return pair_round(rounds->user, index, rounds->confirm, err);
}

void kg_pairing_round_set(struct kg_pairing *pairing, size_t index, double round_ns)
{
    pairing->base.results.cases[index].round_ns = round_ns;
    pairing->head.results.cases[index].round_ns = round_ns;
}

/* The head's results say how many rounds there are. Both turns of a pair are of the same moment, so
 * confirming pairs need no long wait for another one. */
bool kg_pairing_rounds(struct kg_pairing *pairing, const size_t *wanted, bool confirm,
                       struct kg_error *err)
{
    const struct kg_rounds rounds = {.measurement = &pairing->head,
                                     .wanted = wanted,
                                     .confirm = confirm,
                                     .confirm_after_ns = KG_CONFIRM_APART_NS,
                                     .one = round_of_both,
                                     .user = pairing};
    return kg_rounds_run(&rounds, err);
}

/* Both builds must have the same number of calls a sample. */
static bool checks_join(struct kg_pairing *pairing, struct kg_error *err)
{
    for (size_t i = 0; i < pairing->head.results.case_count; i++) {
        if (!sides_join(pairing, i, err))
            return false;
        if (pairing->base.batch[i] > pairing->head.batch[i])
            pairing->head.batch[i] = pairing->base.batch[i];
        pairing->base.batch[i] = pairing->head.batch[i];
    }
    return true;
}

/* A name that both results carry, so that `compare` knows that they are of the same rounds. */
static bool pair_name(struct kg_pairing *pairing, struct kg_error *err)
{
    const char *pair =
        kg_arena_printf(&pairing->base.results.arena, "%s-%016llx", pairing->base.results.created,
                        (unsigned long long)kg_random_next(&pairing->base.random));
    pairing->base.results.pair = pair;
    pairing->head.results.pair = pair ? kg_arena_copy(&pairing->head.results.arena, pair) : NULL;
    return pairing->head.results.pair ? true : kg_error_memory(err);
}

/* --- Cases that are the same code in both builds ---------------------------------------------- */

struct selection {
    const struct kg_prepared_suite *what;
    const struct kg_pairing_options *options;
    bool *same; /* of each case, found as the base begins; NULL: all are measured */
};

/* A budget is about now, whatever the code. */
static bool is_same(const struct kg_case_result *base, const struct kg_case_result *head)
{
    return !base->budget_count && base->status == KG_STATUS_UNMEASURED &&
           head->status == KG_STATUS_UNMEASURED &&
           kg_code_match(&base->code, &head->code) == KG_CODE_SAME;
}

static void same_mark(const struct selection *selection, struct kg_results *results)
{
    for (size_t i = 0; i < results->case_count; i++) {
        if (!selection->same[i])
            continue;
        results->cases[i].status = KG_STATUS_UNCHANGED;
        results->cases[i].reason = KG_UNCHANGED_REASON;
    }
}

/* Nothing of the head is there yet: its code is looked at for this. */
static bool base_select(void *user, struct kg_results *base, struct kg_error *err)
{
    const struct selection *selection = user;
    const struct kg_prepared_suite *what = selection->what;
    struct kg_results head = {0};
    if (!kg_results_start(&head, what->suite, what->plan, what->machine, NULL, err))
        return false;
    const struct kg_build *const *heads = selection->options->heads;
    const bool good = !heads || kg_builds_apply(heads, what->plan, &head, err);
    for (size_t i = 0; i < base->case_count && good; i++)
        selection->same[i] =
            selection->options->skips[i] && is_same(&base->cases[i], &head.cases[i]);
    kg_arena_free(&head.arena);
    if (good)
        same_mark(selection, base);
    return good;
}

static bool head_select(void *user, struct kg_results *head, struct kg_error *err)
{
    (void)err;
    same_mark(user, head);
    return true;
}

static bool any_skips(const bool *skips, size_t count)
{
    for (size_t i = 0; skips && i < count; i++)
        if (skips[i])
            return true;
    return false;
}

static bool both_begin(struct kg_pairing *pairing, const struct kg_prepared_suite *what,
                       const struct kg_pairing_options *options, struct selection *selection,
                       struct kg_error *err)
{
    struct kg_measurement_options build = {.results_path = options->base_path,
                                           .filter = options->filter,
                                           .sequential = true,
                                           .progress = options->progress,
                                           .select = selection->same ? base_select : NULL,
                                           .select_user = selection,
                                           .builds = options->bases,
                                           .paired = true,
                                           .interrupt = pairing->interrupt};
    if (!kg_measurement_begin(&pairing->base, what, &build, err))
        return kg_error_wrap(err, "in the base");
    build.results_path = options->head_path;
    build.builds = options->heads;
    build.select = selection->same ? head_select : NULL;
    build.batches = pairing->base.batch;
    if (!kg_measurement_begin(&pairing->head, what, &build, err)) {
        kg_measurement_free(&pairing->base);
        return kg_error_wrap(err, "in the head");
    }
    pairing->base.results.tests = pairing->head.results.tests = options->tests;
    if (pair_name(pairing, err) && checks_join(pairing, err))
        return true;
    kg_measurement_free(&pairing->base);
    kg_measurement_free(&pairing->head);
    return false;
}

bool kg_pairing_begin(struct kg_pairing *pairing, const struct kg_prepared_suite *what,
                      const struct kg_pairing_options *options, struct kg_error *err)
{
    struct kg_arena scratch = {0};
    struct selection selection = {.what = what, .options = options};
    *pairing = (struct kg_pairing){0};
    if (any_skips(options->skips, what->plan->case_count) &&
        !(selection.same =
              kg_arena_alloc(&scratch, what->plan->case_count, sizeof *selection.same)))
        return kg_error_memory(err);
    pairing->interrupt = options->interrupt ? options->interrupt : &pairing->own_interrupt;
    if (!options->interrupt)
        kg_interrupt_begin(pairing->interrupt);
    const bool good = both_begin(pairing, what, options, &selection, err);
    if (!good && !options->interrupt)
        kg_interrupt_end(pairing->interrupt);
    kg_arena_free(&scratch);
    return good;
}

void kg_pairing_summarize(struct kg_pairing *pairing)
{
    kg_measurement_summarize(&pairing->base);
    kg_measurement_summarize(&pairing->head);
}

void kg_pairing_end(struct kg_pairing *pairing)
{
    kg_pairing_summarize(pairing);
    if (pairing->interrupt == &pairing->own_interrupt)
        kg_interrupt_end(pairing->interrupt);
}

void kg_pairing_free(struct kg_pairing *pairing)
{
    kg_measurement_free(&pairing->base);
    kg_measurement_free(&pairing->head);
}
