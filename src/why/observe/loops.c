#include "why/observe/loops.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/code/symbol_name.h"
#include "why/observe/disassembly.h"

enum {
    FILES_MOST = 16,
    FUNCTIONS_MOST = 32,
    SHOWN_BEFORE = 5,
    LOOPS_SEEN_MOST = 32,
    LOOKED_AT_MOST = 128
};
/* Maximum share of the samples for a loop to be ignored. */
static const double SHARE_LEAST = 0.01;

/* A disassembled function. */
struct body {
    const struct kg_machine_code *file;
    struct kg_function function;
    struct kg_instruction *code;
    size_t count;
};

struct found {
    const struct body *body;
    const struct kg_hot_address *hottest;
    size_t *loop;
    size_t count;
    size_t at; /* index of the hottest instruction */
    bool function;
    double share;
};

struct search {
    struct kg_arena *arena; /* owns the results */
    struct kg_arena own;    /* for the search only */
    struct {
        const char *path;
        struct kg_machine_code code;
        bool good;
    } files[FILES_MOST];
    size_t file_count;
    struct body bodies[FUNCTIONS_MOST];
    size_t body_count;
    struct found found[LOOPS_SEEN_MOST];
    size_t found_count;
};

/* --- Location of an address ------------------------------------------------------------------- */

static const struct kg_machine_code *file_open(struct search *search, const char *path)
{
    size_t i = 0;
    while (i < search->file_count && strcmp(search->files[i].path, path) != 0)
        i++;
    if (i == FILES_MOST)
        return NULL;
    if (i == search->file_count) {
        search->files[i].path = path;
        search->files[i].good = kg_machine_code_open(path, &search->files[i].code);
        search->file_count++;
    }
    return search->files[i].good ? &search->files[i].code : NULL;
}

/* NULL: there is no code at the address. */
static struct body *body_find(struct search *search, const struct kg_hot_address *hot)
{
    const struct kg_machine_code *file =
        hot->module_path ? file_open(search, hot->module_path) : NULL;
    if (!file)
        return NULL;
    for (size_t i = 0; i < search->body_count; i++) {
        struct body *one = &search->bodies[i];
        if (one->file == file && hot->address >= one->function.address &&
            hot->address - one->function.address < one->function.length)
            return one;
    }
    struct body *fresh = &search->bodies[search->body_count];
    if (search->body_count == FUNCTIONS_MOST ||
        !kg_machine_code_function(file, hot->address, &fresh->function))
        return NULL;
    fresh->file = file;
    kg_disassemble(&search->own, fresh->function.bytes, fresh->function.length,
                   fresh->function.address, &fresh->code, &fresh->count);
    if (!fresh->count)
        return NULL;
    search->body_count++;
    return fresh;
}

static bool same_loop(const struct found *a, const struct found *b)
{
    return a->body == b->body && a->function == b->function &&
           (a->function ||
            (a->count == b->count && !memcmp(a->loop, b->loop, a->count * sizeof *a->loop)));
}

/* Adds the share to a known loop, or adds a new one. */
static void found_add(struct search *search, struct found *one)
{
    for (size_t i = 0; i < search->found_count; i++)
        if (same_loop(&search->found[i], one)) {
            search->found[i].share += one->share;
            return;
        }
    if (search->found_count == LOOPS_SEEN_MOST)
        return;
    const size_t *loop = one->loop;
    if (one->function)
        one->count = one->body->count;
    one->loop = kg_arena_alloc(&search->own, one->count, sizeof *one->loop);
    for (size_t i = 0; i < one->count; i++)
        one->loop[i] = one->function ? i : loop[i];
    search->found[search->found_count++] = *one;
}

/* Whether the whole function could be disassembled. Otherwise an address outside of known loops
 * may be in an unread one. */
static bool is_whole(const struct body *body)
{
    const struct kg_instruction *last = body->count ? &body->code[body->count - 1] : NULL;
    return last && last->address + last->length >= body->function.address + body->function.length;
}

