/* cupti_support.h: the fake CUPTI of tests/drivers, as kgate opens it. */
#pragma once
#include <dlfcn.h>

#include "drivers/fake_cupti.h"

static const struct fake_cupti *fake;

static inline void fake_open(void)
{
    const struct fake_cupti *(*controls)(void) = NULL;
    void *address = dlsym(dlopen(KGATE_FAKE_CUPTI, RTLD_NOW | RTLD_LOCAL), "fake_cupti");
    memcpy(&controls, &address, sizeof controls);
    fake = controls();
    fake->restart();
}
