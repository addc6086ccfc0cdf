#include "why/observe/disassembly.h"

#include <stddef.h>
#include <string.h>

/* Each cost is the lowest of recent cores: a chain or an iteration takes at least this long.
 * Sources: LLVM 14's models of Skylake server, Zen 2 and Zen 3 (tests/studies/operations.sh
 * prints them), and timed chains on Zen 4. Comments give the upper end of the latencies. Integer
 * divisions and locked operations are timed values, because the models are wrong there. */
static const struct kg_operation_cost costs[KG_OPERATIONS] = {
    [KG_OPERATION_NONE] = {0, 0, KG_UNIT_NONE},
    [KG_OPERATION_MOVE] = {0, 0, KG_UNIT_NONE},          /* between registers: renamed */
    [KG_OPERATION_INTEGER] = {1, 0.25, KG_UNIT_INTEGER}, /* to 3 */
    [KG_OPERATION_INTEGER_ADD] = {1, 0.2, KG_UNIT_INTEGER},
    [KG_OPERATION_INTEGER_MULTIPLY] = {3, 1, KG_UNIT_MULTIPLY},      /* to 4 */
    [KG_OPERATION_INTEGER_DIVIDE] = {10, 6, KG_UNIT_INTEGER_DIVIDE}, /* to 102 */
    [KG_OPERATION_COMPARE] = {1, 0.2, KG_UNIT_INTEGER},
    [KG_OPERATION_JUMP] = {1, 0.5, KG_UNIT_JUMP},
    [KG_OPERATION_CALL] = {1, 1, KG_UNIT_JUMP},
    [KG_OPERATION_FLOAT_ADD] = {3, 0.5, KG_UNIT_FLOAT_ADD},           /* to 4 */
    [KG_OPERATION_FLOAT_ORDER] = {1, 0.5, KG_UNIT_FLOAT_ADD},         /* to 4 */
    [KG_OPERATION_FLOAT_MULTIPLY] = {3, 0.5, KG_UNIT_FLOAT_MULTIPLY}, /* to 4 */
    [KG_OPERATION_FLOAT_FUSED] = {4, 0.5, KG_UNIT_FLOAT_MULTIPLY},    /* to 5 */
    [KG_OPERATION_FLOAT_DIVIDE] = {10, 3, KG_UNIT_FLOAT_DIVIDE},      /* to 15 */
    [KG_OPERATION_FLOAT_ROOT] = {12, 3, KG_UNIT_FLOAT_DIVIDE},        /* to 20 */
    [KG_OPERATION_CONVERT] = {3, 0.5, KG_UNIT_SHUFFLE},               /* to 6 */
    [KG_OPERATION_VECTOR_INTEGER] = {1, 0.25, KG_UNIT_VECTOR},
    [KG_OPERATION_VECTOR_MULTIPLY] = {3, 0.5, KG_UNIT_FLOAT_MULTIPLY}, /* to 10 */
    [KG_OPERATION_SHUFFLE] = {1, 0.5, KG_UNIT_SHUFFLE},                /* to 7, across lanes */
    [KG_OPERATION_GATHER] = {12, 8 * KG_UNIT_TIME_LOAD, KG_UNIT_LOAD}, /* to 22 */
    [KG_OPERATION_STRING] = {10, 10, KG_UNIT_STORE},
};

struct kg_operation_cost kg_operation_cost(enum kg_operation operation, bool wide)
{
    const struct kg_operation_cost cost = costs[operation];
    if (wide && operation == KG_OPERATION_FLOAT_DIVIDE)
        return (struct kg_operation_cost){13, 4, cost.unit}; /* to 15 */
    if (wide && operation == KG_OPERATION_FLOAT_ROOT)
        return (struct kg_operation_cost){18, 6, cost.unit}; /* to 21 */
    return cost;
}

/* Floating-point arithmetic: these names with the suffix `ss`, `sd`, `ps` or `pd`. */
static const struct {
    const char *name;
    enum kg_operation operation;
} floats[] = {
    {"add", KG_OPERATION_FLOAT_ADD},      {"sub", KG_OPERATION_FLOAT_ADD},
    {"addsub", KG_OPERATION_FLOAT_ADD},   {"hadd", KG_OPERATION_FLOAT_ADD},
    {"hsub", KG_OPERATION_FLOAT_ADD},     {"max", KG_OPERATION_FLOAT_ORDER},
    {"min", KG_OPERATION_FLOAT_ORDER},    {"round", KG_OPERATION_FLOAT_ADD},
    {"mul", KG_OPERATION_FLOAT_MULTIPLY}, {"rcp", KG_OPERATION_FLOAT_MULTIPLY},
    {"dp", KG_OPERATION_FLOAT_MULTIPLY},  {"rsqrt", KG_OPERATION_FLOAT_MULTIPLY},
    {"div", KG_OPERATION_FLOAT_DIVIDE},   {"sqrt", KG_OPERATION_FLOAT_ROOT},
};

