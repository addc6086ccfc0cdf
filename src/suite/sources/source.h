/* source.h: the ways to bring a workload, as rows of operations: what the stages between the suite
 * and the worker process need to know of each. What a suite says of them is in model/sources.def,
 * which also says how to add one. Constant data; thread-safe.
 *
 * Further headers of this folder: params.h, a workload's parameters; plugin_host.h, what a workload in a
 * worker process is handed; command.h, a command as a workload. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/record.h"
#include "base/text.h"
#include "kgate/plugin.h"
#include "model/cuda_call.h"
#include "model/suite.h"
#include "suite/sources/own_pages.h"

/* Where the machine code of a workload lies. */
enum kg_code_place {
    KG_CODE_IN_FILE,  /* in a shared object: a plugin of the suite's, or of kgate's own */
    KG_CODE_COMPILED, /* in what the worker makes of the file that the suite names */
    KG_CODE_ANYWHERE  /* in a program, in scripts and libraries that it uses: not known */
};

/* What a build of `kgate ab` is given as. */
enum kg_build_kind {
    KG_BUILD_CHECKOUT, /* a folder: relative plugins and commands are those in it, and built-in
                        * kernels those beside the kgate that is built in it, if one is */
    KG_BUILD_KGATE,    /* a kgate executable: the built-in kernels beside it */
    KG_BUILD_PLUGIN,   /* a shared object, in the place of every `plugin:` of the suite */
    KG_BUILD_COMMAND,  /* a program, in the place of the first word of every `command:` */
};
enum { KG_BUILD_KINDS = KG_BUILD_COMMAND + 1 };

/* What is to be opened, and what came of it. */
struct kg_source_opening {
    const char *target, *entry;      /* of the suite's entry, or of the build in its place */
    bool entry_given;                /* whether the suite names that entry */
    const struct kg_cuda_call *call; /* NULL where there is none */
    const char *architecture;        /* of the GPU, "sm_90" */
    uint64_t seed;
    /* Set by it: */
    bool unavailable; /* on failure: something is not installed here, which is no mistake */
    char note[KG_OWN_PAGES_WORDS]; /* what speaks against the figures that will come of it, or "" */
    char code_hash[17]; /* of what is loaded onto the device, 16 hexadecimal digits; else "" */
};

/* A workload that kgate itself has loaded. */
struct kg_source_found {
    const struct kgate_workload *workload;
    const char *file; /* absolute */
};

struct kg_source_operations {
    enum kg_code_place code;

    /* Whether its check holds after any number of calls, and makes one more of its own (kg_kernel_check).
     * Else it is called after the first one of a state that is set up. */
    bool checks_often;

    /* Why a build of that kind says nothing about such a workload: "is a kgate, and this is a
     * command". NULL where it does; a file that is given is then measured in the target's place. */
    const char *unfit[KG_BUILD_KINDS];

    /* The file beside a kgate that has the workload. NULL: the suite names the file.
     * kgate    path of the executable; NULL: this one
     * file     4096 bytes
     * returns  false if there is none; err says where it was looked for */
    bool (*beside)(const char *kgate, const char *target, char *file, struct kg_error *err);

    /* Finds the workload of a suite's entry before any worker has loaded it, so that the plan can
     * check its parameters. NULL: its parameters are not known before it is loaded in a worker.
     * arena   owns the path of the file
     * path    the suite's, for errors
     * found   filled on success
     * returns false with the place in the suite if there is no such workload */
    bool (*find)(struct kg_arena *arena, const char *path, const struct kg_workload_spec *spec,
                 struct kg_source_found *found, struct kg_error *err);

    /* Puts the parameters of a case into the words of a command, and into what it gets besides
     * them. NULL: there is no command.
     * arena    owns the texts
     * path     the suite's: in its folder are the relative paths of spec->setting
     * params   spec->axis_count of them
     * command  spec->command_count words and NULL
     * setting  filled
     * returns  false with KG_ERROR_USAGE at its place in the suite where a text names no parameter, or
     *          none names one of several values */
    bool (*expand)(struct kg_arena *arena, const char *path, const struct kg_workload_spec *spec,
                   const struct kg_pair *params, const char ***command,
                   struct kg_command_setting *setting, struct kg_error *err);

    /* Puts the parameters of a case into how a CUDA source is called, and finds out whether that
     * comes to numbers. NULL: there is no such call.
     * arena, path, params  as of expand
     * call                 set
     * returns              false with KG_ERROR_USAGE at its place in the suite */
    bool (*call)(struct kg_arena *arena, const char *path, const struct kg_workload_spec *spec,
                 const struct kg_pair *params, const struct kg_cuda_call **call,
                 struct kg_error *err);

    /* What is measured, as results name it, in `arena`.
     * command  as expanded; NULL where there is none */
    const char *(*target)(struct kg_arena *arena, const struct kg_workload_spec *spec,
                          const char *const *command);

    /* In the worker process: gives the workload to set up, check, run and tear down. NULL: there is
     * none to open; the worker runs the command instead. The opening's target is the file.
     * returns        NULL with KG_ERROR_USAGE where it cannot be loaded */
    const struct kgate_workload *(*open)(struct kg_source_opening *opening, struct kg_error *err);

    /* In the worker process: appends the names of the workloads that a file has, a line each. NULL:
     * it is not of a file. */
    bool (*list)(const char *target, struct kg_text *names, struct kg_error *err);
};

/* The rows, by enum kg_source. */
extern const struct kg_source_operations *const kg_sources[KG_SOURCE_COUNT];
