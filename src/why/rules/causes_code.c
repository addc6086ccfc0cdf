/* causes_code.c: the workload's own code, by its hot loops. */
#include <math.h>
#include <string.h>

#include "why/rules/causes_weighing.h"
#include "why/rules/rule_parts.h"

/* Cycles that a processor of the last decade loses, as in Intel's and AMD's optimisation manuals: a
 * mispredicted branch, a line that comes from the second level of cache or the third. */
static const double CYCLES_OF_MISPREDICTION = 15, CYCLES_OF_LINE = 10;
static const double MEMORY_NS = 80;
/* A division of integers of 64 bits or of doubles, with what hides behind it. */
static const double CYCLES_OF_DIVISION = 10;
/* A load of what was just stored in another width. */
static const double CYCLES_OF_FORWARDING = 12;
static const double PER_CYCLE = 3;

/* What was counted in code of the workload itself, a call of it. */
struct counts {
    double instructions, mispredicted, line_misses, memory_misses;
};

static void counts_add(struct counts *sum, const struct kg_counted_line *line)
{
    sum->instructions += line->instructions;
    sum->mispredicted += line->mispredicted;
    sum->line_misses += line->line_misses;
    sum->memory_misses += line->memory_misses;
}

/* What the processor counted of all the code, as far as it is of the workload's own: where lines
 * were simulated, by their part of that, else by time. */
static double measured_of(double own, double simulated, double measured, double own_time)
{
    if (isnan(measured))
        return own;
    return simulated > 0 ? own / simulated * measured : own_time * measured;
}

/* The processor's own counters count instead of what is simulated, where there are any. Of lines
 * that come into the first level of cache they say nothing; where a part of a call was simulated,
 * these are as many as instructions say. */
static struct counts counts_of(const struct kg_weighing *weighing)
{
    const struct kg_counted *counted = &weighing->hot->counted;
    const struct kg_core_counts *core = &weighing->hot->core;
    struct counts sum = {0};
    for (size_t i = 0; i < counted->line_count; i++)
        if (!kg_place_is_library(&counted->lines[i].place))
            counts_add(&sum, &counted->lines[i]);
    if (isnan(core->instructions))
        return sum;
    if (isnan(counted->calls) && sum.instructions > 0)
        sum.line_misses *= core->instructions / counted->instructions;
    sum.instructions =
        measured_of(sum.instructions, counted->instructions, core->instructions, weighing->own);
    sum.mispredicted =
        measured_of(sum.mispredicted, counted->mispredicted, core->mispredicted, weighing->own);
    sum.memory_misses =
        measured_of(sum.memory_misses, counted->memory_misses, core->cache_misses, weighing->own);
    return sum;
}

/* Of all threads; without what other programs took of one that does not wait. */
static double cycles_of_call(const struct kg_weighing *weighing)
{
    const struct kg_traits *traits = &weighing->facts->traits;
    const bool taken = kg_cpus_taken(weighing->facts, weighing->settings);
    const double alone_ns =
        taken && kg_known(traits->cpu_ns) ? fmin(traits->time_ns, traits->cpu_ns) : traits->time_ns;
    const double busy_ns = traits->cores_busy > 1 ? traits->time_ns * traits->cores_busy : alone_ns;
    return busy_ns * 1e-9 * weighing->facts->clock_hz;
}

static bool uses_vectors(const struct kg_hot_loop *loop)
{
    return loop->vectors > 0 || loop->vector_floats > 0;
}

/* The least cycles that a turn of the loop takes by its instructions. */
static double least_cycles(const struct kg_hot_loop *loop)
{
    return fmax(fmax(loop->chain_cycles, loop->throughput_cycles), loop->instructions / PER_CYCLE);
}

/* What wrong guesses and misses cost in a turn: by how many there were; where the top-down method
 * tells, and most of the time is in this loop, by the slots that they took. */
