#include "why/observe/sampler_state.h"

#include <string.h>

#include "base/code/symbol_name.h"

/* Frames of one stack, with inlined functions. */
enum { FRAMES_MOST = KG_UNWIND_MOST + 64 };
struct frames {
    struct kg_place of[FRAMES_MOST];
    bool worker[FRAMES_MOST];    /* in the worker's executable */
    size_t module[FRAMES_MOST];  /* number of the frame's file */
    bool installed[FRAMES_MOST]; /* kg_module_is_installed */
    size_t count;
};

/* --- Names ------------------------------------------------------------------------------------ */

static bool begins(const char *name, const char *const *with)
{
    for (size_t i = 0; name && with[i]; i++)
        if (!strncmp(name, with[i], strlen(with[i])))
            return true;
    return false;
}

static bool is_one_of(const char *name, const char *const *of)
{
    for (size_t i = 0; name && of[i]; i++)
        if (!strcmp(name, of[i]))
            return true;
    return false;
}

static bool in_system(const struct kg_place *place)
{
    return kg_module_in_system(place->module);
}

/* Whether the function belongs to a runtime library. Idle threads of such a library rest or spin
 * there. */
static bool is_runtime(const struct kg_place *place)
{
    static const char *const functions[] = {"blas_thread_server", NULL};
    return in_system(place) || is_one_of(place->function, functions);
}

/* Functions in which a thread waits for others of its process. */
static bool locks(const struct kg_place *place)
{
    static const char *const functions[] = {"pthread_mutex_", "pthread_rwlock_", "pthread_spin_",
                                            "lll_lock",       "omp_set_lock",    "gomp_mutex",
                                            "GOMP_critical",  "kmpc_critical",   NULL};
    return in_system(place) && begins(place->function, functions);
}

static bool is_barrier(const struct kg_place *place)
{
    static const char *const functions[] = {"pthread_barrier_", "gomp_", "GOMP_", "kmp", NULL};
    return in_system(place) && begins(place->function, functions);
}

/* --- Frames ----------------------------------------------------------------------------------- */

static bool same_module(const struct kg_place *a, const struct kg_place *b)
{
    return a->module && b->module && !strcmp(a->module, b->module);
}

static bool same_function(const struct kg_place *a, const struct kg_place *b)
{
    return a->function && kg_place_same(a, b);
}

static void frames_make(struct kg_stack_sampler *sampler, const struct kg_raw_stack *stack,
                        struct frames *frames)
{
    const kg_code_address *raw = sampler->samples.pool + stack->start;
    frames->count = 0;
    for (size_t i = 0; i < stack->count; i++) {
        struct kg_code_places places;
        kg_code_places(sampler->modules, raw[i], &places);
        for (size_t p = 0; p < places.count && frames->count < FRAMES_MOST; p++) {
            frames->module[frames->count] = raw[i] >> KG_MODULE_SHIFT;
            frames->installed[frames->count] =
                kg_module_is_installed(sampler->modules, raw[i] >> KG_MODULE_SHIFT);
            frames->worker[frames->count] = raw[i] >> KG_MODULE_SHIFT == sampler->executable;
            frames->of[frames->count++] = places.of[p];
        }
    }
}

static const char *const vdso[] = {"[vdso", "linux-vdso", NULL};

/* --- The worker's own frames ------------------------------------------------------------------ */

/* Callers of the workload's `run`: the timed loop. For built-in kernels, kg_kernel_run stands
 * between and may be missing from the stack. */
static const char *const callers[] = {"kg_sampling_run", "batch_time_ns", "kg_kernel_run", NULL};
/* Other callees of the timed loop. */
static const char *const others[] = {"clock_gettime", "getrusage", "kg_clock",   "kg_pulse",
                                     "kg_samples",    "kg_usage",  "kg_settle",  "kg_placing",
                                     "kg_worker",     "settle_",   "pulse_take", NULL};

/* Whether the callee of a worker's frame is the workload. */
static bool is_run(const struct frames *frames, size_t caller)
{
    const struct kg_place *called = caller ? &frames->of[caller - 1] : NULL;
    return called && !begins(called->function, others) && !begins(called->module, vdso);
}

/* Number of the workload's frames, from the innermost. SIZE_MAX: the worker is not on the stack.
 * If the worker has no symbols, the callee of its innermost frame is the workload. */
