/* disassembly.h: machine code of x86-64 as instructions with what they read and write, by Capstone. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* operations.c: x86-64 instructions by what they do, a few classes instead of three thousand rows, and
 * what each costs on recent cores. Pure, thread-safe. */

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

/* Registers, whole: `al` is `rax`, `xmm0` is `zmm0`. */
enum kg_register {
    KG_REGISTER_NONE,
    KG_REGISTER_RAX,
    KG_REGISTER_RBX,
    KG_REGISTER_RCX,
    KG_REGISTER_RDX,
    KG_REGISTER_RSI,
    KG_REGISTER_RDI,
    KG_REGISTER_RBP,
    KG_REGISTER_RSP,
    KG_REGISTER_R8, /* to R15 */
    KG_REGISTER_VECTOR = KG_REGISTER_R8 + 8,
    KG_REGISTER_MASK = KG_REGISTER_VECTOR + 32,
    KG_REGISTER_FLAGS = KG_REGISTER_MASK + 8,
    KG_REGISTER_THREAD, /* where segment fs begins */
    KG_REGISTER_COUNT
};

enum { KG_INSTRUCTION_READS = 6, KG_INSTRUCTION_WRITES = 6, KG_INSTRUCTION_TEXT = 200 };

/* base + index * scale + displacement; without a base an address as it stands. */
struct kg_memory_operand {
    unsigned char base, index, scale;
    int64_t displacement;
};

struct kg_instruction {
    uint64_t address;
    uint64_t target; /* of a direct jump or call; 0: none */
    uint64_t table;  /* of an indirect one: where the address is taken from; 0: not known */
    unsigned length; /* bytes */
    struct kg_operation_facts facts;
    bool conditional; /* a jump that may go on with what follows */
    bool ends;        /* nothing follows it: jmp, ret, a trap */
    bool locked;
    bool clears;                      /* its result is zero, whatever it reads: xor eax, eax */
    bool vector;                      /* it concerns a vector register */
    bool unknown;                     /* to Capstone: nothing is said of it but its length */
    unsigned load_bytes, store_bytes; /* 0: does not */
    struct kg_memory_operand memory;
    /* reads: besides those of the address. Of a call neither is known: what a function may change
     * is said by the System V ABI */
    unsigned char reads[KG_INSTRUCTION_READS], read_count;
    unsigned char writes[KG_INSTRUCTION_WRITES], write_count;
    /* one of the results is a register plus a constant; to: KG_REGISTER_NONE: none is */
    struct {
        unsigned char to, from;
        int64_t amount;
    } shift;
    char text[KG_INSTRUCTION_TEXT];
};

/* Instructions from `address` on, in an array in `arena`, as far as the bytes can be understood. Of those
 * for vectors that Capstone does not know (many of AVX-512) only the length is found. Without Capstone
 * there are none, nor if it does not know the architecture. */
void kg_disassemble(struct kg_arena *arena, const unsigned char *bytes, size_t length,
                    uint64_t address, struct kg_instruction **instructions, size_t *count);
