/* One round of a case in both builds. Interleaved turns let a disturbance hit both. Some builds fail
 * side by side, for example two users of one port. They measure whole rounds one after the other. On the
 * GPU a pair of processes serves case after case. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "run/case_worker.h"
#include "run/group.h"
#include "run/interleaving.h"
#include "run/pairing.h"
#include "suite/sources/source.h"

enum { SIDES = KG_SIDES };
static const double TURN_LEAST_NS = 0.5e6, TURN_MOST_NS = 4e6;
/* Turns of each build in a round, within the limits of a turn. */
enum { TURNS = 8 };

/* Both builds' processes in a round. */
struct match {
    struct kg_turns turns;
    struct kg_session sessions[SIDES];
    size_t index;        /* of the case */
    uint64_t turn_calls; /* calls of a turn, at most; 0: the time decides */
    double turn_ns, min_time_ns, timeout_ns;
    struct kg_error *err;
};

static void player_launch_make(struct match *match, size_t side, struct kg_arena *arena,
                               struct kg_launch *launch)
{
    const struct kg_task_options options = {.task = KG_TASK_TURNS,
                                            .counts = true,
                                            .patience = 1,
                                            .turn_ns = match->turn_ns,
                                            .turn_calls = match->turn_calls};
    match->sessions[side].launcher->check_due[match->index] =
        match->sessions[SIDES - 1].launcher->check_due[match->index];
    kg_case_launch_make(&match->sessions[side], match->index, &options, arena, launch);
}

static bool player_start(struct match *match, size_t side, struct kg_arena *arena)
{
    player_launch_make(match, side, arena, &match->turns.players[side].launch);
    return kg_turns_start(&match->turns, side, match->err) ||
           kg_error_wrap(match->err, "the %s", kg_side_names[side]);
}

/* Reads the response of the process at fault, or how it ended.
 * beside  set instead of a failure if both processes ran and a worker reported a failure before its
 *         first turn: each side then gets a try alone. A killed worker reports nothing. NULL: not
 *         wanted */
static bool failure_read(struct match *match, struct kg_arena *arena, bool *beside)
{
    const size_t side = match->turns.at_fault;
    struct kg_answer answer;
    if (match->turns.ending == KG_ENDED_INTERRUPT)
        return true;
    kg_turns_fail(&match->turns);
    kg_answer_read(&match->turns.players[side].outcome, arena, &answer);
    if (beside && answer.whole && match->turns.players[1].started &&
        !(match->turns.players[side].spent_ns > 0)) {
        *beside = true;
        return true;
    }
    if (!kg_case_answer_take(&match->sessions[side], match->index, &answer, match->err))
        return false;
    return !answer.response.good || kg_case_fail(&match->sessions[side], match->index,
                                                 "the worker ended too early", "", match->err);
}

/* Requests a player's round. *got is false if none came: the case is then FAILED, or the user asked
 * to stop. */
static bool round_ask(struct match *match, size_t side, struct kg_arena *arena,
                      struct kg_response *response, bool *got)
{
    struct kg_answer answer;
    *got = false;
    if (!kg_turns_finish(&match->turns, side))
        return failure_read(match, arena, NULL);
    struct kg_outcome *outcome = &match->turns.players[side].outcome;
    if (match->turns.serve)
        kg_group_answer(outcome, arena, &answer);
    else
        kg_answer_read(outcome, arena, &answer);
    if (!kg_case_answer_take(&match->sessions[side], match->index, &answer, match->err))
        return false;
    *response = answer.response;
    *got = response->good && response->round_count == 1;
    return !response->good || *got ||
           kg_case_fail(&match->sessions[side], match->index, "the worker gave no round", "",
                        match->err);
}

