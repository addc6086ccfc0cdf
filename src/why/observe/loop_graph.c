#include "why/observe/loops.h"

#include <string.h>

/* The control flow: from each instruction to the next, and along jumps within the code. */
struct graph {
    size_t count;
    const struct kg_instruction *code;
    size_t *jump;       /* index of the jump's target, or count */
    size_t *first_from; /* instructions that jump here: first[i], next[first[i]], ... */
    size_t *next_from;  /* next in that list; count ends it */
    size_t *orphans; /* instructions without a known predecessor: possible targets of jump tables */
    size_t orphan_count;
    bool *inside;        /* instructions of the current part */
    unsigned char *seen; /* bits: REACHES, REACHED */
    size_t *stack;
};

enum { REACHED = 1, REACHES = 2 };

size_t kg_instruction_at(const struct kg_instruction *code, size_t count, uint64_t address)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (code[middle].address + code[middle].length <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && code[low].address <= address ? low : count;
}

/* Whether it jumps through a table (jmp *%rax). Jumps to other functions through a table of
 * addresses do not count. */
static bool jumps_by_table(const struct kg_instruction *one)
{
    return one->facts.operation == KG_OPERATION_JUMP && one->ends && !one->target && !one->table &&
           strncmp(one->text, "ret", 3) != 0;
}

static bool falls_through(const struct graph *graph, size_t i)
{
    return i + 1 < graph->count && !graph->code[i].ends;
}

static bool is_orphan(const struct graph *graph, size_t i)
{
    return i && !falls_through(graph, i - 1) && graph->first_from[i] == graph->count;
}

static void graph_make(struct graph *graph, struct kg_arena *arena,
                       const struct kg_instruction *code, size_t count)
{
    *graph = (struct graph){
        .count = count,
        .code = code,
        .jump = kg_arena_alloc(arena, count, sizeof(size_t)),
        .first_from = kg_arena_alloc(arena, count, sizeof(size_t)),
        .next_from = kg_arena_alloc(arena, count, sizeof(size_t)),
        .orphans = kg_arena_alloc(arena, count, sizeof(size_t)),
        .inside = kg_arena_alloc(arena, count, sizeof(bool)),
        .seen = kg_arena_alloc(arena, count, 1),
        .stack = kg_arena_alloc(arena, count, sizeof(size_t)),
    };
    for (size_t i = 0; i < count; i++) {
        graph->first_from[i] = count;
        graph->inside[i] = true;
    }
    for (size_t i = 0; i < count; i++) {
        const bool jumps = code[i].facts.operation == KG_OPERATION_JUMP && code[i].target;
        size_t to = jumps ? kg_instruction_at(code, count, code[i].target) : count;
        if (to < count && code[to].address != code[i].target)
            to = count;
        graph->jump[i] = to;
        if (to < count) {
            graph->next_from[i] = graph->first_from[to];
            graph->first_from[to] = i;
        }
    }
    for (size_t i = 0; i < count; i++)
        if (is_orphan(graph, i))
            graph->orphans[graph->orphan_count++] = i;
}

static void visit(struct graph *graph, size_t i, unsigned char mark, size_t *depth)
{
    if (i >= graph->count || !graph->inside[i] || graph->seen[i] & mark)
        return;
    graph->seen[i] |= mark;
    graph->stack[(*depth)++] = i;
}

static void visit_after(struct graph *graph, size_t i, size_t *depth)
{
    if (falls_through(graph, i))
        visit(graph, i + 1, REACHED, depth);
    visit(graph, graph->jump[i], REACHED, depth);
    for (size_t k = 0; k < graph->orphan_count && jumps_by_table(&graph->code[i]); k++)
        visit(graph, graph->orphans[k], REACHED, depth);
}

static void visit_before(struct graph *graph, size_t i, size_t *depth)
{
    if (i && falls_through(graph, i - 1))
        visit(graph, i - 1, REACHES, depth);
    for (size_t from = graph->first_from[i]; from < graph->count; from = graph->next_from[from])
        visit(graph, from, REACHES, depth);
    for (size_t from = 0; from < graph->count && is_orphan(graph, i); from++)
        if (jumps_by_table(&graph->code[from]))
            visit(graph, from, REACHES, depth);
}

/* Marks the instructions that `at` reaches, or that reach it. `at` itself is marked only through
 * others. */
static void walk(struct graph *graph, size_t at, unsigned char mark)
{
    size_t depth = 0;
    size_t i = at;
    for (;;) {
        if (mark == REACHED)
            visit_after(graph, i, &depth);
        else
            visit_before(graph, i, &depth);
        if (!depth)
            return;
        i = graph->stack[--depth];
    }
}

/* Narrows `inside` to the instructions on a path from `at` back to itself; false: there is none. */
static bool narrow(struct graph *graph, size_t at)
{
    for (size_t i = 0; i < graph->count; i++)
        graph->seen[i] = 0;
    walk(graph, at, REACHED);
    walk(graph, at, REACHES);
    if (graph->seen[at] != (REACHED | REACHES))
        return false;
    for (size_t i = 0; i < graph->count; i++)
        graph->inside[i] = graph->seen[i] == (REACHED | REACHES);
    return true;
}

/* Whether control enters the loop at i. */
static bool is_entry(const struct graph *graph, size_t i)
{
    if (i && falls_through(graph, i - 1) && !graph->inside[i - 1])
        return true;
    for (size_t from = graph->first_from[i]; from < graph->count; from = graph->next_from[from])
        if (!graph->inside[from])
            return true;
    return i == 0;
}

static size_t copy_inside(const struct graph *graph, size_t *loop)
{
    size_t found = 0;
    for (size_t i = 0; i < graph->count; i++)
        if (graph->inside[i])
            loop[found++] = i;
    return found;
}

/* Loops nest like the strongly connected components of the graph, each without the entries of
 * the enclosing loop (Steensgaard, 1993). So a loop may have several entries. */
size_t kg_loop_around(struct kg_arena *arena, const struct kg_instruction *code, size_t count,
                      size_t at, size_t **instructions)
{
    struct graph graph;
    size_t *loop = *instructions = kg_arena_alloc(arena, count, sizeof *loop);
    size_t found = 0;
    graph_make(&graph, arena, code, count);
    while (narrow(&graph, at)) {
        found = copy_inside(&graph, loop);
        if (is_entry(&graph, at))
            break;
        /* find all entries before removing any */
        for (size_t i = 0; i < found; i++)
            graph.seen[loop[i]] = is_entry(&graph, loop[i]);
        bool any = false;
        for (size_t i = 0; i < found; i++) {
            any |= graph.seen[loop[i]] != 0;
            graph.inside[loop[i]] = !graph.seen[loop[i]];
        }
        if (!any)
            break;
    }
    return found;
}
