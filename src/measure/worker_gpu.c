#include "measure/worker_gpu.h"

#include "measure/worker_state.h"

static bool not_yet(struct kg_error *err)
{
    return kg_error_set(err, KG_ERROR_MEASURE, "no GPU");
}

bool kg_worker_gpu_start(struct worker *worker, struct kg_error *err)
{
    (void)worker;
    return not_yet(err);
}

void kg_worker_gpu_ready(struct worker *worker)
{
    (void)worker;
}

bool kg_worker_gpu_check(struct worker *worker, struct kg_error *err)
{
    (void)worker;
    return not_yet(err);
}

bool kg_worker_gpu_begin(struct worker *worker, struct kg_error *err)
{
    (void)worker;
    return not_yet(err);
}
bool kg_worker_gpu_run(struct worker *worker, double time_ns, double *measured_ns,
                       struct kg_error *err)
{
    (void)worker, (void)time_ns, (void)measured_ns;
    return not_yet(err);
}
bool kg_worker_gpu_end(struct worker *worker, struct kg_round *round, struct kg_error *err)
{
    (void)worker, (void)round;
    return not_yet(err);
}
void kg_worker_gpu_drop(struct worker *worker)
{
    (void)worker;
}
bool kg_worker_gpu_wait(struct worker *worker, struct kg_error *err)
{
    (void)worker;
    return not_yet(err);
}

bool kg_worker_gpu_trace(struct worker *worker, struct kg_error *err)
{
    (void)worker;
    return not_yet(err);
}

bool kg_worker_gpu_ceilings(struct worker *worker, struct kg_error *err)
{
    (void)worker;
    return not_yet(err);
}

void kg_worker_gpu_finish(struct worker *worker)
{
    (void)worker;
}
