#include "why/observe/disassembly.h"

#include <capstone/capstone.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/library.h"

/* --- Capstone --------------------------------------------------------------------------------- */

/* The functions of Capstone that kgate calls. kgate opens the library before it first disassembles code. Its tables need
 * many relocations, which would slow the start of each worker, and workers disassemble nothing. */
struct capstone_calls {
    __typeof__(cs_open) *open;
    __typeof__(cs_close) *close;
    __typeof__(cs_option) *option;
    __typeof__(cs_malloc) *allocate;
    __typeof__(cs_free) *release;
    __typeof__(cs_disasm_iter) *next;
    __typeof__(cs_regs_access) *registers;
};

/* capstone_calls() always returns the same table. NULL: the library is not installed. Thread-safe. */
#ifdef KGATE_PORTABLE

static const struct capstone_calls *capstone_calls(void)
{
    static const struct capstone_calls linked = {.open = cs_open,
                                                 .close = cs_close,
                                                 .option = cs_option,
                                                 .allocate = cs_malloc,
                                                 .release = cs_free,
                                                 .next = cs_disasm_iter,
                                                 .registers = cs_regs_access};
    return &linked;
}

#else

#define TEXT_OF(number) #number
#define FILE_OF(version) "libcapstone.so." TEXT_OF(version)
#define CALL(member) offsetof(struct capstone_calls, member)

static const struct kg_symbol symbols[] = {
    {"cs_open", NULL, CALL(open), false},
    {"cs_close", NULL, CALL(close), false},
    {"cs_option", NULL, CALL(option), false},
    {"cs_malloc", NULL, CALL(allocate), false},
    {"cs_free", NULL, CALL(release), false},
    {"cs_disasm_iter", NULL, CALL(next), false},
    {"cs_regs_access", NULL, CALL(registers), false},
};

static struct capstone_calls loaded;
static const struct capstone_calls *found;

/* Opens the library, which then stays open. */
static void library_find(void)
{
    void *library = kg_library_open(FILE_OF(CS_API_MAJOR), NULL, 0);
    if (!library)
        return;
    if (!kg_library_symbols(library, symbols, sizeof symbols / sizeof *symbols, &loaded))
        found = &loaded;
    else
        kg_library_close(library);
}

static const struct capstone_calls *capstone_calls(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, library_find);
    return found;
}

#endif

/* --- Registers -------------------------------------------------------------------------------- */

enum { NAMES = 5 };

/* All names of each register of general use, in the order of enum kg_register. */
static const x86_reg general[][NAMES] = {
    {X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH},
    {X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH},
    {X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH},
    {X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH},
    {X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL},
    {X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL},
    {X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL},
    {X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL},
    {X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B},
    {X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B},
    {X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B},
    {X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B},
    {X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B},
    {X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B},
    {X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B},
    {X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B},
};

