#include "run/pairing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "run/case_result.h"
#include "run/case_worker.h"
#include "run/rounds.h"
#include "run/run.h"
#include "run/turns.h"
#include "suite/sources/source.h"

enum { SIDES = KG_SIDES };
static const double TURN_LEAST_NS = 0.5e6, TURN_MOST_NS = 4e6;
/* Turns of each build in a round, where the limits of a turn allow it. */
static const double TURNS = 8;
static const char *const side_names[SIDES] = {"base", "head"};

/* Both builds' processes in a round. */
struct match {
    struct kg_turns turns;
    struct kg_session sessions[SIDES];
    size_t index; /* of the case */
    double min_time_ns;
    struct kg_error *err;
};

static bool player_start(struct match *match, size_t side, struct kg_arena *arena)
{
    const double turn = match->min_time_ns / TURNS;
    const struct kg_task_options options = {.task = KG_TASK_TURNS,
                                            .counts = true,
                                            .patience = 1,
                                            .turn_ns =
                                                fmin(TURN_MOST_NS, fmax(TURN_LEAST_NS, turn))};
    match->sessions[side].launcher->check_due[match->index] =
        match->sessions[SIDES - 1].launcher->check_due[match->index];
    if (!kg_case_launch_make(&match->sessions[side], match->index, &options, arena,
                             &match->turns.players[side].launch, match->err))
        return false;
    return kg_turns_start(&match->turns, side, match->err) ||
           kg_error_wrap(match->err, "the %s", side_names[side]);
}

static const struct kg_build *build_of(const struct kg_build *const *builds, size_t index)
{
    return builds ? builds[index] : NULL;
}

/* Whether the head's build, which says nothing about some cases, has this one. */
static bool head_has(const struct kg_pairing *pairing, size_t index)
{
    const struct kg_build *build = build_of(pairing->head.launcher.builds, index);
    return !build || kg_build_fits(build, pairing->head.plan->cases[index].spec->source);
}

bool kg_pairing_alone(const struct kg_pairing *pairing, size_t index)
{
    return pairing->alone && pairing->alone[index];
}

/* A case that fails in its rounds has passed its check, in which it ran alone. */
static const char AT_ONCE[] =
    " (base and head run at the same time: two processes cannot share one lock, port or file)";

/* Why the two cannot be compared; NULL where memory is out.
 * status  what becomes of the head's case
 *
 * A change must not keep a case from being judged. It is FAILED where the head fails, where only
 * the head says that this machine cannot run it, and where the base fails when the head runs beside
 * it, which may be why. If the base failed before anything of the head ran, nobody knows how fast the
 * base is: the case is SKIPPED and unpaired, and leaves the verdict open. */
static const char *apart(struct kg_pairing *pairing, size_t index, bool head_began,
                         enum kg_status *status)
{
    const struct kg_case_result *base = &pairing->base.results.cases[index];
    const struct kg_case_result *head = &pairing->head.results.cases[index];
    struct kg_arena *arena = &pairing->head.results.arena;
    const char *hint = head_began ? AT_ONCE : "";
    *status = KG_STATUS_FAILED;
    if (head->status == KG_STATUS_FAILED)
        return kg_arena_printf(arena, "the head fails%s: %s%s",
                               base->status == KG_STATUS_FAILED ? ", and so does the base" : "",
                               head->reason, hint);
    if (kg_case_measurable(base))
        return kg_arena_printf(arena, "the base can be measured, the head cannot: %s",
                               head->reason);
    if (head_began)
        return kg_arena_printf(arena, "the base failed while the head ran beside it: %s%s",
                               base->reason, hint);
    *status = KG_STATUS_SKIPPED;
    return base->status == KG_STATUS_SKIPPED
               ? kg_arena_copy(arena, base->reason)
               : kg_arena_printf(arena, "the base cannot be measured: %s", base->reason);
}

/* What becomes of a case that one build cannot measure. To be called once when a side cannot be
 * measured any more. */
