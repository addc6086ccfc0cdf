/* source.h: the ways to bring a workload, as rows of operations for the stages between the suite and the worker
 * process. model/sources.def has the suite's keys for them, and the steps to add one. Constant data; thread-safe.
 *
 * Further headers of this folder: params.h, a workload's parameters; plugin_host.h, the context of a workload in a
 * worker process; command.h, a command as a workload. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/record.h"
#include "base/text.h"
#include "kgate/plugin.h"
#include "model/cuda_call.h"
#include "model/suite.h"
#include "suite/sources/own_pages.h"

/* The place of a workload's machine code. */
enum kg_code_place {
    KG_CODE_IN_FILE,  /* a shared object: a plugin of the suite or of kgate */
    KG_CODE_COMPILED, /* the image that the worker makes from the suite's file */
    KG_CODE_ANYWHERE  /* a program with its scripts and libraries: unknown */
};

/* The forms of a build for `kgate ab`. */
enum kg_build_kind {
    KG_BUILD_CHECKOUT, /* a folder with the relative plugins and commands; if a kgate is built
                        * in it, kgate takes the built-in kernels beside that kgate */
    KG_BUILD_KGATE,    /* a kgate executable: the built-in kernels beside it */
    KG_BUILD_PLUGIN,   /* a shared object that replaces every `plugin:` of the suite */
    KG_BUILD_COMMAND,  /* a program that replaces the first word of every `command:` */
};
enum { KG_BUILD_KINDS = KG_BUILD_COMMAND + 1 };

/* Input and output of `open`. */
struct kg_source_opening {
    const char *target, *entry;      /* from the suite, or from the build that replaces them */
    bool entry_given;                /* whether the suite names `entry` */
    const struct kg_cuda_call *call; /* of a CUDA source; else NULL */
    const char *architecture;        /* of the GPU, "sm_90" */
    uint64_t seed;
    /* output: */
    bool unavailable; /* on failure: this machine lacks a tool; no error of the suite */
    char note[KG_OWN_PAGES_WORDS]; /* reason to doubt the figures, or "" */
    char code_hash[17]; /* hash of the code for the device, 16 hexadecimal digits; else "" */
};

/* A workload that kgate itself loaded. */
struct kg_source_found {
    const struct kgate_workload *workload;
    const char *file; /* absolute */
};

struct kg_source_operations {
    enum kg_code_place code;

    /* Whether kgate may call the workload's check after any number of calls. Such a check makes one more call itself
     * (kg_kernel_check). Any other check must follow the first call after set_up. */
    bool checks_often;

    /* Reason why a build of this kind does not apply to the workload: "is a kgate, and this is a command". NULL: it
     * applies, and a given file replaces the target. */
    const char *unfit[KG_BUILD_KINDS];

    /* Finds the workload's file beside a kgate. NULL: the suite names the file.
     * kgate    path of the executable; NULL: this executable
     * file     buffer of 4096 bytes
     * returns  false if the file is missing; err has the searched folders */
    bool (*beside)(const char *kgate, const char *target, char *file, struct kg_error *err);

    /* Finds the workload before a worker loads it, so that the plan can check the parameters. NULL: kgate knows the
     * parameters only after a worker has loaded the workload.
     * arena    owns the path of the file
     * path     path of the suite, for errors
     * found    filled on success.
     * returns  false with the place in the suite if the workload is missing */
    bool (*find)(struct kg_arena *arena, const char *path, const struct kg_workload_spec *spec,
                 struct kg_source_found *found, struct kg_error *err);

    /* Expands the parameters of a case in the words and settings of a command. NULL: the source has no command.
     * arena    owns the texts
     * path     path of the suite; its folder is the base of relative paths in spec->setting.
     * params   spec->axis_count parameters
     * command  set to spec->command_count words and NULL
     * setting  filled.
     * returns  false with KG_ERROR_USAGE at the place in the suite: a text names an unknown parameter, or no text uses
     *          a parameter with several values */
    bool (*expand)(struct kg_arena *arena, const char *path, const struct kg_workload_spec *spec,
                   const struct kg_pair *params, const char ***command,
                   struct kg_command_setting *setting, struct kg_error *err);

    /* Expands the parameters of a case in the call of a CUDA source, and checks that its texts evaluate to numbers.
     * NULL: the source has no such call.
     * arena, path, params  as in `expand`
     * call                 set on success
     * returns              false with KG_ERROR_USAGE at the place in the suite */
    bool (*call)(struct kg_arena *arena, const char *path, const struct kg_workload_spec *spec,
                 const struct kg_pair *params, const struct kg_cuda_call **call,
                 struct kg_error *err);

    /* The target's name in results, in `arena`.
     * command  expanded words; NULL: no command */
    const char *(*target)(struct kg_arena *arena, const struct kg_workload_spec *spec,
                          const char *const *command);

    /* In the worker process: opens the workload from the file opening->target. NULL: the worker runs the command
     * instead.
     * returns  NULL with err if the workload cannot be loaded */
    const struct kgate_workload *(*open)(struct kg_source_opening *opening, struct kg_error *err);

    /* In the worker process: appends the names of a file's workloads, one per line. NULL: the source has no such
     * file. */
    bool (*list)(const char *target, struct kg_text *names, struct kg_error *err);
};

/* The rows, by enum kg_source. */
extern const struct kg_source_operations *const kg_sources[KG_SOURCE_COUNT];
