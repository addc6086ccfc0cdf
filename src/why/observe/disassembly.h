/* disassembly.h: machine code of x86-64 as instructions with what they read and write, by Capstone. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "why/observe/operations.h"

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
 * there are none.
 * returns  false where memory is out or Capstone does not know the architecture */
bool kg_disassemble(struct kg_arena *arena, const unsigned char *bytes, size_t length,
                    uint64_t address, struct kg_instruction **instructions, size_t *count);