static size_t own_frames(const struct frames *frames)
{
    size_t innermost = SIZE_MAX;
    bool named = false;
    for (size_t i = 0; i < frames->count; i++) {
        if (!frames->worker[i])
            continue;
        if (is_one_of(frames->of[i].function, callers))
            return is_run(frames, i)                                  ? i
                   : !strcmp(frames->of[i].function, "kg_kernel_run") ? i + 1
                                                                      : 0;
        named = named || frames->of[i].function;
        innermost = innermost == SIZE_MAX ? i : innermost;
    }
    return innermost == SIZE_MAX ? SIZE_MAX : !named && is_run(frames, innermost) ? innermost : 0;
}

/* Removes the frames that start a program or a thread. */
static void starts_drop(struct frames *frames)
{
    static const char *const starts[] = {"_start", NULL};
    static const char *const mains[] = {"start_main", "start_call_main", NULL};
    while (frames->count > 1) {
        const struct kg_place *last = &frames->of[frames->count - 1];
        const bool unnamed = !last->function && begins(last[-1].function, mains);
        if (!unnamed && !in_system(last) && !is_one_of(last->function, starts))
            return;
        frames->count--;
    }
}

static void innermost_drop(struct frames *frames, size_t count)
{
    frames->count -= count;
    memmove(frames->of, frames->of + count, frames->count * sizeof *frames->of);
    memmove(frames->module, frames->module + count, frames->count * sizeof *frames->module);
    memmove(frames->installed, frames->installed + count,
            frames->count * sizeof *frames->installed);
}

/* Removes an entry of the procedure linkage table: its time is the caller's. */
static void call_table_drop(struct frames *frames)
{
    if (frames->count > 1 && frames->of[0].function &&
        !strcmp(frames->of[0].function, KG_CALL_TABLE))
        innermost_drop(frames, 1);
}

static void frame_keep(struct frames *frames, size_t i, size_t *kept)
{
    frames->module[*kept] = frames->module[i];
    frames->installed[*kept] = frames->installed[i];
    frames->of[(*kept)++] = frames->of[i];
}

/* Removes unnamed functions of an installed library; the exported function that called them
 * represents them. */
static void unnamed_fold(struct frames *frames)
{
    size_t kept = 0;
    for (size_t i = 0; i < frames->count; i++) {
        const struct kg_place *place = &frames->of[i], *next = place + 1;
        const bool folds = !place->function && i + 1 < frames->count && frames->installed[i] &&
                           same_module(place, next);
        if (!folds)
            frame_keep(frames, i, &kept);
    }
    frames->count = kept;
}

static void recursion_fold(struct frames *frames)
{
    size_t kept = frames->count ? 1 : 0;
    for (size_t i = 1; i < frames->count; i++)
        if (!same_function(&frames->of[kept - 1], &frames->of[i]))
            frame_keep(frames, i, &kept);
    frames->count = kept;
}

/* Whether the frame is in the workload's program or plugin. */
static bool is_own_code(const struct frames *frames, size_t i)
{
    return !frames->installed[i] && !in_system(&frames->of[i]);
}

static bool is_header(const struct frames *frames, size_t i)
{
    return is_own_code(frames, i) && kg_place_is_header(&frames->of[i]);
}

/* Index of the innermost frame of own code. If all frames are installed or in system headers: the
 * innermost frame in the outermost frame's module. Before a program's code runs, only the loader is
 * on the stack. */
static size_t own_find(const struct frames *frames, size_t count)
{
    const struct kg_place *outermost = &frames->of[frames->count - 1];
    for (size_t i = 0; i < count; i++)
        if (is_own_code(frames, i) && !kg_place_is_header(&frames->of[i]))
            return i;
    for (size_t i = 0; i < count; i++)
        if (same_module(&frames->of[i], outermost) && !in_system(outermost))
            return i;
    return count ? count - 1 : 0;
}

/* Whether the function only reads or moves a value, as v[i] does. Its time is its user's work. A
 * lookup in a map is work of its own. */