static void costs_find(const struct kg_weighing *weighing, const struct kg_hot_loop *loop,
                       struct kg_loop_turn *turn)
{
    static const double MOST = 0.5;
    const struct kg_core_counts *core = &weighing->hot->core;
    const bool tells = loop->share >= MOST;
    turn->guessed = tells && !isnan(core->bad_speculation)
                        ? core->bad_speculation * turn->cycles
                        : turn->mispredicted * CYCLES_OF_MISPREDICTION;
    turn->missed = tells && !isnan(core->memory_bound)
                       ? core->memory_bound * turn->cycles
                       : turn->misses * CYCLES_OF_LINE +
                             turn->memory_misses * MEMORY_NS * 1e-9 * weighing->facts->clock_hz;
}

static struct kg_loop_turn turn_of(const struct kg_weighing *weighing,
                                   const struct kg_hot_loop *loop, const struct counts *counts)
{
    const double turns = counts->instructions / loop->instructions;
    struct kg_loop_turn turn = {.cycles = NAN, .stalled = NAN, .least_cycles = least_cycles(loop)};
    if (!(turns >= 1) ||
        (isnan(weighing->hot->counted.calls) && isnan(weighing->hot->core.instructions)))
        return turn;
    turn.turns = turns * fmin(1, loop->share / weighing->own);
    turn.cycles = weighing->own * cycles_of_call(weighing) / turns;
    turn.stalled = fmax(0, 1 - turn.least_cycles / turn.cycles);
    turn.mispredicted = counts->mispredicted / turns;
    turn.misses = counts->line_misses / turns;
    turn.memory_misses = counts->memory_misses / turns;
    costs_find(weighing, loop, &turn);
    return turn;
}

/* Stalled: so much of a turn is not explained by its instructions. */
static const double STALLED = 0.4;
static const double MISSES_LEAST = 0.02, MISSES_PER_INSTRUCTION = 0.004;
/* A load that waits for a store of the turn before is not seen in a long loop. */
static const double SHORT_LOOP = 32;

/* Loads whose address goes on by itself, at most one of them from elsewhere. */
static bool is_regular(const struct kg_hot_loop *loop)
{
    return loop->loads <= 1 && loop->instructions <= 10 && !(loop->address_loads > 0);
}

static enum kg_cause_kind missing_kind(const struct kg_weighing *weighing,
                                       const struct kg_hot_loop *loop,
                                       const struct kg_loop_turn *turn)
{
    const bool streams =
        kg_at_least(weighing->facts->traits.bandwidth_share, weighing->settings->bound_share);
    if (loop->address_loads > 0)
        return KG_CAUSE_POINTER_CHASING;
    if (streams || (uses_vectors(loop) && turn->misses < 0.75 * (loop->loads + loop->stores)))
        return KG_CAUSE_MEMORY_TRAFFIC;
    return is_regular(loop) && turn->misses >= 0.5 ? KG_CAUSE_ACCESS_PATTERN
                                                   : KG_CAUSE_CACHE_MISSES;
}

/* What a stalled turn waits for. Mispredicted branches are weighed by what they cost. */
static enum kg_cause_kind stall_kind(const struct kg_weighing *weighing,
                                     const struct kg_hot_loop *loop,
                                     const struct kg_loop_turn *turn)
{
    const double stall = turn->stalled * turn->cycles;
    if (turn->guessed >= 0.4 * stall && turn->guessed >= turn->missed)
        return KG_CAUSE_BRANCH_MISSES;
    if (turn->misses >= fmax(MISSES_LEAST, MISSES_PER_INSTRUCTION * loop->instructions) ||
        turn->missed >= 0.4 * stall)
        return missing_kind(weighing, loop, turn);
    if (loop->stores > 0 && loop->loads > 0 && !(loop->chained > 1) &&
        loop->instructions <= SHORT_LOOP)
        return kg_at_least(weighing->facts->traits.cores_busy, 1.5) ? KG_CAUSE_FALSE_SHARING
                                                                    : KG_CAUSE_STORE_FORWARDING;
    return KG_CAUSE_NONE;
}

/* Whether a division is among the instructions around the hottest: a loop may have one on a way
 * that is seldom taken. Without their text it is not known, and the loop has one. */
