/* plan.h: the cases of a suite: each workload with each set of its parameter values on each of its devices. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/record.h"
#include "device/machine.h"
#include "kgate/plugin.h"
#include "model/shard_plan.h"
#include "model/suite.h"

struct kg_case {
    const char *id;
    const struct kg_workload_spec *spec; /* borrowed from the suite, which must live longer */
    struct kg_pair *params;
    size_t param_count;
    enum kgate_device device;
    enum kg_timing timing; /* on the GPU; else KG_TIMING_WALL */
    const char *file;      /* file with the code; of a command: the program */
    const char *entry;     /* name of the workload in `file` */
    const char **command;  /* words with the parameters' values; NULL for other sources */
    size_t command_count;
    struct kg_command_setting setting; /* of a command, with the parameters' values */
    const struct kg_cuda_call *call;   /* with the parameters' values; NULL for other sources */
    const char *definition_hash;       /* 16 hexadecimal digits */
    const char *skip_reason;           /* reason why this machine cannot run the case; else NULL */
    size_t group; /* cases with one number are judged together, so one shard measures them */
};

struct kg_plan {
    struct kg_arena arena; /* owns the cases */
    struct kg_case *cases;
    size_t case_count;
    size_t left_out; /* number of cases removed by filter and shard */
    /* the cases among them that the shard alone removed: other shards measure them */
    struct kg_case *elsewhere;
    size_t elsewhere_count;
    size_t unplanned;         /* number of groups that the shard plan lacks */
    const char *unplanned_id; /* first case of the first such group; NULL: none */
};

struct kg_plan_options {
    const char *filter;   /* glob for the id (fnmatch, `*` matches `/` too), or "tag:" and a glob
                             for a tag of the workload; NULL: all cases */
    uint64_t shard_index; /* 0 to shard_count - 1 */
    uint64_t shard_count; /* 0: no shards; else every shard_count-th case after the filter;
                             cases that are judged together stay in one shard */
    const struct kg_shard_plan *shard_plan; /* has the shard of each case instead; or NULL */
};

/* Whether the case runs on kgate's own CUDA stream. A case on the CPU and a program in its own process do not. */
bool kg_case_on_stream(const struct kg_case *planned);

/* Makes the plan of a suite. If the machine lacks the device of a case, the case gets a skip_reason. kgate checks a
 * plugin's parameters later, when a worker loads the plugin.
 * plan  filled on success, freed with kg_plan_free; zeroed on failure
 * err   KG_ERROR_USAGE at the place in the suite: unknown workload, or unknown parameter of a kernel */
bool kg_plan_make(const struct kg_suite *suite, const struct kg_machine *machine,
                  const struct kg_plan_options *options, struct kg_plan *plan,
                  struct kg_error *err);
void kg_plan_free(struct kg_plan *plan);

/* Checks a filter before any plan, if programs list their own cases: only built programs know the ids. The id of a case
 * begins with the workload's name and a slash.
 * filter  as in kg_plan_options
 * option  name of its option, for the error
 * err     KG_ERROR_USAGE: no case can match */
bool kg_plan_filter_check(const struct kg_suite *suite, const char *filter, const char *option,
                          struct kg_error *err);

/* Chooses the path at which kgate reads a data file of a case.
 * given  path from the suite, relative to the working directory
 * path   the chosen path; must live as long as the plan; equal to `given` for no change */
typedef bool (*kg_data_find)(void *user, const struct kg_case *planned, const char *given,
                             const char **path, struct kg_error *err);

/* Calls `find` for each data file of the plan's cases and stores the chosen paths. Data files are the `stdin` of a
 * command and the `expect` file of a CUDA source. The function renews the definition hashes of commands. */
bool kg_plan_data_place(struct kg_plan *plan, kg_data_find find, void *user, struct kg_error *err);

/* Checks that each existing data file is a regular file, not a device, a pipe or a folder.
 * suite  path of the suite, for the error
 * err    KG_ERROR_USAGE at the place in the suite */
bool kg_plan_data_check(const struct kg_plan *plan, const char *suite, struct kg_error *err);