static void address_take(struct search *search, const struct kg_hot_address *hot)
{
    struct kg_arena scratch = {0};
    struct body *body = body_find(search, hot);
    const size_t at = body ? kg_instruction_at(body->code, body->count, hot->address) : 0;
    if (!body || at == body->count)
        return;
    struct found one = {.body = body, .hottest = hot, .at = at, .share = hot->share};
    one.count = kg_loop_around(&scratch, body->code, body->count, at, &one.loop);
    one.function = !one.count;
    if (!one.function || is_whole(body))
        found_add(search, &one);
    kg_arena_free(&scratch);
}

/* --- Contents of a loop ----------------------------------------------------------------------- */

static bool is_vector(const struct kg_instruction *one)
{
    enum { VECTOR_BYTES = 16 };
    return one->facts.float_vector || one->load_bytes >= VECTOR_BYTES ||
           one->store_bytes >= VECTOR_BYTES || strstr(one->text, "ymm") || strstr(one->text, "zmm");
}

static void instruction_count(const struct kg_instruction *one, struct kg_hot_loop *loop)
{
    const enum kg_operation operation = one->facts.operation;
    loop->instructions += operation != KG_OPERATION_NONE;
    loop->loads += one->load_bytes > 0;
    loop->stores += one->store_bytes > 0;
    loop->calls += operation == KG_OPERATION_CALL;
    loop->branches += one->conditional;
    loop->divisions += operation == KG_OPERATION_INTEGER_DIVIDE ||
                       operation == KG_OPERATION_FLOAT_DIVIDE ||
                       operation == KG_OPERATION_FLOAT_ROOT;
    loop->locked += one->locked;
    loop->conversions += operation == KG_OPERATION_CONVERT;
    loop->scalar_floats += one->facts.float_scalar;
    loop->vector_floats += one->facts.float_vector;
    loop->vectors += is_vector(one);
    loop->gathers += operation == KG_OPERATION_GATHER;
}

/* If an instruction is unknown, the effects and the cycles of an iteration are unknown. */
static bool all_known(const struct found *found)
{
    for (size_t i = 0; i < found->count; i++)
        if (found->body->code[found->loop[i]].unknown)
            return false;
    return true;
}

/* Minimum cycles of an iteration: each unit does its part, and the front end delivers all
 * instructions. */
static double throughput_cycles(const struct found *found)
{
    double units[KG_UNITS] = {0}, locked = 0;
    for (size_t i = 0; i < found->count; i++) {
        const struct kg_instruction *one = &found->body->code[found->loop[i]];
        const struct kg_operation_cost cost =
            kg_operation_cost(one->facts.operation, one->facts.wide);
        units[cost.unit] += cost.unit_time;
        units[KG_UNIT_LOAD] += one->load_bytes ? KG_UNIT_TIME_LOAD : 0;
        units[KG_UNIT_STORE] += one->store_bytes ? KG_UNIT_TIME_STORE : 0;
        locked += one->locked ? KG_CYCLES_LOCKED : 0;
    }
    double most = fmax(locked, (double)found->count / KG_INSTRUCTIONS_CYCLE_MOST);
    for (size_t i = KG_UNIT_NONE + 1; i < KG_UNITS; i++)
        most = fmax(most, units[i]);
    return most;
}

/* --- Output ----------------------------------------------------------------------------------- */

/* The instruction's text. A call shows the name of its callee, if known. */
static const char *text_of(struct kg_arena *arena, const struct body *body,
                           const struct kg_instruction *one)
{
    const char *callee = NULL;
    if (one->facts.operation == KG_OPERATION_CALL || one->ends)
        callee = one->target  ? kg_machine_code_callee(body->file, one->target)
                 : one->table ? kg_machine_code_imported(body->file, one->table)
                              : NULL;
    if (!callee)
        return kg_arena_copy(arena, one->text);
    return kg_arena_printf(arena, "%.*s %s", (int)strcspn(one->text, " "), one->text,
                           kg_symbol_name(arena, callee));
}

