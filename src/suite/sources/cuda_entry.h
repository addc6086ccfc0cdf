/* cuda_entry.h: whether GPU code has the kernel that a suite names, and takes what the suite gives it.
 * A launch with too few arguments reads beyond them, so this is found out before. Pure; thread-safe. */
#pragma once
#include <stdbool.h>

#include "base/code/gpu_kernels.h"
#include "base/error.h"
#include "suite/sources/cuda_launch.h"
#include "suite/sources/source.h"

/* Finds the kernel in the code of a file.
 * file     as errors name it
 * entry    the kernel's symbol
 * opening  where in the suite the mistake is, if there is one
 * returns  false with KG_ERROR_USAGE; names those that are there, the nearest first */
bool kg_cuda_entry_find(const struct kg_gpu_kernels *kernels, const char *file, const char *entry,
                        struct kg_source_opening *opening, struct kg_error *err);

/* The error of a kernel that is not there.
 * what     says so
 * returns  false */
bool kg_cuda_entry_missing(const struct kg_gpu_kernels *kernels, const char *what,
                           const char *entry, struct kg_source_opening *opening,
                           struct kg_error *err);

/* Compares the kernel's parameters, in number and size, with the arguments. What is not known of
 * them is taken as good.
 * entry    the kernel, as the suite names it
 * opening  likewise */
bool kg_cuda_arguments_check(const struct kg_gpu_kernels *kernels, const char *entry,
                             const struct kg_cuda_launch *launch, struct kg_source_opening *opening,
                             struct kg_error *err);
