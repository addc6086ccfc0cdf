#include "pipelines/sync_heavy.h"

#include <stdlib.h>
#include <string.h>

#include "common/common.h"
#include "common/device.h"

enum { ELEMENTS, STEPS, VERSION, PARAMS };
enum { EVERY_STEP, ONCE };

static const char *const versions[] = {[EVERY_STEP] = "every_step", [ONCE] = "once", NULL};
static void (*const table[][2])(const struct kg_sync_heavy *) = {
    [EVERY_STEP] = {kg_sync_heavy_every_step, KG_CUDA_VERSION(kg_sync_heavy_cuda_every_step)},
    [ONCE] = {kg_sync_heavy_once, KG_CUDA_VERSION(kg_sync_heavy_cuda_once)},
};
static const struct kgate_param params[PARAMS] = {
    {.name = "elements",
     .type = KGATE_PARAM_INTEGER,
     .default_text = "4096",
     .minimum = 1,
     .maximum = 1e9,
     .help = "equations"},
    {.name = "steps",
     .type = KGATE_PARAM_INTEGER,
     .default_text = "200",
     .minimum = 1,
     .maximum = 100000,
     .help = "steps, each of which leaves a norm"},
    {.name = "version",
     .type = KGATE_PARAM_CHOICE,
     .default_text = "once",
     .choices = versions,
     .help = "every_step: the norm is looked at after each step, once: all of them at the end"},
};

static bool describe(struct kgate_context *context, struct kgate_work *work)
{
    const double n = (double)context->values[ELEMENTS].integer;
    const double steps = (double)context->values[STEPS].integer;
    *work = (struct kgate_work){
        .items = n * steps, .bytes = 3 * n * (double)sizeof(float), .flops = 6 * n * steps};
    const int64_t version = context->values[VERSION].integer;
    return table[version][context->device] || kg_device_refuse_version(context, versions[version]);
}

static void tear_down(struct kgate_context *context, void *state)
{
    struct kg_sync_heavy *work = state;
    if (!work)
        return;
    const bool on_device = context->device == KGATE_DEVICE_CUDA;
    void (*const release)(struct kgate_context *, void *) =
        on_device ? context->release_device : context->release;
#ifdef KGATE_HAVE_CUDA
    if (on_device)
        kg_sync_heavy_finish();
#endif
    release(context, (void *)work->b);
    release(context, (void *)work->d);
    release(context, work->x);
    if (on_device) {
        context->release_device(context, work->device_norms);
        context->release_pinned(context, work->norms);
    } else {
        context->release(context, work->norms);
    }
    context->release(context, work->seen);
    context->release(context, work->parts);
    context->release(context, work);
}

/* d in [0.5, 1.5) from floats in [-1, 1). */
static void diagonal_make(float *d, size_t n)
{
    for (size_t i = 0; i < n; i++)
        d[i] = 1 + d[i] / 2;
}

/* So that the diagonal is not the right side. */
static uint64_t diagonal_seed(const struct kgate_context *context)
{
    return context->seed + 1;
}

/* Rows a whole cache line apart: no two threads write to one. */
static bool rows_set_up(struct kgate_context *context, struct kg_sync_heavy *work)
{
    enum { LINE_DOUBLES = 64 / sizeof(double) };
    const size_t lines = (work->steps + LINE_DOUBLES - 1) / LINE_DOUBLES + 1;
    const bool sees = context->values[VERSION].integer == EVERY_STEP;
    const bool on_host = context->device == KGATE_DEVICE_CPU;
    work->rows = on_host ? context->threads : 1;
    work->row_stride = lines * LINE_DOUBLES;
    if (!sees && !on_host)
        return true;
    const size_t bytes = work->rows * work->row_stride * sizeof(double);
    double *rows = context->allocate(context, bytes);
    *(sees ? &work->seen : &work->parts) = rows;
    if (!rows)
        return kg_kernel_refuse(context, "no memory for %zu bytes", bytes);
    memset(rows, 0xff, bytes);
    return true;
}

