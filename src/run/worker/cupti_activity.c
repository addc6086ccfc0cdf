#include "run/worker/trace_task.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/grow.h"
#include "run/worker/cupti_abi.h"

enum { BUFFER_BYTES = 4 << 20, BUFFER_ALIGNMENT = 8, FLUSH_FORCED = 1 };
/* Waited around each mark: longer than the error of CUPTI's conversion from the device's clock. */
enum { IDLE_NS = 100 * 1000 };

/* CUPTI passes buffers to callbacks on a thread of its own, without an owner argument. */
static struct {
    pthread_mutex_t lock;
    const struct kg_cupti *cupti; /* NULL: whatever still comes is dropped */
    struct kg_activities *activities;
    size_t capacity;
} collection = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* --- Records to activities -------------------------------------------------------------------- */

static struct kg_activity kernel_read(const struct kg_cupti_kernel_record *record)
{
    return (struct kg_activity){
        .kind = KG_ACTIVITY_KERNEL,
        .start_ns = record->start_ns,
        .end_ns = record->end_ns,
        .correlation = record->correlation,
        .name = record->name,
        .blocks = (double)record->grid[0] * record->grid[1] * record->grid[2],
        .threads = (double)record->block[0] * record->block[1] * record->block[2],
        .registers = record->registers,
        .shared_bytes = (double)record->static_shared_bytes + record->dynamic_shared_bytes,
        .local_bytes = record->local_bytes,
    };
}

static enum kg_activity_kind copy_kind(unsigned kind)
{
    switch (kind) {
    case KG_CUPTI_HOST_TO_DEVICE:
    case KG_CUPTI_HOST_TO_ARRAY:
        return KG_ACTIVITY_TO_DEVICE;
    case KG_CUPTI_DEVICE_TO_HOST:
    case KG_CUPTI_ARRAY_TO_HOST:
        return KG_ACTIVITY_TO_HOST;
    default:
        return KG_ACTIVITY_OTHER;
    }
}

/* Whether its end at the host is not page-locked. */
static bool is_pageable(const struct kg_cupti_copy_record *copy)
{
    switch (copy_kind(copy->copy_kind)) {
    case KG_ACTIVITY_TO_DEVICE:
        return copy->source_kind == KG_CUPTI_PAGEABLE;
    case KG_ACTIVITY_TO_HOST:
        return copy->target_kind == KG_CUPTI_PAGEABLE;
    default:
        return false;
    }
}

/* Converts a record. False for kinds of records that kgate does not use. */
static bool record_read(const void *record, struct kg_activity *activity)
{
    const struct kg_cupti_copy_record *copy = record;
    const struct kg_cupti_fill_record *fill = record;
    switch (*(const uint32_t *)record) {
    case KG_CUPTI_KERNEL:
    case KG_CUPTI_CONCURRENT_KERNEL:
        *activity = kernel_read(record);
        return true;
    case KG_CUPTI_MEMCPY:
        *activity = (struct kg_activity){.kind = copy_kind(copy->copy_kind),
                                         .start_ns = copy->start_ns,
                                         .end_ns = copy->end_ns,
                                         .correlation = copy->correlation,
                                         .bytes = copy->bytes,
                                         .pageable = is_pageable(copy)};
        return true;
    case KG_CUPTI_MEMSET:
        *activity = (struct kg_activity){.kind = KG_ACTIVITY_OTHER,
                                         .start_ns = fill->start_ns,
                                         .end_ns = fill->end_ns,
                                         .correlation = fill->correlation,
                                         .bytes = fill->bytes};
        return true;
    default:
        return false;
    }
}

/* --- CUPTI's callbacks ------------------------------------------------------------------------ */

static void buffer_requested(uint8_t **buffer, size_t *bytes, size_t *most)
{
    *buffer = aligned_alloc(BUFFER_ALIGNMENT, BUFFER_BYTES);
    *bytes = *buffer ? BUFFER_BYTES : 0;
    *most = 0; /* as many as fit */
}

static void activity_append(const struct kg_activity *activity)
{
    struct kg_activities *activities = collection.activities;
    kg_grow(&activities->of, activities->count, &collection.capacity, sizeof *activities->of);
    activities->of[activities->count++] = *activity;
}

