/* driver_process.h: asks a driver in a process of its own, with a time limit. If the driver crashes
 * or hangs, kgate goes on and can report it. */
#pragma once
#include <stddef.h>

/* The child's work; it answers with kg_apart_answer. Its standard streams are /dev/null. It must
 * not change anything that it shares with the parent. */
typedef void kg_apart_work(const void *argument, int pipe);

struct kg_apart {
    kg_apart_work *work;
    const void *argument;
    int timeout_ms; /* > 0 */
};

/* Runs the work in a forked child and waits until the child is gone.
 * answer   the child's answer, at most `bytes`.
 * ending   a phrase if the child did not end well by itself: "the NVIDIA driver crashed: signal 11
 *          (…)"; else "".
 * returns  bytes of the answer, which may be complete even after a bad end */
size_t kg_apart_run(const struct kg_apart *apart, void *answer, size_t bytes, char *ending,
                    size_t ending_bytes);

/* In the child: sends `count` more bytes; ends the child if the parent does not take them. */
void kg_apart_answer(int pipe, const void *bytes, size_t count);