static bool sides_join(struct kg_pairing *pairing, size_t index, bool head_began,
                       struct kg_error *err)
{
    if (kg_pairing_alone(pairing, index))
        return true;
    const struct kg_case_result *base = &pairing->base.results.cases[index];
    struct kg_case_result *head = &pairing->head.results.cases[index];
    const bool head_lacks =
        kg_case_measurable(base) && head->status == KG_STATUS_SKIPPED && head_has(pairing, index);
    const bool base_lacks = !kg_case_measurable(base) && kg_case_measurable(head);
    if (head->status != KG_STATUS_FAILED && !head_lacks && !base_lacks)
        return true;
    enum kg_status status;
    head->reason = apart(pairing, index, head_began, &status);
    if (!head->reason)
        return kg_error_memory(err);
    head->status = status;
    head->unpaired = status == KG_STATUS_SKIPPED;
    return !pairing->head.journaled || kg_journal_case(&pairing->head.journal, index, head, err);
}

/* Reads what the process at fault left: its response, or how it ended. */
static bool failure_read(struct match *match, struct kg_arena *arena)
{
    const size_t side = match->turns.at_fault;
    struct kg_answer answer;
    if (match->turns.ending == KG_ENDED_INTERRUPT)
        return true;
    kg_turns_fail(&match->turns);
    kg_answer_read(&match->turns.players[side].outcome, arena, &answer);
    if (!kg_case_answer_take(&match->sessions[side], match->index, &answer, match->err))
        return false;
    return !answer.response.good ||
           kg_case_fail(&match->sessions[side], match->index,
                        "the worker ended before it was asked to", "", match->err);
}

/* Asks a player for its round. *got is false where none came: the case is then FAILED, or the user
 * asked to stop. */
static bool round_ask(struct match *match, size_t side, struct kg_arena *arena,
                      struct kg_response *response, bool *got)
{
    struct kg_answer answer;
    *got = false;
    if (!kg_turns_finish(&match->turns, side))
        return failure_read(match, arena);
    kg_answer_read(&match->turns.players[side].outcome, arena, &answer);
    if (!kg_case_answer_take(&match->sessions[side], match->index, &answer, match->err))
        return false;
    *response = answer.response;
    *got = response->good && response->round_count == 1;
    return !response->good || *got ||
           kg_case_fail(&match->sessions[side], match->index, "the worker gave no round", "",
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
        if (!kg_case_round_store(&match->sessions[side], match->index, &responses[side],
                                 match->err))
            return false;
    }
    return true;
}

/* A server that `setup` or a plugin's set_up started is there for all calls. Without them, all that is
 * left is of calls. */
static bool keeps_setup(const struct kg_case *planned)
{
    return kg_sources[planned->spec->source]->code != KG_CODE_ANYWHERE ||
           planned->setting.setup_count;
}

static bool file_changed_fail(struct kg_pairing *pairing, size_t index, size_t side,
                              const struct kg_watched_file *file, struct kg_error *err)
{
    char reason[512];
    snprintf(
        reason, sizeof reason,
        "the %s's '%.300s' was written or replaced while it was measured, so its times are not "
        "of one build",
        side_names[side], file->path);
    const struct kg_session session = kg_run_session(&pairing->head);
    return kg_case_fail(&session, index, reason, "", err);
}

/* The base's file if its `setup` may build it, and nothing else may: then it must stay as it is until
 * the base's last call. NULL: kg_watched_file_changed at the end is enough. */
static const struct kg_watched_file *built_file(const struct kg_pairing *pairing, size_t index)
{
    const struct kg_watched_file *base = &pairing->base_files[index],
                                 *head = &pairing->head_files[index];
    return base->path && base->by_contents && !(head->path && !strcmp(base->path, head->path))
               ? base
               : NULL;
}

/* Plays a round. The base's `setup` is over before anything of the head starts.
 * *replaced  the file that the head changed meanwhile; without a path: none
 * returns    false: a process failed, as kg_turns_play has it, or err is filled and *broke is set */
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

/* One round of one case in both builds. */
static bool pair_round(struct kg_pairing *pairing, size_t index, bool confirm, struct kg_error *err)
{
    const struct kg_case *planned = &pairing->base.plan->cases[index];
    const struct kg_settings *settings = &planned->spec->settings;
    struct match match = {
        .turns = {.kills = kg_out_of_memory_kills(),
                  .deadline_ns = kg_clock_ns() + (uint64_t)(SIDES * settings->timeout_ns),
                  .keeps_setup = keeps_setup(planned)},
        .sessions = {kg_run_session(&pairing->base), kg_run_session(&pairing->head)},
        .index = index,
        .err = err};
    match.min_time_ns = kg_session_round_ns(&match.sessions[1], index);
    struct kg_arena arena = {0};
    struct kg_watched_file replaced = {0};
    bool broke, good;
    if (!round_play(pairing, &match, &arena, &replaced, &broke))
        good = !broke && failure_read(&match, &arena);
    else if (replaced.path)
        good = file_changed_fail(pairing, index, 0, &replaced, err);
    else
        good = rounds_take(&match, &arena, confirm);
    kg_turns_free(&match.turns);
    kg_arena_free(&arena);
    return good && sides_join(pairing, index, true, err);
}

