/* sample_summary.c: keeps the hottest samples in the form of results. The tables of functions,
 * lines, stacks and sites are short, so that results stay small. */
#include <errno.h>
#include <math.h>
#include <seccomp.h>
#include <stdlib.h>

#include "why/observe/sampler_state.h"

/* --- Selection -------------------------------------------------------------------------------- */

static int place_hotter(const void *left, const void *right)
{
    const struct kg_tally_place *a = left, *b = right;
    if (a->self != b->self)
        return a->self < b->self ? 1 : -1;
    return (a->total < b->total) - (a->total > b->total);
}

static int stack_hotter(const void *left, const void *right)
{
    const struct kg_tally_stack *a = left, *b = right;
    return (a->count < b->count) - (a->count > b->count);
}

static int site_hotter(const void *left, const void *right)
{
    const struct kg_tally_site *a = left, *b = right;
    return (a->count < b->count) - (a->count > b->count);
}

static int address_hotter(const void *left, const void *right)
{
    const struct kg_tally_address *a = left, *b = right;
    return (a->count < b->count) - (a->count > b->count);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static int place_fuller(const void *left, const void *right)
{
    const struct kg_tally_place *a = left, *b = right;
    return (a->total < b->total) - (a->total > b->total);
}

/* There are more functions than lines, because callers on the way to the work have no samples of
 * their own. */
static size_t places_most(const struct kg_tally_places *places)
{
    return places->lines ? KG_HOT_PLACES_MOST : KG_HOT_FUNCTIONS_MOST;
}

/* Sorts by own samples, hottest first. The second half that is kept has the functions on most
 * stacks. */
static void places_sort(struct kg_tally_places *places)
{
    const size_t most = places_most(places), by_self = most / 2;
    if (places->count)
        qsort(places->of, places->count, sizeof *places->of, place_hotter);
    if (places->count <= most)
        return;
    qsort(places->of + by_self, places->count - by_self, sizeof *places->of, place_fuller);
    qsort(places->of + by_self, most - by_self, sizeof *places->of, place_hotter);
}

static void places_keep(const struct kg_sample_tally *summed, struct kg_tally_places *places,
                        struct kg_arena *arena, struct kg_hot_place **kept, size_t *count)
{
    places_sort(places);
    *count = least(places->count, places_most(places));
    *kept = kg_arena_alloc(arena, *count, sizeof **kept);
    for (size_t i = 0; i < *count; i++)
        (*kept)[i] = (struct kg_hot_place){.place = kg_place_copy(arena, &places->of[i].place),
                                           .self = places->of[i].self / summed->counted,
                                           .total = places->of[i].total / summed->counted};
}

static const char *call_name(struct kg_arena *arena, long call)
{
    char *name = call < 0 ? NULL : seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, (int)call);
    const char *kept = kg_arena_keep(arena, name);
    free(name);
    return kept;
}

static void stacks_keep(const struct kg_sample_tally *summed, struct kg_arena *arena,
                        struct kg_sampled *sampled)
{
    if (summed->stack_count)
        qsort(summed->stacks, summed->stack_count, sizeof *summed->stacks, stack_hotter);
    sampled->stack_count = least(summed->stack_count, KG_HOT_PLACES_MOST);
    sampled->stacks = kg_arena_alloc(arena, sampled->stack_count, sizeof *sampled->stacks);
    for (size_t i = 0; i < sampled->stack_count; i++) {
        const struct kg_tally_stack *tally = &summed->stacks[i];
        struct kg_hot_stack *stack = &sampled->stacks[i];
        *stack = (struct kg_hot_stack){.share = tally->count / summed->counted,
                                       .waiting = tally->waiting,
                                       .call = call_name(arena, tally->call)};
        stack->frames = kg_arena_alloc(arena, tally->stack->frame_count, sizeof *stack->frames);
        stack->frame_count = tally->stack->frame_count;
        for (size_t f = 0; f < stack->frame_count; f++)
            stack->frames[f] = kg_place_copy(arena, &tally->stack->frames[f]);
    }
}

static void sites_keep(const struct kg_sample_tally *summed, struct kg_arena *arena,
                       struct kg_sampled *sampled)
{
    if (summed->site_count)
        qsort(summed->sites, summed->site_count, sizeof *summed->sites, site_hotter);
    sampled->site_count = least(summed->site_count, KG_HOT_SITES_MOST);
    sampled->sites = kg_arena_alloc(arena, sampled->site_count, sizeof *sampled->sites);
    for (size_t i = 0; i < sampled->site_count; i++) {
        const struct kg_tally_site *tally = &summed->sites[i];
        struct kg_hot_site *site = &sampled->sites[i];
        *site = (struct kg_hot_site){.place = kg_place_copy(arena, tally->place),
                                     .call = call_name(arena, tally->call),
                                     .share = tally->count / summed->counted,
                                     .calls = NAN,
                                     .instructions = NAN};
        if (tally->caller)
            site->caller = kg_place_copy(arena, tally->caller);
        if (tally->header)
            site->header = kg_place_copy(arena, tally->header);
        if (tally->callee)
            site->callee = kg_place_copy(arena, tally->callee);
    }
}

/* Whether the file may hold own code. The loader and the C library never do, but a program of a
 * few milliseconds spends most of its time in the loader. */
static bool may_be_own(const struct kg_modules *modules, size_t number)
{
    const char *path = kg_module_path(modules, number);
    return path && *path == '/' && !kg_module_in_system(kg_module_file(path));
}

