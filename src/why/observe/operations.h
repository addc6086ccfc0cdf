/* operations.h: x86-64 instructions by what they do, a few classes instead of three thousand rows, and
 * what each costs on recent cores. Pure, thread-safe. */
#pragma once
#include <stdbool.h>

enum kg_operation {
    KG_OPERATION_NONE, /* does nothing: nop, prefetch, a fence */
    KG_OPERATION_MOVE, /* copies, also from and to memory */
    KG_OPERATION_INTEGER,
    KG_OPERATION_INTEGER_ADD, /* and subtract, and what lea does */
    KG_OPERATION_INTEGER_MULTIPLY,
    KG_OPERATION_INTEGER_DIVIDE,
    KG_OPERATION_COMPARE, /* sets flags alone */
    KG_OPERATION_JUMP,
    KG_OPERATION_CALL,
    KG_OPERATION_FLOAT_ADD,   /* and subtract */
    KG_OPERATION_FLOAT_ORDER, /* least, greatest */
    KG_OPERATION_FLOAT_MULTIPLY,
    KG_OPERATION_FLOAT_FUSED,
    KG_OPERATION_FLOAT_DIVIDE,
    KG_OPERATION_FLOAT_ROOT,
    KG_OPERATION_CONVERT,
    KG_OPERATION_VECTOR_INTEGER, /* and bits of floating-point numbers */
    KG_OPERATION_VECTOR_MULTIPLY,
    KG_OPERATION_SHUFFLE,
    KG_OPERATION_GATHER,
    KG_OPERATION_STRING, /* rep movsb and the like: as long as it is told */
    KG_OPERATIONS
};

/* What takes turns among an operation's kind in a core. */
enum kg_unit {
    KG_UNIT_NONE,
    KG_UNIT_INTEGER,
    KG_UNIT_MULTIPLY,
    KG_UNIT_INTEGER_DIVIDE,
    KG_UNIT_JUMP,
    KG_UNIT_FLOAT_ADD,
    KG_UNIT_FLOAT_MULTIPLY,
    KG_UNIT_FLOAT_DIVIDE,
    KG_UNIT_VECTOR,
    KG_UNIT_SHUFFLE,
    KG_UNIT_LOAD,
    KG_UNIT_STORE,
    KG_UNITS
};

struct kg_operation_cost {
    double latency;   /* cycles until its result can be used, from registers */
    double unit_time; /* cycles that it takes all units of its kind, on the average */
    enum kg_unit unit;
};

/* Of memory. */
#define KG_CYCLES_LOAD 4.0
#define KG_CYCLES_LOAD_VECTOR 6.0
#define KG_CYCLES_FORWARD_FAILED 11.0 /* the store must reach the cache first */
#define KG_CYCLES_LOCKED 8.0
#define KG_UNIT_TIME_LOAD (1 / 3.0)
#define KG_UNIT_TIME_STORE 0.5
#define KG_INSTRUCTIONS_CYCLE_MOST 6.0

/* The least of recent cores, with data in the first level of cache.
 * wide  of division and root: of doubles */
struct kg_operation_cost kg_operation_cost(enum kg_operation operation, bool wide);

struct kg_operation_facts {
    enum kg_operation operation;
    bool float_scalar; /* floating-point arithmetic on one element */
    bool float_vector; /* on several */
    bool wide;
};

/* By an instruction's mnemonic, as Capstone writes it, without prefixes. */
struct kg_operation_facts kg_operation_find(const char *mnemonic);

bool kg_operation_is_arithmetic(enum kg_operation operation);
