#include "run/group.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/text.h"
#include "device/driver.h"
#include "device/gpus.h"
#include "device/nvml.h"

bool kg_group_fits(const struct kg_launch *started, const struct kg_launch *launch)
{
    return started->pin == launch->pin && started->threads == launch->threads &&
           kg_string_same(started->program, launch->program) &&
           kg_string_same(started->directory, launch->directory);
}

void kg_group_launch(struct kg_launch *launch)
{
    static char *const arguments[] = {(char *)"kgate", (char *)"worker", (char *)"--group", NULL};
    launch->arguments = arguments;
    launch->request_length = 0;
}

void kg_group_leave(const struct kg_launch *launch, struct kg_process *process,
                    struct kg_outcome *outcome)
{
    static const double LEAVING_NS = 5e9; /* a shared device may need seconds for a context */
    kg_process_leave(launch, process, LEAVING_NS, outcome);
    kg_outcome_free(outcome);
    *outcome = (struct kg_outcome){0};
}

/* The socket does not block, and may not take a long request at once. The worker waits for the
 * request only, so it soon makes room for the rest. */
void kg_group_request(struct kg_process *process, const char *request, uint64_t deadline_ns)
{
    const size_t length = strlen(request);
    for (size_t done = 0; done <= length;) {
        const char *from = done < length ? request + done : "\n";
        const ssize_t sent =
            send(process->response, from, done < length ? length - done : 1, MSG_NOSIGNAL);
        if (sent > 0)
            done += (size_t)sent;
        else if (errno != EAGAIN || !kg_process_writable(process, deadline_ns))
            return;
    }
}

void kg_group_answer(struct kg_outcome *outcome, struct kg_arena *arena, struct kg_answer *answer)
{
    struct kg_text *text = &outcome->response;
    const char *end = memchr(text->data, '\n', text->length);
    struct kg_outcome line = {.ending = KG_ENDED_EXIT};
    kg_text_append_bytes(&line.response, text->data, (size_t)(end - text->data));
    kg_text_remove(text, (size_t)(end - text->data) + 1);
    memcpy(line.tail, outcome->tail, sizeof line.tail);
    kg_answer_read(&line, arena, answer);
    kg_outcome_free(&line);
}

void kg_group_end(struct kg_group *group)
{
    if (group->alive)
        kg_group_leave(&group->launch, &group->process, &group->outcome);
    kg_outcome_free(&group->outcome);
    *group = (struct kg_group){0};
}

static bool group_start(struct kg_group *group, const struct kg_launch *launch,
                        struct kg_error *err)
{
    kg_group_end(group);
    group->launch = *launch;
    kg_group_launch(&group->launch);
    group->kills = kg_out_of_memory_kills();
    group->alive = true;
    return kg_process_start(&group->launch, &group->process, err);
}

/* Reads how the process ended that should have answered. */
static void ending_read(struct kg_group *group, enum kg_ending ending, struct kg_arena *arena,
                        struct kg_answer *answer)
{
    kg_process_finish(&group->process, ending, group->kills, &group->outcome);
    group->alive = false;
    kg_text_truncate(&group->outcome.response, 0);
    kg_answer_read(&group->outcome, arena, answer);
}

bool kg_group_ask(struct kg_group *group, const struct kg_session *session, size_t index,
                  const struct kg_task_options *options, struct kg_arena *arena,
                  struct kg_answer *answer, struct kg_error *err)
{
    struct kg_launch launch;
    struct kg_arena asking = {0}; /* the request is not needed once it is sent */
    kg_case_launch_make(session, index, options, &asking, &launch);
    if ((!group->alive || !kg_group_fits(&group->launch, &launch)) &&
        !group_start(group, &launch, err)) {
        kg_arena_free(&asking);
        return false;
    }
    const uint64_t deadline = kg_clock_ns() + (uint64_t)launch.timeout_ns;
    group->outcome.tail[0] = '\0';
    group->outcome.tail_length = 0;
    kg_group_request(&group->process, launch.request, deadline);
    kg_arena_free(&asking);
    const enum kg_ending ending =
        kg_process_wait(&launch, &group->process, deadline, true, &group->outcome);
    if (ending == KG_ENDED_LINE)
        kg_group_answer(&group->outcome, arena, answer);
    else
        ending_read(group, ending, arena, answer);
    kg_answer_explain(answer, options->what, arena);
    /* The next case has a new process: this one may have left something on the device. A case that
     * this machine cannot run did nothing there. */
    if (answer->response.last || (!answer->response.good && !answer->response.unavailable))
        kg_group_end(group);
    return true;
}

