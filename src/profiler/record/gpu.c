#include "profiler/record/gpu.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "profiler/record/gpu_driver.h"
#include "profiler/record/ticks.h"

enum { CONTEXTS_MOST = 16, INVALID_CONTEXT = 201 };

/* The library's data for one CUDA context of the program. */
struct kg_gpu_context {
    void *handle;
    unsigned long long id; /* unlike handles, never used again after a reset */
    bool gone;
    size_t users; /* marks begun or pending */
    void **idle;  /* events; room for two per mark */
    size_t idle_count;
    struct kg_gpu_reference reference;
};

struct pending {
    struct kg_gpu_done done;
    struct kg_gpu_mark mark;
};

struct kg_gpu_times {
    struct kg_gpu_context contexts[CONTEXTS_MOST];
    size_t context_count;
    struct pending pending[KG_GPU_PENDING_MOST]; /* a ring */
    size_t first, count;
    size_t open; /* marks begun, not pending yet */
    uint64_t dropped;
    unsigned forks;
    bool waited_in_vain;
};

struct kg_gpu_times *kg_gpu_new(void)
{
    struct kg_gpu_times *gpu = calloc(1, sizeof *gpu);
    if (gpu)
        gpu->forks = kg_cuda_forks();
    return gpu;
}

size_t kg_gpu_waiting(const struct kg_gpu_times *gpu)
{
    return gpu->count;
}

uint64_t kg_gpu_dropped(const struct kg_gpu_times *gpu)
{
    return gpu->dropped;
}

static void lost(struct kg_gpu_times *gpu, int code)
{
    gpu->dropped += !kg_cuda_gone(code) && !kg_cuda_captured(code);
}

/* In a forked child the parent's contexts are not there. */
static void forks_heed(struct kg_gpu_times *gpu)
{
    if (gpu->forks == kg_cuda_forks())
        return;
    gpu->forks = kg_cuda_forks();
    for (size_t i = 0; i < gpu->context_count; i++)
        gpu->contexts[i].gone = true;
}

/* --- Contexts --------------------------------------------------------------------------------- */

static int id_read(const struct kg_cuda *cuda, void *handle, unsigned long long *id)
{
    *id = 0;
    const int code = cuda->context_id ? cuda->context_id(handle, id) : KG_CUDA_SUCCESS;
    return code == INVALID_CONTEXT ? KG_CUDA_CONTEXT_IS_DESTROYED : code;
}

/* Makes the context current if it is not. To be ended with context_leave. If the context is destroyed,
 * returns another code than KG_CUDA_SUCCESS. */
static int context_enter(const struct kg_cuda *cuda, struct kg_gpu_context *context, bool *pushed)
{
    void *current = NULL;
    unsigned long long id = 0;
    *pushed = false;
    int code = context->gone ? KG_CUDA_CONTEXT_IS_DESTROYED : cuda->context_current(&current);
    if (code == KG_CUDA_SUCCESS)
        code = id_read(cuda, context->handle, &id);
    if (code == KG_CUDA_SUCCESS && id != context->id)
        code = KG_CUDA_CONTEXT_IS_DESTROYED;
    if (code == KG_CUDA_SUCCESS && current != context->handle) {
        code = cuda->context_push(context->handle);
        *pushed = code == KG_CUDA_SUCCESS;
    }
    context->gone |= kg_cuda_gone(code);
    return code;
}

static void context_leave(const struct kg_cuda *cuda, bool pushed)
{
    void *popped;
    if (pushed)
        cuda->context_pop(&popped);
}

/* A place for one more context: a new place, or the place of a destroyed context. */
static struct kg_gpu_context *context_place(struct kg_gpu_times *gpu)
{
    if (gpu->context_count < CONTEXTS_MOST)
        return &gpu->contexts[gpu->context_count++];
    for (size_t i = 0; i < CONTEXTS_MOST; i++)
        if (gpu->contexts[i].gone && !gpu->contexts[i].users)
            return &gpu->contexts[i];
    return NULL;
}

/* The data of the current context; NULL if there is no room for it. */
static struct kg_gpu_context *context_find(struct kg_gpu_times *gpu, void *handle,
                                           unsigned long long id)
{
    for (size_t i = 0; i < gpu->context_count; i++) {
        struct kg_gpu_context *context = &gpu->contexts[i];
        if (context->gone || context->handle != handle)
            continue;
        if (context->id == id)
            return context;
        context->gone = true;
    }
    struct kg_gpu_context *context = context_place(gpu);
    if (!context)
        return NULL;
    void **idle = context->idle ? context->idle
                                : calloc(2 * (size_t)KG_GPU_PENDING_MOST, sizeof *context->idle);
    *context = (struct kg_gpu_context){.handle = handle, .id = id, .idle = idle, .gone = !idle};
    return idle ? context : NULL;
}

/* --- Events ----------------------------------------------------------------------------------- */

