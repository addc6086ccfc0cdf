#include "why/observe/callgrind_lines.h"

#include <stdlib.h>
#include <string.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int lines_order(const void *a, const void *b)
{
    const struct kg_line_sum *x = a, *y = b;
    int order = strcmp(x->function, y->function);
    if (!order)
        order = strcmp(x->file, y->file);
    if (!order)
        order = strcmp(x->object, y->object);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static double cost_of(const struct kg_line_sum *line)
{
    const double *amounts = line->amounts;
    return amounts[KG_LINE_INSTRUCTIONS] + KG_COST_LINE_MISS * amounts[KG_LINE_MISSES] +
           KG_COST_MEMORY_MISS * amounts[KG_LINE_MEMORY_MISSES] +
           KG_COST_MISPREDICTED * amounts[KG_LINE_MISPREDICTED];
}

static int lines_by_cost(const void *a, const void *b)
{
    const double x = cost_of(a), y = cost_of(b);
    return x != y ? (x < y) - (x > y) : lines_order(a, b);
}

static int edges_order(const void *a, const void *b)
{
    const struct kg_edge_sum *x = a, *y = b;
    int order = strcmp(x->caller, y->caller);
    if (!order)
        order = strcmp(x->callee, y->callee);
    if (!order)
        order = strcmp(x->caller_file, y->caller_file);
    return order ? order : strcmp(x->callee_file, y->callee_file);
}

static int edges_by_cost(const void *a, const void *b)
{
    const struct kg_edge_sum *x = a, *y = b;
    return x->instructions != y->instructions
               ? (x->instructions < y->instructions) - (x->instructions > y->instructions)
               : edges_order(a, b);
}

static void lines_join(struct kg_callgrind_lines *lines)
{
    size_t kept = 0;
    if (!lines->line_count)
        return;
    qsort(lines->lines, lines->line_count, sizeof *lines->lines, lines_order);
    for (size_t i = 1; i < lines->line_count; i++)
        if (lines_order(&lines->lines[kept], &lines->lines[i]) != 0)
            lines->lines[++kept] = lines->lines[i];
        else
            for (size_t j = 0; j < KG_LINE_AMOUNTS; j++)
                lines->lines[kept].amounts[j] += lines->lines[i].amounts[j];
    lines->line_count = kept + 1;
    qsort(lines->lines, lines->line_count, sizeof *lines->lines, lines_by_cost);
}

static void edges_join(struct kg_callgrind_lines *lines)
{
    size_t kept = 0;
    if (!lines->edge_count)
        return;
    qsort(lines->edges, lines->edge_count, sizeof *lines->edges, edges_order);
    for (size_t i = 1; i < lines->edge_count; i++)
        if (edges_order(&lines->edges[kept], &lines->edges[i]) != 0) {
            lines->edges[++kept] = lines->edges[i];
        } else {
            lines->edges[kept].calls += lines->edges[i].calls;
            lines->edges[kept].instructions += lines->edges[i].instructions;
        }
    lines->edge_count = kept + 1;
    qsort(lines->edges, lines->edge_count, sizeof *lines->edges, edges_by_cost);
}

static const char *name_keep(struct kg_arena *arena, const char *name)
{
    return *name ? kg_arena_keep(arena, name) : NULL;
}

static void lines_keep(const struct kg_callgrind_lines *lines, double calls, struct kg_arena *arena,
                       struct kg_counted *counted)
{
    const size_t count =
        lines->line_count < KG_HOT_PLACES_MOST ? lines->line_count : KG_HOT_PLACES_MOST;
    counted->lines = kg_arena_alloc(arena, count, sizeof *counted->lines);
    counted->line_count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct kg_line_sum *sum = &lines->lines[i];
        const double *amounts = sum->amounts;
        counted->lines[counted->line_count++] = (struct kg_counted_line){
            .place = {.function = name_keep(arena, sum->function),
                      .file = name_keep(arena, sum->file),
                      .line = *sum->file ? (size_t)sum->line : 0,
                      .module = *sum->object ? kg_arena_keep(arena, base_name(sum->object)) : NULL},
            .instructions = amounts[KG_LINE_INSTRUCTIONS] / calls,
            .loads = amounts[KG_LINE_LOADS] / calls,
            .branches = amounts[KG_LINE_BRANCHES] / calls,
            .mispredicted = amounts[KG_LINE_MISPREDICTED] / calls,
            .line_misses = amounts[KG_LINE_MISSES] / calls,
            .memory_misses = amounts[KG_LINE_MEMORY_MISSES] / calls};
    }
}

static void edges_keep(const struct kg_callgrind_lines *lines, double calls, struct kg_arena *arena,
                       struct kg_counted *counted)
{
    const size_t most = lines->edges_most ? lines->edges_most : KG_HOT_PLACES_MOST;
    const size_t room = lines->edge_count < most ? lines->edge_count : most;
    counted->edges = kg_arena_alloc(arena, room, sizeof *counted->edges);
    counted->edge_count = 0;
    for (size_t i = 0; i < lines->edge_count && counted->edge_count < room; i++) {
        const struct kg_edge_sum *sum = &lines->edges[i];
        const char *caller = name_keep(arena, sum->caller), *callee = name_keep(arena, sum->callee);
        if (caller && callee)
            counted->edges[counted->edge_count++] =
                (struct kg_counted_edge){.caller = caller,
                                         .callee = callee,
                                         .calls = sum->calls / calls,
                                         .instructions = sum->instructions / calls,
                                         .caller_file = name_keep(arena, sum->caller_file),
                                         .callee_file = name_keep(arena, sum->callee_file)};
    }
}

void kg_callgrind_lines_take(struct kg_callgrind_lines *lines, double calls, struct kg_arena *arena,
                             struct kg_counted *counted)
{
    double sums[KG_LINE_AMOUNTS] = {0};
    lines_join(lines);
    edges_join(lines);
    for (size_t i = 0; i < lines->line_count; i++)
        for (size_t j = 0; j < KG_LINE_AMOUNTS; j++)
            sums[j] += lines->lines[i].amounts[j];
    counted->calls = calls;
    counted->instructions = sums[KG_LINE_INSTRUCTIONS] / calls;
    counted->loads = sums[KG_LINE_LOADS] / calls;
    counted->branches = sums[KG_LINE_BRANCHES] / calls;
    counted->mispredicted = sums[KG_LINE_MISPREDICTED] / calls;
    counted->line_misses = sums[KG_LINE_MISSES] / calls;
    counted->memory_misses = sums[KG_LINE_MEMORY_MISSES] / calls;
    lines_keep(lines, calls, arena, counted);
    edges_keep(lines, calls, arena, counted);
}

void kg_callgrind_lines_free(struct kg_callgrind_lines *lines)
{
    kg_arena_free(&lines->arena);
    *lines = (struct kg_callgrind_lines){0};
}
