/* plan.h: the cases that a suite comes to: every workload with every set of its parameter values on
 * each of its devices. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/record.h"
#include "device/machine.h"
#include "kgate/plugin.h"
#include "model/suite.h"

struct kg_case {
    const char *id;
    const struct kg_workload_spec *spec; /* borrowed from the suite, which must live longer */
    struct kg_pair *params;
    size_t param_count;
    enum kgate_device device;
    enum kg_timing timing; /* on the GPU; else KG_TIMING_WALL */
    const char *file; /* with the code, and the workload's name in it; a command's is its own */
    const char *entry;
    const char **command; /* parameters put in; NULL but for commands */
    size_t command_count;
    struct kg_command_setting setting; /* likewise */
    const struct kg_cuda_call *call;   /* likewise; NULL but for CUDA sources */
    const char *definition_hash;       /* 16 hexadecimal digits */
    const char *skip_reason;           /* why it cannot run on this machine; NULL where it can */
};

struct kg_plan {
    struct kg_arena arena; /* owns the cases */
    struct kg_case *cases;
    size_t case_count;
    size_t left_out; /* by filter and shard */
};

struct kg_plan_options {
    const char *filter;   /* glob on the id (fnmatch, `*` matches `/` too), or "tag:" and one on a
                             tag of the workload, or NULL */
    uint64_t shard_index; /* 0 to shard_count - 1 */
    uint64_t shard_count; /* 0: no shards; else every shard_count-th case after the filter;
                             those that are judged together are dealt as one */
};

/* Whether its work goes onto a CUDA stream of kgate's: on the GPU, and not a process of its own,
 * which uses the GPU as it likes. */
bool kg_case_on_stream(const struct kg_case *planned);

/* Plans. A workload that does not exist, or a parameter that its kernel does not have, is
 * KG_ERROR_USAGE at its place in the suite; a plugin's parameters are not known before it is loaded
 * in a worker. A case whose device is not on this machine gets a skip_reason.
 * plan: filled on success, to be freed with kg_plan_free; zeroed on failure */
bool kg_plan_make(const struct kg_suite *suite, const struct kg_machine *machine,
                  const struct kg_plan_options *options, struct kg_plan *plan,
                  struct kg_error *err);
void kg_plan_free(struct kg_plan *plan);

/* Says where a data file that a case names is to be read.
 * given  as seen from where kgate was started
 * path   lives as long as the plan; as `given`: where the suite says */
typedef bool (*kg_data_find)(void *user, const struct kg_case *planned, const char *given,
                             const char **path, struct kg_error *err);

/* Asks of every data file of the plan's cases, which is what a command's `stdin` and what `expect` of a
 * CUDA source name, and reads it there. The definitions are those of the files that are read. */
bool kg_plan_data_place(struct kg_plan *plan, kg_data_find find, void *user, struct kg_error *err);

/* Refuses a data file that is there and is no file: a device, a pipe, a folder.
 * suite  its path, for the error, which has the place in it: KG_ERROR_USAGE */
bool kg_plan_data_check(const struct kg_plan *plan, const char *suite, struct kg_error *err);
