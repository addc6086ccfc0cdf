/* work.h: what both the plugin and the plain program time. One call at a time. */
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

/* The one of that name; NULL where there is none. */
const struct truth_work *truth_find(const char *name);

/* Starts the threads that it works with. With `bind` each of them is kept on a CPU of its own. */
void truth_start(const struct truth_work *work, bool bind);
