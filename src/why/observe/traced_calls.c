#include "why/observe/traced_calls.h"

#include <math.h>
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "run/worker/mark.h"

/* System calls that return the number of bytes moved. */
static const unsigned short moving[] = {
    SYS_read,   SYS_write,    SYS_pread64,         SYS_pwrite64,   SYS_readv,
    SYS_writev, SYS_preadv,   SYS_pwritev,         SYS_preadv2,    SYS_pwritev2,
    SYS_sendto, SYS_recvfrom, SYS_sendmsg,         SYS_recvmsg,    SYS_sendfile,
    SYS_splice, SYS_tee,      SYS_copy_file_range, SYS_getdents64, SYS_getrandom,
};

static bool moves_bytes(size_t number)
{
    for (size_t i = 0; i < sizeof moving / sizeof *moving; i++)
        if (moving[i] == number)
            return true;
    return false;
}

/* Approximate time of an empty system call without a tracer; and the mean time below which a
 * tracer cannot time calls. */
static const double CALL_LEAST_NS = 100, CALL_SHORT_NS = 3000;
/* --- Marks ------------------------------------------------------------------------------------ */

static void turn_begin(struct kg_traced_calls *calls, const struct kg_marked *at, uint64_t now_ns)
{
    if (!calls->any)
        calls->first = *at;
    calls->any = true;
    calls->inside = true;
    calls->paused = false;
    calls->begin = *at;
    calls->begin_ns = now_ns;
    memset(calls->now, 0, sizeof calls->now);
    calls->now_count = 0;
}

static void turn_end(struct kg_traced_calls *calls, const struct kg_marked *at)
{
    if (!calls->inside)
        return;
    calls->inside = false;
    calls->last = *at;
    calls->calls += at->calls - calls->begin.calls;
    for (size_t i = 0; i < KG_CALL_NUMBERS; i++) {
        calls->whole[i].count += calls->now[i].count;
        calls->whole[i].bytes += calls->now[i].bytes;
        calls->whole[i].time_ns += calls->now[i].time_ns;
    }
}

bool kg_traced_mark(struct kg_traced_calls *calls, long number, const uint64_t arguments[6],
                    uint64_t now_ns)
{
    const struct kg_marked at = {arguments[1], arguments[2], arguments[3], arguments[4]};
    if (number != SYS_prctl)
        return false;
    switch (arguments[0]) {
    case KG_MARK_BEGIN:
        turn_begin(calls, &at, now_ns);
        return true;
    case KG_MARK_END:
        turn_end(calls, &at);
        return true;
    case KG_MARK_PAUSE:
    case KG_MARK_RESUME:
        calls->paused = arguments[0] == KG_MARK_PAUSE;
        return true;
    default:
        return false;
    }
}

void kg_traced_mark_timed(struct kg_traced_calls *calls, double took_ns)
{
    calls->marks_ns[calls->mark_count++ % KG_MARKS_TIMED] = took_ns;
}

void kg_traced_add(struct kg_traced_calls *calls, long number, int64_t result, uint64_t entered_ns,
                   uint64_t now_ns, bool timed)
{
    if (!calls->inside || calls->paused || number < 0 || number >= KG_CALL_NUMBERS)
        return;
    struct kg_traced_kind *kind = &calls->now[number];
    kind->count++;
    kind->last = ++calls->now_count;
    if (result > 0 && moves_bytes((size_t)number))
        kind->bytes += (uint64_t)result;
    /* a call that began before the slice */
    const uint64_t from_ns = entered_ns > calls->begin_ns ? entered_ns : calls->begin_ns;
    if (timed && now_ns > from_ns)
        kind->time_ns += now_ns - from_ns;
}

/* --- Summary ---------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The lower quartile of the marks' durations. */
static double tracing_ns(const struct kg_traced_calls *calls)
{
    double sorted[KG_MARKS_TIMED];
    const size_t count = calls->mark_count < KG_MARKS_TIMED ? calls->mark_count : KG_MARKS_TIMED;
    if (!count)
        return 0;
    memcpy(sorted, calls->marks_ns, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare);
    return sorted[count / 4];
}

static const char *name_of(struct kg_arena *arena, size_t number)
{
    char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, (int)number);
    const char *kept =
        name ? kg_arena_copy(arena, name) : kg_arena_printf(arena, "number %zu", number);
    free(name);
    return kept;
}

