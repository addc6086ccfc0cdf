#include "profiler/record/gpu_driver.h"

#include <math.h>
#include <stddef.h>

#include "profiler/record/ticks.h"

enum { STREAM_NON_BLOCKING = 1 };
enum { INTERVAL_NS = 250000000, WATCH_NS = 100000, CLOSE_NS = 5000, TRIES_MOST = 3 };

static bool parts_make(const struct kg_cuda *cuda, struct kg_gpu_reference *reference)
{
    /* Non-blocking: the default stream neither waits for it nor the other way round. */
    if (!reference->stream &&
        cuda->stream_create(&reference->stream, STREAM_NON_BLOCKING) != KG_CUDA_SUCCESS) {
        reference->stream = NULL;
        return false;
    }
    void **events[] = {&reference->event, &reference->spare};
    for (size_t i = 0; i < 2; i++)
        if (!*events[i] && cuda->event_create(events[i], 0) != KG_CUDA_SUCCESS) {
            *events[i] = NULL;
            return false;
        }
    return true;
}

/* Records an event and watches it by queries. Its time lies between the start of the last query before
 * it happened and the end of the next query. cuEventSynchronize would have no time limit, and the device
 * may run this stream only after the program's.
 * ticks    receives the middle of that interval;
 * returns  its width in ticks; UINT64_MAX: the event was not seen */
static uint64_t watch(const struct kg_cuda *cuda, void *event, void *stream, uint64_t *ticks)
{
    const uint64_t begun = kg_ticks();
    const uint64_t most = (uint64_t)(WATCH_NS * cuda->ticks_per_ns);
    uint64_t before = begun;
    if (cuda->event_record(event, stream) != KG_CUDA_SUCCESS)
        return UINT64_MAX;
    for (;;) {
        const uint64_t asked = kg_ticks();
        const int code = cuda->event_query(event);
        const uint64_t after = kg_ticks();
        if (code == KG_CUDA_SUCCESS) {
            *ticks = before + (after - before) / 2;
            return after - before;
        }
        if (code != KG_CUDA_NOT_READY || after - begun > most)
            return UINT64_MAX;
        before = asked;
    }
}

void kg_gpu_reference_refresh(const struct kg_cuda *cuda, struct kg_gpu_reference *reference)
{
    const uint64_t now = kg_ticks();
    if (reference->tried && (double)(now - reference->tried) < INTERVAL_NS * cuda->ticks_per_ns)
        return;
    reference->tried = now;
    const int mode = kg_cuda_relaxed(cuda);
    uint64_t best = UINT64_MAX;
    /* The thread may have lost its processor in between: the closest of a few. */
    for (int i = 0; i < TRIES_MOST && parts_make(cuda, reference); i++) {
        uint64_t ticks = 0;
        const uint64_t width = watch(cuda, reference->spare, reference->stream, &ticks);
        if (width == UINT64_MAX)
            break;
        if (width < best) {
            void *spare = reference->event;
            reference->event = reference->spare;
            reference->spare = spare;
            reference->ticks = ticks;
            reference->known = true;
            best = width;
        }
        if ((double)best < CLOSE_NS * cuda->ticks_per_ns)
            break;
    }
    kg_cuda_strict(cuda, mode);
}

uint64_t kg_gpu_reference_ticks(const struct kg_cuda *cuda,
                                const struct kg_gpu_reference *reference, void *event,
                                double ns_per_tick)
{
    float milliseconds = 0;
    double elapsed_ns;
    if (!reference->known)
        return 0;
    /* The event may be older than the reference. A negative distance is not documented: asked the
     * other way round. */
    if (cuda->event_elapsed(&milliseconds, reference->event, event) == KG_CUDA_SUCCESS &&
        milliseconds >= 0)
        elapsed_ns = (double)milliseconds * 1e6;
    else if (cuda->event_elapsed(&milliseconds, event, reference->event) == KG_CUDA_SUCCESS)
        elapsed_ns = (double)milliseconds * -1e6;
    else
        return 0;
    const double ticks = (double)reference->ticks + elapsed_ns / ns_per_tick;
    return isfinite(ticks) && ticks >= 1
               ? reference->ticks + (uint64_t)llround(elapsed_ns / ns_per_tick)
               : 0;
}

void kg_gpu_reference_free(const struct kg_cuda *cuda, struct kg_gpu_reference *reference)
{
    if (reference->event)
        cuda->event_destroy(reference->event);
    if (reference->spare)
        cuda->event_destroy(reference->spare);
    if (reference->stream)
        cuda->stream_destroy(reference->stream);
    *reference = (struct kg_gpu_reference){0};
}
