/* nvtx_injection.h: a tool for tests that NVTX loads by NVTX_INJECTION64_PATH, as Nsight Systems's:
 * it writes down which ranges are pushed and popped. */
#pragma once

/* Everything so far, as "push:NAME;" and "pop;" one after the other; exported under this name. */
const char *nvtx_injection_record(void);
