#include "why/evidence/changed_rows.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "why/evidence/known_functions.h"

enum direction { FELL, ROSE, STAYED, MOVED };

/* The unit of `least`: a share of the earlier value, or an amount. STAYED: the largest share
 * that still counts. */
enum measure { BY_SHARE, BY_AMOUNT };

/* The model for the part of the slowdown that a change can explain. */
enum weight {
    OF_RATIO,  /* time grows with the trait: the ratio of their logarithms */
    OF_TIME,   /* the trait is a part of the time */
    OF_LINES,  /* as OF_RATIO, but a line costs at most a load from memory */
    OF_BYTES,  /* as OF_RATIO, but a page costs at most a page fault */
    OF_FAULTS, /* each costs the machine's measured page fault; unknown: their time in the kernel */
    OF_LAUNCHES, /* each costs the machine's measured launch; unknown: as OF_RATIO */
    OF_REST,     /* the part that no change with another cause explains */
    OF_LAST      /* as OF_RATIO, if no other change counts */
};

enum cause {
    BY_WORK = 1,     /* other instructions */
    BY_DATA = 2,     /* another layout of data, or another order of access */
    BY_THREADS = 4,  /* another division of the work */
    BY_SYSTEM = 8,   /* more requests to the operating system */
    BY_HOST = 16,    /* the GPU waits */
    BY_KERNEL = 32,  /* more resources of the GPU per kernel */
    BY_MACHINE = 64, /* the machine itself */
    BY_NONE = 0      /* a symptom */
};

struct row {
    enum kg_metric_kind metric; /* the metric whose rise it explains */
    size_t offset;              /* offset of the trait */
    enum direction direction;
    enum measure measure;
    double least;
    enum weight weight;
    double most; /* largest share of the rise that it can explain */
    enum cause cause;
    unsigned agrees; /* OF_REST: causes of the same kind, which leave its share alone */
    bool (*holds)(const struct kg_slower *slower); /* further condition; or NULL */
    const char *subject, *tail, *reading;
};

/* Minimum share for a reason; and minimum unexplained share for a symptom. */
static const double EXPLAINS_LEAST = 0.2;
static const double REST_LEAST = 0.5;
/* Largest change from run to run of an instruction count, and of a time with one thread. */
static const double SAME_COUNT = 0.02;
static const double SAME_TIME = 0.05;
/* Busy cores of one thread, with a margin for the clock probe between samples. */
static const double ONE_CORE = 1.1;

/* Approximate minimum time for which the scheduler gives a CPU to another process. */
static const double SLICE_NS = 2e6;

/* Fewer additional bytes per call than one line, or one page, are no cause. */
static const double LINE_BYTES = 64;
static const double PAGE_BYTES = 4096;

/* Upper limits of the costs on a machine without measured ones. Assumed, not measured. */
static const double LATENCY_NS = 150;
static const double PAGE_NS = 1000;

/* Larger values are invalid: no machine moves, takes or counts more per call or per second. */
static const double MOST = 1e18;

static bool same(double base, double current, double share)
{
    return base > 0 && fabs(current / base - 1) <= share;
}

static bool same_instructions(const struct kg_slower *slower)
{
    return same(slower->base.instructions, slower->current.instructions, SAME_COUNT);
}

/* Whether the baseline was at least as near to the memory peak as to the arithmetic peak.
 * Unknown counts as far. */
static bool near_bandwidth(const struct kg_slower *slower)
{
    return !(slower->base.flops_share > slower->base.bandwidth_share);
}

/* Whether the baseline was nearer to the arithmetic peak. If the instructions are the same,
 * neither reading of the row can be true. */
static bool near_arithmetic(const struct kg_slower *slower)
{
    return !(slower->base.bandwidth_share >= slower->base.flops_share) &&
           !same_instructions(slower);
}

/* Whether both sides have the same kind of ceiling: another level or number of threads means
 * another ceiling. */
