/* cuda_folders.h: folders that may hold CUDA's own libraries (cuBLAS, CUPTI, NVRTC). Images differ in
 * these folders. Many images have the libraries from Python's wheels, outside the loader's folders.
 * Thread-safe as long as nobody changes the environment. */
#pragma once
#include <stdbool.h>

/* For messages. */
#define KG_CUDA_PLACES_WORDS                                                                       \
    "in the folders of $KGATE_CUDA_LIBS, where the loader looks, under $CUDA_PATH, $CUDA_HOME, "   \
    "/usr/local/cuda*, $CONDA_PREFIX, nor among Python's packages (site-packages/nvidia)"

/* Hands each possible path of a library to `take`, the likeliest first, until `take` returns true.
 * The order: folders of $KGATE_CUDA_LIBS, with colons between; the bare name, for the loader;
 * toolkits; packages.
 * file     name of the library, for example "libcublas.so.13"
 * returns  whether `take` returned true */
bool kg_cuda_places(const char *file, bool (*take)(const char *path, void *user), void *user);
