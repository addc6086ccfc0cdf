/* job_queue.c: a queue of jobs in an array: put in at the end, taken out at the front. */
#include "judged.h"

enum { JOBS = 1500, ROUNDS = 6500 };

struct job {
    uint32_t id, priority;
    uint64_t deadline;
};

struct queue {
    struct job *jobs;
    size_t first, count, capacity;
};

struct state {
    double result;
    struct queue queue;
};

static void queue_put(struct queue *queue, struct job job)
{
    queue->jobs[queue->first + queue->count++] = job;
}

/* The front is always the array's first element. */
static ELSEWHERE struct job queue_take(struct queue *queue)
{
    const struct job job = queue->jobs[0];
    queue->count--;
    memmove(queue->jobs, queue->jobs + 1, queue->count * sizeof *queue->jobs);
    return job;
}

/* The front moves on; the jobs move only when the array's end is reached. */
static ELSEWHERE struct job queue_take_in_place(struct queue *queue)
{
    const struct job job = queue->jobs[queue->first++];
    queue->count--;
    if (queue->first + queue->count == queue->capacity) {
        memmove(queue->jobs, queue->jobs + queue->first, queue->count * sizeof *queue->jobs);
        queue->first = 0;
    }
    return job;
}

static void queue_fill(struct queue *queue)
{
    queue->first = queue->count = 0;
    for (uint32_t i = 0; i < JOBS; i++)
        queue_put(queue, (struct job){.id = i, .priority = i % 7, .deadline = i * 1000ul});
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    const size_t capacity = (size_t)JOBS * 2;
    struct job *jobs = context->allocate(context, capacity * sizeof *jobs);
    if (!state || !jobs)
        return refuse(context, "out of memory");
    state->queue = (struct queue){.jobs = jobs, .capacity = capacity};
    *place = state;
    return true;
}

static void run_bad(void *place)
{
    struct state *state = place;
    queue_fill(&state->queue);
    double sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        struct job job = queue_take(&state->queue);
        sum += (double)job.deadline;
        job.deadline += 5000 + job.priority;
        queue_put(&state->queue, job);
    }
    state->result = sum;
}

static void run_good(void *place)
{
    struct state *state = place;
    queue_fill(&state->queue);
    double sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        struct job job = queue_take_in_place(&state->queue);
        sum += (double)job.deadline;
        job.deadline += 5000 + job.priority;
        queue_put(&state->queue, job);
    }
    state->result = sum;
}

PAIR(job_queue, 0, "A queue of jobs that go round.");