static bool same_ceiling(const struct kg_slower *slower)
{
    const struct kg_traits *base = &slower->base, *current = &slower->current;
    return base->level == current->level &&
           (base->threads == current->threads || (isnan(base->threads) && isnan(current->threads)));
}

/* Whether the case uses the same number of threads, above one. Unused threads hinder nobody. If
 * the number of busy cores is unknown, kgate assumes that threads are used. */
static bool same_threads(const struct kg_slower *slower)
{
    const struct kg_traits *base = &slower->base, *current = &slower->current;
    const bool alone = base->cores_busy <= ONE_CORE && current->cores_busy <= ONE_CORE;
    return base->threads > 1 && base->threads == current->threads && !alone;
}

/* Fewer additional waits per call do not matter, even if waits were much rarer before. */
static bool waits_now(const struct kg_slower *slower)
{
    return slower->current.waits - slower->base.waits >= 0.5;
}

/* Whether transfers may explain the rise; false only if they are known not to. */
static bool transfers_matter(const struct kg_slower *slower)
{
    const double more_ns = slower->current.transfer_ns - slower->base.transfer_ns;
    return !(more_ns < EXPLAINS_LEAST * (slower->current_value - slower->base_value));
}

/* Whether the CPU time explains the rise. Time is CPU time by busy cores, so these explain the rest at most. Ratios count:
 * contention makes both sides longer alike, but adds no CPU time. */
static bool cpu_explains(const struct kg_slower *slower)
{
    static const double MOST_OF_IT = 0.8;
    return log(slower->current.cpu_ns / slower->base.cpu_ns) >=
           MOST_OF_IT * log(slower->current_value / slower->base_value);
}

/* Whether preemptions can explain the rise. They must be more frequent than before, or more
 * frequent than voluntary waits. The second condition is needed because the earlier run may have
 * been preempted too. */
static bool preempted(const struct kg_slower *slower)
{
    static const double MOST_OF_IT = 0.8;
    const struct kg_traits *base = &slower->base, *current = &slower->current;
    /* a thread without a CPU takes no CPU time */
    if (cpu_explains(slower) ||
        current->cpu_ns - base->cpu_ns >= MOST_OF_IT * (slower->current_value - slower->base_value))
        return false;
    const double least = EXPLAINS_LEAST * (slower->current_value - slower->base_value) / SLICE_NS;
    const double more = current->preempted - base->preempted;
    return (more > 0.5 * base->preempted && more >= least) ||
           (current->preempted > current->waits && current->preempted >= least);
}

/* On one core, a less busy case waits. On several cores, threads may also share the work worse. */
static bool was_parallel(const struct kg_slower *slower)
{
    return slower->base.cores_busy > ONE_CORE && !preempted(slower) && !cpu_explains(slower);
}

static bool was_alone(const struct kg_slower *slower)
{
    return !(slower->base.cores_busy > ONE_CORE) && !preempted(slower) && !waits_now(slower) &&
           !cpu_explains(slower);
}

static bool alone_and_waits(const struct kg_slower *slower)
{
    return !(slower->base.cores_busy > ONE_CORE) && !preempted(slower) && waits_now(slower) &&
           !cpu_explains(slower);
}

/* Whether time and CPU time rose alike on the host, and instructions were not counted. */
static bool uncounted(const struct kg_slower *slower)
{
    const struct kg_traits *base = &slower->base, *current = &slower->current;
    const double alike =
        log(current->cpu_ns / base->cpu_ns) / log(slower->current_value / slower->base_value);
    return alike >= 0.75 && alike <= 1.33 && isnan(current->gpu_ns) &&
           (isnan(base->instructions) || isnan(current->instructions));
}

/* Fewer pages are no buffer. */
static bool faults_now(const struct kg_slower *slower)
{
    return slower->current.page_faults - slower->base.page_faults >= 16;
}

/* Peak memory varies by some pages at random. The limit is the usual min_memory_effect of a
 * suite. */
