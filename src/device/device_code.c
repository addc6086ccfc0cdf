#include "device/device_code.h"

#include <string.h>

const void *kg_device_code(const char *name, size_t *bytes)
{
    for (const struct kg_embedded_code *code = kg_embedded_codes; code->name; code++) {
        if (strcmp(code->name, name) != 0)
            continue;
        if (bytes)
            *bytes = (size_t)(code->end - code->begin);
        return code->begin;
    }
    return NULL;
}
