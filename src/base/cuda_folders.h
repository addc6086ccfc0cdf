/* cuda_folders.h: where CUDA's own libraries (cuBLAS, CUPTI) may lie on a machine: images differ in that,
 * and many have them from Python's wheels, where no loader looks. Thread-safe as far as the environment
 * is left alone. */
#pragma once
#include <stdbool.h>

/* For messages. */
#define KG_CUDA_PLACES_WORDS                                                                       \
    "in the folders of $KGATE_CUDA_LIBS, where the loader looks, under $CUDA_PATH, $CUDA_HOME, "   \
    "/usr/local/cuda*, $CONDA_PREFIX, nor among Python's packages (site-packages/nvidia)"

/* Hands the library's places to `take`, the likeliest first, until it says true: $KGATE_CUDA_LIBS, folders
 * with colons between; the bare name, for the loader; then every file of that name in the toolkits and
 * packages of the words above.
 * file     such as "libcublas.so.13"
 * returns  whether one was taken */
bool kg_cuda_places(const char *file, bool (*take)(const char *path, void *user), void *user);
