#include "profiler/record/nvtx.h"

#include <stdlib.h>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>

/* A tool names its library to NVTX by this variable; NVTX then opens it at the first range. */
bool kg_nvtx_wanted(bool asked)
{
    return asked || getenv("NVTX_INJECTION64_PATH");
}

void kg_nvtx_push(const char *name)
{
    nvtxRangePushA(name);
}

void kg_nvtx_pop(void)
{
    nvtxRangePop();
}

#else

bool kg_nvtx_wanted(bool asked)
{
    (void)asked;
    return false;
}

void kg_nvtx_push(const char *name)
{
    (void)name;
}

void kg_nvtx_pop(void)
{
}

#endif