static int event_take(const struct kg_cuda *cuda, struct kg_gpu_context *context, void **event)
{
    if (context->idle_count) {
        *event = context->idle[--context->idle_count];
        return KG_CUDA_SUCCESS;
    }
    const int mode = kg_cuda_relaxed(cuda);
    const int code = cuda->event_create(event, 0);
    kg_cuda_strict(cuda, mode);
    if (code != KG_CUDA_SUCCESS)
        *event = NULL;
    return code;
}

/* Events may be used again before they have happened: the second time replaces the first. */
static void mark_release(struct kg_gpu_mark *mark)
{
    struct kg_gpu_context *context = mark->context;
    if (mark->start)
        context->idle[context->idle_count++] = mark->start;
    if (mark->stop)
        context->idle[context->idle_count++] = mark->stop;
    context->users--;
    *mark = (struct kg_gpu_mark){0};
}

/* A stream that is being captured would make the event a part of the graph. Asked of the default
 * stream this is an error while a stream that waits for it is captured. */
static int capture_check(const struct kg_cuda *cuda, void *stream)
{
    int status = 0;
    const int code = cuda->stream_capturing(stream, &status);
    return code != KG_CUDA_SUCCESS || status ? KG_CUDA_CAPTURE_FIRST : KG_CUDA_SUCCESS;
}

static int mark_start(const struct kg_cuda *cuda, struct kg_gpu_context *context,
                      struct kg_gpu_mark *mark)
{
    context->users++;
    kg_gpu_reference_refresh(cuda, &context->reference);
    int code = event_take(cuda, context, &mark->start);
    if (code == KG_CUDA_SUCCESS)
        code = event_take(cuda, context, &mark->stop);
    if (code == KG_CUDA_SUCCESS)
        code = cuda->event_record(mark->start, mark->stream);
    if (code != KG_CUDA_SUCCESS)
        mark_release(mark);
    return code;
}

bool kg_gpu_present(void)
{
    void *handle = NULL;
    const struct kg_cuda *cuda = kg_cuda_open();
    return cuda && cuda->context_current(&handle) == KG_CUDA_SUCCESS && handle;
}

bool kg_gpu_begin(struct kg_gpu_times *gpu, void *stream, struct kg_gpu_mark *mark)
{
    void *handle = NULL;
    unsigned long long id;
    *mark = (struct kg_gpu_mark){0};
    const struct kg_cuda *cuda = kg_cuda_open();
    if (!cuda || cuda->context_current(&handle) != KG_CUDA_SUCCESS || !handle ||
        id_read(cuda, handle, &id) != KG_CUDA_SUCCESS ||
        capture_check(cuda, stream) != KG_CUDA_SUCCESS)
        return false;
    forks_heed(gpu);
    const bool full = gpu->open + gpu->count >= KG_GPU_PENDING_MOST;
    struct kg_gpu_context *context = full ? NULL : context_find(gpu, handle, id);
    if (!context) {
        gpu->dropped++;
        return false;
    }
    *mark = (struct kg_gpu_mark){.stream = stream, .context = context};
    const int code = mark_start(cuda, context, mark);
    if (code != KG_CUDA_SUCCESS) {
        lost(gpu, code);
        return false;
    }
    gpu->open++;
    gpu->waited_in_vain = false;
    return true;
}

/* The default stream is that of the current context, which need not be the one of the beginning. */
static int mark_stop(const struct kg_cuda *cuda, const struct kg_gpu_mark *mark)
{
    bool pushed;
    int code = context_enter(cuda, mark->context, &pushed);
    if (code != KG_CUDA_SUCCESS)
        return code;
    code = capture_check(cuda, mark->stream);
    if (code == KG_CUDA_SUCCESS)
        code = cuda->event_record(mark->stop, mark->stream);
    context_leave(cuda, pushed);
    return code;
}

bool kg_gpu_end(struct kg_gpu_times *gpu, struct kg_gpu_mark *mark, const struct kg_entry *entry,
                const struct kg_entry_usage *usage)
{
    if (!mark->context)
        return false;
    forks_heed(gpu);
    gpu->open--;
    const int code = mark_stop(kg_cuda_open(), mark);
    if (code != KG_CUDA_SUCCESS) {
        lost(gpu, code);
        mark_release(mark);
        return false;
    }
    const size_t last = (gpu->first + gpu->count++) % KG_GPU_PENDING_MOST;
    gpu->pending[last] = (struct pending){.done.entry = *entry, .mark = *mark};
    if (usage)
        gpu->pending[last].done.usage = *usage;
    *mark = (struct kg_gpu_mark){0};
    return true;
}

void kg_gpu_cancel(struct kg_gpu_times *gpu, struct kg_gpu_mark *mark)
{
    if (!mark->context)
        return;
    gpu->open--;
    mark_release(mark);
}

bool kg_gpu_memory_used(uint64_t *bytes)
{
    size_t free_bytes = 0, total_bytes = 0;
    const struct kg_cuda *cuda = kg_cuda_open();
    if (!cuda || !cuda->memory_info)
        return false;
    const int mode = kg_cuda_relaxed(cuda);
    const int code = cuda->memory_info(&free_bytes, &total_bytes);
    kg_cuda_strict(cuda, mode);
    *bytes = total_bytes - free_bytes;
    return code == KG_CUDA_SUCCESS && free_bytes <= total_bytes;
}