static bool divides_where_hot(const struct kg_hot_loop *loop)
{
    for (size_t i = 0; i < loop->code_count; i++)
        if (strstr(loop->code[i], "div") || strstr(loop->code[i], "sqrt"))
            return true;
    return loop->code_count == 0;
}

/* What a turn of the loop spends its cycles on by its instructions. */
static enum kg_cause_kind loop_kind(const struct kg_hot_loop *loop, const struct kg_loop_turn *turn,
                                    double *part)
{
    const double longest = fmax(least_cycles(loop), isnan(turn->cycles) ? 0 : turn->cycles);
    const double floats = loop->scalar_floats + loop->vector_floats;
    *part = 1;
    if (loop->calls > 0 && loop->instructions <= 24)
        return KG_CAUSE_CALL_OVERHEAD;
    if (loop->divisions > 0 && loop->divisions * CYCLES_OF_DIVISION >= 0.4 * longest &&
        divides_where_hot(loop))
        return KG_CAUSE_DIVISION;
    if (loop->conversions > 0 && loop->conversions >= 0.25 * floats && loop->calls == 0)
        return KG_CAUSE_CONVERSION;
    if (loop->chained > 0 &&
        loop->chain_cycles > 1.5 * fmax(loop->throughput_cycles, loop->instructions / PER_CYCLE)) {
        *part = 1 - loop->throughput_cycles / loop->chain_cycles;
        return KG_CAUSE_DEPENDENCY_CHAIN;
    }
    if (loop->stores == 0 && loop->branches >= 1 && loop->loads >= 1 && floats == 0 &&
        loop->calls == 0 && !uses_vectors(loop))
        return KG_CAUSE_LINEAR_SEARCH;
    if (!uses_vectors(loop) && loop->calls == 0 && loop->loads >= 1 &&
        !(loop->chain_cycles >= 0.4 * longest) &&
        (loop->scalar_floats > 0 || loop->instructions >= 40))
        return KG_CAUSE_SCALAR_LOOP;
    return KG_CAUSE_NONE;
}

/* Items of a call, or as many of four bytes as it moves; NaN: the workload does not say. */
static double items_of(const struct kg_traits *traits)
{
    static const double BYTES_EACH = 4;
    return kg_known(traits->items) ? traits->items : traits->bytes / BYTES_EACH;
}

/* Whether a loop turns about as often as there are pairs of items: one loop inside of another, each
 * over all of them. Floating point is left out: forces between all bodies are meant so. */
static bool is_quadratic(const struct kg_weighing *weighing, const struct kg_hot_loop *loop,
                         const struct kg_loop_turn *turn)
{
    static const double MOSTLY = 0.5, ITEMS_LEAST = 256, PAIRS = 16;
    const double items = items_of(&weighing->facts->traits);
    return kg_known(weighing->hot->counted.calls) && loop->share >= MOSTLY && loop->loads > 0 &&
           !(loop->scalar_floats > 0) && !(loop->calls > 0) && !uses_vectors(loop) &&
           !loop->whole_function && items >= ITEMS_LEAST && turn->turns >= items * items / PAIRS;
}

/* Whether what the loop's function calls is the mathematics library: what the call itself takes is
 * that library's, too. */
static bool calls_mathematics(const struct kg_weighing *weighing, const struct kg_hot_loop *loop)
{
    const struct kg_cause *library = &weighing->of[KG_CAUSE_MATH_LIBRARY];
    return library->share >= KG_SHARE_LEAST && library->caller && library->caller->function &&
           loop->place.function && !strcmp(library->caller->function, loop->place.function);
}

/* Instructions that a core of the last decade ends in a cycle where nothing stalls it: in this
 * range lies a loop's turn without its division, or without its chain. */
static const double MOST_PER_CYCLE = 6;
/* What mended code does instead of what stalled: as much as half of its instructions again. */
static const double INSTEAD = 0.5;

static double part_left(double cycles, double turn_cycles)
{
    return fmin(1, cycles / turn_cycles);
}

/* What mending a loop saves, where its machine code says what its turn then takes. `share` is what
 * the cause explains of the time, `whole` what the loop takes of it. */
