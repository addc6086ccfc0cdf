/* Whether the flush leaves lines in the L2 cache that the timed kernel has to write back. The
 * program reads half an L2 cache in three states: after a memset of twice its size, after such a
 * memset and reads of other memory, which leave only clean lines, and after kgate's flush. It also
 * writes as much: a clean cache takes the output, which need not be written in the timed part. How
 * much that spares is printed; nothing is expected of it. */
#include <math.h>

#include "base/statistics/stats.h"
#include "device/code/ceilings_code.h"
#include "device/device_code.h"
#include "open.h"

enum { LOOKS = 51 };
enum flush { DIRTY, CLEAN, OWN, FLUSHES };

struct reader {
    struct kg_gpu_timer *timer;
    void *module, *function;
    uint64_t timed, other, dirty, sum;
    uint64_t timed_tiles, other_tiles;
};

static bool reader_open(struct reader *reader)
{
    const struct kg_driver *driver = &reader->timer->driver;
    const size_t l2_bytes = reader->timer->flush_bytes / 2;
    const void *code = kg_device_code("ceilings", NULL);
    reader->timed_tiles = l2_bytes / 2 / KG_CEILING_TILE_BYTES;
    reader->other_tiles = 2 * l2_bytes / KG_CEILING_TILE_BYTES;
    return code && !driver->module_load(&reader->module, code) &&
           !driver->module_function(&reader->function, reader->module, "kg_ceiling_read") &&
           !driver->memory_allocate(&reader->timed, reader->timed_tiles * KG_CEILING_TILE_BYTES) &&
           !driver->memory_allocate(&reader->other, reader->other_tiles * KG_CEILING_TILE_BYTES) &&
           !driver->memory_allocate(&reader->dirty, 2 * l2_bytes) &&
           !driver->memory_allocate(&reader->sum, sizeof(uint32_t)) &&
           !driver->memset_async(reader->timed, 1, reader->timed_tiles * KG_CEILING_TILE_BYTES / 4,
                                 reader->timer->stream) &&
           !driver->memset_async(reader->other, 1, reader->other_tiles * KG_CEILING_TILE_BYTES / 4,
                                 reader->timer->stream) &&
           !driver->memset_async(reader->sum, 0, 1, reader->timer->stream) &&
           !driver->stream_synchronize(reader->timer->stream);
}

static bool memory_read(struct reader *reader, uint64_t source, uint64_t tiles)
{
    void *parameters[] = {&source, &tiles, &reader->sum};
    return !reader->timer->driver.launch(reader->function, (unsigned)tiles, 1, 1,
                                         KG_CEILING_THREADS, 1, 1, 0, reader->timer->stream,
                                         parameters, NULL);
}

static bool flushed(struct reader *reader, enum flush flush)
{
    struct kg_gpu_timer *timer = reader->timer;
    struct kg_error err;
    if (flush == OWN)
        return kg_gpu_flush(timer, &err);
    return !timer->driver.memset_async(reader->dirty, 0, timer->flush_bytes / 4, timer->stream) &&
           (flush == DIRTY || memory_read(reader, reader->other, reader->other_tiles));
}

static bool memory_write(struct reader *reader)
{
    return !reader->timer->driver.memset_async(
        reader->timed, 1, reader->timed_tiles * KG_CEILING_TILE_BYTES / 4, reader->timer->stream);
}

/* The median time of reads or writes after such a flush; 0 if the driver fails. */
static double access_ns(struct reader *reader, enum flush flush, bool writes)
{
    struct kg_gpu_timer *timer = reader->timer;
    struct kg_error err = {0};
    double times[LOOKS];
    for (int i = 0; i < LOOKS; i++) {
        const bool put = flushed(reader, flush) && kg_gpu_hold(timer, 100e6, &err) &&
                         !timer->driver.event_record(timer->start, timer->stream) &&
                         (writes ? memory_write(reader)
                                 : memory_read(reader, reader->timed, reader->timed_tiles)) &&
                         !timer->driver.event_record(timer->stop, timer->stream);
        kg_gpu_release(timer);
        if (!put || !kg_gpu_wait(timer, &err) || !kg_gpu_elapsed_ns(timer, &times[i], &err))
            return 0;
    }
    kg_sort(times, LOOKS);
    return kg_median_sorted(times, LOOKS);
}

int main(void)
{
    struct kg_gpu_timer timer;
    struct kg_error err = {0};
    struct reader reader = {.timer = &timer};
    double ns[FLUSHES] = {0}, written_ns[FLUSHES] = {0};
    int status;
    if (!timer_open(&timer, &status))
        return status;
    const bool open = reader_open(&reader) && kg_gpu_warm(&timer, &err);
    expect(open, "what it takes to read is there");
    for (int flush = 0; open && flush < FLUSHES; flush++) {
        ns[flush] = access_ns(&reader, (enum flush)flush, false);
        written_ns[flush] = access_ns(&reader, (enum flush)flush, true);
    }
    printf("      half an L2 cache, %zu MiB: after a memset %.0f ns, after clean reads %.0f ns, "
           "after kgate's flush %.0f ns\n",
           (timer.flush_bytes / 4) >> 20, ns[DIRTY], ns[CLEAN], ns[OWN]);
    printf(
        "      writing it: after a memset %.0f ns, after clean reads %.0f ns, after kgate's flush "
        "%.0f ns\n",
        written_ns[DIRTY], written_ns[CLEAN], written_ns[OWN]);
    /* Reading so little takes some ten microseconds, of which a step of the timer may be a twentieth. */
    const double apart = fmax(0.05 * ns[CLEAN], 2 * timer.resolution_ns);
    expect(ns[CLEAN] > 0 && ns[OWN] > 0 && fabs(ns[OWN] - ns[CLEAN]) <= apart,
           "kgate's flush: expected as after clean reads within %.0f ns, found %+.0f ns (%+.1f %%)",
           apart, ns[OWN] - ns[CLEAN], 100 * (ns[OWN] / ns[CLEAN] - 1));
    kg_gpu_timer_close(&timer);
    return expect_end();
}
