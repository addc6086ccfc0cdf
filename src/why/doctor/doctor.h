/* doctor.h: finds sources of noise on this machine, and gives a fix for each. It reads files
 * below a root, so that tests can lay out a machine by hand. Not thread-safe: the findings share
 * an arena. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/record.h"
#include "device/machine.h"
#include "device/nvml.h"

enum kg_finding_level {
    KG_FINDING_GOOD,    /* good for measuring */
    KG_FINDING_NOTE,    /* may matter, or could not be found out */
    KG_FINDING_WARNING, /* expect wrong or undecided verdicts until it is fixed */
};
/* NULL-terminated: "good", "note", "warning". */
extern const char *const kg_finding_level_names[];

struct kg_finding {
    enum kg_finding_level level;
    const char *topic;  /* "frequency governor" */
    const char *found;  /* a phrase, printable ASCII */
    const char *remedy; /* the fix; NULL: there is none */
};
extern const struct kg_record kg_finding_record;

/* A growing list. Before first use, it is zero except for the arena. */
struct kg_findings {
    struct kg_arena *arena; /* owns the list and its strings; the caller's */
    struct kg_finding *items;
    size_t count;
    size_t capacity;
};

/* Adds a finding. `topic` and `remedy` must outlive the list: literals, or strings of its arena. */
__attribute__((format(printf, 5, 6))) void kg_finding_add(struct kg_findings *findings,
                                                          enum kg_finding_level level,
                                                          const char *topic, const char *remedy,
                                                          const char *format, ...);
/* Adds a note about an unreadable file. If `code` is 0, its `line` was not understood; otherwise
 * `code` is the errno. */
void kg_finding_unreadable(struct kg_findings *findings, const char *topic, const char *path,
                           int code, const char *line);
/* Formats a remedy in the list's arena. */
__attribute__((format(printf, 2, 3))) const char *kg_finding_text(struct kg_findings *findings,
                                                                  const char *format, ...);

/* The machine to inspect. */
struct kg_doctor {
    const char *root;   /* prefix of every path; "" is the machine itself */
    const char *path;   /* search path for programs: $PATH */
    int counters_errno; /* result of kg_counters_try */
};

/* Adds one finding per topic on CPU, memory, load, limits and tools. If a file is missing,
 * unreadable or senseless, only its own finding is missing. */
void kg_doctor_inspect(const struct kg_doctor *doctor, struct kg_findings *findings);

/* Opens and closes a counter of this process's instructions. 0, or the errno of the refusal. */
int kg_counters_try(void);

/* CPU time of the whole machine since it started, in clock ticks. */
struct kg_cpu_times {
    uint64_t all;
    uint64_t stolen; /* by the hypervisor, for other guests */
};
/* Returns all zero if /proc/stat lacks the times. */
struct kg_cpu_times kg_cpu_times_read(const char *root);
/* Adds the share of stolen time between two readings. Adds nothing if no time passed. */
void kg_doctor_steal(const struct kg_cpu_times *before, const struct kg_cpu_times *after,
                     struct kg_findings *findings);

/* Adds the findings on the GPUs, or one line that there are none.
 * gpus  from NVML; their `status` gives the reason for an empty list.
 * root  as above; shows whether a driver is loaded without its library */
void kg_doctor_gpus(const char *root, const struct kg_nvml_gpus *gpus,
                    struct kg_findings *findings);

/* Adds the findings on the CUDA driver and on each device, by kgate's numbers. Without a device,
 * it adds the reason. */
void kg_doctor_cuda(const struct kg_machine *machine, struct kg_findings *findings);
