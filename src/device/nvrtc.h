/* nvrtc.h: NVIDIA's run-time compiler for CUDA C++, opened at run time: neither its header nor the
 * toolkit is needed to build, and no device to compile. Signatures are those of NVIDIA's NVRTC
 * reference. Not thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

/* What to compile. */
struct kg_nvrtc_source {
    const char *text;
    const char *file;           /* as the compiler's messages name it */
    const char *entry;          /* a kernel in it, as C++ names it */
    const char *const *options; /* of the compiler, with its --gpu-architecture */
    size_t option_count;
};

/* What came of it, in an arena. */
struct kg_nvrtc_image {
    const void *bytes; /* for cuModuleLoadData: a cubin, or PTX where the architecture is virtual */
    size_t length;
    const char *symbol; /* the kernel's in the image */
};

enum kg_nvrtc_result {
    KG_NVRTC_GOOD,
    KG_NVRTC_MISSING, /* there is no NVRTC, or none that works: err says so */
    KG_NVRTC_FAILED /* err has the compiler's own errors in one line, "saxpy.cu(3): error: …; …" */
};

/* Compiles.
 * libraries  names or paths to try, one after the other, ended by NULL; NULL: NVRTC of CUDA 13 and
 *            12, as the loader finds them and in /usr/local/cuda */
enum kg_nvrtc_result kg_nvrtc_compile(const char *const *libraries,
                                      const struct kg_nvrtc_source *source, struct kg_arena *arena,
                                      struct kg_nvrtc_image *image, struct kg_error *err);
