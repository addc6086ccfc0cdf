/* measure.h: cost of a loop iteration, on one thread or on all. In nanoseconds, and as a multiple
 * of the floor: two time stamps, measured right before and after each batch. Output: lines of a
 * name, a tab and the value. run.sh takes the medians. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct variant {
    const char *name;
    void (*loop)(unsigned turns);
    unsigned scopes;     /* scopes per iteration; 1 if there are none */
    unsigned slots;      /* slots of a thread's buffer that an iteration fills; 0: it records
                            nothing */
    void (*flush)(void); /* empties the buffer; may be NULL */
};

/* Measures once on one thread and once on all processors, each thread pinned to its own processor.
 * Prints ns per scope as NAME.buffer.one and NAME.buffer.all. If slots are filled, also as
 * NAME.file.one and NAME.file.all. Each value has a NAME.….ratio, too. Values are medians over
 * batches. `buffer`: batches that fit into the buffer, with a flush in between. `file`: batches of
 * 20,000 scopes, including all resulting writes. */
void measure(const struct variant *variant);

/* Two readings of the time stamp counter per iteration. */
void floor_loop(unsigned turns);

double now_ns(void);
double median(double *values, size_t count); /* reorders them */
void pin(unsigned cpu);