static bool much_memory(const struct kg_slower *slower)
{
    return slower->current.peak_bytes - slower->base.peak_bytes >= 1024.0 * 1024;
}

static bool same_allocated(const struct kg_slower *slower)
{
    return same(slower->base.allocated_bytes, slower->current.allocated_bytes, SAME_TIME);
}

static bool other_allocated(const struct kg_slower *slower)
{
    return !same_allocated(slower);
}

static bool deeper(const struct kg_slower *slower)
{
    const double base = slower->base.working_set_bytes;
    const double current = slower->current.working_set_bytes;
    /* for the same amount of data, the level only reflects the speed */
    return slower->current.level > slower->base.level && !same(base, current, SAME_TIME);
}

/* Whether the workload declares the same work per call. */
static bool same_work(const struct kg_slower *slower)
{
    const struct kg_traits *base = &slower->base, *current = &slower->current;
    return same(base->flops, current->flops, SAME_COUNT) ||
           same(base->items, current->items, SAME_COUNT) ||
           same(base->bytes, current->bytes, SAME_COUNT);
}

static bool other_work(const struct kg_slower *slower)
{
    return !same_work(slower);
}

#define MORE_WORK "more work per call"
#define SAME_WORK "the same work takes more instructions"
#define OF(member) KG_METRIC_TIME, offsetof(struct kg_traits, member)
#define MEMORY_OF(member) KG_METRIC_PEAK_MEMORY, offsetof(struct kg_traits, member)
#define INSTRUCTIONS_OF(member) KG_METRIC_INSTRUCTIONS, offsetof(struct kg_traits, member)
#define CPU_TIME_OF(member) KG_METRIC_CPU_TIME, offsetof(struct kg_traits, member)
#define ENERGY_OF(member) KG_METRIC_ENERGY, offsetof(struct kg_traits, member)
/* clang-format off */

/* If two changes explain equally much, the earlier row wins; rows near a possible fix come
 * first. Times of unchanged code vary by less than `least`. */