static bool round_of_both(const struct kg_rounds *rounds, size_t index, struct kg_error *err)
{
    struct kg_pairing *pairing = rounds->user;
    const struct kg_session session = kg_run_session(&pairing->head);
    return kg_pairing_alone(pairing, index) ? kg_case_round(&session, index, rounds->confirm, err)
                                            : pair_round(pairing, index, rounds->confirm, err);
}

void kg_pairing_round_set(struct kg_pairing *pairing, size_t index, double round_ns)
{
    pairing->base.results.cases[index].round_ns = round_ns;
    pairing->head.results.cases[index].round_ns = round_ns;
}

/* A case whose files are not those of its first round has no comparison. */
static bool files_check(struct kg_pairing *pairing, struct kg_error *err)
{
    const struct kg_watched_file *files[SIDES] = {pairing->base_files, pairing->head_files};
    for (size_t i = 0; i < pairing->head.results.case_count; i++) {
        const struct kg_case_result *head = &pairing->head.results.cases[i];
        for (size_t side = 0; side < SIDES && head->status == KG_STATUS_OK; side++) {
            if (kg_watched_file_changed(&files[side][i]) &&
                !file_changed_fail(pairing, i, side, &files[side][i], err))
                return false;
        }
    }
    return true;
}

/* The head's results say how many rounds there are. Both turns of a pair are of the same moment, so
 * confirming pairs need no long wait for another one. */
bool kg_pairing_rounds(struct kg_pairing *pairing, const size_t *wanted, bool confirm,
                       struct kg_error *err)
{
    const struct kg_rounds rounds = {.run = &pairing->head,
                                     .wanted = wanted,
                                     .confirm = confirm,
                                     .confirm_after_ns = KG_CONFIRM_APART_NS,
                                     .one = round_of_both,
                                     .user = pairing};
    return kg_rounds_run(&rounds, err) && files_check(pairing, err);
}