static bool host_set_up(struct kgate_context *context, struct kg_sync_heavy *work)
{
    const size_t bytes = work->n * sizeof(float), norms_bytes = work->steps * sizeof(double);
    float *b = context->allocate(context, bytes), *d = context->allocate(context, bytes);
    work->b = b;
    work->d = d;
    work->x = context->allocate(context, bytes);
    work->norms = context->allocate(context, norms_bytes);
    if (!b || !d || !work->x || !work->norms)
        return kg_kernel_refuse(context, "no memory for three arrays of %zu bytes", bytes);
    kg_fill_floats(b, work->n, context->seed, context->threads);
    kg_fill_floats(d, work->n, diagonal_seed(context), context->threads);
    diagonal_make(d, work->n);
    memset(work->x, 0xff, bytes);
    memset(work->norms, 0xff, norms_bytes);
    return true;
}

/* On the host, to be freed with free(). NULL with context->message. */
static float *diagonal_again(struct kgate_context *context, size_t n)
{
    float *d = kg_device_input_floats(context, n, diagonal_seed(context));
    if (d)
        diagonal_make(d, n);
    return d;
}

static bool device_diagonal(struct kgate_context *context, struct kg_sync_heavy *work)
{
    const size_t bytes = work->n * sizeof(float);
    float *d = diagonal_again(context, work->n);
    void *device = d ? kg_device_blank(context, bytes) : NULL;
    work->d = device;
    const bool good = device && kg_device_upload(context, device, d, bytes);
    free(d);
    return good;
}

static bool device_set_up(struct kgate_context *context, struct kg_sync_heavy *work)
{
    const size_t norms_bytes = work->steps * sizeof(double);
    work->stream = context->stream;
    if (!(work->b = kg_device_floats(context, work->n, context->seed)) ||
        !device_diagonal(context, work) ||
        !(work->x = kg_device_blank(context, work->n * sizeof(float))) ||
        !(work->device_norms = kg_device_blank(context, norms_bytes)))
        return false;
    if (!(work->norms = context->allocate_pinned(context, norms_bytes)))
        return kg_kernel_refuse(context, "no page-locked memory for %zu bytes", norms_bytes);
    memset(work->norms, 0xff, norms_bytes);
    return true;
}

static bool set_up(struct kgate_context *context, void **state)
{
    struct kg_sync_heavy *work = context->allocate(context, sizeof *work);
    if (!work)
        return kg_kernel_refuse(context, "no memory");
    work->n = (size_t)context->values[ELEMENTS].integer;
    work->steps = (unsigned)context->values[STEPS].integer;
    work->threads = (int)context->threads;
    work->version = table[context->values[VERSION].integer][context->device];
    if (!(context->device == KGATE_DEVICE_CUDA ? device_set_up(context, work)
                                               : host_set_up(context, work)) ||
        !rows_set_up(context, work)) {
        tear_down(context, work);
        return false;
    }
    *state = work;
    return true;
}

static void run(void *state)
{
    const struct kg_sync_heavy *work = state;
    work->version(work);
}

static bool compare(struct kgate_context *context, const struct kg_sync_heavy *work, const float *b,
                    const float *d, const float *x, struct kgate_check *check)
{
    if (!kg_sync_heavy_error(work, b, d, x, &check->error))
        return kg_kernel_refuse(context, "no memory for the reference");
    check->tolerance = 1;
    return true;
}

static bool check(struct kgate_context *context, void *state, struct kgate_check *check)
{
    const struct kg_sync_heavy *work = state;
    if (context->device == KGATE_DEVICE_CPU)
        return compare(context, work, work->b, work->d, work->x, check);
    float *x = kg_device_fetch(context, work->x, work->n * sizeof *x);
    float *b = x ? kg_device_input_floats(context, work->n, context->seed) : NULL;
    float *d = b ? diagonal_again(context, work->n) : NULL;
    const bool good = d && compare(context, work, b, d, x, check);
    free(d);
    free(b);
    free(x);
    return good;
}

const struct kgate_workload kg_kernel_sync_heavy = {
    .name = "sync_heavy",
    .summary = "Iterates and looks at a norm, in every step or once: what waiting costs.",
    .params = params,
    .param_count = PARAMS,
    .devices = KG_KERNEL_DEVICES,
    .revision = 1,
    .describe = describe,
    .set_up = set_up,
    .run = run,
    .check = check,
    .tear_down = tear_down,
};