static bool is_accessor(const char *function)
{
    static const char *const names[] = {"begin", "end",    "size", "empty",   "data",     "get",
                                        "front", "back",   "base", "c_str",   "length",   "move",
                                        "min",   "max",    "swap", "forward", "value",    "first",
                                        "abs",   "cbegin", "cend", "__get",   "addressof"};
    size_t length;
    const char *last = kg_name_last(function, &length);
    if (!strncmp(last, "operator", strlen("operator")))
        return !strstr(function, "map<") && !strstr(function, "_tree") &&
               !strstr(function, "Hash") && !strstr(function, "hash");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (length == strlen(names[i]) && !strncmp(last, names[i], length))
            return true;
    return false;
}

/* Whether all frames within the own frame are accessors. */
static bool only_accesses(const struct frames *frames, size_t own)
{
    for (size_t i = 0; i < own; i++)
        if (!is_header(frames, i) || !frames->of[i].function ||
            !is_accessor(frames->of[i].function))
            return false;
    return true;
}

/* Index of the library function that the own frame enters; `none`: none. A stripped library has parts
 * without a name. The named function that they call tells more: `cxa_throw`. */
static size_t callee_find(const struct frames *frames, size_t own, size_t none)
{
    size_t outer = own;
    while (outer && is_header(frames, outer - 1))
        outer--;
    size_t named = outer;
    while (named && !frames->of[named - 1].function)
        named--;
    return named ? named - 1 : outer ? outer - 1 : none;
}

/* Finds the functions of libraries around the own frame. A template calls its own helpers, so the
 * frame next to own code has the name that the source uses. */
static void neighbours_find(const struct frames *frames, struct kg_resolved_stack *resolved)
{
    const size_t own = resolved->own, none = resolved->frame_count;
    const bool header = own && is_header(frames, own - 1) && !only_accesses(frames, own);
    size_t caller = own + 1;
    while (caller + 1 < none && is_header(frames, caller) && is_header(frames, caller + 1))
        caller++;
    resolved->header = header ? own - 1 : none;
    resolved->callee = callee_find(frames, own, none);
    resolved->caller = caller < none ? caller : none;
}

/* --- Roles ------------------------------------------------------------------------------------ */

static enum kg_stack_role role_of(const struct frames *frames, bool first)
{
    bool own = false, locked = false, barrier = false;
    for (size_t i = 0; i < frames->count; i++) {
        own = own || !is_runtime(&frames->of[i]);
        locked = locked || (!own && locks(&frames->of[i]));
        barrier = barrier || (!own && is_barrier(&frames->of[i]));
    }
    if (!frames->count || (!own && !first))
        return KG_STACK_NONE;
    return locked ? KG_STACK_LOCKED : barrier ? KG_STACK_BARRIER : KG_STACK_WORK;
}

static void stack_keep(const struct frames *frames, struct kg_arena *arena,
                       struct kg_resolved_stack *resolved)
{
    const size_t count =
        frames->count < KG_HOT_FRAMES_MOST ? frames->count : (size_t)KG_HOT_FRAMES_MOST;
    resolved->frames = kg_arena_alloc(arena, count, sizeof *resolved->frames);
    if (count)
        memcpy(resolved->frames, frames->of, count * sizeof *frames->of);
    resolved->frame_count = count;
    resolved->own = own_find(frames, count);
    resolved->own_module = resolved->own < count ? frames->module[resolved->own] : KG_MODULES_MOST;
    neighbours_find(frames, resolved);
}

void kg_stack_resolve(struct kg_stack_sampler *sampler, uint32_t stack, bool first, bool root,
                      struct kg_arena *arena, struct kg_resolved_stack *resolved)
{
    const struct kg_raw_stack *raw = &sampler->samples.stacks[stack];
    struct frames frames;
    *resolved = (struct kg_resolved_stack){.role = KG_STACK_NONE};
    frames_make(sampler, raw, &frames);
    const size_t own = sampler->target.worker ? own_frames(&frames) : SIZE_MAX;
    /* after fork and before exec, a process is still the worker */
    if (sampler->target.command && own != SIZE_MAX)
        return;
    if (own != SIZE_MAX && (first || own || !root))
        frames.count = own;
    if (!frames.count)
        return;
    resolved->at = raw->count ? sampler->samples.pool[raw->start] : 0;
    starts_drop(&frames);
    call_table_drop(&frames);
    unnamed_fold(&frames);
    recursion_fold(&frames);
    resolved->role = role_of(&frames, first);
    if (resolved->role != KG_STACK_NONE)
        stack_keep(&frames, arena, resolved);
}
