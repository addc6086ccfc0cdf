/* repeated_calls.h: counts the calls of a function that have the arguments of an earlier call. A
 * hardware breakpoint stops each thread at the start of the function; kgate reads the arguments,
 * and for a pointer the memory behind it. The process itself stays unchanged. x86-64 only, for C
 * and C++. Internal to why/observe. */
#pragma once
#include <elfutils/libdwfl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "why/observe/thread_tracer.h"

/* function_parameters.c: functions and the types of their parameters, by debug information. */

enum kg_parameter_kind {
    KG_PARAMETER_WHOLE,   /* integer, enumeration, pointer to a function */
    KG_PARAMETER_FLOAT,   /* float or double */
    KG_PARAMETER_TEXT,    /* pointer to char */
    KG_PARAMETER_OBJECT,  /* pointer to a structure of known size */
    KG_PARAMETER_ARRAY,   /* pointer to numbers or pointers */
    KG_PARAMETER_UNTYPED, /* pointer to void, or to an unknown structure */
};

struct kg_pointer {
    enum kg_parameter_kind kind;
    size_t bytes;  /* size of the structure or of an element */
    size_t offset; /* in the structure that contains the pointer */
};

enum { KG_POINTERS_MOST = 8 };

struct kg_parameter {
    enum kg_parameter_kind kind;
    size_t bytes; /* size of a number; of a structure or an element behind a pointer */
    struct kg_pointer pointers[KG_POINTERS_MOST]; /* the structure's first pointers */
    size_t pointer_count;
};

/* Registers that the System V ABI passes arguments in. */
enum { KG_WHOLE_REGISTERS = 6, KG_FLOAT_REGISTERS = 8 };
enum { KG_PARAMETERS_MOST = KG_WHOLE_REGISTERS + KG_FLOAT_REGISTERS };

struct kg_parameters {
    struct kg_parameter of[KG_PARAMETERS_MOST];
    size_t count;
};

/* A function to watch. */
struct kg_watched_function {
    const char *name;
    const char *module; /* file name of its machine code */
    bool found;         /* `parameters` are known */
    struct kg_parameters parameters;
    const char *reason; /* constant: why its arguments are unknown; NULL: not known to be so */
};

/* Finds functions in a process, and reads their parameters the first time.
 * addresses  [i] of functions[i] in the process; 0: it is not there, or has a reason */
void kg_functions_find(pid_t process, struct kg_watched_function *functions, size_t count,
                       uint64_t *addresses);

/* argument_hash.c: the arguments of a call as one number, with the memory behind pointers: texts,
 * structures, and the memory behind their first pointers. The other parameters give the length of
 * an array. */

/* The registers at the start of a call. */
struct kg_call_registers {
    uint64_t whole[KG_WHOLE_REGISTERS];
    uint64_t floats[KG_FLOAT_REGISTERS]; /* their lower halves */
};

/* buffer  KG_PROCESS_PART_MOST bytes, for memory of the process */
uint64_t kg_arguments_hash(pid_t process, const struct kg_parameters *parameters,
                           const struct kg_call_registers *registers, unsigned char *buffer);

/* repeat_tracer.c: the tracer. */

enum { KG_REPEAT_CALLS_MOST = 512 };

struct kg_repeat_count {
    struct kg_watched_function function;
    size_t calls;                        /* at most KG_REPEAT_CALLS_MOST */
    size_t repeated;                     /* calls with the arguments of an earlier call */
    uint64_t seen[KG_REPEAT_CALLS_MOST]; /* hashes of different arguments */
};

struct kg_repeat_tracer {
    struct kg_repeat_count counts[KG_BREAKPOINTS]; /* the caller sets name and module */
    size_t count;
    uint64_t watch_ns; /* time limit after the first observed call */
    /* valid after start */
    atomic_bool done;   /* there is no more to see */
    const char *reason; /* constant: why nothing can be observed; NULL: none */
    int refusal;        /* errno of that reason; 0: none */
    /* the tracer's own */
    struct kg_thread_tracer *threads;
    uint64_t addresses[KG_BREAKPOINTS]; /* in the first process */
    uint64_t first_ns;
    unsigned char *buffer;
};

/* Starts to watch. The process stops for a moment.
 * process  a child of this process
 * command  the process starts the workload as a program
 * returns  false if no thread can be started */
bool kg_repeat_tracer_start(struct kg_repeat_tracer *tracer, pid_t process, bool command,
                            struct kg_error *err);

/* Ends the tracing; the process continues. The counts are then final. */
void kg_repeat_tracer_stop(struct kg_repeat_tracer *tracer);