/* Stores a pair of rounds. Both get the larger disturbance, and count as throttled if one was. */
static bool rounds_store(struct match *match, struct kg_response responses[SIDES], bool confirm)
{
    responses[1].rounds[0].base_ratio =
        responses[1].rounds[0].median_ns / responses[0].rounds[0].median_ns;
    const bool throttled = responses[0].rounds[0].throttled || responses[1].rounds[0].throttled;
    const double disturbance =
        fmax(responses[0].rounds[0].disturbance, responses[1].rounds[0].disturbance);
    for (size_t side = 0; side < SIDES; side++) {
        responses[side].rounds[0].confirms = confirm;
        responses[side].rounds[0].throttled = throttled;
        responses[side].rounds[0].disturbance = disturbance;
        if (!kg_case_round_store(&match->sessions[side], match->index, &responses[side],
                                 match->err))
            return false;
    }
    return true;
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
    return rounds_store(match, responses, confirm);
}

/* One side's process has ended before the other's begins. `first` alternates from round to round: the second may
 * find warmer caches. */
static bool rounds_apart(struct match *match, struct kg_arena *arena, size_t first, bool confirm)
{
    struct kg_response responses[SIDES] = {{0}};
    for (size_t i = 0; i < SIDES; i++) {
        const size_t side = i ^ first;
        bool got;
        match->turns.deadline_ns = kg_clock_ns() + (uint64_t)match->timeout_ns;
        if (!player_start(match, side, arena))
            return false;
        if (!kg_turns_play_alone(&match->turns, side, match->min_time_ns))
            return failure_read(match, arena, NULL);
        if (!round_ask(match, side, arena, &responses[side], &got))
            return false;
        if (!got)
            return true;
    }
    return rounds_store(match, responses, confirm);
}

/* Whether processes that outlive the start must stay: `setup` or a plugin's set_up may start a server
 * for all calls. Without both, only calls leave processes behind. */
static bool keeps_setup(const struct kg_case *planned)
{
    return kg_sources[planned->spec->source]->code != KG_CODE_ANYWHERE ||
           planned->setting.setup_count;
}

/* The base's file if its `setup`, and nothing else, may build it. Such a file must not change until
 * the base's last call. NULL: kg_watched_file_changed at the end is enough. */
static const struct kg_watched_file *built_file(const struct kg_pairing *pairing, size_t index)
{
    const struct kg_watched_file *base = &pairing->base_files[index],
                                 *head = &pairing->head_files[index];
    return base->path && base->by_contents && !(head->path && !strcmp(base->path, head->path))
               ? base
               : NULL;
}

/* Plays a round. The base's `setup` ends before any code of the head starts.
 * *replaced  the file that the head changed meanwhile; without a path: none
 * returns    false: a process failed, as in kg_turns_play, or err is filled and *broke is set */
static bool round_play(struct kg_pairing *pairing, struct match *match, struct kg_arena *arena,
                       struct kg_watched_file *replaced, bool *broke)
{
    const struct kg_watched_file *built = built_file(pairing, match->index);
    struct kg_watched_file before = {0};
    *broke = !player_start(match, 0, arena);
    if (*broke)
        return false;
    if (built && !kg_turns_ready(&match->turns, 0))
        return false;
    if (built)
        before = kg_watched_file_again(built);
    *broke = !player_start(match, 1, arena);
    if (*broke || !kg_turns_play(&match->turns, match->min_time_ns))
        return false;
    if (before.path && kg_watched_file_changed(&before))
        *replaced = before;
    return true;
}

/* Time of a call of the slower build; 0: unknown before the first round. */
static double slower_call_ns(const struct kg_pairing *pairing, size_t index)
{
    const struct kg_case_result *head = &pairing->head.results.cases[index],
                                *base = &pairing->base.results.cases[index];
    return head->round_count && base->round_count
               ? fmax(head->rounds[head->round_count - 1].median_ns,
                      base->rounds[base->round_count - 1].median_ns)
               : 0;
}

/* Calls of a turn within the limits of its time. Both builds make the same number, so that their turns
 * alternate up to the end of the round. */