static const struct row rows[] = {
    {OF(level), MOVED, BY_AMOUNT, 1, OF_RATIO, 1, BY_DATA, 0, deeper,
     "the working set", "", "it no longer fits into its cache"},
    {OF(line_bytes), ROSE, BY_SHARE, 0.1, OF_LINES, 1, BY_DATA, 0, NULL,
     "cache lines brought in", " per call", "access pattern"},
    {OF(memory_line_bytes), ROSE, BY_SHARE, 0.1, OF_LINES, 1, BY_DATA, 0, NULL,
     "traffic from and to memory", " per call",
     "access pattern, or data that no longer stays in the cache"},
    {OF(instructions), ROSE, BY_SHARE, 0.03, OF_RATIO, 1, BY_WORK, 0, other_work,
     "instructions", " per call", MORE_WORK},
    {OF(instructions), ROSE, BY_SHARE, 0.03, OF_RATIO, 1, BY_WORK, 0, same_work,
     "instructions", " per call", SAME_WORK},
    {OF(threads), FELL, BY_SHARE, 0.05, OF_RATIO, 1, BY_THREADS, 0, NULL,
     "threads", "", "fewer threads may run at once"},
    {OF(cores_busy), FELL, BY_SHARE, 0.1, OF_RATIO, 1, BY_THREADS, 0, was_parallel,
     "cores busy", "", "less parallel"},
    {OF(cores_busy), FELL, BY_SHARE, 0.1, OF_RATIO, 1, BY_THREADS, 0, was_alone,
     "cores busy", "", "it waits, or shares its core"},
    {OF(cores_busy), FELL, BY_SHARE, 0.1, OF_RATIO, 1, BY_THREADS, 0, alone_and_waits,
     "cores busy", "", "it waits"},
    {OF(cores_busy), FELL, BY_SHARE, 0.1, OF_RATIO, 1, BY_MACHINE, 0, preempted,
     "cores busy", "", "other processes preempted it"},
    {OF(launches), ROSE, BY_SHARE, 0.05, OF_LAUNCHES, 1, BY_HOST, 0, NULL,
     "launches", " per call", "the work comes in smaller pieces"},
    {OF(gap_ns), ROSE, BY_SHARE, 0.1, OF_TIME, 1, BY_HOST, 0, NULL,
     "the GPU's idle time between its work", " per call", "the host does not keep up"},
    {OF(pageable_bytes), ROSE, BY_AMOUNT, 65536, OF_RATIO, 0.9, BY_HOST, 0, transfers_matter,
     "copies from or to pageable memory", " per call",
     "buffers that are not page-locked"},
    {OF(transfer_ns), ROSE, BY_SHARE, 0.1, OF_TIME, 1, BY_HOST, 0, NULL,
     "transfers between host and device", " per call", "more bytes, or slower copies"},
    {OF(local_bytes), ROSE, BY_AMOUNT, 8, OF_RATIO, 0.9, BY_KERNEL, 0, NULL,
     "local memory of the main kernel", " per thread",
     "registers no longer suffice, and are spilled to memory"},
    {OF(occupancy), FELL, BY_AMOUNT, 0.05, OF_RATIO, 0.8, BY_KERNEL, 0, NULL,
     "occupancy of the main kernel", "", "more registers or shared memory, or other blocks"},
    {OF(page_faults), ROSE, BY_SHARE, 0.5, OF_FAULTS, 1, BY_SYSTEM, 0, NULL,
     "page faults", " per call", "each call allocates this memory again"},
    {OF(waits), ROSE, BY_SHARE, 0.5, OF_RATIO, 0.6, BY_SYSTEM, 0, waits_now,
     "waits of threads", " per call", "locks, I/O or sleeps"},
    {OF(alone_ns), STAYED, BY_SHARE, SAME_TIME, OF_RATIO, 0.9, BY_THREADS, 0, same_threads,
     "time with one thread", "", "the threads hinder each other"},
    {OF(bandwidth_share), FELL, BY_AMOUNT, 0.05, OF_REST, 1, BY_NONE, BY_DATA, near_bandwidth,
     "bandwidth", " of its peak", "access pattern or cache"},
    {OF(flops_share), FELL, BY_AMOUNT, 0.05, OF_REST, 1, BY_NONE, BY_WORK, near_arithmetic,
     "arithmetic", " of its peak", "fewer vector instructions, or more work"},
    {OF(bandwidth_ceiling_bytes_per_s), FELL, BY_SHARE, 0.1, OF_RATIO, 0.8, BY_MACHINE, 0,
     same_ceiling, "the peak bandwidth itself", "", "a slower machine, or a shared one"},
    {OF(flops_ceiling_per_s), FELL, BY_SHARE, 0.1, OF_RATIO, 0.8, BY_MACHINE, 0, same_ceiling,
     "the peak of arithmetic itself", "", "a lower clock, or a shared machine"},
    {OF(allocated_bytes), ROSE, BY_SHARE, 0.05, OF_BYTES, 0.5, BY_DATA, 0, NULL,
     "allocated memory", "", "larger buffers, or more of them"},
    {OF(peak_bytes), ROSE, BY_SHARE, 0.1, OF_BYTES, 0.4, BY_DATA, 0, much_memory,
     "peak memory", "", "more memory is in use at once"},
    {OF(instructions), STAYED, BY_SHARE, SAME_COUNT, OF_REST, 0.5, BY_NONE, 0, NULL,
     "instructions", " per call, but took longer", "slower caches, a lower clock or other programs"},
    {OF(cpu_ns), ROSE, BY_SHARE, 0.05, OF_LAST, 1, BY_NONE, 0, uncounted,
     "CPU time", " per call, like the time",
     "more work, or slower work, but no waiting. To see which, count instructions: `metrics: "
     "[time, peak_memory, instructions]`"},
    {INSTRUCTIONS_OF(instructions), ROSE, BY_SHARE, 0, OF_RATIO, 1, BY_WORK, 0, other_work,
     "instructions", " per call", MORE_WORK},
    {INSTRUCTIONS_OF(instructions), ROSE, BY_SHARE, 0, OF_RATIO, 1, BY_WORK, 0, same_work,
     "instructions", " per call", SAME_WORK},
    {MEMORY_OF(allocated_bytes), ROSE, BY_SHARE, 0.02, OF_RATIO, 1, BY_DATA, 0, NULL,
     "allocated memory", "", "larger buffers, or more of them"},
    {MEMORY_OF(page_faults), ROSE, BY_SHARE, 0.5, OF_RATIO, 0.95, BY_SYSTEM, 0, faults_now,
     "page faults", " per call", "each call allocates this memory again"},
    {MEMORY_OF(peak_bytes), ROSE, BY_SHARE, 0.02, OF_RATIO, 0.9, BY_DATA, 0, same_allocated,
     "peak memory", "",
     "the context's allocator gave no more: malloc, threads' stacks or a library hold it"},
    {MEMORY_OF(peak_bytes), ROSE, BY_SHARE, 0.02, OF_RATIO, 0.9, BY_DATA, 0, other_allocated,
     "peak memory", "", "more memory is in use at once"},
    {CPU_TIME_OF(instructions), ROSE, BY_SHARE, 0.03, OF_RATIO, 1, BY_WORK, 0, other_work,
     "instructions", " per call", MORE_WORK},
    {CPU_TIME_OF(instructions), ROSE, BY_SHARE, 0.03, OF_RATIO, 1, BY_WORK, 0, same_work,
     "instructions", " per call", SAME_WORK},
    {CPU_TIME_OF(cores_busy), ROSE, BY_SHARE, 0.1, OF_RATIO, 0.95, BY_THREADS, 0, NULL,
     "cores busy", "", "more threads at work, or threads that spin while they wait"},
    {CPU_TIME_OF(time_ns), ROSE, BY_SHARE, 0.05, OF_RATIO, 0.9, BY_NONE, 0, NULL,
     "time", " per call", "the work itself takes longer"},
    {ENERGY_OF(cpu_ns), ROSE, BY_SHARE, 0.05, OF_RATIO, 1, BY_WORK, 0, NULL,
     "CPU time", " per call", "more work, or threads that spin while they wait"},
    {ENERGY_OF(time_ns), ROSE, BY_SHARE, 0.05, OF_RATIO, 0.95, BY_NONE, 0, NULL,
     "time", " per call", "the device runs for longer"},
};
/* clang-format on */
enum { ROWS = sizeof rows / sizeof *rows };