const struct kg_moved kg_moved_unknown = {.calls = {NAN, NAN}, .bytes = {NAN, NAN}};

/* The kernel counts these as reads or writes. The last two count as one of each. */
static const struct {
    unsigned short number;
    bool as[KG_MOVING_COUNT];
} counted[] = {
    {SYS_read, {true, false}},    {SYS_readv, {true, false}},
    {SYS_pread64, {true, false}}, {SYS_preadv, {true, false}},
    {SYS_preadv2, {true, false}}, {SYS_write, {false, true}},
    {SYS_writev, {false, true}},  {SYS_pwrite64, {false, true}},
    {SYS_pwritev, {false, true}}, {SYS_pwritev2, {false, true}},
    {SYS_sendfile, {true, true}}, {SYS_copy_file_range, {true, true}},
};
enum { COUNTED = sizeof counted / sizeof *counted };

/* Whether a kind is too rare in a part of a call for an estimate: a program often starts with
 * system calls that it makes once. */
static bool is_rare(double calls, double of_calls)
{
    static const double RARE = 0.01;
    return calls < RARE * of_calls;
}

/* The traced reads, or the traced writes. */
struct traced_sum {
    double calls;
    size_t kinds; /* number of kinds of system calls, without rare ones */
};

static struct traced_sum sum_of(const struct kg_traced_kind *kinds, enum kg_moving direction)
{
    struct traced_sum sum = {0, 0};
    for (size_t i = 0; i < COUNTED; i++)
        if (counted[i].as[direction])
            sum.calls += (double)kinds[counted[i].number].count;
    for (size_t i = 0; i < COUNTED; i++)
        if (counted[i].as[direction] && kinds[counted[i].number].count)
            sum.kinds += !is_rare((double)kinds[counted[i].number].count, sum.calls);
    return sum;
}

static double reads_and_writes(const struct kg_traced_kind *kinds)
{
    return sum_of(kinds, KG_READS).calls + sum_of(kinds, KG_WRITES).calls;
}

size_t kg_traced_first_reads(const struct kg_traced_calls *calls)
{
    return calls->calls ? 0 : (size_t)reads_and_writes(calls->now);
}

/* Number of the workload's calls that the kinds cover. If no call was traced to its end: a
 * fraction, estimated from reads and writes. NaN: unknown. Reads that come after the traced part
 * tell nothing about the kinds that go with its writes, and the reverse. */
static double workload_calls(const struct kg_traced_calls *calls, const struct kg_moved *untraced)
{
    enum { SURE = 1000 };
    const double all = reads_and_writes(calls->now);
    double seen = 0, of_call = 0;
    if (calls->calls)
        return (double)calls->calls;
    for (enum kg_moving direction = KG_READS; direction < KG_MOVING_COUNT; direction++) {
        const double traced = sum_of(calls->now, direction).calls;
        if (is_rare(traced, all))
            continue;
        seen += traced;
        of_call += untraced->calls[direction] / (double)calls->first.calls;
    }
    return calls->first.calls && seen >= SURE && of_call >= seen ? seen / of_call : NAN;
}

/* How much of the workload's calls the traced calls of one kind cover. */
struct cover {
    double per;   /* number of the workload's calls, or a fraction */
    double bytes; /* per call of the workload; NaN: not counted */
};

/* Later parts of a call may read and write otherwise than the traced part. So the kernel's counts
 * hold, and the trace gives their kind.
 * per  the workload's calls that all kinds together cover */
static struct cover cover_of(const struct kg_traced_calls *calls, const struct kg_moved *untraced,
                             size_t number, double per)
{
    struct cover cover = {per, NAN};
    for (size_t i = 0; i < COUNTED; i++)
        for (enum kg_moving direction = KG_READS; direction < KG_MOVING_COUNT; direction++) {
            if (counted[i].number != number || !counted[i].as[direction])
                continue;
            const struct traced_sum sum = sum_of(calls->now, direction);
            const double whole = (double)calls->first.calls;
            cover.per = sum.calls / (untraced->calls[direction] / whole);
            cover.bytes = sum.kinds == 1 ? untraced->bytes[direction] / whole : NAN;
        }
    return cover;
}