/* Number of the file with most samples of own code. An installed library is the answer only if no
 * program or plugin has samples. KG_MODULES_MOST: no file has own code. */
static size_t own_file(const struct kg_sample_tally *summed)
{
    const struct kg_modules *modules = summed->sampler->modules;
    size_t best[2] = {KG_MODULES_MOST, KG_MODULES_MOST}; /* own, installed */
    for (size_t i = 0; i < KG_MODULES_MOST; i++) {
        size_t *of = &best[kg_module_is_installed(modules, i)];
        if (summed->modules[i] > (*of < KG_MODULES_MOST ? summed->modules[*of] : 0) &&
            may_be_own(modules, i))
            *of = i;
    }
    return best[0] < KG_MODULES_MOST ? best[0] : best[1];
}

/* Reads the compiler and the contents of that file. */
static void file_read(const struct kg_sample_tally *summed, struct kg_arena *arena,
                      struct kg_sampled *sampled)
{
    const char *path = kg_module_path(summed->sampler->modules, own_file(summed));
    if (!path)
        return;
    sampled->compiler = kg_producer_read(arena, path);
    kg_machine_file_read(arena, path, sampled);
}

static void addresses_keep(const struct kg_sample_tally *summed, struct kg_arena *arena,
                           struct kg_hot_addresses *addresses)
{
    if (summed->address_count)
        qsort(summed->addresses, summed->address_count, sizeof *summed->addresses, address_hotter);
    addresses->count = least(summed->address_count, KG_HOT_ADDRESSES_MOST);
    addresses->of = kg_arena_alloc(arena, addresses->count, sizeof *addresses->of);
    for (size_t i = 0; i < addresses->count; i++) {
        const struct kg_tally_address *tally = &summed->addresses[i];
        const kg_code_address at = tally->stack->at;
        const char *path = kg_module_path(summed->sampler->modules, at >> KG_MODULE_SHIFT);
        addresses->of[i] =
            (struct kg_hot_address){.module_path = kg_arena_keep(arena, path),
                                    .address = at & KG_CODE_OFFSET_MASK,
                                    .share = tally->count / summed->counted,
                                    .place = kg_place_copy(arena, &tally->stack->frames[0])};
    }
}

/* --- The whole -------------------------------------------------------------------------------- */

/* The reason why samples are missing. NULL: next to none is. The kernel refuses a thread for a
 * moment while its process starts a program. */
static const char *refusal(const struct kg_sample_tally *summed)
{
    static const double FEW = 0.05;
    const double refused = (double)summed->sampler->refused;
    const int code = refused > FEW * (refused + summed->counted) ? summed->sampler->refusal : 0;
    return code == EPERM ? "kgate may not stop its threads: another program traces them, or this "
                           "machine does not allow it"
           : code == ENOSYS ? "not supported for this kind of program, or on this kind of "
                              "processor"
                            : NULL;
}

/* Share of the kernel. Page faults run in the kernel without a system call, so only the kernel's
 * account of the process has them. The account counts clock ticks and includes the cost of
 * sampling. */
static double system_share(const struct kg_sample_tally *summed)
{
    static const double LOOKING = 0.05;
    enum { TICKS_LEAST = 20 };
    const struct kg_stack_sampler *sampler = summed->sampler;
    const double user = (double)(sampler->user_before + sampler->user_end - sampler->user_ticks);
    const double system =
        (double)(sampler->system_before + sampler->system_end - sampler->system_ticks);
    const double seen = summed->running > 0 ? summed->system / summed->running : NAN;
    const double accounted = system / (user + system) - LOOKING;
    return user + system >= TICKS_LEAST && accounted > seen ? accounted : seen;
}

static void all_keep(struct kg_sample_tally *summed, struct kg_arena *arena,
                     struct kg_sampled *sampled, struct kg_arena *address_arena,
                     struct kg_hot_addresses *addresses)
{
    const char *reason = refusal(summed);
    if (!(summed->counted > 0)) {
        sampled->reason = reason ? reason : "no sample while the workload ran";
        return;
    }
    sampled->source = "ptrace";
    sampled->reason = reason;
    sampled->samples = summed->counted;
    sampled->waiting = summed->first > 0 ? summed->first_waiting / summed->first : NAN;
    sampled->system = system_share(summed);
    file_read(summed, arena, sampled);
    sampled->blocks = summed->unnamed / summed->counted;
    sites_keep(summed, arena, sampled);
    places_keep(summed, &summed->functions, arena, &sampled->functions, &sampled->function_count);
    places_keep(summed, &summed->lines, arena, &sampled->lines, &sampled->line_count);
    stacks_keep(summed, arena, sampled);
    addresses_keep(summed, address_arena, addresses);
}

void kg_stack_sampler_summarize(struct kg_stack_sampler *sampler, struct kg_arena *arena,
                                struct kg_sampled *sampled, struct kg_arena *address_arena,
                                struct kg_hot_addresses *addresses)
{
    struct kg_sample_tally summed;
    *sampled = (struct kg_sampled){.samples = NAN, .waiting = NAN, .system = NAN, .blocks = NAN};
    *addresses = (struct kg_hot_addresses){0};
    kg_samples_tally(sampler, &summed);
    all_keep(&summed, arena, sampled, address_arena, addresses);
    kg_sample_tally_free(&summed);
}
