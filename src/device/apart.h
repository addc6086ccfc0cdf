/* apart.h: asking a driver in a process of its own, with a time limit: one that crashes or hangs
 * costs a phrase, not kgate. */
#pragma once
#include <stddef.h>

/* What the child does, with kg_apart_answer. Standard streams lead nowhere there; it must not
 * change what it shares with the parent. */
typedef void kg_apart_work(const void *argument, int pipe);

struct kg_apart {
    kg_apart_work *work;
    const void *argument;
    int timeout_ms; /* > 0 */
};

/* Runs the work in a forked child and waits until that is gone.
 * answer  what the child gave, at most `bytes`
 * ending  a phrase where it did not end well by itself: "the NVIDIA driver crashed: signal 11 (…)";
 *         else ""
 * returns how many bytes it gave; they may be all also where it did not end well */
size_t kg_apart_run(const struct kg_apart *apart, void *answer, size_t bytes, char *ending,
                    size_t ending_bytes);

/* In the child: gives `count` more bytes; ends it where nobody takes them. */
void kg_apart_answer(int pipe, const void *bytes, size_t count);
