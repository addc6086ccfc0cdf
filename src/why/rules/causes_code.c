/* causes_code.c: the workload's own code, by its hot loops. */
#include <math.h>
#include <string.h>

#include "why/rules/causes_weighing.h"
#include "why/rules/repeat_candidates.h"
#include "why/rules/rule_parts.h"

/* Cycles lost per mispredicted branch, and per line from the second or third level of cache.
 * Typical values for processors of the last decade, from the optimisation manuals of Intel and
 * AMD. */
static const double CYCLES_OF_MISPREDICTION = 15, CYCLES_OF_LINE = 10;
static const double MEMORY_NS = 80;
/* Division of doubles or 64-bit integers, less the cycles that other work hides. */
static const double CYCLES_OF_DIVISION = 10;
/* A load from a location just stored with another width. */
static const double CYCLES_OF_FORWARDING = 12;
static const double PER_CYCLE = 3;

/* Counts per call of the workload, in the workload's own code. */
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

/* Scales a count of the whole process to the workload's own code. If Callgrind simulated the
 * lines, the scale is the simulated share of own code. Otherwise the scale is own code's share
 * of the time. */
static double measured_of(double own, double simulated, double measured, double own_time)
{
    if (isnan(measured))
        return own;
    return simulated > 0 ? own / simulated * measured : own_time * measured;
}

/* Hardware counters replace simulated counts if they exist. They do not count lines into the
 * first level of cache. If Callgrind simulated a part of a call, kgate scales these lines by the
 * number of instructions. */
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

/* Cycles of all threads per call. If one thread was preempted, only its CPU time counts. */
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

/* Minimum cycles per iteration that the loop's instructions allow. */
static double least_cycles(const struct kg_hot_loop *loop)
{
    return fmax(fmax(loop->chain_cycles, loop->throughput_cycles), loop->instructions / PER_CYCLE);
}

/* Cycles per iteration lost to mispredicted branches and to cache misses. Normally kgate
 * multiplies their counts by typical costs. If the loop has most of the time, the top-down
 * counters give the lost slots instead. */
