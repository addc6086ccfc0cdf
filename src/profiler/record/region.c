/* Parallel regions and their threads. OpenMP tells which region a thread works for: the number of
 * regions around it, and the number of its ancestor in the team that opened the last one. Another
 * thread belongs to a region if its first scope begins while the region is open. */
#include "profiler/record/region.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "base/library.h"
#include "profiler/record/profiler.h"

enum { REGIONS_MOST = 8 };

/* OpenMP's functions. The program, or a library that it loads later, brings the runtime of gcc or of
 * clang. */
static const char *const runtimes[] = {"libgomp.so.1", "libomp.so.5", "libomp.so"};
static struct {
    int (*level)(void);
    int (*thread_num)(void);
    int (*ancestor_thread_num)(int level);
} openmp;
static bool has_openmp;

/* A thread's place in OpenMP: the number of regions around it, and its number in the innermost. */
struct place {
    int level, number;
};

struct region {
    uint32_t thread; /* number of the thread that opened it */
    uint32_t serial; /* of the scope on that thread */
    uint32_t id;
    struct place place; /* of the thread that opened it */
    uint32_t site_count;
    uint32_t sites[KG_DEPTH_MOST]; /* its path, the outermost first */
};

static struct {
    pthread_mutex_t lock;
    uint32_t count;
    uint32_t ids; /* number of regions so far */
    struct region open[REGIONS_MOST];
} regions = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Under the lock, before the first region that could use it. */
static void openmp_find(void)
{
    static const struct kg_symbol symbols[] = {
        {"omp_get_level", NULL, offsetof(__typeof__(openmp), level), false},
        {"omp_get_thread_num", NULL, offsetof(__typeof__(openmp), thread_num), false},
        {"omp_get_ancestor_thread_num", NULL, offsetof(__typeof__(openmp), ancestor_thread_num),
         false}};
    for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes && !has_openmp; i++) {
        void *library = kg_library_loaded(runtimes[i]);
        has_openmp = library && !kg_library_symbols(library, symbols,
                                                    sizeof symbols / sizeof *symbols, &openmp);
    }
}

static struct place place_here(void)
{
    return has_openmp ? (struct place){openmp.level(), openmp.thread_num()} : (struct place){0, 0};
}

/* Threads go on in the fast path until the epoch changes. 0 is never an epoch. */
static void epoch_change(void)
{
    const uint32_t next = __atomic_add_fetch(&kg_process_wide.epoch, 1, __ATOMIC_RELAXED);
    if (!next)
        __atomic_add_fetch(&kg_process_wide.epoch, 1, __ATOMIC_RELAXED);
}

void kg_region_open(struct kgate_profiler_thread *thread)
{
    pthread_mutex_lock(&regions.lock);
    if (!has_openmp)
        openmp_find();
    if (regions.count < REGIONS_MOST) {
        struct region *region = &regions.open[regions.count++];
        const struct kg_frame *frame = &thread->frames[thread->depth];
        region->thread = thread->number;
        region->serial = frame->serial;
        region->id = ++regions.ids;
        region->place = place_here();
        region->site_count = kg_thread_path(thread, frame->node, region->sites);
        thread->regions++;
        epoch_change();
    }
    pthread_mutex_unlock(&regions.lock);
}

void kg_region_close(struct kgate_profiler_thread *thread)
{
    const uint32_t serial = thread->frames[thread->depth].serial;
    if (!thread->regions)
        return;
    pthread_mutex_lock(&regions.lock);
    for (uint32_t i = regions.count; i--;) {
        if (regions.open[i].thread != thread->number || regions.open[i].serial != serial)
            continue;
        regions.count--;
        memmove(&regions.open[i], &regions.open[i + 1], (regions.count - i) * sizeof *regions.open);
        thread->regions--;
        epoch_change();
        break;
    }
    pthread_mutex_unlock(&regions.lock);
}

/* Whether the calling thread works for the region. */
static bool is_of(const struct region *region, const struct kgate_profiler_thread *thread,
                  struct place here)
{
    if (region->thread == thread->number)
        return false;
    if (here.level > 0)
        return region->place.level == here.level - 1 &&
               region->place.number == openmp.ancestor_thread_num(here.level - 1);
    /* No scope so far, or the thread belongs to this region already. */
    return thread->node_count == 1 || thread->region == region->id;
}

/* The last opened region of the calling thread. NULL: none, or several with different paths, which
 * cannot be told apart. */
static const struct region *region_find(const struct kgate_profiler_thread *thread)
{
    const struct place here = place_here();
    const struct region *found = NULL;
    for (uint32_t i = regions.count; i--;) {
        const struct region *region = &regions.open[i];
        if (!is_of(region, thread, here))
            continue;
        if (found &&
            (found->site_count != region->site_count ||
             memcmp(found->sites, region->sites, found->site_count * sizeof *found->sites) != 0))
            return here.level > 0 ? NULL : found;
        found = found ? found : region;
    }
    return found;
}

void kg_region_join(struct kgate_profiler_thread *thread)
{
    pthread_mutex_lock(&regions.lock);
    const struct region *region = regions.count ? region_find(thread) : NULL;
    thread->region = region ? region->id : 0;
    thread->frames[0].node =
        region ? kg_thread_outer(thread, region->sites, region->site_count) : 0;
    pthread_mutex_unlock(&regions.lock);
}

void kg_regions_forget(void)
{
    pthread_mutex_lock(&regions.lock);
    regions.count = 0;
    epoch_change();
    pthread_mutex_unlock(&regions.lock);
}

void kg_regions_forked(void)
{
    pthread_mutex_init(&regions.lock, NULL);
    kg_regions_forget();
}
