/* disassembly.h: x86-64 machine code as instructions with their registers and memory operands,
 * by Capstone. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* operations.c: classes of x86-64 instructions instead of three thousand rows, and their cost on
 * recent cores. Pure; thread-safe. */

enum kg_operation {
    KG_OPERATION_NONE, /* no effect: nop, prefetch, a fence */
    KG_OPERATION_MOVE, /* copies, also from and to memory */
    KG_OPERATION_INTEGER,
    KG_OPERATION_INTEGER_ADD, /* addition, subtraction, lea */
    KG_OPERATION_INTEGER_MULTIPLY,
    KG_OPERATION_INTEGER_DIVIDE,
    KG_OPERATION_COMPARE, /* sets only flags */
    KG_OPERATION_JUMP,
    KG_OPERATION_CALL,
    KG_OPERATION_FLOAT_ADD,   /* addition, subtraction */
    KG_OPERATION_FLOAT_ORDER, /* minimum, maximum */
    KG_OPERATION_FLOAT_MULTIPLY,
    KG_OPERATION_FLOAT_FUSED,
    KG_OPERATION_FLOAT_DIVIDE,
    KG_OPERATION_FLOAT_ROOT,
    KG_OPERATION_CONVERT,
    KG_OPERATION_VECTOR_INTEGER, /* integer vectors, and bit operations on floating-point numbers */
    KG_OPERATION_VECTOR_MULTIPLY,
    KG_OPERATION_SHUFFLE,
    KG_OPERATION_GATHER,
    KG_OPERATION_STRING, /* rep movsb and similar: duration depends on the count */
    KG_OPERATIONS
};

/* The execution unit that limits an operation's throughput. */
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
    double latency;   /* cycles until its result is usable, with operands in registers */
    double unit_time; /* mean cycles for which it occupies all units of its kind */
    enum kg_unit unit;
};

/* Costs of memory accesses, in cycles. */
#define KG_CYCLES_LOAD 4.0
#define KG_CYCLES_LOAD_VECTOR 6.0
#define KG_CYCLES_FORWARD_FAILED 11.0 /* the store must reach the cache first */
#define KG_CYCLES_LOCKED 8.0
#define KG_UNIT_TIME_LOAD (1 / 3.0)
#define KG_UNIT_TIME_STORE 0.5
#define KG_INSTRUCTIONS_CYCLE_MOST 6.0

/* The lowest cost among recent cores, with data in the first level of cache.
 * wide  division and root: of doubles */
struct kg_operation_cost kg_operation_cost(enum kg_operation operation, bool wide);

struct kg_operation_facts {
    enum kg_operation operation;
    bool float_scalar; /* floating-point arithmetic on one element */
    bool float_vector; /* on several elements */
    bool wide;
};

/* The facts by an instruction's mnemonic, as Capstone writes it, without prefixes. */
struct kg_operation_facts kg_operation_find(const char *mnemonic);

bool kg_operation_is_arithmetic(enum kg_operation operation);

/* Whole registers: `al` counts as `rax`, `xmm0` as `zmm0`. */
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
    KG_REGISTER_THREAD, /* start of segment fs */
    KG_REGISTER_COUNT
};

enum { KG_INSTRUCTION_READS = 6, KG_INSTRUCTION_WRITES = 6, KG_INSTRUCTION_TEXT = 200 };

/* base + index * scale + displacement; without a base: an absolute address. */
struct kg_memory_operand {
    unsigned char base, index, scale;
    int64_t displacement;
};

struct kg_instruction {
    uint64_t address;
    uint64_t target; /* address of a direct jump or call; 0: none */
    uint64_t table;  /* indirect jump or call: address of the pointer; 0: unknown */
    unsigned length; /* bytes */
    struct kg_operation_facts facts;
    bool conditional; /* a jump that may fall through */
    bool ends;        /* never falls through: jmp, ret, a trap */
    bool locked;
    bool clears;                      /* the result is zero for all inputs: xor eax, eax */
    bool vector;                      /* it uses a vector register */
    bool unknown;                     /* unknown to Capstone: only the length is valid */
    unsigned load_bytes, store_bytes; /* 0: no access */
    struct kg_memory_operand memory;
    /* registers read, except those of the address; empty for calls, as `writes`: the System V
     * ABI defines a call's effects */
    unsigned char reads[KG_INSTRUCTION_READS], read_count;
    unsigned char writes[KG_INSTRUCTION_WRITES], write_count;
    /* a result that is a register plus a constant; to: KG_REGISTER_NONE: there is none */
    struct {
        unsigned char to, from;
        int64_t amount;
    } shift;
    char text[KG_INSTRUCTION_TEXT];
};

/* Disassembles from `address` on, as far as the bytes can be decoded; the array lives in
 * `arena`. Capstone lacks many AVX-512 instructions: for these only the length is found. There
 * are no instructions if Capstone is missing or lacks the architecture. */
void kg_disassemble(struct kg_arena *arena, const unsigned char *bytes, size_t length,
                    uint64_t address, struct kg_instruction **instructions, size_t *count);