static const struct kg_trait *trait_of(const struct row *row)
{
    return &kg_trait_table[row->offset / sizeof(double)]; /* the table has the struct's order */
}

static bool large_enough(const struct row *row, double base, double current)
{
    const double size = fabs(current - base);
    const double least = row->weight == OF_LINES   ? LINE_BYTES
                         : row->weight == OF_BYTES ? PAGE_BYTES
                                                   : 0;
    return size > 0 && size >= least && size >= row->least * (row->measure == BY_SHARE ? base : 1);
}

static bool makes_sense(enum kg_trait_unit unit, double value)
{
    if (unit == KG_TRAIT_LEVEL && !(value < KG_LEVEL_COUNT && value == floor(value)))
        return false;
    return value >= 0 && value <= MOST;
}

static bool fires(const struct row *row, const struct kg_slower *slower)
{
    const double base = kg_trait_get(&slower->base, trait_of(row));
    const double current = kg_trait_get(&slower->current, trait_of(row));
    if (!makes_sense(trait_of(row)->unit, base) || !makes_sense(trait_of(row)->unit, current))
        return false;
    if (row->metric != slower->metric || (row->holds && !row->holds(slower)))
        return false;
    switch (row->direction) {
    case FELL:
        return current < base && large_enough(row, base, current);
    case ROSE:
        return current > base && large_enough(row, base, current);
    case STAYED:
        return same(base, current, row->least) &&
               slower->current_value / slower->base_value - 1 > 2 * row->least;
    case MOVED:
        return large_enough(row, base, current);
    }
    return false;
}