/* The first matching row counts; a star matches the rest of a name, `?` one letter. */
static const struct {
    const char *pattern;
    enum kg_operation operation;
} others[] = {
    {"nop", KG_OPERATION_NONE},
    {"endbr*", KG_OPERATION_NONE},
    {"prefetch*", KG_OPERATION_NONE},
    {"pause", KG_OPERATION_NONE},
    {"lfence", KG_OPERATION_NONE},
    {"sfence", KG_OPERATION_NONE},
    {"mfence", KG_OPERATION_NONE},
    {"call", KG_OPERATION_CALL},
    {"j*", KG_OPERATION_JUMP},
    {"ret", KG_OPERATION_JUMP},
    {"lea", KG_OPERATION_INTEGER_ADD},
    {"add", KG_OPERATION_INTEGER_ADD},
    {"sub", KG_OPERATION_INTEGER_ADD},
    {"inc", KG_OPERATION_INTEGER_ADD},
    {"dec", KG_OPERATION_INTEGER_ADD},
    {"xadd", KG_OPERATION_INTEGER_ADD},
    {"imul", KG_OPERATION_INTEGER_MULTIPLY},
    {"mul", KG_OPERATION_INTEGER_MULTIPLY},
    {"mulx", KG_OPERATION_INTEGER_MULTIPLY},
    {"crc32", KG_OPERATION_INTEGER_MULTIPLY},
    {"popcnt", KG_OPERATION_INTEGER},
    {"pop", KG_OPERATION_MOVE},
    {"push", KG_OPERATION_MOVE},
    {"div", KG_OPERATION_INTEGER_DIVIDE},
    {"idiv", KG_OPERATION_INTEGER_DIVIDE},
    {"cmpxchg*", KG_OPERATION_INTEGER},
    {"cmp", KG_OPERATION_COMPARE},
    {"test", KG_OPERATION_COMPARE},
    {"bt", KG_OPERATION_COMPARE},
    {"ptest", KG_OPERATION_COMPARE},
    {"comis*", KG_OPERATION_COMPARE},
    {"ucomis*", KG_OPERATION_COMPARE},
    {"cvt*", KG_OPERATION_CONVERT},
    {"gather*", KG_OPERATION_GATHER},
    {"pgather*", KG_OPERATION_GATHER},
    {"movsb", KG_OPERATION_STRING},
    {"movsw", KG_OPERATION_STRING},
    {"movsq", KG_OPERATION_STRING},
    {"movmsk*", KG_OPERATION_VECTOR_INTEGER},
    {"movs?dup", KG_OPERATION_SHUFFLE},
    {"movddup", KG_OPERATION_SHUFFLE},
    {"movhlps", KG_OPERATION_SHUFFLE},
    {"movlhps", KG_OPERATION_SHUFFLE},
    {"mov*", KG_OPERATION_MOVE},
    {"xchg", KG_OPERATION_MOVE},
    {"lddqu", KG_OPERATION_MOVE},
    {"pmul*", KG_OPERATION_VECTOR_MULTIPLY},
    {"pmadd*", KG_OPERATION_VECTOR_MULTIPLY},
    {"psadbw", KG_OPERATION_VECTOR_MULTIPLY},
    {"pshuf*", KG_OPERATION_SHUFFLE},
    {"punpck*", KG_OPERATION_SHUFFLE},
    {"pack*", KG_OPERATION_SHUFFLE},
    {"pbroadcast*", KG_OPERATION_SHUFFLE},
    {"palign*", KG_OPERATION_SHUFFLE},
    {"pins*", KG_OPERATION_SHUFFLE},
    {"pext*", KG_OPERATION_SHUFFLE},
    {"perm*", KG_OPERATION_SHUFFLE},
    {"shuf*", KG_OPERATION_SHUFFLE},
    {"unpck*", KG_OPERATION_SHUFFLE},
    {"insert*", KG_OPERATION_SHUFFLE},
    {"extract*", KG_OPERATION_SHUFFLE},
    {"broadcast*", KG_OPERATION_SHUFFLE},
    {"p*", KG_OPERATION_VECTOR_INTEGER},
    {"and?p?", KG_OPERATION_VECTOR_INTEGER},
    {"andps", KG_OPERATION_VECTOR_INTEGER},
    {"andpd", KG_OPERATION_VECTOR_INTEGER},
    {"orp?", KG_OPERATION_VECTOR_INTEGER},
    {"xorp?", KG_OPERATION_VECTOR_INTEGER},
    {"blend*", KG_OPERATION_VECTOR_INTEGER},
    {"cmp?s", KG_OPERATION_VECTOR_INTEGER},
    {"cmp??ps", KG_OPERATION_VECTOR_INTEGER},
    {"cmp??pd", KG_OPERATION_VECTOR_INTEGER},
};

