/* doctor.h: what on this machine will make measuring noisy, and what to do about it. Everything is
 * read from files below a root, so that tests can lay out a machine by hand. Not thread-safe: the
 * findings share an arena. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/record.h"
#include "device/machine.h"
#include "device/nvml.h"

enum kg_finding_level {
    KG_FINDING_GOOD,    /* as measuring wants it */
    KG_FINDING_NOTE,    /* may matter, or could not be found out */
    KG_FINDING_WARNING, /* expect wrong or undecided verdicts until it is mended */
};
/* NULL-terminated: "good", "note", "warning". */
extern const char *const kg_finding_level_names[];

struct kg_finding {
    enum kg_finding_level level;
    const char *topic;  /* "frequency governor" */
    const char *found;  /* a phrase, printable ASCII */
    const char *remedy; /* what to do; NULL where there is nothing */
};
extern const struct kg_record kg_finding_record;

/* A growing list; zero but for the arena before first use. */
struct kg_findings {
    struct kg_arena *arena; /* owns the list and its strings; the caller's */
    struct kg_finding *items;
    size_t count;
    size_t capacity;
};

/* Adds one. `topic` and `remedy` must outlive the list: literals, or strings of its arena. */
__attribute__((format(printf, 5, 6))) void kg_finding_add(struct kg_findings *findings,
                                                          enum kg_finding_level level,
                                                          const char *topic, const char *remedy,
                                                          const char *format, ...);
/* Adds a note that the file `path` could not be read (`code` is its errno) or, where `code` is 0,
 * that its `line` was not understood. */
void kg_finding_unreadable(struct kg_findings *findings, const char *topic, const char *path,
                           int code, const char *line);
/* A remedy made for the occasion, in the list's arena. */
__attribute__((format(printf, 2, 3))) const char *kg_finding_text(struct kg_findings *findings,
                                                                  const char *format, ...);

/* The machine to look at. */
struct kg_doctor {
    const char *root;   /* put before every path: "" is the machine itself */
    const char *path;   /* where programs are looked for: $PATH */
    int counters_errno; /* what opening an instruction counter gave: kg_counters_try */
};

/* Adds the findings on CPU, memory, load, limits and tools, one for each topic. Where a file is
 * missing, cannot be read or makes no sense, only its own finding is missing. */
void kg_doctor_inspect(const struct kg_doctor *doctor, struct kg_findings *findings);

/* Opens and closes a counter of this process's instructions. 0, or the errno of the refusal. */
int kg_counters_try(void);

/* CPU time of the whole machine since it started, in clock ticks. */
struct kg_cpu_times {
    uint64_t all;
    uint64_t stolen; /* by the hypervisor, for other guests */
};
/* All zero where /proc/stat does not tell. */
struct kg_cpu_times kg_cpu_times_read(const char *root);
/* Adds what share of the time between two readings was stolen; nothing where no time passed. */
void kg_doctor_steal(const struct kg_cpu_times *before, const struct kg_cpu_times *after,
                     struct kg_findings *findings);

/* Adds what is found on the GPUs, or the one line that there are none.
 * gpus  what NVML tells; its `status` says why where it tells nothing
 * root  as above: whether a driver is loaded that the library cannot be found for */
void kg_doctor_gpus(const char *root, const struct kg_nvml_gpus *gpus,
                    struct kg_findings *findings);

/* Adds what is found on the CUDA driver and each of its devices, as kgate numbers them, or why
 * there is none. */
void kg_doctor_cuda(const struct kg_machine *machine, struct kg_findings *findings);
