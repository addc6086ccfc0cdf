#include <stdio.h>

#include "transformer/passes.h"

struct kgate_scope kg_layer_scope_begin(size_t layer)
{
    char name[32];
    if (!__atomic_load_n(&kgate_profiling, __ATOMIC_RELAXED))
        return (struct kgate_scope){NULL, 0, 0};
    snprintf(name, sizeof name, "layer_%zu", layer);
    return kgate_scope_begin_named(NULL, name, KGATE_DEVICE_CPU, NULL, 0);
}
