/* cupti.h: CUPTI, NVIDIA's library for tools, opened at run time. It is optional. It slows a process
 * down, so no timed process opens it. Not thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* CUPTI's functions, with handles and records as plain pointers. Each returns a kg_cupti_code or
 * another code. CUPTI passes its records to callbacks without an owner argument: so a process has
 * one use at a time. */
struct kg_cupti {
    void *library;
    int version; /* its CUDA version: 1000 * major + 10 * minor; minor is 0 before CUDA 13 */

    int (*result_string)(int code, const char **text);
    int (*timestamp)(uint64_t *ns);
    int (*activity_callbacks)(void (*requested)(uint8_t **buffer, size_t *bytes, size_t *most),
                              void (*completed)(void *context, uint32_t stream, uint8_t *buffer,
                                                size_t bytes, size_t valid_bytes));
    int (*activity_enable)(int kind);
    int (*activity_disable)(int kind);
    int (*activity_flush)(uint32_t flags);
    int (*activity_next)(uint8_t *buffer, size_t valid_bytes, void **record);
    int (*activity_dropped)(void *context, uint32_t stream, size_t *count);
};

/* Searches all of kg_cuda_places for CUPTI. Ignores a CUPTI of a later CUDA than the driver, and a
 * version whose records kgate does not know.
 * library         its path; NULL: search
 * driver_version  as in struct kg_driver; 0: not known
 * why             receives on failure a phrase for people
 * returns         false if no CUPTI works */
bool kg_cupti_open(const char *library, int driver_version, struct kg_cupti *cupti, char *why,
                   size_t why_bytes);

/* The version as in struct kg_cupti, from the number that CUPTI gives; 0 before CUDA 12. */
int kg_cupti_version(uint32_t reported);

/* True for success. Otherwise err, of kind KG_ERROR_MEASURE, names the attempt and CUPTI's message.
 * If a permission is missing, err says how to get it. */
bool kg_cupti_good(const struct kg_cupti *cupti, int code, const char *what, struct kg_error *err);