static void loop_saves(struct kg_cause *cause, const struct kg_hot_loop *loop,
                       const struct kg_loop_turn *turn, double share, double whole)
{
    enum { SUMS = 4 }; /* that are made of one */
    const double quick = loop->instructions / MOST_PER_CYCLE;
    const double slow = loop->instructions / PER_CYCLE;
    const double chain = fmax(loop->throughput_cycles, loop->chain_cycles / SUMS);
    switch (cause->kind) {
    case KG_CAUSE_BRANCH_MISSES:
    case KG_CAUSE_ACCESS_PATTERN:
        kg_cause_saves(cause, share - INSTEAD * (whole - share), share);
        break;
    case KG_CAUSE_DIVISION:
        if (turn->cycles > 0)
            kg_cause_saves(cause, whole * (1 - part_left(slow, turn->cycles)),
                           whole * (1 - part_left(quick, turn->cycles)));
        break;
    case KG_CAUSE_DEPENDENCY_CHAIN:
        kg_cause_saves(cause, whole * (1 - part_left(fmax(chain, slow), loop->chain_cycles)),
                       whole * (1 - part_left(fmax(chain, quick), loop->chain_cycles)));
        break;
    default:
        break;
    }
}

/* Its code says that it waits for what it has just stored, whatever else it misses, but for memory. */
static bool forwards(const struct kg_hot_loop *loop, const struct kg_loop_turn *turn)
{
    const double longest = fmax(least_cycles(loop), isnan(turn->cycles) ? 0 : turn->cycles);
    return loop->forwarded > 0 && loop->forwarded * CYCLES_OF_FORWARDING >= 0.25 * longest &&
           !(turn->memory_misses >= MISSES_LEAST);
}

static void loop_weigh(struct kg_weighing *weighing, const struct kg_hot_loop *loop,
                       const struct counts *counts, double *left)
{
    if (isnan(loop->throughput_cycles)) /* it has instructions that could not be read */
        return;
    const struct kg_loop_turn turn = turn_of(weighing, loop, counts);
    double part = 1;
    enum kg_cause_kind kind = KG_CAUSE_NONE;
    if (loop->locked > 0)
        kind = KG_CAUSE_ATOMICS;
    else if (forwards(loop, &turn))
        kind = KG_CAUSE_STORE_FORWARDING;
    else if (turn.stalled >= STALLED && !(loop->calls > 0))
        kind = stall_kind(weighing, loop, &turn);
    if (kind != KG_CAUSE_NONE && kind != KG_CAUSE_ATOMICS && !forwards(loop, &turn))
        part = turn.stalled;
    else if (kind == KG_CAUSE_NONE)
        kind = loop_kind(loop, &turn, &part);
    if (kind == KG_CAUSE_CALL_OVERHEAD && calls_mathematics(weighing, loop))
        kind = KG_CAUSE_MATH_LIBRARY;
    if (kind == KG_CAUSE_NONE && is_quadratic(weighing, loop, &turn))
        kind = KG_CAUSE_QUADRATIC_LOOP;
    const double share = fmin(loop->share * part, *left);
    if (kind == KG_CAUSE_NONE || kg_place_is_library(&loop->place) || !(share > 0))
        return;
    struct kg_cause *cause = kg_weighing_add(weighing, kind, share);
    if (!cause->loop) {
        cause->loop = loop;
        cause->turn = turn;
        cause->seen = cause->seen ? cause->seen : &loop->place;
    }
    loop_saves(cause, loop, &turn, share, fmin(loop->share, *left));
    *left -= share;
}

/* Whether a call does what the workload says that it does, and no more: it executes no more
 * instructions than that wants, or brings in each line once. Then nothing of it is done twice. */