static void buffer_completed(void *context, uint32_t stream, uint8_t *buffer, size_t bytes,
                             size_t valid_bytes)
{
    struct kg_activity activity;
    void *record = NULL;
    (void)context;
    (void)stream;
    (void)bytes;
    pthread_mutex_lock(&collection.lock);
    while (collection.cupti &&
           collection.cupti->activity_next(buffer, valid_bytes, &record) == KG_CUPTI_SUCCESS)
        if (record_read(record, &activity))
            activity_append(&activity);
    pthread_mutex_unlock(&collection.lock);
    free(buffer);
}

static void collection_set(const struct kg_cupti *cupti, struct kg_activities *activities)
{
    pthread_mutex_lock(&collection.lock);
    collection.cupti = cupti;
    collection.activities = activities;
    collection.capacity = 0;
    pthread_mutex_unlock(&collection.lock);
}

/* --- Tracing ---------------------------------------------------------------------------------- */

static const int kinds[] = {KG_CUPTI_CONCURRENT_KERNEL, KG_CUPTI_MEMCPY, KG_CUPTI_MEMSET};

static bool kinds_enable(const struct kg_cupti *cupti, struct kg_error *err)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!kg_cupti_good(cupti, cupti->activity_enable(kinds[i]),
                           "CUPTI does not record device activity", err))
            return false;
    return true;
}

static void kinds_disable(const struct kg_cupti *cupti)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        cupti->activity_disable(kinds[i]);
}

static void wait_idle(void)
{
    const struct timespec wait = {.tv_nsec = IDLE_NS};
    nanosleep(&wait, NULL);
}

static bool mark(const struct kg_cupti *cupti, uint64_t *ns, struct kg_error *err)
{
    wait_idle();
    const bool good = kg_cupti_good(cupti, cupti->timestamp(ns), "CUPTI has no clock", err);
    wait_idle();
    return good;
}

static bool run_once(const struct kg_driver *driver, const struct kg_gpu_call *call,
                     struct kg_error *err)
{
    call->run(call->state);
    return kg_driver_good(driver, driver->context_synchronize(), "a call failed on the device",
                          err);
}

static bool calls_run(const struct kg_cupti *cupti, const struct kg_driver *driver,
                      const struct kg_gpu_call *call, uint64_t marks[KG_TRACED_CALLS + 1],
                      struct kg_error *err)
{
    if (!run_once(driver, call, err))
        return false;
    for (size_t i = 0; i < KG_TRACED_CALLS; i++)
        if (!mark(cupti, &marks[i], err) || !run_once(driver, call, err))
            return false;
    return mark(cupti, &marks[KG_TRACED_CALLS], err);
}

/* Reads and resets CUPTI's number of dropped records. */
static uint64_t dropped_take(const struct kg_cupti *cupti)
{
    size_t dropped = 0;
    return cupti->activity_dropped(NULL, 0, &dropped) == KG_CUPTI_SUCCESS ? dropped : 0;
}

bool kg_cupti_trace(const struct kg_cupti *cupti, const struct kg_driver *driver,
                    const struct kg_gpu_call *call, struct kg_activities *activities,
                    struct kg_error *err)
{
    *activities = (struct kg_activities){0};
    collection_set(cupti, activities);
    bool good = kg_cupti_good(cupti, cupti->activity_callbacks(buffer_requested, buffer_completed),
                              "CUPTI takes no buffers for its records", err) &&
                kinds_enable(cupti, err);
    if (good)
        dropped_take(cupti);
    good = good && calls_run(cupti, driver, call, activities->marks, err);
    kinds_disable(cupti);
    /* The device has finished: a record that is incomplete now will not become complete. */
    if (good)
        good = kg_cupti_good(cupti, cupti->activity_flush(FLUSH_FORCED),
                             "CUPTI does not return its records", err);
    activities->dropped = good ? dropped_take(cupti) : 0;
    collection_set(NULL, NULL);
    if (!good)
        kg_activities_free(activities);
    return good;
}

void kg_activities_free(struct kg_activities *activities)
{
    free(activities->of);
    *activities = (struct kg_activities){0};
}