static void costs_find(const struct kg_weighing *weighing, const struct kg_hot_loop *loop,
                       struct kg_loop_turn *turn)
{
    static const double MOST = 0.5;
    const struct kg_core_counts *core = &weighing->hot->core;
    const bool dominant = loop->share >= MOST;
    turn->guessed = dominant && !isnan(core->bad_speculation)
                        ? core->bad_speculation * turn->cycles
                        : turn->mispredicted * CYCLES_OF_MISPREDICTION;
    turn->missed = dominant && !isnan(core->memory_bound)
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

/* Minimum share of an iteration's cycles that its instructions leave unexplained, for a loop to
 * count as stalled. */
static const double STALLED = 0.4;
static const double MISSES_LEAST = 0.02, MISSES_PER_INSTRUCTION = 0.004;
/* In a longer loop, a store has finished before the next iteration's load needs its value. */
static const double SHORT_LOOP = 32;

/* A short loop with at most one load per iteration, at an address that does not depend on loaded
 * data. */
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

/* The cause that explains the stall of an iteration. KG_CAUSE_NONE: unknown. */
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

/* Whether a division is among the instructions around the hottest one. A division elsewhere may
 * be on a path that seldom runs. If the instructions' text is unknown, kgate assumes a division. */
static bool divides_where_hot(const struct kg_hot_loop *loop)
{
    for (size_t i = 0; i < loop->code_count; i++)
        if (strstr(loop->code[i], "div") || strstr(loop->code[i], "sqrt"))
            return true;
    return loop->code_count == 0;
}

/* The cause that the loop's instructions show, with the `part` of the loop's time that it
 * explains. */
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

/* Items per call. If the workload gives none: its bytes divided by four. NaN: both are unknown. */
static double items_of(const struct kg_traits *traits)
{
    static const double BYTES_EACH = 4;
    return kg_known(traits->items) ? traits->items : traits->bytes / BYTES_EACH;
}

/* Whether the number of iterations is near the number of pairs of items. Two nested loops over
 * all items have this property. Floating-point loops are excluded: forces between all bodies are
 * quadratic by design. */
static bool is_quadratic(const struct kg_weighing *weighing, const struct kg_hot_loop *loop,
                         const struct kg_loop_turn *turn)
{
    static const double MOSTLY = 0.5, ITEMS_LEAST = 256, PAIRS = 16;
    const double items = items_of(&weighing->facts->traits);
    return kg_known(weighing->hot->counted.calls) && loop->share >= MOSTLY && loop->loads > 0 &&
           !(loop->scalar_floats > 0) && !(loop->calls > 0) && !uses_vectors(loop) &&
           !loop->whole_function && items >= ITEMS_LEAST && turn->turns >= items * items / PAIRS;
}

/* Whether the loop's function calls the mathematics library. If so, the call overhead counts as
 * that library's. */
static bool calls_mathematics(const struct kg_weighing *weighing, const struct kg_hot_loop *loop)
{
    const struct kg_cause *library = &weighing->of[KG_CAUSE_MATH_LIBRARY];
    return library->share >= KG_SHARE_LEAST && library->caller && library->caller->function &&
           loop->place.function && !strcmp(library->caller->function, loop->place.function);
}

/* Instructions per cycle without stalls, on cores of the last decade: between PER_CYCLE and this
 * number. A loop without its division or dependency chain runs in this range. */
static const double MOST_PER_CYCLE = 6;
/* Extra work of the fixed code, as a share of the loop's remaining time. */
static const double INSTEAD = 0.5;

static double part_left(double cycles, double turn_cycles)
{
    return fmin(1, cycles / turn_cycles);
}

/* Adds the saving of a fixed loop, if its machine code predicts the new cycles per iteration.
 * share  share of the case's time that the cause explains
 * whole  share of the case's time that the loop takes */
static void loop_saves(struct kg_cause *cause, const struct kg_hot_loop *loop,
                       const struct kg_loop_turn *turn, double share, double whole)
{
    enum { SUMS = 4 }; /* independent sums that replace one */
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

/* Whether the machine code shows a load that waits for a recent store. Misses to memory would
 * explain more. */
static bool forwards(const struct kg_hot_loop *loop, const struct kg_loop_turn *turn)
{
    const double longest = fmax(least_cycles(loop), isnan(turn->cycles) ? 0 : turn->cycles);
    return loop->forwarded > 0 && loop->forwarded * CYCLES_OF_FORWARDING >= 0.25 * longest &&
           !(turn->memory_misses >= MISSES_LEAST);
}

static void loop_weigh(struct kg_weighing *weighing, const struct kg_hot_loop *loop,
                       const struct counts *counts, double *left)
{
    if (isnan(loop->throughput_cycles)) /* some instructions could not be decoded */
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

/* Whether a call executes no more instructions than its work needs, or loads each line about
 * once. Then it repeats nothing. */
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

/* Whether each call of a function has at least ITEMS_EACH items of its own. */
static bool has_its_own(const struct kg_weighing *weighing, const struct kg_counted_edge *edge)
{
    static const double ITEMS_EACH = 8;
    const double items = weighing->facts->traits.items;
    return kg_known(items) && edge->calls * ITEMS_EACH <= items;
}

/* The part of a candidate's work that repeats, by its observed calls; 0: too few, or too few of
 * them are alike. */
static double repeated_part(const struct kg_repeated *repeated)
{
    static const double PART_LEAST = 0.5;
    if (!repeated || !(repeated->calls >= KG_OFTEN))
        return 0;
    const double part = repeated->repeated / repeated->calls;
    return part >= PART_LEAST ? part : 0;
}

/* Finds the function of the workload with the most work that repeats with equal arguments, if no
 * other cause explains the time. */
static void repeats_note(struct kg_weighing *weighing, double left)
{
    static const double REQUESTS_LEAST = 0.2;
    struct kg_repeat_candidate candidates[KG_HOT_REPEATS_MOST];
    const struct kg_hot_place *found = NULL;
    double most = 0;
    if (weighing->of[KG_CAUSE_SMALL_IO].share >= REQUESTS_LEAST ||
        weighing->of[KG_CAUSE_SYNC_IO].share >= REQUESTS_LEAST || left < KG_REPEATS_SHARE ||
        does_no_more(weighing))
        return;
    const size_t count = kg_repeat_candidates(weighing->hot, candidates);
    for (size_t i = 0; i < count; i++) {
        const struct kg_hot_place *function = candidates[i].function;
        const double part =
            repeated_part(kg_repeated_of(&weighing->hot->repeats, &function->place));
        const double saved = fmin(left, function->total) * part;
        if (saved > most && !has_its_own(weighing, candidates[i].edge)) {
            found = function;
            most = saved;
        }
    }
    if (!found)
        return;
    struct kg_cause *cause =
        kg_weighing_add(weighing, KG_CAUSE_REPEATED_WORK, fmin(left, found->total));
    cause->seen = &found->place;
    cause->repeated = kg_repeated_of(&weighing->hot->repeats, &found->place);
    kg_cause_saves(cause, most, most);
}

/* Sequential code never stalls for long, because the processor prefetches. So the bytes moved
 * per second show whether memory is the bottleneck. */
static void streams_note(struct kg_weighing *weighing, const struct counts *counts, double *left)
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
    streams_note(weighing, &counts, &left);
    repeats_note(weighing, left);
}
