/* timing.h: what the measuring code and its device code (timing.cu) share: words in page-locked
 * host memory that both see. For C and CUDA C. */
#pragma once
#ifdef __CUDACC__
#include <cstdint>
#else
#include <stdint.h>
#endif

/* How kg_busy is launched: with as many blocks for each multiprocessor as fit on any. */
enum { KG_BUSY_THREADS = 256, KG_BUSY_BLOCKS = 4 };

/* A stream is held back by a kernel that waits for `released` to reach its number. Numbers only
 * rise, so that nothing has to be reset between two holds, and a late reader cannot take the word
 * of one hold for that of another. */
struct kg_gate {
    uint32_t released;  /* written by the host: the last hold that may end */
    uint32_t timed_out; /* written by the device: the last hold that ended by its limit */
};

/* What a block of the stamping kernel read on its multiprocessor. Each block has an entry of its
 * own, since two blocks may meet on one multiprocessor and neither knows of the other. */
struct kg_stamp {
    uint64_t cycles;   /* of the multiprocessor, since it was powered */
    uint64_t timer_ns; /* of the device, the same on all multiprocessors */
    uint32_t step_ns;  /* by which the timer had just moved; 0: it was not seen to move */
    uint32_t multiprocessor;
    uint64_t number; /* that the launch was given: tells a fresh reading from an old one */
};
