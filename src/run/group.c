#include "run/group.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "run/case_threads.h"

struct group {
    const struct kg_session *session;
    const struct kg_group_task *task;
    struct kg_launch launch;
    struct kg_process process;
    struct kg_outcome outcome;
    uint64_t kills;
    bool alive;
    struct kg_error *err;
};

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

/* Whether a case can use the process that was started for another. */
static bool shares(const struct group *group, const struct kg_launch *launch)
{
    return group->alive && group->launch.pin == launch->pin &&
           group->launch.threads == launch->threads &&
           same_text(group->launch.program, launch->program) &&
           same_text(group->launch.directory, launch->directory);
}

/* Time limit for a worker to take down its context: a shared device may need seconds. */
static const double LEAVING_NS = 5e9;

static void group_end(struct group *group)
{
    if (group->alive)
        kg_process_leave(&group->launch, &group->process, LEAVING_NS, &group->outcome);
    group->alive = false;
    kg_outcome_free(&group->outcome);
    group->outcome = (struct kg_outcome){0};
}

/* Starts a process that waits for requests on its socket: its standard input is empty. */
static bool group_start(struct group *group)
{
    static char *const arguments[] = {(char *)"kgate", (char *)"worker", (char *)"--group", NULL};
    group->launch.arguments = arguments;
    group->launch.request_length = 0;
    group->kills = kg_out_of_memory_kills();
    group->alive = true;
    return kg_process_start(&group->launch, &group->process, group->err);
}

/* The socket does not block, and may not take a long request at once. The worker waits for the
 * request only, so it soon makes room for the rest. */
static void request_send(struct group *group, const char *request, uint64_t deadline_ns)
{
    const size_t length = strlen(request);
    for (size_t done = 0; done <= length;) {
        const char *from = done < length ? request + done : "\n";
        const ssize_t sent =
            send(group->process.response, from, done < length ? length - done : 1, MSG_NOSIGNAL);
        if (sent > 0)
            done += (size_t)sent;
        else if (errno != EAGAIN || !kg_process_writable(&group->process, deadline_ns))
            return;
    }
}

/* How the process ended that should have answered. */
static bool ending_read(struct group *group, size_t index, enum kg_ending ending,
                        struct kg_arena *arena)
{
    struct kg_answer answer;
    kg_process_finish(&group->process, ending, group->kills, &group->outcome);
    group->alive = false;
    kg_text_truncate(&group->outcome.response, 0);
    kg_answer_read(&group->outcome, arena, &answer);
    return kg_case_answer_take(group->session, index, &answer, group->err);
}

/* Takes the answer in the outcome's first line. */
static bool answer_read(struct group *group, size_t index, struct kg_arena *arena)
{
    struct kg_text *text = &group->outcome.response;
    const char *end = memchr(text->data, '\n', text->length);
    struct kg_outcome line = {.ending = KG_ENDED_EXIT};
    struct kg_answer answer;
    kg_text_append_bytes(&line.response, text->data, (size_t)(end - text->data));
    kg_text_remove(text, (size_t)(end - text->data) + 1);
    memcpy(line.tail, group->outcome.tail, sizeof line.tail);
    kg_answer_read(&line, arena, &answer);
    kg_outcome_free(&line);
    const bool good = kg_case_answer_take(group->session, index, &answer, group->err);
    if (good && answer.response.good)
        return group->task->answered(group->session, index, &answer.response, group->task->user,
                                     group->err);
    /* The next case has a new process: this one may have left something on the device. A case that this machine cannot
     * run did nothing there. */
    if (!good || !answer.response.unavailable)
        group_end(group);
    return good;
}

static bool case_do(struct group *group, size_t index, struct kg_arena *arena)
{
    struct kg_launch launch;
    kg_case_launch_make(group->session, index, &group->task->options, arena, &launch);
    if (!shares(group, &launch)) {
        group_end(group);
        group->launch = launch;
        if (!group_start(group))
            return false;
    }
    const uint64_t deadline = kg_clock_ns() + (uint64_t)launch.timeout_ns;
    group->outcome.tail[0] = '\0';
    group->outcome.tail_length = 0;
    /* if the worker has ended, the wait below finds how it ended */
    request_send(group, launch.request, deadline);
    const enum kg_ending ending =
        kg_process_wait(&launch, &group->process, deadline, true, &group->outcome);
    return ending == KG_ENDED_LINE ? answer_read(group, index, arena)
                                   : ending_read(group, index, ending, arena);
}

bool kg_group_run(const struct kg_session *session, const size_t *indexes, size_t count,
                  const struct kg_group_task *task, struct kg_error *err)
{
    struct group group = {.session = session, .task = task, .err = err};
    bool good = true;
    for (size_t i = 0; i < count && good && !kg_interrupt_caught(); i++) {
        struct kg_arena arena = {0};
        kg_session_progress(session, session->results->cases[indexes[i]].id);
        const uint64_t start = kg_clock_ns();
        good = case_do(&group, indexes[i], &arena);
        if (task->elapsed_ns)
            task->elapsed_ns[indexes[i]] += (double)(kg_clock_ns() - start);
        session->steps->done++;
        kg_arena_free(&arena);
    }
    group_end(&group);
    return good;
}