/* Both builds must have the same number of calls a sample. */
static bool checks_join(struct kg_pairing *pairing, struct kg_error *err)
{
    for (size_t i = 0; i < pairing->head.results.case_count; i++) {
        if (!sides_join(pairing, i, false, err))
            return false;
        if (pairing->base.launcher.batch[i] > pairing->head.launcher.batch[i])
            pairing->head.launcher.batch[i] = pairing->base.launcher.batch[i];
        pairing->base.launcher.batch[i] = pairing->head.launcher.batch[i];
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

/* A budget is about now, whatever the code. `skip` leaves out what may open other files, too. */
static bool is_left_out(const struct selection *selection, size_t index,
                        const struct kg_case_result *base, const struct kg_case_result *head)
{
    const struct kg_pairing_options *options = selection->options;
    const struct kg_case *planned = &selection->what->plan->cases[index];
    const struct kg_build *a = build_of(options->bases, index),
                          *b = build_of(options->heads, index);
    const enum kg_code_match match = kg_code_match(&base->code, &head->code);
    if (options->unchanged[index] == KG_UNCHANGED_MEASURE || base->budget_count ||
        base->status != KG_STATUS_UNMEASURED || head->status != KG_STATUS_UNMEASURED)
        return false;
    return kg_builds_alike(a, b, planned, match) ||
           (options->unchanged[index] == KG_UNCHANGED_SKIP && kg_code_is_same(match) &&
            kg_builds_command_alike(a, b, planned));
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

static void alone_mark(const bool *alone, struct kg_results *base)
{
    for (size_t i = 0; alone && i < base->case_count; i++)
        if (alone[i]) {
            base->cases[i].status = KG_STATUS_SKIPPED;
            base->cases[i].reason = "the base's suite does not have this case";
        }
}

/* Nothing of the head is there yet: its code is looked at for this. */
static bool base_select(void *user, struct kg_results *base, struct kg_error *err)
{
    const struct selection *selection = user;
    alone_mark(selection->options->alone, base);
    if (!selection->same)
        return true;
    const struct kg_prepared_suite *what = selection->what;
    struct kg_results head = {0};
    if (!kg_results_start(&head, what->suite, what->plan, what->machine, NULL, err))
        return false;
    const struct kg_build *const *heads = selection->options->heads;
    const bool good = !heads || kg_builds_apply(heads, what->plan, &head, err);
    for (size_t i = 0; i < base->case_count && good; i++)
        selection->same[i] = is_left_out(selection, i, &base->cases[i], &head.cases[i]);
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

static bool any_left_out(const enum kg_unchanged_code *unchanged, size_t count)
{
    for (size_t i = 0; unchanged && i < count; i++)
        if (unchanged[i] != KG_UNCHANGED_MEASURE)
            return true;
    return false;
}

/* The base's check has run, and nothing of the head. */
static bool files_watch(struct kg_pairing *pairing, const struct kg_prepared_suite *what,
                        const struct kg_pairing_options *options, struct kg_error *err)
{
    struct kg_arena *arena = &pairing->base.results.arena;
    const char *program = pairing->base.launcher.program;
    pairing->base_files = kg_watched_files_make(arena, what->plan, options->bases, program);
    pairing->head_files = kg_watched_files_make(arena, what->plan, options->heads, program);
    return (pairing->base_files && pairing->head_files) || kg_error_memory(err);
}

/* What is measured all the same: no change of it can be the code's. */
static void alike_mark(struct kg_pairing *pairing, const struct kg_pairing_options *options)
{
    for (size_t i = 0; i < pairing->head.results.case_count; i++) {
        struct kg_case_result *head = &pairing->head.results.cases[i];
        head->same_as_base = kg_builds_alike(
            build_of(options->bases, i), build_of(options->heads, i), &pairing->head.plan->cases[i],
            kg_code_match(&pairing->base.results.cases[i].code, &head->code));
    }
}

static bool both_begin(struct kg_pairing *pairing, const struct kg_prepared_suite *what,
                       const struct kg_pairing_options *options, struct selection *selection,
                       struct kg_error *err)
{
    struct kg_run_options build = {.results_path = options->base_path,
                                   .filter = options->filter,
                                   .sequential = true,
                                   .progress = options->progress,
                                   .select = base_select,
                                   .select_user = selection,
                                   .builds = options->bases,
                                   .paired = true,
                                   .interrupt = pairing->interrupt};
    if (!kg_run_begin(&pairing->base, what, &build, err))
        return kg_error_wrap(err, "in the base");
    if (!files_watch(pairing, what, options, err)) {
        kg_run_free(&pairing->base);
        return false;
    }
    build.results_path = options->head_path;
    build.builds = options->heads;
    build.select = selection->same ? head_select : NULL;
    build.batches = pairing->base.launcher.batch;
    if (!kg_run_begin(&pairing->head, what, &build, err)) {
        kg_run_free(&pairing->base);
        return kg_error_wrap(err, "in the head");
    }
    alike_mark(pairing, options);
    pairing->base.results.tests = pairing->head.results.tests = options->tests;
    if (pair_name(pairing, err) && checks_join(pairing, err))
        return true;
    kg_run_free(&pairing->base);
    kg_run_free(&pairing->head);
    return false;
}

bool kg_pairing_begin(struct kg_pairing *pairing, const struct kg_prepared_suite *what,
                      const struct kg_pairing_options *options, struct kg_error *err)
{
    struct kg_arena scratch = {0};
    struct selection selection = {.what = what, .options = options};
    *pairing = (struct kg_pairing){.alone = options->alone};
    if (any_left_out(options->unchanged, what->plan->case_count) &&
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
    kg_run_summarize(&pairing->base);
    kg_run_summarize(&pairing->head);
}

void kg_pairing_end(struct kg_pairing *pairing)
{
    kg_pairing_summarize(pairing);
    if (pairing->interrupt == &pairing->own_interrupt)
        kg_interrupt_end(pairing->interrupt);
}

void kg_pairing_free(struct kg_pairing *pairing)
{
    kg_run_free(&pairing->base);
    kg_run_free(&pairing->head);
}