static int by_time(const void *a, const void *b)
{
    const struct kg_system_call *x = a, *y = b;
    if (x->time_ns > y->time_ns || x->time_ns < y->time_ns)
        return x->time_ns < y->time_ns ? 1 : -1;
    return (x->calls < y->calls) - (x->calls > y->calls);
}

static double wall_of_call(const struct kg_marked *from, const struct kg_marked *to)
{
    return (double)(to->wall_ns - from->wall_ns) / (double)(to->calls - from->calls);
}

/* Time of a call without tracing. The rounds are more reliable than one slice, because others
 * may have used the CPU. */
static double wall_alone(const struct kg_traced_calls *calls, double call_ns)
{
    return fmin((double)calls->first.wall_ns / (double)calls->first.calls, call_ns);
}

/* The time that tracing adds to a call. The only mark of a partial trace may be late, so it is at
 * most the mean of a frequent kind. Some calls of futex are not timed. */
static double tracing_of(const struct kg_traced_calls *traced, const struct kg_traced_kind *kinds)
{
    enum { FREQUENT = 100 };
    double tracing = tracing_ns(traced);
    for (size_t i = 0; i < KG_CALL_NUMBERS; i++)
        if (kinds[i].count >= FREQUENT && i != SYS_futex)
            tracing = fmin(tracing, (double)kinds[i].time_ns / (double)kinds[i].count);
    return tracing;
}

/* The kind's time without the tracer's. */
static double net_ns(const struct kg_traced_kind *kind, double tracing)
{
    const double calls = (double)kind->count;
    return fmax(calls * CALL_LEAST_NS, (double)kind->time_ns - calls * tracing);
}

/* Whether a program continues to make these calls. Those of its start come early only. */
static bool goes_on(const struct kg_traced_calls *traced, const struct kg_traced_kind *kind)
{
    return kind->count > 1 && 2 * kind->last > traced->now_count;
}

/* Whether a partial trace leaves out a kind. A few calls may take most of the time.
 * share  its share of the workload's time */
static bool is_left_out(const struct kg_traced_calls *traced, const struct kg_traced_kind *kind,
                        double share)
{
    static const double LONG = 0.1;
    return is_rare((double)kind->count, (double)traced->now_count) &&
           !(share >= LONG && goes_on(traced, kind));
}

/* Whether a tracer times these calls badly: to trace one call may take three times as long as to
 * trace another. */
static bool is_short(const struct kg_system_call *kind, double tracing)
{
    static const double NOISE = 3;
    return kind->time_ns < kind->calls * fmax(CALL_SHORT_NS, NOISE * tracing);
}

/* Short calls have at most the time that long calls leave, or the CPU time of all threads. So a
 * tracer's noise neither exceeds the workload's time, nor takes the time of calls that wait. */
static void short_calls_limit(const struct kg_marked *untraced, double tracing, double wall_ns,
                              struct kg_system_calls *summary)
{
    double short_ns = 0, long_ns = 0;
    for (size_t i = 0; i < summary->kind_count; i++)
        if (is_short(&summary->kinds[i], tracing))
            short_ns += summary->kinds[i].time_ns;
        else
            long_ns += summary->kinds[i].time_ns;
    const double cpu_ns = (double)untraced->cpu_ns / (double)untraced->calls;
    const double scale = fmax(cpu_ns, wall_ns - long_ns) / short_ns;
    for (size_t i = 0; i < summary->kind_count && scale < 1; i++)
        if (is_short(&summary->kinds[i], tracing))
            summary->kinds[i].time_ns *= scale;
}

/* per      number of the workload's calls that the kinds cover
 * wall_ns  time of a call of the workload
 * returns  time of the kinds that are left out */
