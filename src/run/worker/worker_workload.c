/* Opens the workload of a request, and reads its description. */
#include <math.h>
#include <string.h>

#include "run/worker/worker_state.h"

/* Opens the command, and the commands before and after it: kgate searches for all their programs in
 * one way. */
static bool command_open(struct kg_worker *worker, struct kg_error *err)
{
    const struct kg_request *request = &worker->request;
    const struct kg_command_setting *setting = &request->setting;
    if (!kg_worker_harness_open(worker, err))
        return false;
    worker->command = kg_worker_command(worker, request->command);
    worker->command.shows = request->task == KG_TASK_CHECK;
    if (!kg_worker_output_open(worker, err))
        return false;
    kg_command_prepare(&worker->arena, setting, worker->request.command);
    if (setting->setup_count)
        kg_command_prepare(&worker->arena, setting, setting->setup);
    if (setting->cleanup_count)
        kg_command_prepare(&worker->arena, setting, setting->cleanup);
    return true;
}

static bool workload_find(struct kg_worker *worker, struct kg_error *err)
{
    const struct kg_request *request = &worker->request;
    size_t at;
    const struct kg_source_operations *source = kg_sources[request->source];
    if (!source->open)
        return command_open(worker, err);
    worker->opening =
        (struct kg_source_opening){.target = request->target,
                                   .entry = request->entry,
                                   .entry_given = request->entry_given,
                                   .call = request->call_count ? request->calls : NULL,
                                   .architecture = request->architecture,
                                   .seed = request->seed};
    worker->workload = source->open(&worker->opening, err);
    worker->response.unavailable = worker->opening.unavailable;
    worker->response.code_hash = worker->opening.code_hash[0] ? worker->opening.code_hash : NULL;
    worker->response.note = worker->opening.note[0] ? worker->opening.note : NULL;
    if (!worker->workload)
        return false;
    if (source->call) /* its parameters are in the texts of the call */
        return true;
    if (worker->workload->param_count > KG_PARAMS_MOST || !worker->workload->run ||
        !worker->workload->set_up)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "workload '%s' has no run or set_up, or more than %d parameters",
                            worker->workload->name, KG_PARAMS_MOST);
    return kg_params_resolve(worker->workload, request->params, request->param_count,
                             worker->values, &at, err);
}

bool kg_worker_host_error(struct kg_worker *worker, const char *step, struct kg_error *err)
{
    char *message = worker->host.context.message;
    message[sizeof worker->host.context.message - 1] = '\0'; /* the workload may have filled it */
    const char *reason = message[0] ? message : "the workload gave no reason";
    worker->response.unavailable = worker->host.context.unavailable;
    if (worker->response.unavailable)
        return kg_error_set(err, KG_ERROR_MEASURE, "%s", reason);
    return kg_error_set(err, KG_ERROR_MEASURE, "%s failed: %s%s", step, reason,
                        worker->host.limit_met ? " (the suite's `memory_limit` refused it)" : "");
}

static const char *arithmetic_name(enum kgate_arithmetic arithmetic)
{
    static const char *const names[] = {[KGATE_ARITHMETIC_F32] = KG_ARITHMETIC_F32,
                                        [KGATE_ARITHMETIC_BF16_TENSOR] = KG_ARITHMETIC_BF16_TENSOR};
    return (size_t)arithmetic < sizeof names / sizeof *names ? names[arithmetic] : NULL;
}

/* Reports print the name, so it must be a word or two. */
static bool item_name_good(const char *name)
{
    enum { MOST = 32 };
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_";
    const size_t length = strnlen(name, MOST + 1);
    return length > 0 && length <= MOST && strspn(name, allowed) == length;
}

static bool workload_describe(struct kg_worker *worker, struct kg_error *err)
{
    struct kgate_work work = {0};
    const struct kgate_workload *workload = worker->workload;
    if (workload && workload->describe && !workload->describe(&worker->host.context, &work))
        return kg_worker_host_error(worker, "describe", err);
    if (workload && !(workload->devices & 1U << worker->request.device)) {
        worker->response.unavailable = true;
        return kg_error_set(err, KG_ERROR_MEASURE, "workload '%s' has no version for this device",
                            workload->name);
    }
    if (work.item_name && !item_name_good(work.item_name))
        return kg_error_set(err, KG_ERROR_USAGE,
                            "workload '%s': item_name must be 1 to 32 letters, digits, blanks, "
                            "'-' or '_'",
                            workload->name);
    worker->response.work = (struct kg_case_work){
        .items = work.items > 0 ? work.items : NAN,
        .bytes = work.bytes > 0 ? work.bytes : NAN,
        .flops = work.flops > 0 ? work.flops : NAN,
        .arithmetic = arithmetic_name(work.arithmetic),
        .written_bytes = work.written_bytes > 0 ? work.written_bytes : NAN,
        .item_name = work.items > 0 ? work.item_name : NULL,
    };
    return true;
}

bool kg_worker_workload_open(struct kg_worker *worker, struct kg_error *err)
{
    return workload_find(worker, err) && workload_describe(worker, err);
}
