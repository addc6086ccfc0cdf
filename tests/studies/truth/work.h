/* work.h: the functions that both the plugin and the plain program time. One call at a time. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct truth_work {
    const char *name;
    unsigned threads;
    void (*run)(uint64_t size);
};

extern const struct truth_work truth_works[];
extern const size_t truth_work_count;

/* The work of this name; NULL if there is none. */
const struct truth_work *truth_find(const char *name);

/* Starts the threads of the work. With `bind` each thread stays on a CPU of its own. */
void truth_start(const struct truth_work *work, bool bind);
