/* gpu_kernels.h: the kernels in GPU code, and what one of them takes. Text and files may be anything:
 * nothing outside their bytes is read, and the time is proportional to their length. Pure;
 * thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

struct kg_gpu_kernels {
    const char **names; /* in the file's order, of printable ASCII */
    size_t count;
    /* Of the one that was asked for: */
    bool found;
    bool parameters_known;
    const size_t *parameter_bytes; /* 0: not known */
    size_t parameter_count;
};

/* Reads PTX as "Parallel Thread Execution ISA" has it: that it begins with .version and .target, that
 * comments, strings and braces end, and the directives .entry. What is within braces is not looked at.
 * text     ended by the first 0 byte, as the driver reads it, or by its length
 * wanted   a kernel, by its symbol
 * kernels  in `arena`
 * returns  false with KG_ERROR_USAGE, "is no PTX: line 3: …", or KG_ERROR_MEMORY */
bool kg_gpu_kernels_ptx(const char *text, size_t length, const char *wanted, struct kg_arena *arena,
                        struct kg_gpu_kernels *kernels, struct kg_error *err);

/* Reads a cubin: an ELF file for CUDA (e_machine 190), in which a kernel is a function marked as an
 * entry, in a section .text.NAME. Parameters are those of the attributes in .nv.info.NAME, which
 * NVIDIA does not document: where these are of another kind they are not known.
 * bytes    must outlive `kernels`
 * returns  as above, "is no cubin file: …" */
bool kg_gpu_kernels_cubin(const void *bytes, size_t length, const char *wanted,
                          struct kg_arena *arena, struct kg_gpu_kernels *kernels,
                          struct kg_error *err);

/* Names in CUDA C++: what stands after __global__ and before its parameters, as far as that can be seen
 * without a compiler; each once, 256 at most. For errors. false with KG_ERROR_MEMORY alone. */
bool kg_gpu_kernels_source(const char *text, size_t length, struct kg_arena *arena,
                           struct kg_gpu_kernels *kernels, struct kg_error *err);

/* Whether the file is a fat binary by its header, as fatbinary.h of the CUDA Toolkit has that, and as
 * long as it says. Its parts, most of them compressed, are not looked at. returns as above */
bool kg_gpu_fatbin_check(const void *bytes, size_t length, struct kg_error *err);
