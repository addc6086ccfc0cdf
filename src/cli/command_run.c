#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/export_options.h"
#include "cli/progress_bar.h"
#include "gate/plan_settings.h"
#include "gate/round_allocation.h"
#include "gate/start_note.h"
#include "gate/suite_in_memory.h"
#include "run/extra_passes.h"
#include "run/run.h"
#include "show/formats.h"
#include "why/observe/observe.h"
#include "why/suggest.h"

/* Name of the results in a folder of -o. */
#define RESULTS_FILE "results.json"

/* Measures, and records a profile if the user asks for it.
 * recorded  false with `unrecorded` if the recording failed; the measured results stay valid */
static bool all_measure(const struct kg_arguments *arguments, const struct kg_prepared *prepared,
                        const struct kg_planned_stored *stored, struct kg_run *run, bool *recorded,
                        struct kg_error *unrecorded, struct kg_error *err)
{
    *recorded = true;
    if (!kg_allocate_fewest(run, &prepared->plan, stored->round_ns, err) ||
        !kg_run_judge(run, true, err))
        return false;
    const struct kg_session session = kg_run_session(run);
    kg_observe(&session, NULL);
    if (!arguments->profile)
        return true;
    const char *path = kg_profile_beside(&run->results.arena, arguments->output);
    *recorded = kg_profile_pass(&session, path, unrecorded);
    return true;
}

static int status_of(const struct kg_results *results)
{
    for (size_t i = 0; i < results->case_count; i++)
        if (results->cases[i].status == KG_STATUS_FAILED ||
            (results->cases[i].status == KG_STATUS_UNMEASURED && results->cases[i].round_count) ||
            (results->cases[i].status == KG_STATUS_SKIPPED &&
             results->policy.missing_device == KG_MISSING_FAIL))
            return KG_EXIT_FAILED;
    return results->policy.missing_device == KG_MISSING_UNDECIDED &&
                   kg_results_device_missed(results)
               ? KG_EXIT_NO_VERDICT
               : KG_EXIT_PASS;
}

/* Prints the components of the measured cases, with a bottleneck and a first remedy each. */
static bool profile_print(const struct kg_arguments *arguments, const struct kg_results *results,
                          struct kg_error *err)
{
    const struct kg_report_style style = kg_style(arguments);
    if (!results->profile || arguments->json || arguments->quiet)
        return true;
    const struct kg_report_request request = {
        .path = arguments->output, .format = "components", .style = style, .top = style.top};
    struct kg_report_file file;
    printf("\n");
    const bool good = kg_report_file_open(&request, &file, err) &&
                      kg_report_print(file.format, &file.subject, stdout, err);
    kg_report_file_close(&file);
    return good;
}

/* Ignores a broken baseline if the user named none. */
static bool stored_find(const struct kg_arguments *arguments, struct kg_prepared *prepared,
                        struct kg_planned_stored *stored, struct kg_error *err)
{
    const struct kg_prepared_suite what = kg_prepared_what(prepared);
    return kg_planned_stored_find(&prepared->arena, &what, kg_baseline_directory(arguments), stored,
                                  err) ||
           !arguments->baseline;
}

static bool results_keep(const struct kg_arguments *arguments, struct kg_run *run,
                         struct kg_error *err)
{
    if (!arguments->output)
        return true;
    if (!kg_results_write(&run->results, arguments->output, err))
        return false;
    kg_run_written(run);
    return true;
}

/* Writes the suite's reports beside the results in the folder, and prints their names. */
static bool reports_write(const struct kg_arguments *arguments, const char *folder,
                          const struct kg_report_subject *subject, struct kg_error *err)
{
    struct kg_text files = {0};
    kg_text_printf(&files, "%s/" RESULTS_FILE, folder);
    const bool good = kg_report_results_write(subject, folder, &files, err);
    if (good && !arguments->quiet && !arguments->json)
        printf("  reports: %s\n", kg_text_string(&files));
    kg_text_free(&files);
    return good;
}

/* Prints the results, and writes the files of --export and of the folder.
 * folder  folder of -o; NULL: -o is a file */
static bool output_make(const struct kg_arguments *arguments, const char *folder,
                        const struct kg_results *results, struct kg_error *err)
{
    struct kg_suggestions suggestions = {0};
    const struct kg_suggest_input input = {
        .source = arguments->output ? arguments->output : "RESULTS.json", .results = results};
    const bool advised = folder || arguments->exports.count;
    if (advised)
        kg_suggest(&input, &suggestions);
    const struct kg_report_subject subject = {
        .results = results,
        .suggestions = advised ? kg_suggestions_made(&suggestions) : NULL,
        .top = KG_REPORT_TOP_USUAL};
    const bool good = kg_results_summary(arguments, results, err) &&
                      profile_print(arguments, results, err) &&
                      kg_exports_write(arguments, KG_RESULTS_SCHEMA, &subject, err) &&
                      (!folder || reports_write(arguments, folder, &subject, err));
    kg_suggestions_free(&suggestions);
    return good;
}