static double kinds_take(const struct kg_traced_calls *traced, const struct kg_moved *untraced,
                         double per, double wall_ns, struct kg_arena *arena,
                         struct kg_system_calls *summary)
{
    const struct kg_traced_kind *from = traced->calls ? traced->whole : traced->now;
    const double tracing = tracing_of(traced, from);
    size_t count = 0;
    double others_ns = 0;
    for (size_t i = 0; i < KG_CALL_NUMBERS; i++)
        count += from[i].count > 0;
    summary->kinds = kg_arena_alloc(arena, count, sizeof *summary->kinds);
    for (size_t i = 0; i < KG_CALL_NUMBERS; i++) {
        const double kind_ns = net_ns(&from[i], tracing);
        if (!from[i].count)
            continue;
        if (summary->partial && is_left_out(traced, &from[i], kind_ns / per / wall_ns)) {
            others_ns += kind_ns / (goes_on(traced, &from[i]) ? per : 1);
            continue;
        }
        const struct cover cover = summary->partial
                                       ? cover_of(traced, untraced, i, per)
                                       : (struct cover){per, (double)from[i].bytes / per};
        struct kg_system_call *kind = &summary->kinds[summary->kind_count++];
        *kind = (struct kg_system_call){.name = name_of(arena, i),
                                        .calls = (double)from[i].count / cover.per,
                                        .bytes = moves_bytes(i) ? cover.bytes : NAN,
                                        .time_ns = kind_ns / cover.per};
        summary->calls += kind->calls;
    }
    short_calls_limit(&traced->first, tracing, wall_ns, summary);
    qsort(summary->kinds, summary->kind_count, sizeof *summary->kinds, by_time);
    while (summary->kind_count > KG_HOT_CALLS_MOST)
        others_ns += summary->kinds[--summary->kind_count].time_ns;
    return others_ns;
}

/* The factor for times. Tracing makes a call longer. One thread spends in system calls at most
 * its time in the kernel and off the CPU. If calls are many and short, it spends at least its
 * time in the kernel: their traced times are then mostly the tracer's. */
static double times_scale(const struct kg_traced_calls *calls,
                          const struct kg_system_calls *summary, double wall_ns, double sum_ns)
{
    const struct kg_marked *untraced = &calls->first;
    double scale = 1;
    if (calls->last.calls > untraced->calls)
        scale = fmin(1, wall_ns / wall_of_call(untraced, &calls->last));
    if (calls->several || !(sum_ns > 0))
        return scale;
    const double wall = (double)untraced->wall_ns;
    const double in_kernel = fmin(1, (double)untraced->system_ns / wall);
    const double off_cpu = fmin(1, fmax(0, 1 - (double)untraced->cpu_ns / wall));
    const double most = wall_ns * fmin(1, in_kernel + off_cpu);
    double least = wall_ns * in_kernel;
    if (least > summary->calls * CALL_SHORT_NS)
        least = 0;
    return fmin(fmax(sum_ns * scale, least), most) / sum_ns;
}

/* others_ns  time of the kinds that the summary lacks */
static void times_limit(const struct kg_traced_calls *calls, double wall_ns, double others_ns,
                        struct kg_system_calls *summary)
{
    double sum = others_ns;
    if (!calls->first.calls)
        return;
    for (size_t i = 0; i < summary->kind_count; i++)
        sum += summary->kinds[i].time_ns;
    const double scale = times_scale(calls, summary, wall_ns, sum);
    for (size_t i = 0; i < summary->kind_count; i++)
        summary->kinds[i].time_ns = fmin(summary->kinds[i].time_ns * scale, wall_ns);
}

void kg_traced_summarize(const struct kg_traced_calls *calls, const struct kg_moved *moved,
                         double call_ns, struct kg_arena *arena, struct kg_system_calls *summary)
{
    const double per = workload_calls(calls, moved);
    const struct kg_marked *untraced = &calls->first;
    *summary = (struct kg_system_calls){.calls = NAN, .user_ns = NAN, .system_ns = NAN};
    if (!calls->any) {
        summary->reason = "the worker is an older kgate, which does not mark the start of a call";
        return;
    }
    summary->source = "ptrace";
    if (calls->foreign)
        summary->reason = "system calls of 32-bit programs are not counted";
    if (untraced->calls) {
        summary->system_ns = (double)untraced->system_ns / (double)untraced->calls;
        summary->user_ns =
            (double)(untraced->cpu_ns - untraced->system_ns) / (double)untraced->calls;
    }
    if (isnan(per)) {
        summary->reason = "a call makes too many system calls, or takes too long, for a complete "
                          "trace";
        return;
    }
    summary->calls = 0;
    summary->partial = !calls->calls;
    const double wall_ns = wall_alone(calls, call_ns);
    const double others_ns = kinds_take(calls, moved, per, wall_ns, arena, summary);
    times_limit(calls, wall_ns, others_ns, summary);
}
