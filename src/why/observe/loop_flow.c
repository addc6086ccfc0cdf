#include "why/observe/loops.h"

#include <math.h>
#include <string.h>

/* Chains show from the third iteration on. The latency is a mean of the last STEADY iterations. */
enum { TURNS = 12, STEADY = 6, LOOKED_AT = 4, INPUTS = 10, STORES_SEEN = 64, NOWHERE = -1 };

enum edge { EDGE_DATA, EDGE_ADDRESS, EDGE_FLAGS, EDGE_MEMORY };

/* The symbolic value of a register: an unknown plus a constant. */
struct value {
    long symbol;
    int64_t offset;
    long node; /* the instruction and iteration that set it; NOWHERE: set before the loop */
};

/* An instruction in one iteration. */
struct node {
    struct {
        long node;
        enum edge edge;
    } inputs[INPUTS];
    size_t input_count;
    double finish; /* cycles */
    bool forwarded;
};

struct place {
    long base, index;
    unsigned scale;
    int64_t offset;
};

struct stored {
    struct place place;
    unsigned bytes;
    long node;
};

struct run {
    const struct kg_instruction *code;
    const size_t *loop;
    size_t count;
    struct value registers[KG_REGISTER_COUNT];
    struct node *nodes; /* iteration by iteration */
    struct stored stores[STORES_SEEN];
    size_t store_count; /* number of all stores; the last STORES_SEEN are kept */
    long symbols;
    size_t *stack;
    bool *seen;
};

static void input_add(struct run *run, struct node *node, long from, enum edge edge, double latency)
{
    if (from == NOWHERE)
        return;
    node->finish = fmax(node->finish, run->nodes[from].finish + latency);
    if (node->input_count < INPUTS) {
        node->inputs[node->input_count].node = from;
        node->inputs[node->input_count++].edge = edge;
    }
}

static struct place place_of(const struct run *run, const struct kg_memory_operand *memory)
{
    const struct value *base = &run->registers[memory->base];
    const struct value *index = &run->registers[memory->index];
    return (struct place){.base = base->symbol,
                          .index = memory->index ? index->symbol : 0,
                          .scale = memory->index ? memory->scale : 0,
                          .offset = base->offset + memory->displacement +
                                    (memory->index ? index->offset * memory->scale : 0)};
}

static bool same_ground(const struct place *a, const struct place *b)
{
    return a->base == b->base && a->index == b->index && a->scale == b->scale;
}

/* Whether a wide load covers elements that were stored one by one. Their places differ only by
 * the index, are near, and the stores are narrower than the load. */
static bool gathers_stored(const struct stored *one, const struct place *place, unsigned bytes)
{
    return one->place.base == place->base && one->place.scale && !place->scale &&
           one->bytes < bytes && one->place.offset >= place->offset - (int64_t)bytes &&
           one->place.offset < place->offset + bytes;
}

/* The last store to bytes that a load reads; NULL: unknown. */
static const struct stored *stored_find(const struct run *run, const struct place *place,
                                        unsigned bytes)
{
    const size_t kept = run->store_count < STORES_SEEN ? run->store_count : STORES_SEEN;
    for (size_t i = 1; i <= kept; i++) {
        const struct stored *one = &run->stores[(run->store_count - i) % STORES_SEEN];
        if (gathers_stored(one, place, bytes) ||
            (same_ground(&one->place, place) && one->place.offset < place->offset + bytes &&
             place->offset < one->place.offset + one->bytes))
            return one;
    }
    return NULL;
}

static double load_latency(const struct kg_instruction *one)
{
    return one->vector ? KG_CYCLES_LOAD_VECTOR : KG_CYCLES_LOAD;
}

static void load_take(struct run *run, const struct kg_instruction *one, struct node *node,
                      double after)
{
    const struct place place = place_of(run, &one->memory);
    const struct stored *from = stored_find(run, &place, one->load_bytes);
    if (!from)
        return;
    const bool whole = from->place.offset == place.offset && from->bytes >= one->load_bytes;
    const bool within = place.offset >= from->place.offset &&
                        place.offset + one->load_bytes <= from->place.offset + from->bytes;
    node->forwarded = !whole;
    input_add(run, node, from->node, EDGE_MEMORY,
              (within ? load_latency(one) : KG_CYCLES_FORWARD_FAILED) + after);
}

static void store_note(struct run *run, const struct kg_instruction *one, long node)
{
    run->stores[run->store_count++ % STORES_SEEN] =
        (struct stored){place_of(run, &one->memory), one->store_bytes, node};
}

/* Forgets the registers that a function may change by the System V ABI for x86-64. The inputs of
 * its results are unknown. */
static void call_forget(struct run *run, long node)
{
    for (unsigned i = KG_REGISTER_RAX; i < KG_REGISTER_COUNT; i++) {
        const bool kept = i == KG_REGISTER_RBX || i == KG_REGISTER_RBP || i == KG_REGISTER_RSP ||
                          (i >= KG_REGISTER_R8 + 4 && i < KG_REGISTER_VECTOR) ||
                          i == KG_REGISTER_THREAD;
        if (!kept)
            run->registers[i] = (struct value){.symbol = ++run->symbols, .node = node};
    }
}

/* The symbolic value of a result. */
static struct value result_of(struct run *run, const struct kg_instruction *one, unsigned name,
                              const struct value *source, long node)
{
    if (one->shift.to == name && one->shift.to)
        return (struct value){source->symbol, source->offset + one->shift.amount, node};
    return (struct value){.symbol = ++run->symbols, .node = node};
}

