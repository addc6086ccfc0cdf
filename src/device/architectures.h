/* architectures.h: which GPUs a list of CMAKE_CUDA_ARCHITECTURES makes code for. Pure. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Whether one of the listed codes runs on a device of this compute capability: machine code on its
 * own major version from its minor on (of "90a" on 9.0 only), virtual code from its own on.
 * list  "80-real,90-real,90-virtual"; separated by commas. A word without digits ("native", "all")
 *       is taken to fit */
bool kg_architectures_fit(const char *list, int major, int minor);

/* The same list for people: "8.0, 9.0 and later". */
void kg_architectures_words(const char *list, char *text, size_t bytes);