/* Instructions of the x87 unit, which long double still uses. */
static const struct {
    const char *prefix;
    enum kg_operation operation;
} stacked[] = {
    {"fild", KG_OPERATION_CONVERT},      {"fist", KG_OPERATION_CONVERT},
    {"fadd", KG_OPERATION_FLOAT_ADD},    {"fsubr", KG_OPERATION_FLOAT_ADD},
    {"fsub", KG_OPERATION_FLOAT_ADD},    {"fmul", KG_OPERATION_FLOAT_MULTIPLY},
    {"fdiv", KG_OPERATION_FLOAT_DIVIDE}, {"fsqrt", KG_OPERATION_FLOAT_ROOT},
    {"fld", KG_OPERATION_MOVE},          {"fst", KG_OPERATION_MOVE},
    {"fxch", KG_OPERATION_MOVE},
};

static bool begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

static bool fits(const char *pattern, const char *name)
{
    while (*pattern && *pattern != '*' && *name && (*pattern == *name || *pattern == '?'))
        pattern++, name++;
    return *pattern == '*' || (!*pattern && !*name);
}

static bool is_fused(const char *name)
{
    return begins(name, "fmadd") || begins(name, "fmsub") || begins(name, "fnmadd") ||
           begins(name, "fnmsub");
}

/* Returns false if the name is no floating-point arithmetic. */
static bool float_find(const char *name, struct kg_operation_facts *facts)
{
    const size_t length = strlen(name);
    if (length < 4 || !strchr("sp", name[length - 2]) || !strchr("sd", name[length - 1]))
        return false;
    bool found = is_fused(name);
    facts->operation = KG_OPERATION_FLOAT_FUSED;
    for (size_t i = 0; i < sizeof floats / sizeof *floats && !found; i++) {
        found = strlen(floats[i].name) == length - 2 && !strncmp(floats[i].name, name, length - 2);
        facts->operation = floats[i].operation;
    }
    facts->float_scalar = found && name[length - 2] == 's';
    facts->float_vector = found && name[length - 2] == 'p';
    facts->wide = found && name[length - 1] == 'd';
    return found;
}

static bool stacked_find(const char *name, struct kg_operation_facts *facts)
{
    for (size_t i = 0; i < sizeof stacked / sizeof *stacked; i++) {
        if (!begins(name, stacked[i].prefix))
            continue;
        facts->operation = stacked[i].operation;
        facts->wide = true;
        facts->float_scalar =
            facts->operation != KG_OPERATION_MOVE && facts->operation != KG_OPERATION_CONVERT;
        return true;
    }
    return false;
}

struct kg_operation_facts kg_operation_find(const char *mnemonic)
{
    struct kg_operation_facts facts = {0};
    /* skip the letter of three-operand vector instructions; `verr` and `verw` do not occur in
     * loops */
    const char *name = *mnemonic == 'v' ? mnemonic + 1 : mnemonic;
    if (float_find(name, &facts) || stacked_find(name, &facts))
        return facts;
    facts = (struct kg_operation_facts){.operation = KG_OPERATION_INTEGER};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (!fits(others[i].pattern, name))
            continue;
        facts.operation = others[i].operation;
        break;
    }
    return facts;
}

bool kg_operation_is_arithmetic(enum kg_operation operation)
{
    return operation != KG_OPERATION_NONE && operation != KG_OPERATION_MOVE &&
           operation != KG_OPERATION_COMPARE && operation != KG_OPERATION_JUMP &&
           operation != KG_OPERATION_CALL && operation != KG_OPERATION_STRING;
}
