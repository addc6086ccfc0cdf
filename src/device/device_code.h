/* device_code.h: kgate's own device code, inside the program. The build compiles each file of
 * src/device/code to a fat binary, for the driver to load. So measuring needs no CUDA runtime
 * library. Constant data; thread-safe. */
#pragma once
#include <stddef.h>

/* The fat binary of src/device/code/NAME.cu, for cuModuleLoadData.
 * bytes    its size; may be NULL
 * returns  NULL if there is no such file, and in a build without CUDA */
const void *kg_device_code(const char *name, size_t *bytes);

/* Device code that the build embeds: cmake/device_code.cmake writes the table. The last row has no
 * name. */
struct kg_embedded_code {
    const char *name;
    const unsigned char *begin;
    const unsigned char *end;
};
extern const struct kg_embedded_code kg_embedded_codes[];