/* base and current are at least 0. A change from or to 0 gives infinity: the whole rise. */
static double ratio_explains(const struct kg_slower *slower, double base, double current)
{
    return fabs(log(current / base)) / log(slower->current_value / slower->base_value);
}

static double cost_explains(const struct kg_slower *slower, double base, double current,
                            double cost_ns)
{
    return (current - base) * cost_ns / (slower->current_value - slower->base_value);
}

/* Time of the samples in system calls, without those that only take or return memory. */
static double requests_ns(const struct kg_sampled *sampled, double time_ns)
{
    double share = 0;
    for (size_t i = 0; sampled && i < sampled->site_count; i++) {
        const char *call = sampled->sites[i].call;
        share += call && kg_known_system_call(call, NAN) != KG_CAUSE_PAGE_FAULTS
                     ? sampled->sites[i].share
                     : 0;
    }
    return share > 0 ? share * time_ns : 0;
}

/* Time that additional page faults take, by the growth of the CPU time in the kernel outside of
 * system calls. NaN: unknown, or too much for so many faults. `ab` does not measure the cost of one. */
static double faults_kernel_ns(const struct kg_slower *slower)
{
    static const double FAULT_MOST_NS = 200e3; /* clearing a huge page */
    const struct kg_traits *base = &slower->base, *current = &slower->current;
    const double kernel_ns = current->kernel_ns - base->kernel_ns -
                             requests_ns(slower->current_sampled, current->time_ns) +
                             requests_ns(slower->base_sampled, base->time_ns);
    return kernel_ns <= FAULT_MOST_NS * (current->page_faults - base->page_faults) ? kernel_ns
                                                                                   : NAN;
}

static double known_or(double value, double usual)
{
    return value > 0 ? value : usual;
}

static bool is_of_bytes(const struct row *row)
{
    return row->weight == OF_LINES || row->weight == OF_BYTES;
}

/* Highest cost of one more byte on the CPU. */
static double byte_ns(enum weight weight, const struct kg_slower *slower)
{
    return weight == OF_LINES ? known_or(slower->memory_latency_ns, LATENCY_NS) / LINE_BYTES
                              : known_or(slower->page_fault_ns, PAGE_NS) / PAGE_BYTES;
}

static double explains(const struct row *row, const struct kg_slower *slower)
{
    const double base = kg_trait_get(&slower->base, trait_of(row));
    const double current = kg_trait_get(&slower->current, trait_of(row));
    if (row->direction == MOVED || row->direction == STAYED)
        return row->most;
    double share = ratio_explains(slower, base, current);
    if (is_of_bytes(row) && isnan(slower->current.gpu_ns))
        share = fmin(share, cost_explains(slower, base, current, byte_ns(row->weight, slower)));
    if (row->weight == OF_TIME)
        share = cost_explains(slower, base, current, 1);
    else if (row->weight == OF_FAULTS)
        share = slower->page_fault_ns > 0
                    ? cost_explains(slower, base, current, slower->page_fault_ns)
                    : cost_explains(slower, 0, faults_kernel_ns(slower), 1);
    else if (row->weight == OF_LAUNCHES && slower->launch_ns > 0)
        share = cost_explains(slower, base, current, slower->launch_ns);
    return share > 0 ? fmin(row->most, share) : 0; /* NaN is no reason */
}

/* Share of the rise that a symptom can explain: the rest after all causes that do not agree with
 * it. found[] is 0 for rows that do not fire. */
static double rest(const struct row *row, const double *found)
{
    double explained = 0;
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].cause != BY_NONE && !(rows[i].cause & row->agrees))
            explained = fmax(explained, found[i]);
    return 1 - explained >= REST_LEAST ? fmin(row->most, 1 - explained) : 0;
}