/* The process of a task, and whether its device still works. */
struct service {
    struct kg_group group;
    size_t hung;      /* cases in a row, up to the last, that timed out */
    const char *lost; /* reason why the device does not work any more; NULL: it works */
};

/* Cases that time out in a row before kgate asks the driver. One or two may be slow by themselves. */
enum { HUNG_MOST = 2 };

/* Asks the driver about the run's device for as long as a case may take. Returns the reason why the device
 * does not work, in `arena`; NULL if it works. */
static const char *device_trouble(const struct kg_session *session, size_t index,
                                  struct kg_arena *arena)
{
    const struct kg_gpu *gpu = kg_machine_gpu(&session->results->machine);
    const double timeout_ms = session->plan->cases[index].spec->settings.timeout_ns / 1e6;
    struct kg_gpus *gpus = kg_arena_alloc(arena, 1, sizeof *gpus);
    struct kg_error err;
    const struct kg_gpus_query query = {
        .library = KG_DRIVER_LIBRARY,
        .nvml = KG_NVML_LIBRARY,
        .root = "",
        .device = gpu ? kg_arena_printf(arena, "cuda:%s", gpu->uuid) : NULL,
        .timeout_ms = timeout_ms < KG_GPUS_TIMEOUT_MS ? (int)timeout_ms + 1 : KG_GPUS_TIMEOUT_MS};
    if (!kg_gpus_read(&query, gpus, &err))
        return kg_arena_copy(arena, err.message);
    const char *why = gpus->count ? gpus->problem : gpus->why;
    return *why ? why : NULL;
}

/* A hung device would cost every later case its time limit. */
static void device_look(struct service *service, const struct kg_session *session, size_t index,
                        const struct kg_answer *answer)
{
    service->hung = answer->ending == KG_ENDED_TIMEOUT ? service->hung + 1 : 0;
    if (service->hung < HUNG_MOST)
        return;
    service->hung = 0;
    service->lost = device_trouble(session, index, &session->results->arena);
}

static bool case_do(struct service *service, const struct kg_session *session, size_t index,
                    const struct kg_group_task *task, struct kg_error *err)
{
    struct kg_arena arena = {0};
    struct kg_answer answer;
    if (service->lost)
        return kg_case_fail(session, index,
                            kg_arena_printf(&session->results->arena,
                                            "not measured: the GPU was lost when the cases before "
                                            "timed out: %s",
                                            service->lost),
                            "", err);
    bool good =
        kg_group_ask(&service->group, session, index, &task->options, &arena, &answer, err) &&
        kg_case_answer_take(session, index, &answer, err);
    if (good)
        device_look(service, session, index, &answer);
    if (good && answer.response.good)
        good = task->answered(session, index, &answer.response, task->user, err);
    kg_arena_free(&arena);
    return good;
}

bool kg_group_run(const struct kg_session *session, const size_t *indexes, size_t count,
                  const struct kg_group_task *task, struct kg_error *err)
{
    struct service service = {0};
    bool good = true;
    for (size_t i = 0; i < count && good && !kg_interrupt_caught(); i++) {
        kg_session_progress(session, session->results->cases[indexes[i]].id);
        const uint64_t start = kg_clock_ns();
        good = case_do(&service, session, indexes[i], task, err);
        if (task->elapsed_ns)
            task->elapsed_ns[indexes[i]] += (double)(kg_clock_ns() - start);
        session->steps->done++;
    }
    kg_group_end(&service.group);
    return good;
}