/* --- Collecting ------------------------------------------------------------------------------- */

/* A driver without capture modes may refuse a query during a capture. */
static int event_query(const struct kg_cuda *cuda, void *event)
{
    const int code = cuda->event_query(event);
    return kg_cuda_captured(code) ? KG_CUDA_NOT_READY : code;
}

/* By asking again and again, as cuEventSynchronize has no limit. */
static int event_wait(struct kg_gpu_times *gpu, const struct kg_cuda *cuda, void *event,
                      double wait_ns)
{
    struct timespec pause = {.tv_nsec = 10000};
    int code = event_query(cuda, event);
    const uint64_t begun = kg_monotonic_ns();
    while (code == KG_CUDA_NOT_READY && wait_ns > 0 && !gpu->waited_in_vain) {
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 1000000)
            pause.tv_nsec *= 2;
        code = event_query(cuda, event);
        gpu->waited_in_vain =
            code == KG_CUDA_NOT_READY && (double)(kg_monotonic_ns() - begun) >= wait_ns;
    }
    return code;
}

static int pending_read(const struct kg_cuda *cuda, struct pending *pending, double *ns_per_tick)
{
    const struct kg_gpu_mark *mark = &pending->mark;
    float milliseconds = 0;
    const int code = cuda->event_elapsed(&milliseconds, mark->start, mark->stop);
    if (code != KG_CUDA_SUCCESS)
        return code;
    if (*ns_per_tick <= 0)
        *ns_per_tick = kg_cuda_ns_per_tick();
    pending->done.gpu = (struct kg_entry_gpu){
        .start = kg_gpu_reference_ticks(cuda, &mark->context->reference, mark->start, *ns_per_tick),
        .duration_ns = milliseconds > 0 ? (uint64_t)llround((double)milliseconds * 1e6) : 0,
        .stream = (uint64_t)(uintptr_t)mark->stream,
    };
    pending->done.entry.nested_flags |= (uint32_t)KG_ENTRY_GPU << 24;
    return code;
}

/* false: its events have not happened yet. */
static bool pending_settle(struct kg_gpu_times *gpu, const struct kg_cuda *cuda,
                           struct pending *pending, double wait_ns, double *ns_per_tick)
{
    bool pushed;
    pending->done.entry.nested_flags &= ~((uint32_t)KG_ENTRY_GPU << 24);
    int code = context_enter(cuda, pending->mark.context, &pushed);
    if (code == KG_CUDA_SUCCESS) {
        code = event_wait(gpu, cuda, pending->mark.stop, wait_ns);
        if (code == KG_CUDA_SUCCESS)
            code = pending_read(cuda, pending, ns_per_tick);
        context_leave(cuda, pushed);
    }
    if (code == KG_CUDA_NOT_READY && !(wait_ns > 0))
        return false;
    if (code != KG_CUDA_SUCCESS)
        lost(gpu, code);
    mark_release(&pending->mark);
    return true;
}

size_t kg_gpu_collect(struct kg_gpu_times *gpu, double wait_ns, struct kg_gpu_done *done,
                      size_t most)
{
    size_t taken = 0;
    double ns_per_tick = 0;
    if (!gpu->count)
        return 0;
    const struct kg_cuda *cuda = kg_cuda_open();
    forks_heed(gpu);
    const int mode = kg_cuda_relaxed(cuda);
    while (taken < most && gpu->count) {
        struct pending *oldest = &gpu->pending[gpu->first];
        if (!pending_settle(gpu, cuda, oldest, wait_ns, &ns_per_tick))
            break;
        done[taken++] = oldest->done;
        gpu->first = (gpu->first + 1) % KG_GPU_PENDING_MOST;
        gpu->count--;
    }
    kg_cuda_strict(cuda, mode);
    return taken;
}

static void context_free(const struct kg_cuda *cuda, struct kg_gpu_context *context)
{
    bool pushed;
    if (context_enter(cuda, context, &pushed) == KG_CUDA_SUCCESS) {
        for (size_t i = 0; i < context->idle_count; i++)
            cuda->event_destroy(context->idle[i]);
        kg_gpu_reference_free(cuda, &context->reference);
        context_leave(cuda, pushed);
    }
    free(context->idle);
}

void kg_gpu_free(struct kg_gpu_times *gpu)
{
    if (!gpu)
        return;
    forks_heed(gpu);
    for (; gpu->count; gpu->count--) {
        mark_release(&gpu->pending[gpu->first].mark);
        gpu->first = (gpu->first + 1) % KG_GPU_PENDING_MOST;
    }
    if (gpu->context_count) {
        const struct kg_cuda *cuda = kg_cuda_open();
        const int mode = kg_cuda_relaxed(cuda);
        for (size_t i = 0; i < gpu->context_count; i++)
            context_free(cuda, &gpu->contexts[i]);
        kg_cuda_strict(cuda, mode);
    }
    free(gpu);
}