static unsigned char register_of(unsigned name)
{
    const struct {
        unsigned first, last, from;
    } rows[] = {{X86_REG_XMM0, X86_REG_XMM31, KG_REGISTER_VECTOR},
                {X86_REG_YMM0, X86_REG_YMM31, KG_REGISTER_VECTOR},
                {X86_REG_ZMM0, X86_REG_ZMM31, KG_REGISTER_VECTOR},
                {X86_REG_K0, X86_REG_K7, KG_REGISTER_MASK},
                {X86_REG_EFLAGS, X86_REG_EFLAGS, KG_REGISTER_FLAGS}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (name >= rows[i].first && name <= rows[i].last)
            return (unsigned char)(rows[i].from + name - rows[i].first);
    for (size_t i = 0; i < sizeof general / sizeof *general && name; i++)
        for (size_t j = 0; j < NAMES; j++)
            if (general[i][j] == name)
                return (unsigned char)(KG_REGISTER_RAX + i);
    return KG_REGISTER_NONE;
}

static void register_add(unsigned char *list, unsigned char *count, size_t most, unsigned name)
{
    if (name == KG_REGISTER_NONE || *count >= most || memchr(list, (int)name, *count))
        return;
    list[(*count)++] = (unsigned char)name;
}

static void read_add(struct kg_instruction *to, unsigned name)
{
    register_add(to->reads, &to->read_count, KG_INSTRUCTION_READS, name);
}

static void write_add(struct kg_instruction *to, unsigned name)
{
    register_add(to->writes, &to->write_count, KG_INSTRUCTION_WRITES, name);
    to->vector |= name >= KG_REGISTER_VECTOR && name < KG_REGISTER_MASK;
}

static bool in_group(const cs_insn *from, unsigned group)
{
    return memchr(from->detail->groups, (int)group, from->detail->groups_count) != NULL;
}

static struct kg_memory_operand memory_of(const cs_insn *from, const x86_op_mem *operand)
{
    struct kg_memory_operand memory = {.index = register_of(operand->index),
                                       .scale = (unsigned char)operand->scale,
                                       .displacement = operand->disp};
    memory.base = operand->segment == X86_REG_FS ? (unsigned char)KG_REGISTER_THREAD
                                                 : register_of(operand->base);
    if (operand->base == X86_REG_RIP)
        memory.displacement += (int64_t)(from->address + from->size);
    return memory;
}

/* Whether operand i, in memory, is written. Capstone reports vector moves and x87 stores as
 * reads. A vector move writes memory if its first operand is in memory. */
static bool writes_memory(const struct kg_instruction *to, const cs_x86 *x86, size_t i,
                          const char *mnemonic)
{
    const cs_x86_op *operand = &x86->operands[i];
    if (operand->access & CS_AC_WRITE)
        return true;
    if (i || to->facts.operation == KG_OPERATION_COMPARE)
        return false;
    if (!strncmp(mnemonic, "fst", 3) || !strncmp(mnemonic, "fist", 4) ||
        !strncmp(mnemonic, "movnt", 5) || !strncmp(mnemonic, "cmpxchg", 7))
        return true;
    return x86->op_count > 1 && x86->operands[1].type == X86_OP_REG &&
           register_of(x86->operands[1].reg) >= KG_REGISTER_VECTOR;
}

static bool reads_memory(const struct kg_instruction *to, const cs_x86_op *operand, bool written,
                         const char *mnemonic)
{
    if (!written || !strncmp(mnemonic, "cmpxchg", 7))
        return true;
    return to->facts.operation != KG_OPERATION_MOVE && operand->access & CS_AC_READ &&
           operand->access & CS_AC_WRITE;
}

static void memory_take(struct kg_instruction *to, const cs_insn *from, const char *mnemonic)
{
    const cs_x86 *x86 = &from->detail->x86;
    for (size_t i = 0; i < x86->op_count; i++) {
        const cs_x86_op *operand = &x86->operands[i];
        if (operand->type != X86_OP_MEM)
            continue;
        if (to->facts.operation == KG_OPERATION_STRING && i)
            continue;
        to->memory = memory_of(from, &operand->mem);
        if (from->id == X86_INS_LEA || to->facts.operation == KG_OPERATION_NONE)
            return;
        if (to->facts.operation == KG_OPERATION_CALL || to->facts.operation == KG_OPERATION_JUMP)
            continue; /* it loads the jump's target, which is predicted */
        const bool written = writes_memory(to, x86, i, mnemonic);
        if (written)
            to->store_bytes = operand->size;
        if (reads_memory(to, operand, written, mnemonic) || (from->id == X86_INS_XCHG && written))
            to->load_bytes = operand->size;
    }
}

static void registers_take(csh capstone, struct kg_instruction *to, const cs_insn *from)
{
    cs_regs reads, writes;
    uint8_t read_count, write_count;
    const cs_x86 *x86 = &from->detail->x86;
    if (capstone_calls()->registers(capstone, from, reads, &read_count, writes, &write_count) !=
        CS_ERR_OK)
        return;
    for (size_t i = 0; i < write_count; i++)
        write_add(to, register_of(writes[i]));
    if (from->id == X86_INS_CMPXCHG)
        write_add(to, KG_REGISTER_RAX);
    for (size_t i = 0; i < x86->op_count; i++) {
        const cs_x86_op *operand = &x86->operands[i];
        if (operand->type == X86_OP_REG && operand->access & CS_AC_READ)
            read_add(to, register_of(operand->reg));
    }
    /* registers that are read, except for the address alone */
    for (size_t i = 0; i < read_count; i++) {
        const unsigned char name = register_of(reads[i]);
        if (name != to->memory.base && name != to->memory.index)
            read_add(to, name);
    }
    for (size_t i = 0; i < to->read_count; i++)
        to->vector |= to->reads[i] >= KG_REGISTER_VECTOR && to->reads[i] < KG_REGISTER_MASK;
}

/* Finds the result that is a register plus a constant. */
static void shift_take(struct kg_instruction *to, const cs_insn *from)
{
    const cs_x86 *x86 = &from->detail->x86;
    const cs_x86_op *first = &x86->operands[0], *second = &x86->operands[1];
    if (from->id == X86_INS_PUSH || from->id == X86_INS_POP) {
        to->shift.to = to->shift.from = KG_REGISTER_RSP;
        to->shift.amount = from->id == X86_INS_PUSH ? -8 : 8;
        to->memory = (struct kg_memory_operand){.base = KG_REGISTER_RSP,
                                                .displacement = from->id == X86_INS_PUSH ? -8 : 0};
        *(from->id == X86_INS_PUSH ? &to->store_bytes : &to->load_bytes) = 8;
        return;
    }
    if (!x86->op_count || first->type != X86_OP_REG)
        return;
    unsigned char source = KG_REGISTER_NONE;
    int64_t amount = 0;
    if (from->id == X86_INS_INC || from->id == X86_INS_DEC) {
        source = register_of(first->reg);
        amount = from->id == X86_INS_INC ? 1 : -1;
    } else if ((from->id == X86_INS_ADD || from->id == X86_INS_SUB) && second->type == X86_OP_IMM) {
        source = register_of(first->reg);
        amount = from->id == X86_INS_ADD ? second->imm : -second->imm;
    } else if (from->id == X86_INS_LEA && !to->memory.index && to->memory.base) {
        source = to->memory.base;
        amount = to->memory.displacement;
    } else if (to->facts.operation == KG_OPERATION_MOVE && second->type == X86_OP_REG &&
               x86->op_count == 2 && from->id != X86_INS_XCHG) {
        source = register_of(second->reg);
    }
    if (source) {
        to->shift.to = register_of(first->reg);
        to->shift.from = source;
        to->shift.amount = amount;
    }
}

/* x ^ x and x - x, which processors recognise as zero. */
static bool clears(const cs_insn *from, const char *mnemonic)
{
    const cs_x86 *x86 = &from->detail->x86;
    const char *name = *mnemonic == 'v' ? mnemonic + 1 : mnemonic;
    const size_t count = x86->op_count;
    return (!strncmp(name, "xor", 3) || !strncmp(name, "pxor", 4) || !strcmp(name, "sub")) &&
           count > 1 && x86->operands[count - 1].type == X86_OP_REG &&
           x86->operands[count - 2].type == X86_OP_REG &&
           x86->operands[count - 1].reg == x86->operands[count - 2].reg;
}

static void flow_take(struct kg_instruction *to, const cs_insn *from)
{
    const cs_x86 *x86 = &from->detail->x86;
    const bool jump = in_group(from, X86_GRP_JUMP);
    to->conditional = jump && from->id != X86_INS_JMP && from->id != X86_INS_LJMP;
    to->ends = (jump && !to->conditional) || in_group(from, X86_GRP_RET) ||
               from->id == X86_INS_UD2 || from->id == X86_INS_HLT || from->id == X86_INS_INT3;
    if (!jump && to->facts.operation != KG_OPERATION_CALL)
        return;
    if (x86->op_count && x86->operands[0].type == X86_OP_IMM)
        to->target = (uint64_t)x86->operands[0].imm;
    else if (x86->op_count && x86->operands[0].type == X86_OP_MEM &&
             x86->operands[0].mem.base == X86_REG_RIP)
        to->table = (uint64_t)memory_of(from, &x86->operands[0].mem).displacement;
}

/* The mnemonic without `lock`, `rep` and `bnd`. */
static const char *bare_mnemonic(const cs_insn *from)
{
    const char *space = strrchr(from->mnemonic, ' ');
    return space ? space + 1 : from->mnemonic;
}

static void instruction_take(csh capstone, const cs_insn *from, struct kg_instruction *to)
{
    const char *mnemonic = bare_mnemonic(from);
    *to = (struct kg_instruction){
        .address = from->address, .length = from->size, .facts = kg_operation_find(mnemonic)};
    if (!strncmp(from->mnemonic, "rep", 3))
        to->facts.operation = KG_OPERATION_STRING;
    snprintf(to->text, sizeof to->text, "%s%s%s", from->mnemonic, *from->op_str ? " " : "",
             from->op_str);
    flow_take(to, from);
    memory_take(to, from, mnemonic);
    registers_take(capstone, to, from);
    to->locked = from->detail->x86.prefix[0] == X86_PREFIX_LOCK ||
                 (from->id == X86_INS_XCHG && to->store_bytes);
    to->clears = clears(from, mnemonic);
    if (to->clears)
        to->read_count = 0;
    if (to->facts.operation == KG_OPERATION_CALL)
        to->read_count = to->write_count = 0;
    else
        shift_take(to, from);
}

/* --- Instructions unknown to Capstone --------------------------------------------------------- */

/* Length of a ModRM byte and its memory operand; the ModRM byte is the first at `bytes` (Intel,
 * "Software Developer's Manual", volume 2, 2.1). EVEX's compressed displacement is one byte too. */
static size_t operand_length(const unsigned char *bytes, size_t length)
{
    enum { DIRECT = 3, SIB = 4, NO_BASE = 5 };
    if (!length)
        return 0;
    const unsigned mode = bytes[0] >> 6, memory = bytes[0] & 7;
    const bool sib = mode != DIRECT && memory == SIB;
    if (sib && length < 2)
        return 0;
    const unsigned base = sib ? bytes[1] & 7 : memory;
    const size_t shift = mode == 1 ? 1 : mode == 2 || (!mode && base == NO_BASE) ? 4 : 0;
    return 1 + sib + (mode == DIRECT ? 0 : shift);
}

/* Whether an instruction with prefix VEX or EVEX ends with an immediate byte, by map and opcode. */
static bool ends_with_byte(unsigned map, unsigned opcode)
{
    enum { MAP_0F = 1, MAP_0F3A = 3 };
    return map == MAP_0F3A ||
           (map == MAP_0F && ((opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 ||
                              (opcode >= 0xc4 && opcode <= 0xc6)));
}

/* Length of an instruction with prefix VEX or EVEX (2.3.5, 2.7); 0: another prefix. */
static size_t vector_length(const unsigned char *bytes, size_t length)
{
    const size_t prefix = !length            ? 0
                          : bytes[0] == 0xc5 ? 2
                          : bytes[0] == 0xc4 ? 3
                          : bytes[0] == 0x62 ? 4
                                             : 0;
    if (!prefix || length < prefix + 2)
        return 0;
    const unsigned map = prefix == 2 ? 1 : bytes[1] & (prefix == 4 ? 7 : 31);
    const size_t operand = operand_length(bytes + prefix + 1, length - prefix - 1);
    const size_t whole = prefix + 1 + operand + ends_with_byte(map, bytes[prefix]);
    return map && map <= 6 && operand && whole <= length ? whole : 0;
}

static void unknown_take(const unsigned char *bytes, size_t length, uint64_t address,
                         struct kg_instruction *to)
{
    *to = (struct kg_instruction){.address = address,
                                  .length = (unsigned)length,
                                  .facts = {.operation = KG_OPERATION_VECTOR_INTEGER},
                                  .vector = true,
                                  .unknown = true};
    for (size_t i = 0; i < length; i++)
        snprintf(to->text + 3 * i, sizeof to->text - 3 * i, "%02x ", bytes[i]);
    snprintf(to->text + 3 * length, sizeof to->text - 3 * length, "(unknown)");
}

void kg_disassemble(struct kg_arena *arena, const unsigned char *bytes, size_t length,
                    uint64_t address, struct kg_instruction **instructions, size_t *count)
{
    const struct capstone_calls *calls = capstone_calls();
    csh capstone;
    size_t capacity = 0;
    *instructions = NULL;
    *count = 0;
    if (!calls || calls->open(CS_ARCH_X86, CS_MODE_64, &capstone) != CS_ERR_OK)
        return;
    calls->option(capstone, CS_OPT_DETAIL, CS_OPT_ON);
    cs_insn *one = calls->allocate(capstone);
    while (one && length) {
        const bool known = calls->next(capstone, &bytes, &length, &address, one);
        const size_t skipped = known ? 0 : vector_length(bytes, length);
        if (!known && !skipped)
            break;
        kg_arena_grow(arena, instructions, *count, &capacity, sizeof **instructions);
        if (known)
            instruction_take(capstone, one, &(*instructions)[(*count)++]);
        else
            unknown_take(bytes, skipped, address, &(*instructions)[(*count)++]);
        bytes += skipped, length -= skipped, address += skipped;
    }
    if (one)
        calls->release(one, 1);
    calls->close(&capstone);
}
