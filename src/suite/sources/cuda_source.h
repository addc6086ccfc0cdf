/* cuda_source.h: a kernel of CUDA C++, PTX or a binary as a workload. One at a time in a process;
 * not thread-safe. To be called in a worker process only. */
#pragma once
#include "base/error.h"
#include "kgate/plugin.h"
#include "suite/sources/source.h"

/* Reads the file, compiles it where it is CUDA C++, and gives a workload that loads and launches it. It
 * is valid until the next one is opened. No device is needed before its set_up.
 * The variable KGATE_NVRTC of the environment names the compiler's library, where it is not where the
 * loader looks.
 * returns  NULL with KG_ERROR_USAGE, which has the compiler's own text; KG_ERROR_MEASURE with
 *          opening->unavailable where there is no compiler */
const struct kgate_workload *kg_cuda_source_open(struct kg_source_opening *opening,
                                                 struct kg_error *err);
