/* measure.h: what a turn of a loop costs, on one thread or on all, in nanoseconds and over the floor
 * of two time stamps, which is measured right before and after each batch; printed as lines of a
 * name, a tab and the figure; run.sh takes the medians. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct variant {
    const char *name;
    void (*loop)(unsigned turns);
    unsigned scopes;     /* of a turn; 1 for what has none */
    unsigned slots;      /* of a thread's buffer that a turn fills; 0: it records nothing */
    void (*flush)(void); /* empties the buffer; may be NULL */
};

/* Measures once on one thread and once on all processors, each pinned to a processor of its own,
 * and prints ns a scope as NAME.buffer.one and NAME.buffer.all; and, where slots are filled,
 * NAME.file.one and .all; and for each NAME.….ratio: medians over batches. `buffer`: batches that
 * fit into the buffer, which is emptied in between. `file`: batches of 20,000 scopes, with all the
 * writing that they cause. */
void measure(const struct variant *variant);

/* Two readings of the time stamp counter a turn. */
void floor_loop(unsigned turns);

double now_ns(void);
double median(double *values, size_t count); /* reorders them */
void pin(unsigned cpu);