/* folder  folder of -o; NULL: -o is a file */
static int measure(const struct kg_arguments *arguments, const char *folder,
                   struct kg_prepared *prepared, const struct kg_planned_stored *stored,
                   struct kg_error *err)
{
    const char *start_note = kg_start_note(&prepared->arena, &prepared->machine);
    struct kg_run run;
    struct kg_progress_bar bar;
    const struct kg_prepared_suite what = kg_prepared_what(prepared);
    const struct kg_run_options options = {.results_path = arguments->output,
                                           .filter = prepared->left_out,
                                           .batches = stored->batches,
                                           .round_ns = stored->round_ns,
                                           .tests = kg_planned_tests(&what, NULL),
                                           .progress = kg_progress_bar_start(&bar, arguments)};
    if (!kg_run_begin(&run, &what, &options, err))
        return kg_fail(err);
    run.results.start_note = *start_note ? start_note : NULL;
    struct kg_error unrecorded;
    bool recorded;
    bool good = all_measure(arguments, prepared, stored, &run, &recorded, &unrecorded, err);
    const int signal = kg_run_interrupted(&run);
    kg_run_end(&run);
    kg_progress_bar_clear(&bar);
    good = good && results_keep(arguments, &run, err);
    const int interrupted = signal ? kg_interrupted(signal, arguments->output) : 0;
    good = good && output_make(arguments, folder, &run.results, err);
    const int missing = recorded ? KG_EXIT_PASS : kg_fail(&unrecorded);
    const int status = !good         ? kg_fail(err)
                       : interrupted ? interrupted
                       : missing     ? missing
                                     : status_of(&run.results);
    kg_run_free(&run);
    return status;
}

/* Prepares the kernel of --kernel. */
static bool kernel_prepare(const struct kg_arguments *arguments, struct kg_prepared *prepared,
                           struct kg_error *err)
{
    struct kg_text yaml = {0};
    const struct kg_kernel_request request = {.kernel = arguments->kernel,
                                              .params = arguments->params.at,
                                              .param_count = arguments->params.count,
                                              .matrix = arguments->matrix.at,
                                              .matrix_count = arguments->matrix.count};
    const bool good = kg_suite_of_kernel(&request, &yaml, err) &&
                      kg_prepare_suite(arguments, &yaml, NULL, prepared, err);
    kg_text_free(&yaml);
    return good;
}

/* Prepares the command after `--`, the kernel of --kernel, or a suite. */
static bool prepare(const struct kg_arguments *arguments, struct kg_prepared *prepared,
                    struct kg_error *err)
{
    const struct kg_words words = {.at = (const char **)arguments->positional,
                                   .count = arguments->positional_count};
    struct kg_text yaml = {0};
    struct kg_build build;
    struct kg_arena arena = {0};
    if (arguments->kernel)
        return kernel_prepare(arguments, prepared, err);
    if (!words.count)
        return kg_prepare(arguments, prepared, err);
    bool good = kg_words_check(words, err) &&
                kg_build_of_words(&arena, "command", words.at[0], words, &build, err);
    kg_arena_free(&arena);
    kg_suite_of_command(words, &yaml);
    good = good && kg_prepare_suite(arguments, &yaml, NULL, prepared, err);
    kg_text_free(&yaml);
    return good;
}

static bool request_check(const struct kg_arguments *arguments, struct kg_error *err)
{
    const bool without_suite = arguments->positional_count || arguments->kernel;
    const int subjects = (arguments->suite != NULL) + (arguments->kernel != NULL) +
                         (arguments->positional_count > 0);
    if (subjects > 1)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "`kgate run` measures a suite (-c), a kernel (--kernel) or a command "
                            "(after --): give one");
    if (!arguments->kernel && (arguments->params.count || arguments->matrix.count))
        return kg_error_set(
            err, KG_ERROR_USAGE,
            "--param and --matrix need --kernel; a suite has `params` and `matrix`");
    if (!arguments->output && (!without_suite || arguments->profile))
        return kg_error_set(
            err, KG_ERROR_USAGE,
            "`kgate run` needs --output RESULTS.json (-o): the results file to write");
    if (arguments->positional_count && !*arguments->positional[0])
        return kg_error_set(err, KG_ERROR_USAGE, "the command is empty");
    return kg_exports_check(arguments, KG_RESULTS_SCHEMA, err);
}

static int prepared_run(const struct kg_arguments *arguments, const char *folder)
{
    struct kg_prepared prepared;
    struct kg_planned_stored stored;
    struct kg_error err;
    if (!request_check(arguments, &err) || !prepare(arguments, &prepared, &err))
        return kg_fail(&err);
    const int status = kg_cli_clocks_lock(arguments, &prepared, &err) &&
                               stored_find(arguments, &prepared, &stored, &err)
                           ? measure(arguments, folder, &prepared, &stored, &err)
                           : kg_fail(&err);
    kg_prepared_free(&prepared);
    return status;
}

/* Whether -o names a folder: an existing one, or a name that ends in '/'. */
static bool is_folder(const char *output)
{
    struct stat status;
    const size_t length = output ? strlen(output) : 0;
    return length &&
           (output[length - 1] == '/' || (stat(output, &status) == 0 && S_ISDIR(status.st_mode)));
}

/* Measures into the folder of -o: results.json, and the suite's `reports`. */
static int folder_run(struct kg_shard_arguments *own)
{
    struct kg_error err;
    size_t length = strlen(own->arguments.output);
    while (length > 1 && own->arguments.output[length - 1] == '/')
        length--;
    const char *folder = kg_arena_copy_bytes(&own->arena, own->arguments.output, length);
    own->arguments.output = kg_arena_printf(&own->arena, "%s/" RESULTS_FILE, folder);
    return kg_directory_make(folder, &err) ? prepared_run(&own->arguments, folder) : kg_fail(&err);
}

int kg_cli_run(const struct kg_arguments *given)
{
    struct kg_shard_arguments own;
    struct kg_error err;
    const bool folder = is_folder(given->output);
    if (!kg_shard_arguments_make(given, folder, &own, &err))
        return kg_fail(&err);
    const int status = folder ? folder_run(&own) : prepared_run(&own.arguments, NULL);
    kg_shard_arguments_free(&own);
    return status;
}
