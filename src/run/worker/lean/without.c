/* without.c: what kgate-worker does not have. kgate asks it for none of this. */
#include "run/ceilings/ceilings_measure.h"
#include "run/worker/worker_gpu.h"
#include "run/worker/worker_state.h"
#include "suite/sources/source.h"

static bool not_here(const char *what, struct kg_error *err)
{
    return kg_error_set(err, KG_ERROR_USAGE, "kgate-worker has no %s: kgate itself measures it",
                        what);
}

/* --- Built-in kernels and CUDA sources --------------------------------------------------------- */

static const struct kgate_workload *kernel_open(struct kg_source_opening *opening,
                                                struct kg_error *err)
{
    (void)opening;
    not_here("built-in kernel", err);
    return NULL;
}

static const struct kgate_workload *source_open(struct kg_source_opening *opening,
                                                struct kg_error *err)
{
    (void)opening;
    not_here("compiler of CUDA sources", err);
    return NULL;
}

const struct kg_source_operations kg_source_kernel = {.open = kernel_open};
const struct kg_source_operations kg_source_source = {.open = source_open};

/* --- Ceilings and the GPU --------------------------------------------------------------------- */

static const char NO_GPU[] = "GPU";

bool kg_cpu_ceilings_measure(struct kg_arena *arena, struct kg_cpu_ceilings *ceilings,
                             struct kg_error *err)
{
    (void)arena, (void)ceilings;
    return not_here("loops for ceilings", err);
}

bool kg_worker_gpu_ceilings(struct kg_worker *worker, struct kg_error *err)
{
    (void)worker;
    return not_here(NO_GPU, err);
}

bool kg_worker_gpu_start(struct kg_worker *worker, struct kg_error *err)
{
    (void)worker;
    return not_here(NO_GPU, err);
}

void kg_worker_gpu_ready(struct kg_worker *worker)
{
    (void)worker;
}

bool kg_worker_gpu_check(struct kg_worker *worker, struct kg_error *err)
{
    (void)worker;
    return not_here(NO_GPU, err);
}

bool kg_worker_gpu_begin(struct kg_worker *worker, struct kg_error *err)
{
    (void)worker;
    return not_here(NO_GPU, err);
}

bool kg_worker_gpu_run(struct kg_worker *worker, double time_ns, double *measured_ns,
                       struct kg_error *err)
{
    (void)worker, (void)time_ns, (void)measured_ns;
    return not_here(NO_GPU, err);
}

bool kg_worker_gpu_end(struct kg_worker *worker, struct kg_round *round, struct kg_error *err)
{
    (void)worker, (void)round;
    return not_here(NO_GPU, err);
}

void kg_worker_gpu_drop(struct kg_worker *worker)
{
    (void)worker;
}

bool kg_worker_gpu_wait(struct kg_worker *worker, struct kg_error *err)
{
    (void)worker;
    return not_here(NO_GPU, err);
}

bool kg_worker_gpu_trace(struct kg_worker *worker, struct kg_error *err)
{
    (void)worker;
    return not_here(NO_GPU, err);
}

void kg_worker_gpu_finish(struct kg_worker *worker)
{
    (void)worker;
}

void kg_worker_gpu_close(struct worker_gpu *gpu)
{
    (void)gpu;
}
