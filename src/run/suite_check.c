#include "run/suite_check.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/code/code_identity.h"
#include "model/cuda_call.h"
#include "run/case_result.h"
#include "run/run.h"
#include "run/worker_ask.h"
#include "suite/sources/source.h"

static bool at_target(const struct kg_prepared_suite *what, const struct kg_workload_spec *spec,
                      const char *why, struct kg_error *err)
{
    return kg_error_at(err, what->suite->path, spec->target_mark.line, spec->target_mark.column,
                       "in workload '%s': %s", spec->name, why);
}

/* State that one case leaves for the next. */
struct opener {
    const struct kg_session *session;
    const struct kg_prepared_suite *what;
    struct kg_arena arena;
    struct kg_code_memory *programs;
};

static bool program_find(struct opener *opener, const struct kg_case *planned, struct kg_error *err)
{
    const char *word = planned->command[0];
    struct kg_arena arena = {0};
    const char *found = kg_code_program(opener->programs, &opener->arena, word,
                                        kg_case_program_search(&planned->setting, NULL));
    const char *why = NULL;
    if (!found && !strchr(word, '/'))
        why = kg_arena_printf(&arena, "cannot find the program '%.300s' in PATH", word);
    else if (found && access(found, X_OK) != 0)
        why = kg_arena_printf(&arena, "cannot execute the program '%.300s': %s%s", word,
                              strerror(errno), errno == ENOENT ? "; did the build make it?" : "");
    const bool good = !why || at_target(opener->what, planned->spec, why, err);
    kg_arena_free(&arena);
    return good;
}

/* Its directory and its standard input. */
static bool surroundings_find(const struct kg_prepared_suite *what, const struct kg_case *planned,
                              struct kg_error *err)
{
    const struct kg_command_marks *marks = &planned->spec->setting_marks;
    const struct {
        const char *key, *path;
        struct kg_mark mark;
        int access;
    } wanted[] = {{"directory", planned->setting.directory, marks->directory, X_OK},
                  {"stdin", planned->setting.input, marks->input, R_OK}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (wanted[i].path && access(wanted[i].path, wanted[i].access) != 0)
            return kg_error_at(err, what->suite->path, wanted[i].mark.line, wanted[i].mark.column,
                               "in workload '%s': `%s`: '%.300s': %s", planned->spec->name,
                               wanted[i].key, wanted[i].path, strerror(errno));
    return true;
}

/* Checks that the `expect` files of a CUDA call are readable. The compiler does not read them. */
static bool expected_find(struct kg_arena *arena, const struct kg_prepared_suite *what,
                          const struct kg_case *planned, struct kg_error *err)
{
    const struct kg_cuda_call *call = planned->call;
    for (size_t i = 0; i < call->arg_count; i++) {
        const struct kg_cuda_arg *arg = &call->args[i];
        if (!arg->expect_file)
            continue;
        const char *path = kg_cuda_expect_path(arena, call, arg);
        if (access(path, R_OK) != 0)
            return kg_error_at(err, what->suite->path, arg->expect_mark.line,
                               arg->expect_mark.column, "in workload '%s': `expect`: '%.300s': %s",
                               planned->spec->name, arg->expect_file, strerror(errno));
    }
    return true;
}

static bool plugin_open(const struct kg_session *session, const struct kg_prepared_suite *what,
                        size_t index, struct kg_error *err)
{
    static const struct kg_task_options options = {
        .task = KG_TASK_OPEN, .patience = 1, .what = "opened the plugin"};
    struct kg_arena arena = {0};
    struct kg_answer answer;
    bool good = kg_worker_ask(session, index, &options, &arena, &answer, err);
    if (good && !answer.response.good && !answer.response.unavailable && answer.reason)
        good = at_target(what, what->plan->cases[index].spec, answer.reason, err);
    kg_arena_free(&arena);
    return good;
}

static bool source_open(const struct kg_session *session, const struct kg_prepared_suite *what,
                        size_t index, struct kg_opening *opening, struct kg_error *err)
{
    static const struct kg_task_options options = {
        .task = KG_TASK_OPEN, .patience = 1, .what = "compiled it"};
    struct kg_arena arena = {0};
    struct kg_answer answer;
    bool good = kg_worker_ask(session, index, &options, &arena, &answer, err);
    if (good && answer.response.good) {
        opening->sources++;
    } else if (good && answer.response.unavailable && answer.reason) {
        opening->uncompiled++;
        snprintf(opening->why_uncompiled, sizeof opening->why_uncompiled, "%s", answer.reason);
    } else if (good && answer.reason) {
        good = at_target(what, what->plan->cases[index].spec, answer.reason, err);
    }
    kg_arena_free(&arena);
    return good;
}

static bool one_open(struct opener *opener, size_t index, struct kg_opening *opening,
                     struct kg_error *err)
{
    const struct kg_case *planned = &opener->what->plan->cases[index];
    const struct kg_source_operations *source = kg_sources[planned->spec->source];
    const enum kg_code_place code = source->code;
    if (source->find) /* the plan has loaded it */
        return true;
    switch (code) {
    case KG_CODE_ANYWHERE:
        opening->programs++;
        return program_find(opener, planned, err) && surroundings_find(opener->what, planned, err);
    case KG_CODE_IN_FILE:
    case KG_CODE_COMPILED:
        if (planned->call && !expected_find(&opener->arena, opener->what, planned, err))
            return false;
        if (opening->plugins + opening->sources == KG_OPENED_MOST) {
            opening->left++;
            return true;
        }
        if (code == KG_CODE_COMPILED)
            return source_open(opener->session, opener->what, index, opening, err);
        opening->plugins++;
        return plugin_open(opener->session, opener->what, index, err);
    }
    return true;
}

/* To compile a source needs no device, so that a mistake in it is found on any machine. */
static bool opened_here(const struct kg_case *planned)
{
    return !planned->skip_reason || kg_sources[planned->spec->source]->code == KG_CODE_COMPILED;
}

bool kg_open_all(const struct kg_prepared_suite *what, struct kg_opening *opening,
                 struct kg_error *err)
{
    static const struct kg_run_options options = {0};
    struct kg_run run;
    struct opener opener = {.what = what};
    *opening = (struct kg_opening){0};
    if (!kg_run_prepare(&run, what, &options, err))
        return false;
    const struct kg_session session = kg_run_session(&run);
    opener.session = &session;
    opener.programs = kg_code_memory_make(&opener.arena);
    bool good = true;
    kg_interrupt_begin(run.launcher.interrupt);
    for (size_t i = 0; i < what->plan->case_count && good && !kg_interrupt_caught(); i++)
        if (opened_here(&what->plan->cases[i]))
            good = one_open(&opener, i, opening, err);
    opening->signal = kg_interrupt_caught();
    kg_interrupt_end(run.launcher.interrupt);
    kg_arena_free(&opener.arena);
    kg_run_free(&run);
    return good;
}