static void step(struct run *run, const struct kg_instruction *one, long at)
{
    struct node *node = &run->nodes[at];
    const struct kg_operation_cost cost = kg_operation_cost(one->facts.operation, one->facts.wide);
    const double latency = cost.latency + (one->locked ? KG_CYCLES_LOCKED : 0);
    const double to_load = one->load_bytes ? load_latency(one) : 0;
    const struct kg_memory_operand *memory = &one->memory;
    input_add(run, node, run->registers[memory->base].node, EDGE_ADDRESS, to_load + latency);
    input_add(run, node, run->registers[memory->index].node, EDGE_ADDRESS, to_load + latency);
    for (size_t i = 0; i < one->read_count; i++)
        input_add(run, node, run->registers[one->reads[i]].node,
                  one->reads[i] == KG_REGISTER_FLAGS ? EDGE_FLAGS : EDGE_DATA, latency);
    if (one->load_bytes)
        load_take(run, one, node, latency);
    if (one->store_bytes)
        store_note(run, one, at);
    if (one->facts.operation == KG_OPERATION_CALL) {
        call_forget(run, at);
        return;
    }
    const struct value source = run->registers[one->shift.from];
    for (size_t i = 0; i < one->write_count; i++)
        run->registers[one->writes[i]] =
            result_of(run, one, one->writes[i], &source, one->clears ? NOWHERE : at);
}

static void turns(struct run *run)
{
    for (unsigned i = 0; i < KG_REGISTER_COUNT; i++)
        run->registers[i] = (struct value){.symbol = run->symbols++, .node = NOWHERE};
    for (size_t turn = 0; turn < TURNS; turn++)
        for (size_t i = 0; i < run->count; i++)
            step(run, &run->code[run->loop[i]], (long)(turn * run->count + i));
}

static double chain_cycles(const struct run *run)
{
    double most = 0;
    for (size_t i = 0; i < run->count; i++) {
        const double end = run->nodes[(TURNS - 1) * run->count + i].finish;
        const double begin = run->nodes[(TURNS - 1 - STEADY) * run->count + i].finish;
        most = fmax(most, (end - begin) / STEADY);
    }
    return most;
}

/* --- Results that depend on themselves -------------------------------------------------------- */

static void push(struct run *run, long node, size_t *depth)
{
    if (run->seen[node])
        return;
    run->seen[node] = true;
    run->stack[(*depth)++] = (size_t)node;
}

/* Whether an instruction passes an address on by moving it or adding to it. A value that is
 * mixed and multiplied is a hash or a checksum: an index into a table. */
static bool address_goes_through(const struct run *run, long node)
{
    const struct kg_instruction *one = &run->code[run->loop[(size_t)node % run->count]];
    return one->facts.operation != KG_OPERATION_INTEGER_MULTIPLY &&
           strncmp(one->text, "xor", 3) != 0;
}

/* Whether instruction i needs its own result of an earlier iteration.
 * address  only through its address, and not through conditions */
static bool needs_itself(struct run *run, size_t i, bool address)
{
    const long start = (long)((LOOKED_AT - 1) * run->count + i);
    size_t depth = 0;
    memset(run->seen, 0, LOOKED_AT * run->count * sizeof *run->seen);
    const struct node *node = &run->nodes[start];
    for (size_t k = 0; k < node->input_count; k++)
        if (!address || node->inputs[k].edge == EDGE_ADDRESS)
            push(run, node->inputs[k].node, &depth);
    while (depth) {
        const long at = (long)run->stack[--depth];
        if ((size_t)at % run->count == i)
            return true;
        node = &run->nodes[at];
        if (address && !address_goes_through(run, at))
            continue;
        for (size_t k = 0; k < node->input_count; k++)
            if (!address || node->inputs[k].edge != EDGE_FLAGS)
                push(run, node->inputs[k].node, &depth);
    }
    return false;
}

/* Whether the instruction's only changing input is its own result. Then it counts, or steps a
 * pointer. */
static bool only_counts(struct run *run, size_t i)
{
    const struct kg_instruction *one = &run->code[run->loop[i]];
    const struct node *node = &run->nodes[(LOOKED_AT - 1) * run->count + i];
    if (one->facts.operation != KG_OPERATION_INTEGER_ADD &&
        one->facts.operation != KG_OPERATION_VECTOR_INTEGER)
        return false;
    if (one->load_bytes && !one->store_bytes)
        return false; /* it adds a loaded value */
    return node->input_count <= 1;
}

static void count_chains(struct run *run, struct kg_loop_flow *flow)
{
    for (size_t i = 0; i < run->count; i++) {
        const struct kg_instruction *one = &run->code[run->loop[i]];
        flow->forwarded += run->nodes[(LOOKED_AT - 1) * run->count + i].forwarded;
        if (one->load_bytes && needs_itself(run, i, true))
            flow->address_loads++;
        if (kg_operation_is_arithmetic(one->facts.operation) && needs_itself(run, i, false) &&
            !only_counts(run, i))
            flow->chained++;
    }
}

struct kg_loop_flow kg_loop_flow(struct kg_arena *arena, const struct kg_instruction *code,
                                 const size_t *loop, size_t count)
{
    struct kg_loop_flow flow = {.chain_cycles = NAN};
    if (!count || count > KG_LOOP_FLOW_MOST)
        return flow;
    struct run *run = kg_arena_alloc(arena, 1, sizeof *run);
    *run = (struct run){.code = code,
                        .loop = loop,
                        .count = count,
                        .nodes = kg_arena_alloc(arena, TURNS * count, sizeof(struct node)),
                        .stack = kg_arena_alloc(arena, LOOKED_AT * count, sizeof(size_t)),
                        .seen = kg_arena_alloc(arena, LOOKED_AT * count, sizeof(bool))};
    turns(run);
    flow.chain_cycles = chain_cycles(run);
    count_chains(run, &flow);
    return flow;
}