static bool by_itself(const struct row *row)
{
    return row->weight != OF_REST && row->weight != OF_LAST;
}

static void rows_weigh(const struct kg_slower *slower, double *found)
{
    bool any = false;
    for (size_t i = 0; i < ROWS; i++) {
        found[i] = by_itself(&rows[i]) && fires(&rows[i], slower) ? explains(&rows[i], slower) : 0;
        if (found[i] < EXPLAINS_LEAST)
            found[i] = 0;
    }
    for (size_t i = 0; i < ROWS; i++) {
        if (rows[i].weight == OF_REST && !slower->placed && fires(&rows[i], slower))
            found[i] = rest(&rows[i], found);
        any = any || found[i] > 0 || slower->placed;
    }
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].weight == OF_LAST && !any && fires(&rows[i], slower))
            found[i] = explains(&rows[i], slower);
}

/* The reading of a row. Environment variables decide the work and the number of threads. So a
 * changed environment outranks a guess about unchanged code. */
static const char *reading_of(const struct row *row, const struct kg_slower *slower)
{
    const bool decides = row->cause == BY_WORK || row->cause == BY_THREADS;
    return decides && slower->environment ? slower->environment : row->reading;
}

static const char *row_text(struct kg_arena *arena, const struct row *row,
                            const struct kg_slower *slower)
{
    const double base = kg_trait_get(&slower->base, trait_of(row));
    const double current = kg_trait_get(&slower->current, trait_of(row));
    static const char *const verbs[] = {
        [FELL] = "fell", [ROSE] = "rose", [STAYED] = "stayed", [MOVED] = "moved"};
    const enum kg_trait_unit unit = trait_of(row)->unit;
    struct kg_text text = {0};
    kg_text_printf(&text, "%s %s ", row->subject, verbs[row->direction]);
    if (row->direction == STAYED) {
        kg_text_append(&text, "at ");
    } else {
        kg_text_append(&text, "from ");
        kg_trait_format(unit, base, &text);
        kg_text_append(&text, " to ");
    }
    kg_trait_format(unit, current, &text);
    kg_text_append(&text, row->tail);
    if (row->weight == OF_FAULTS && !(slower->page_fault_ns > 0)) {
        kg_text_append(&text, ", with ");
        kg_trait_format(KG_TRAIT_NS, faults_kernel_ns(slower), &text);
        kg_text_append(&text, " more in the kernel");
    }
    kg_text_printf(&text, ": %s", reading_of(row, slower));
    const char *kept = kg_arena_copy(arena, kg_text_string(&text));
    kg_text_free(&text);
    return kept;
}

/* The first row with the largest share; ROWS: none is left. */
static size_t best(const double *found)
{
    size_t at = ROWS;
    for (size_t i = 0; i < ROWS; i++)
        if (found[i] > 0 && (at == ROWS || found[i] > found[at]))
            at = i;
    return at;
}

void kg_slower_note(struct kg_arena *arena, const struct kg_slower *slower,
                    struct kg_reason reasons[KG_REASONS_MOST], size_t *count)
{
    double found[ROWS];
    *count = 0;
    if (!(slower->base_value > 0) || !(slower->current_value > slower->base_value) ||
        !isfinite(slower->current_value / slower->base_value))
        return;
    rows_weigh(slower, found);
    for (size_t at; *count < KG_REASONS_MOST && (at = best(found)) < ROWS; found[at] = 0) {
        const struct kg_trait *trait = trait_of(&rows[at]);
        struct kg_reason *one = &reasons[*count];
        *one = (struct kg_reason){.trait = trait,
                                  .base = kg_trait_get(&slower->base, trait),
                                  .current = kg_trait_get(&slower->current, trait),
                                  .explains = found[at]};
        one->text = row_text(arena, &rows[at], slower);
        ++*count;
    }
}