static bool does_no_more(const struct kg_weighing *weighing)
{
    static const double BYTES_EACH = 4, LINE_BYTES = 64, ONCE_LEAST = 0.5, ONCE_MOST = 1.5;
    const struct kg_traits *traits = &weighing->facts->traits;
    const struct kg_counted *counted = &weighing->hot->counted;
    const double lines = counted->line_misses * LINE_BYTES;
    if (!kg_known(counted->calls)) /* a part of a call proves nothing */
        return kg_known(traits->flops) || kg_known(traits->bytes);
    return kg_known(counted->instructions) &&
           (counted->instructions < traits->flops ||
            counted->instructions < traits->bytes / BYTES_EACH ||
            (lines >= ONCE_LEAST * traits->bytes && lines <= ONCE_MOST * traits->bytes));
}

/* Whether each call of a function has many items of its own. */
static bool has_its_own(const struct kg_weighing *weighing, const struct kg_counted_edge *edge)
{
    static const double ITEMS_EACH = 8;
    const double items = weighing->facts->traits.items;
    return kg_known(items) && edge->calls * ITEMS_EACH <= items;
}

/* A function of the workload's own that is called again and again, does much each time, and has
 * nothing else to be said of it: perhaps it gives the same each time. */
static void repeats_tell(struct kg_weighing *weighing, double left)
{
    static const double MUCH = 200, REQUESTS_TELL = 0.2;
    if (weighing->of[KG_CAUSE_SMALL_IO].share >= REQUESTS_TELL ||
        weighing->of[KG_CAUSE_SYNC_IO].share >= REQUESTS_TELL)
        return;
    const struct kg_sampled *sampled = &weighing->hot->sampled;
    const struct kg_counted *counted = &weighing->hot->counted;
    if (does_no_more(weighing))
        return;
    for (size_t i = 0; i < counted->edge_count && left >= 0.4; i++) {
        const struct kg_counted_edge *edge = &counted->edges[i];
        for (size_t f = 0; f < sampled->function_count; f++) {
            const struct kg_hot_place *function = &sampled->functions[f];
            if (!function->place.function || strcmp(function->place.function, edge->callee) != 0 ||
                kg_place_is_library(&function->place) || !(function->total >= 0.4) ||
                !(edge->calls >= KG_OFTEN) || has_its_own(weighing, edge) ||
                !(edge->instructions >= MUCH * edge->calls))
                continue;
            const double share = fmin(left, function->total);
            struct kg_cause *cause = kg_weighing_add(weighing, KG_CAUSE_REPEATED_WORK, share);
            cause->seen = &function->place;
            kg_cause_saves(cause, share * (1 - 1 / edge->calls), share);
            return;
        }
    }
}

/* Code that goes through memory in sequence is never stalled for long, as the processor fetches
 * ahead: that memory is what limits it shows by how much it moves. */
static void streams_tell(struct kg_weighing *weighing, const struct counts *counts, double *left)
{
    static const double IN_SEQUENCE = 0.3, FROM_MEMORY = 0.2, LINE_BYTES = 64;
    const struct kg_counted *counted = &weighing->hot->counted;
    const double seconds = weighing->facts->traits.time_ns * 1e-9;
    const double moving =
        counts->line_misses * LINE_BYTES / weighing->facts->memory_ceiling_bytes_per_s / seconds;
    if (!(counted->line_misses < IN_SEQUENCE * counted->loads) ||
        !(counts->memory_misses >= FROM_MEMORY * counts->line_misses) ||
        !(moving >= KG_TELLS_LEAST) || !weighing->hot->loop_count)
        return;
    const double share = fmin(moving, *left);
    struct kg_cause *cause = kg_weighing_add(weighing, KG_CAUSE_MEMORY_TRAFFIC, share);
    if (!cause->loop) {
        cause->loop = &weighing->hot->loops[0];
        cause->seen = &cause->loop->place;
    }
    *left -= fmax(0, share);
}

void kg_weigh_own_code(struct kg_weighing *weighing)
{
    const struct counts counts = counts_of(weighing);
    double left = weighing->own;
    for (size_t i = 0; i < weighing->hot->loop_count && left >= KG_SHARE_LEAST; i++)
        loop_weigh(weighing, &weighing->hot->loops[i], &counts, &left);
    streams_tell(weighing, &counts, &left);
    repeats_tell(weighing, left);
}
