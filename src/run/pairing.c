#include "run/pairing.h"

#include <stdio.h>

#include "run/case_result.h"
#include "run/case_worker.h"
#include "run/interleaving.h"
#include "run/rounds.h"
#include "run/run.h"

enum { SIDES = KG_SIDES };
const char *const kg_side_names[] = {"base", "head"};

static const struct kg_build *build_of(const struct kg_build *const *builds, size_t index)
{
    return builds ? builds[index] : NULL;
}

/* Whether the head's build has code for this case. */
static bool head_has(const struct kg_pairing *pairing, size_t index)
{
    const struct kg_build *build = build_of(pairing->head.launcher.builds, index);
    return !build || kg_build_fits(build, pairing->head.plan->cases[index].spec->source);
}

bool kg_pairing_alone(const struct kg_pairing *pairing, size_t index)
{
    return pairing->alone && pairing->alone[index];
}

/* Why the two builds cannot be compared.
 * status  receives the status of the head's case
 *
 * A change must not keep kgate from judging a case. So the case is FAILED in three situations: the
 * head fails; only the head says that this machine cannot run it; or the base fails while the head
 * runs beside it, because the head may be the cause. If the base fails alone, its speed is unknown:
 * the case is SKIPPED and unpaired, and the verdict stays open. */
static const char *apart(struct kg_pairing *pairing, size_t index, bool head_began,
                         enum kg_status *status)
{
    const struct kg_case_result *base = &pairing->base.results.cases[index];
    const struct kg_case_result *head = &pairing->head.results.cases[index];
    struct kg_arena *arena = &pairing->head.results.arena;
    *status = KG_STATUS_FAILED;
    if (head->status == KG_STATUS_FAILED)
        return kg_arena_printf(arena, "the candidate fails%s: %s",
                               base->status == KG_STATUS_FAILED ? ", and so does the baseline" : "",
                               head->reason);
    if (kg_case_measurable(base))
        return kg_arena_printf(arena, "the baseline can be measured, the candidate cannot: %s",
                               head->reason);
    if (head_began && !pairing->apart[index])
        return kg_arena_printf(arena, "the baseline failed while the candidate ran beside it: %s",
                               base->reason);
    *status = KG_STATUS_SKIPPED;
    return base->status == KG_STATUS_SKIPPED
               ? kg_arena_copy(arena, base->reason)
               : kg_arena_printf(arena, "the baseline cannot be measured: %s", base->reason);
}

bool kg_pairing_join(struct kg_pairing *pairing, size_t index, bool head_began,
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
    head->status = status;
    head->unpaired = status == KG_STATUS_SKIPPED;
    return !pairing->head.journaled || kg_journal_case(&pairing->head.journal, index, head, err);
}

bool kg_pairing_file_fail(struct kg_pairing *pairing, size_t index, size_t side,
                          const struct kg_watched_file *file, struct kg_error *err)
{
    char reason[512];
    snprintf(reason, sizeof reason,
             "the %s's '%.300s' changed during measuring, so its times mix two builds",
             kg_side_names[side], file->path);
    const struct kg_session session = kg_run_session(&pairing->head);
    return kg_case_fail(&session, index, reason, "", err);
}

static bool round_of_both(const struct kg_rounds *rounds, size_t index, struct kg_error *err)
{
    struct kg_pairing *pairing = rounds->user;
    const struct kg_session session = kg_run_session(&pairing->head);
    return kg_pairing_alone(pairing, index)
               ? kg_case_round(&session, index, rounds->confirm, err)
               : kg_pairing_round(pairing, index, rounds->confirm, err);
}

static bool shares_processes(const struct kg_rounds *rounds, size_t index)
{
    return kg_pairing_shares(rounds->user, index);
}

static bool rounds_of_both(const struct kg_rounds *rounds, const size_t *indexes, size_t count,
                           struct kg_error *err)
{
    return kg_pairing_shared_rounds(rounds->user, indexes, count, rounds->confirm, err);
}

void kg_pairing_round_set(struct kg_pairing *pairing, size_t index, double round_ns)
{
    pairing->base.results.cases[index].round_ns = round_ns;
    pairing->head.results.cases[index].round_ns = round_ns;
}