/* Keeps the hottest instruction and the instructions of the loop around it, up to the limit. */
static void code_show(struct kg_arena *arena, const struct found *found, struct kg_hot_loop *loop)
{
    size_t middle = 0;
    while (middle < found->count && found->loop[middle] != found->at)
        middle++;
    size_t first = middle > SHOWN_BEFORE ? middle - SHOWN_BEFORE : 0;
    size_t shown = found->count - first;
    if (shown > KG_HOT_CODE_MOST)
        shown = KG_HOT_CODE_MOST;
    while (first && shown < KG_HOT_CODE_MOST)
        first--, shown++;
    loop->code = kg_arena_alloc(arena, shown, sizeof *loop->code);
    for (size_t i = 0; i < shown; i++) {
        const struct kg_instruction *one = &found->body->code[found->loop[first + i]];
        if (one->facts.operation == KG_OPERATION_NONE && first + i != middle)
            continue;
        if (first + i == middle)
            loop->code_hottest = loop->code_count;
        loop->code[loop->code_count++] = text_of(arena, found->body, one);
    }
}

static void place_show(struct kg_arena *arena, const struct found *found, struct kg_place *place)
{
    const struct kg_place *from = &found->hottest->place;
    const char *slash = strrchr(found->hottest->module_path, '/');
    const char *symbol = found->body->function.name;
    *place = (struct kg_place){
        .function = from->function ? kg_arena_keep(arena, from->function)
                    : symbol       ? kg_symbol_name(arena, symbol)
                                   : NULL,
        .file = kg_arena_keep(arena, from->file),
        .line = from->line,
        .module = kg_arena_keep(arena, from->module ? from->module
                                       : slash      ? slash + 1
                                                    : found->hottest->module_path),
        .declared = kg_arena_keep(arena, from->declared),
    };
}

static void loop_show(struct search *search, const struct found *found, struct kg_hot_loop *loop)
{
    *loop = (struct kg_hot_loop){
        .share = fmin(found->share, 1), .whole_function = found->function, .chain_cycles = NAN};
    for (size_t i = 0; i < found->count; i++)
        instruction_count(&found->body->code[found->loop[i]], loop);
    if (loop->branches > 0 && !found->function)
        loop->branches--; /* the loop's own branch */
    const bool known = all_known(found);
    loop->throughput_cycles = known ? throughput_cycles(found) : NAN;
    if (!found->function && known) {
        const struct kg_loop_flow flow =
            kg_loop_flow(&search->own, found->body->code, found->loop, found->count);
        loop->address_loads = (double)flow.address_loads;
        loop->chained = (double)flow.chained;
        loop->forwarded = (double)flow.forwarded;
        loop->chain_cycles = flow.chain_cycles;
    }
    place_show(search->arena, found, &loop->place);
    code_show(search->arena, found, loop);
}

/* Sorts by share, hottest first; insertion sort, because there are few. */
static void sort(struct search *search)
{
    for (size_t i = 1; i < search->found_count; i++) {
        const struct found one = search->found[i];
        size_t at = i;
        for (; at && search->found[at - 1].share < one.share; at--)
            search->found[at] = search->found[at - 1];
        search->found[at] = one;
    }
}

static void loops_show(struct search *search, struct kg_hot_loop **loops, size_t *loop_count)
{
    *loops = kg_arena_alloc(search->arena, KG_HOT_LOOPS_MOST, sizeof **loops);
    for (size_t i = 0; i < search->found_count && *loop_count < KG_HOT_LOOPS_MOST &&
                       search->found[i].share > SHARE_LEAST;
         i++)
        loop_show(search, &search->found[i], &(*loops)[(*loop_count)++]);
}

void kg_loops_find(struct kg_arena *arena, const struct kg_hot_address *addresses, size_t count,
                   struct kg_hot_loop **loops, size_t *loop_count)
{
    struct kg_arena own = {0};
    *loops = NULL;
    *loop_count = 0;
    struct search *search = kg_arena_alloc(&own, 1, sizeof *search);
    search->arena = arena;
    for (size_t i = 0; i < count && i < LOOKED_AT_MOST; i++)
        address_take(search, &addresses[i]);
    sort(search);
    loops_show(search, loops, loop_count);
    for (size_t i = 0; i < search->file_count; i++)
        if (search->files[i].good)
            kg_machine_code_close(&search->files[i].code);
    kg_arena_free(&search->own);
    kg_arena_free(&own);
}
