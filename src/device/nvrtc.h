/* nvrtc.h: NVIDIA's run-time compiler for CUDA C++, opened at run time. The build needs neither its
 * header nor the toolkit, and compiling needs no device. Signatures follow NVIDIA's NVRTC
 * reference. Not thread-safe. */
#pragma once
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

/* Source to compile. */
struct kg_nvrtc_source {
    const char *text;
    const char *file;           /* file name for the compiler's messages */
    const char *entry;          /* name of a kernel in the source, as in C++ */
    const char *const *options; /* options of the compiler, with its --gpu-architecture */
    size_t option_count;
};

/* Compiled code, in an arena. */
struct kg_nvrtc_image {
    const void *bytes; /* for cuModuleLoadData: a cubin; PTX if the architecture is virtual */
    size_t length;
    const char *symbol; /* the kernel's name in the image */
};

enum kg_nvrtc_result {
    KG_NVRTC_GOOD,
    KG_NVRTC_MISSING, /* no NVRTC, or none that works: see err */
    KG_NVRTC_FAILED /* err has the compiler's errors in one line, "saxpy.cu(3): error: …; …" */
};

/* Compiles the source.
 * libraries  names or paths to try in turn, ended by NULL. NULL: NVRTC of CUDA 13 and 12, from the
 *            folders of kg_cuda_places
 * CUDA's headers are found without an option, if they are installed beside the library. */
enum kg_nvrtc_result kg_nvrtc_compile(const char *const *libraries,
                                      const struct kg_nvrtc_source *source, struct kg_arena *arena,
                                      struct kg_nvrtc_image *image, struct kg_error *err);