/* Makes each case FAILED whose file, on either side, changed since its first round. */
static bool files_check(struct kg_pairing *pairing, struct kg_error *err)
{
    const struct kg_watched_file *files[SIDES] = {pairing->base_files, pairing->head_files};
    for (size_t i = 0; i < pairing->head.results.case_count; i++) {
        const struct kg_case_result *head = &pairing->head.results.cases[i];
        for (size_t side = 0; side < SIDES && head->status == KG_STATUS_OK; side++) {
            if (kg_watched_file_changed(&files[side][i]) &&
                !kg_pairing_file_fail(pairing, i, side, &files[side][i], err))
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
                                     .shares = shares_processes,
                                     .shared = rounds_of_both,
                                     .user = pairing};
    return kg_rounds_run(&rounds, err) && files_check(pairing, err);
}

/* Both builds must have the same number of calls a sample. */
static bool checks_join(struct kg_pairing *pairing, struct kg_error *err)
{
    for (size_t i = 0; i < pairing->head.results.case_count; i++) {
        if (!kg_pairing_join(pairing, i, false, err))
            return false;
        if (pairing->base.launcher.batch[i] > pairing->head.launcher.batch[i])
            pairing->head.launcher.batch[i] = pairing->base.launcher.batch[i];
        pairing->base.launcher.batch[i] = pairing->head.launcher.batch[i];
    }
    return true;
}

/* Gives both results one name, so that `compare` recognises their paired rounds. */
static void pair_name(struct kg_pairing *pairing)
{
    struct kg_results *base = &pairing->base.results, *head = &pairing->head.results;
    base->pair = kg_arena_printf(&base->arena, "%s-%016llx", base->created,
                                 (unsigned long long)kg_random_next(&pairing->base.random));
    head->pair = kg_arena_copy(&head->arena, base->pair);
}

/* --- Cases that are the same code in both builds ---------------------------------------------- */

struct selection {
    const struct kg_prepared_suite *what;
    const struct kg_pairing_options *options;
    bool *same; /* per case, set when the base begins; NULL: all are measured */
};

/* Whether the case needs no measuring. A budget limits the present time, even of unchanged code, so its
 * case is measured. `skip` also leaves out code that may open other files. */
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
            base->cases[i].reason = "the baseline's suite does not have this case";
        }
}

/* Nothing of the head is there yet: its code is looked at for this. */
static void base_select(void *user, struct kg_results *base)
{
    const struct selection *selection = user;
    alone_mark(selection->options->alone, base);
    if (!selection->same)
        return;
    const struct kg_prepared_suite *what = selection->what;
    struct kg_results head = {0};
    kg_results_start(&head, what->suite, what->plan, what->machine, NULL);
    const struct kg_build *const *heads = selection->options->heads;
    if (heads)
        kg_builds_apply(heads, what->plan, &head);
    for (size_t i = 0; i < base->case_count; i++)
        selection->same[i] = is_left_out(selection, i, &base->cases[i], &head.cases[i]);
    kg_arena_free(&head.arena);
    same_mark(selection, base);
}

static void head_select(void *user, struct kg_results *head)
{
    same_mark(user, head);
}

static bool any_left_out(const enum kg_unchanged_code *unchanged, size_t count)
{
    for (size_t i = 0; unchanged && i < count; i++)
        if (unchanged[i] != KG_UNCHANGED_MEASURE)
            return true;
    return false;
}

/* The base's check has run, and nothing of the head. */
static void files_watch(struct kg_pairing *pairing, const struct kg_prepared_suite *what,
                        const struct kg_pairing_options *options)
{
    struct kg_arena *arena = &pairing->base.results.arena;
    pairing->base_files = kg_watched_files_make(arena, what->plan, options->bases);
    pairing->head_files = kg_watched_files_make(arena, what->plan, options->heads);
}

/* Marks measured cases whose code is the same on both sides: their changes have another cause. */
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
                                   .tests = options->tests,
                                   .progress = options->progress,
                                   .select = base_select,
                                   .select_user = selection,
                                   .builds = options->bases,
                                   .paired = true,
                                   .interrupt = pairing->interrupt};
    if (!kg_run_begin(&pairing->base, what, &build, err))
        return kg_error_wrap(err, "in the base");
    files_watch(pairing, what, options);
    build.results_path = options->head_path;
    build.builds = options->heads;
    build.select = selection->same ? head_select : NULL;
    build.batches = pairing->base.launcher.batch;
    if (!kg_run_begin(&pairing->head, what, &build, err)) {
        kg_run_free(&pairing->base);
        return kg_error_wrap(err, "in the head");
    }
    alike_mark(pairing, options);
    pairing->apart = kg_arena_alloc(&pairing->base.results.arena, what->plan->case_count,
                                    sizeof *pairing->apart);
    pair_name(pairing);
    if (checks_join(pairing, err))
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
    if (any_left_out(options->unchanged, what->plan->case_count))
        selection.same = kg_arena_alloc(&scratch, what->plan->case_count, sizeof *selection.same);
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
    if (pairing->interrupt == &pairing->own_interrupt)
        kg_interrupt_end(pairing->interrupt);
    pairing->interrupt = NULL;
}

void kg_pairing_free(struct kg_pairing *pairing)
{
    kg_run_free(&pairing->base);
    kg_run_free(&pairing->head);
}