static uint64_t turn_calls(uint64_t iterations, double call_ns)
{
    const double eighth = ceil((double)iterations / TURNS);
    if (!(call_ns > 0))
        return (uint64_t)eighth; /* TURN_MOST_NS ends the turn */
    const double wanted = fmax(eighth, ceil(TURN_LEAST_NS / call_ns));
    return (uint64_t)fmax(1, fmin(wanted, floor(TURN_MOST_NS / call_ns)));
}

static struct match match_make(struct kg_pairing *pairing, size_t index, struct kg_error *err)
{
    const struct kg_case *planned = &pairing->base.plan->cases[index];
    const struct kg_settings *settings = &planned->spec->settings;
    struct match match = {
        .turns = {.kills = kg_out_of_memory_kills(),
                  .deadline_ns = kg_clock_ns() + (uint64_t)(SIDES * settings->timeout_ns),
                  .keeps_setup = keeps_setup(planned),
                  .block_count = pairing->head.results.cases[index].round_count},
        .sessions = {kg_run_session(&pairing->base), kg_run_session(&pairing->head)},
        .index = index,
        .timeout_ns = settings->timeout_ns,
        .err = err};
    match.min_time_ns = kg_session_round_ns(&match.sessions[1], index);
    match.turn_ns = fmin(TURN_MOST_NS, fmax(TURN_LEAST_NS, match.min_time_ns / TURNS));
    if (settings->iterations) {
        match.turn_ns = TURN_MOST_NS;
        match.turn_calls = turn_calls(settings->iterations, slower_call_ns(pairing, index));
        match.turns.calls_wanted = settings->iterations;
    }
    return match;
}

/* One round of one case in both builds, in turns.
 * *beside  a process failed beside the other, and nothing was stored: to be measured apart */
static bool round_beside(struct kg_pairing *pairing, struct match *match, bool confirm,
                         bool *beside)
{
    struct kg_arena arena = {0};
    struct kg_watched_file replaced = {0};
    bool broke, good;
    if (!round_play(pairing, match, &arena, &replaced, &broke))
        good = !broke && failure_read(match, &arena, beside);
    else if (replaced.path)
        good = kg_pairing_file_fail(pairing, match->index, 0, &replaced, match->err);
    else
        good = rounds_take(match, &arena, confirm);
    kg_turns_free(&match->turns);
    kg_arena_free(&arena);
    return good;
}

static bool round_apart(struct match *match, size_t first, bool confirm)
{
    struct kg_arena arena = {0};
    const bool good = rounds_apart(match, &arena, first, confirm);
    kg_turns_free(&match->turns);
    kg_arena_free(&arena);
    return good;
}

bool kg_pairing_round(struct kg_pairing *pairing, size_t index, bool confirm, struct kg_error *err)
{
    bool *apart = &pairing->apart[index];
    struct match match = match_make(pairing, index, err);
    bool good = *apart || round_beside(pairing, &match, confirm, apart);
    if (good && *apart) {
        match = match_make(pairing, index, err);
        const bool base_first = built_file(pairing, index); /* before the head may write over it */
        const size_t rounds = pairing->head.results.cases[index].round_count;
        good = round_apart(&match, base_first ? 0 : rounds % SIDES, confirm);
    }
    return good && kg_pairing_join(pairing, index, true, err);
}

/* --- Rounds of many cases by one pair of processes ---------------------------------------------- */

bool kg_pairing_shares(const struct kg_pairing *pairing, size_t index)
{
    const struct kg_case *planned = &pairing->base.plan->cases[index];
    return kg_case_on_stream(planned) && !planned->setting.setup_count &&
           !planned->setting.cleanup_count && !pairing->apart[index] &&
           !kg_pairing_alone(pairing, index);
}

static void pair_leave(struct match *match)
{
    for (size_t side = 0; side < SIDES; side++) {
        struct kg_player *player = &match->turns.players[side];
        if (player->started)
            kg_group_leave(&player->launch, &player->process, &player->outcome);
        *player = (struct kg_player){0};
    }
}

