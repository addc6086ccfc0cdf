/* cupti.h: NVIDIA's library for tools, CUPTI, opened at run time: optional, and never in a process
 * that is timed, which it slows down. Not thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Its functions, with handles and records as plain pointers; each returns a kg_cupti_code or
 * another. What it collects goes through callbacks that know nothing of their owner: one use at a
 * time in a process. */
struct kg_cupti {
    void *library;
    int version; /* of its CUDA toolkit: 1000 * major + 10 * minor; minor is 0 before CUDA 13 */

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

/* Looks for CUPTI in all of kg_cuda_places. One that is of a
 * later CUDA than the driver, or of a version whose records kgate does not know, is passed over.
 * library         a path instead; NULL: look
 * driver_version  as in struct kg_driver; 0: not known
 * why             on failure a phrase for people
 * returns         false where there is none that works */
bool kg_cupti_open(const char *library, int driver_version, struct kg_cupti *cupti, char *why,
                   size_t why_bytes);

/* The version as in struct kg_cupti, from the number that CUPTI gives; 0 before CUDA 12. */
int kg_cupti_version(uint32_t says);

/* True for success. Else err, of kind KG_ERROR_MEASURE, says what was tried and what CUPTI said;
 * where a permission is missing, it says how to get it. */
bool kg_cupti_good(const struct kg_cupti *cupti, int code, const char *what, struct kg_error *err);
