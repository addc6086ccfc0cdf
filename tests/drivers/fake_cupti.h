/* fake_cupti.h: what a test does with the fake CUPTI besides calling it, all through the one symbol
 * that it exports beside NVIDIA's:
 *
 *     const struct fake_cupti *fake_cupti(void);
 *
 * It says that a call put this and that on the device, and the fake hands records of it to the
 * callbacks when it is told to flush. Times are relative to the last time stamp that was asked for.
 *
 * In a process whose test cannot say anything, it takes the launches of the fake driver, where that
 * is loaded, for kernels "work" of two microseconds with one between them; and FAKE_CUPTI in the
 * environment says "crash", "hang" or "denied" (counting is not permitted). FAKE_CUPTI_HANGS_ONCE is a
 * file: the process that makes it hangs, no later one does. */
#pragma once
#include <stdint.h>

struct fake_cupti_counts {
    unsigned enabled; /* kinds of records that are */
    unsigned passes;  /* of the range profiler */
    unsigned open;    /* host objects and profilers that are */
    unsigned misuse;  /* structures of a wrong size, things used before they are made */
};

struct fake_cupti {
    const struct fake_cupti_counts *counts;
    void (*restart)(void);
    /* A thing that the device did. Nothing where its kind is not enabled. */
    void (*kernel)(const char *name, uint64_t start_ns, uint64_t end_ns);
    void (*copy)(int copy_kind, uint64_t bytes, uint64_t start_ns, uint64_t end_ns);
    void (*fill)(uint64_t bytes, uint64_t start_ns, uint64_t end_ns);
    /* So many records to come are dropped. */
    void (*drop)(unsigned records);
    /* Functions of this name return `code` from now on; NULL: none. */
    void (*refuse)(const char *function, int code);
    /* A metric that the device does not have; NULL: it has all. */
    void (*without)(const char *metric);
};
