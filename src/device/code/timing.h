/* timing.h: words in page-locked host memory that the measuring code shares with its device code
 * (timing.cu). For C and CUDA C. */
#pragma once
#ifdef __CUDACC__
#include <cstdint>
#else
#include <stdint.h>
#endif

/* Launch of kg_busy: as many blocks per multiprocessor as fit on any. */
enum { KG_BUSY_THREADS = 256, KG_BUSY_BLOCKS = 4 };

/* A blocking kernel holds a stream until `released` reaches the kernel's number. Numbers only rise.
 * So nothing must be reset between two kernels, and a late reader cannot confuse them. */
struct kg_gate {
    uint32_t released;  /* written by the host: the last kernel that may end */
    uint32_t timed_out; /* written by the device: the last kernel that ended by its limit */
};

/* A reading of the stamping kernel, by one block on its multiprocessor. Each block has an entry of
 * its own: two blocks may run on one multiprocessor and do not know of each other. */
struct kg_stamp {
    uint64_t cycles;   /* cycles of the multiprocessor since power-on */
    uint64_t timer_ns; /* device time, the same on all multiprocessors */
    uint32_t step_ns;  /* the timer's last step; 0: no step was seen */
    uint32_t multiprocessor;
    uint64_t number; /* number of the launch: tells a fresh reading from an old one */
};