/* After a failure: the processes may have left something on the device. */
static void pair_kill(struct match *match)
{
    kg_turns_free(&match->turns);
    memset(match->turns.players, 0, sizeof match->turns.players);
}

/* Both sides get new processes if one needs a new one: the two of a round are equally old. */
static bool pair_start(struct match *match, const struct kg_launch launches[SIDES])
{
    bool fits = true;
    for (size_t side = 0; side < SIDES; side++) {
        const struct kg_player *player = &match->turns.players[side];
        fits = fits && player->started && kg_group_fits(&player->launch, &launches[side]);
    }
    if (fits)
        return true;
    pair_leave(match);
    for (size_t side = 0; side < SIDES; side++) {
        struct kg_launch *launch = &match->turns.players[side].launch;
        *launch = launches[side];
        kg_group_launch(launch);
        if (!kg_turns_start(&match->turns, side, match->err))
            return kg_error_wrap(match->err, "the %s", kg_side_names[side]);
    }
    return true;
}

/* Gives both processes their requests. */
static bool pair_ask(struct match *match, struct kg_arena *arena)
{
    struct kg_launch launches[SIDES];
    for (size_t side = 0; side < SIDES; side++)
        player_launch_make(match, side, arena, &launches[side]);
    if (!pair_start(match, launches))
        return false;
    for (size_t side = 0; side < SIDES; side++)
        kg_group_request(&match->turns.players[side].process, launches[side].request,
                         match->turns.deadline_ns);
    return true;
}

/* The match of another case, by the same processes. */
static void match_renew(struct match *match, struct kg_pairing *pairing, size_t index)
{
    struct match next = match_make(pairing, index, match->err);
    memcpy(next.turns.players, match->turns.players, sizeof next.turns.players);
    next.turns.block_count = match->turns.block_count;
    next.turns.serve = true;
    kg_turns_renew(&next.turns);
    *match = next;
}

/* *beside  as in round_beside
 * returns  false if measuring broke */
static bool pair_round(struct match *match, bool confirm, bool *beside)
{
    struct kg_arena arena = {0};
    bool good = pair_ask(match, &arena);
    if (good && !kg_turns_play(&match->turns, match->min_time_ns)) {
        good = failure_read(match, &arena, beside);
        pair_kill(match);
    } else if (good) {
        good = rounds_take(match, &arena, confirm);
    }
    kg_arena_free(&arena);
    return good;
}

static bool shared_round(struct kg_pairing *pairing, struct match *match, bool confirm)
{
    const size_t index = match->index;
    bool beside = false;
    if (!pair_round(match, confirm, &beside))
        return false;
    if (beside) {
        pairing->apart[index] = true;
        return kg_pairing_round(pairing, index, confirm, match->err);
    }
    if (!kg_case_measurable(&pairing->base.results.cases[index]) ||
        !kg_case_measurable(&pairing->head.results.cases[index]))
        pair_kill(match);
    return kg_pairing_join(pairing, index, true, match->err);
}

bool kg_pairing_shared_rounds(struct kg_pairing *pairing, const size_t *indexes, size_t count,
                              bool confirm, struct kg_error *err)
{
    const struct kg_session session = kg_run_session(&pairing->head);
    struct match match = {.err = err};
    bool good = true;
    for (size_t i = 0; i < count && good && !kg_interrupt_caught(); i++) {
        const uint64_t start = kg_clock_ns();
        kg_session_progress(&session, pairing->head.results.cases[indexes[i]].id);
        match_renew(&match, pairing, indexes[i]);
        good = shared_round(pairing, &match, confirm);
        pairing->head.elapsed_ns[indexes[i]] += (double)(kg_clock_ns() - start);
        session.steps->done++;
    }
    if (good && !kg_interrupt_caught())
        pair_leave(&match);
    else
        pair_kill(&match);
    return good;
}
