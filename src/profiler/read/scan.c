/* Through a recording: its processes, and the chunks of each. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiler/read/scan.h"
#include "profiler/read/scan_state.h"
#include "profiler/read/segment.h"
#include "profiler/record/losses.h"

enum { PROCESSES_MOST = 1 << 16 };

bool kg_scan_damaged(const struct kg_scan *scan, uint64_t offset, struct kg_error *err,
                     const char *format, ...)
{
    char what[256];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return kg_recording_damaged(scan->window.path, offset, what, err);
}

/* --- A process ------------------------------------------------------------------------------- */

/* The length of a tick, from the first and the last chunk if these are far enough apart. A result far
 * from the first estimate is not used: one of the clocks then stood still, as it does while the
 * machine sleeps. */
static double tick_length(const struct kg_segment *segment, double estimate)
{
    const uint64_t clock_ns = segment->last.clock_ns - segment->first.clock_ns;
    const uint64_t ticks = segment->last.ticks - segment->first.ticks;
    if (segment->last.clock_ns < segment->first.clock_ns + 1000000 ||
        segment->last.ticks <= segment->first.ticks)
        return estimate;
    const double measured = (double)clock_ns / (double)ticks;
    return fabs(measured / estimate - 1) < 0.1 ? measured : estimate;
}

static bool process_check(const struct kg_scan *scan, const struct kg_chunk_process *row,
                          const struct kg_scan_chunk *chunk, struct kg_error *err)
{
    const size_t text = (size_t)row->label_bytes + row->program_bytes + row->host_bytes;
    if (sizeof *row + text > chunk->header.bytes)
        return kg_scan_damaged(scan, chunk->start, err, "a process's texts beyond its chunk");
    if (row->entry_bytes != sizeof(struct kg_entry))
        return kg_scan_damaged(scan, chunk->start, err, "entries of %" PRIu32 " bytes",
                               row->entry_bytes);
    if (!(row->ns_per_tick > 1e-6 && row->ns_per_tick < 1e6) ||
        !(row->scope_cost_ns >= 0 && row->scope_cost_ns < 1e9) ||
        !(row->sample > 0 && row->sample <= 1) || row->sampling > KGATE_SAMPLE_SCOPES)
        return kg_scan_damaged(scan, chunk->start, err, "an impossible process");
    return true;
}

static bool process_texts(struct kg_scan *scan, const struct kg_chunk_process *row,
                          const struct kg_scan_chunk *chunk, struct kg_error *err)
{
    const size_t bytes = (size_t)row->label_bytes + row->program_bytes + row->host_bytes;
    const unsigned char *text = kg_window_at(&scan->window, chunk->start + sizeof *row, bytes, err);
    if (!text)
        return false;
    const unsigned char *program = text + row->label_bytes;
    const unsigned char *host = program + row->program_bytes;
    return kg_scan_text(scan, text, row->label_bytes, &scan->process->label, err) &&
           kg_scan_text(scan, program, row->program_bytes, &scan->process->program, err) &&
           kg_scan_text(scan, host, row->host_bytes, &scan->process->host, err);
}

static bool process_begin(struct kg_scan *scan, const struct kg_segment *segment,
                          const struct kg_scan_chunk *chunk, struct kg_error *err)
{
    struct kg_chunk_process row;
    const struct kg_profile_visitor *visitor = scan->visitor;
    if (scan->process_count == PROCESSES_MOST)
        return kg_scan_damaged(scan, chunk->start, err, "more than %d processes", PROCESSES_MOST);
    const unsigned char *at = kg_window_at(&scan->window, chunk->start, sizeof row, err);
    if (!at)
        return false;
    memcpy(&row, at, sizeof row);
    scan->process = kg_arena_alloc(&scan->arena, 1, sizeof *scan->process);
    if (!scan->process)
        return kg_error_memory(err);
    if (!process_check(scan, &row, chunk, err) || !process_texts(scan, &row, chunk, err))
        return false;
    scan->process->number = row.process;
    scan->process->started_ns = (double)row.started_ns;
    scan->process->scope_cost_ns = row.scope_cost_ns;
    scan->process->sample = row.sample;
    scan->process->sampling = row.sampling;
    scan->first_ticks = chunk->header.ticks;
    scan->ns_per_tick = tick_length(segment, row.ns_per_tick);
    scan->first_ns = INFINITY;
    scan->last_ns = -INFINITY;
    scan->process_count++;
    return !visitor->process ||
           visitor->process(visitor->user, scan->process_count - 1, scan->process, err);
}

static bool process_end(struct kg_scan *scan, const struct kg_segment *segment,
                        struct kg_error *err)
{
    const struct kg_profile_visitor *visitor = scan->visitor;
    struct kg_profile_process *process = scan->process;
    process->complete = segment->ended;
    process->wall_ns = scan->last_ns >= scan->first_ns ? scan->last_ns - scan->first_ns : 0;
    for (size_t i = 0; i < scan->thread_count; i++)
        kg_losses_add(&process->losses, &scan->threads[i].losses);
    return !visitor->process_end ||
           visitor->process_end(visitor->user, scan->process_count - 1, process, err);
}

/* --- Its chunks ------------------------------------------------------------------------------ */

/* A type that is not known is passed over: it holds nothing that the others need. */
static bool chunk_read(struct kg_scan *scan, const struct kg_segment *segment,
                       const struct kg_scan_chunk *chunk, struct kg_error *err)
{
    switch (chunk->header.type) {
    case KG_CHUNK_PROCESS:
        return process_begin(scan, segment, chunk, err);
    case KG_CHUNK_NAMES:
        return kg_scan_names(scan, chunk, err);
    case KG_CHUNK_THREAD:
        return kg_scan_thread(scan, chunk, err);
    case KG_CHUNK_NODES:
        return kg_scan_nodes(scan, chunk, err);
    case KG_CHUNK_PACKED:
        return kg_scan_entries(scan, chunk, err);
    case KG_CHUNK_LOSSES:
        return kg_scan_losses(scan, chunk, err);
    default:
        return true;
    }
}

static bool segment_read(struct kg_scan *scan, const struct kg_segment *segment,
                         struct kg_error *err)
{
    struct kg_scan_chunk chunk;
    uint64_t offset = segment->start;
    bool good = true;
    while (good && segment->end - offset >= sizeof chunk.header) {
        const unsigned char *at = kg_window_at(&scan->window, offset, sizeof chunk.header, err);
        if (!at)
            return false;
        memcpy(&chunk.header, at, sizeof chunk.header);
        /* A program may write to the file during the scan, so a header that was good may have
         * changed. */
        if (!kg_chunk_check(&chunk.header, scan->window.path, offset, err))
            return false;
        chunk.start = offset + sizeof chunk.header;
        chunk.cut = chunk.header.bytes > segment->end - chunk.start;
        chunk.end = chunk.cut ? segment->end : chunk.start + chunk.header.bytes;
        if ((chunk.header.type == KG_CHUNK_PROCESS) != (offset == segment->start))
            return kg_scan_damaged(scan, offset, err, "it changed while it was read");
        good = chunk_read(scan, segment, &chunk, err);
        offset = chunk.end;
    }
    good = good && process_end(scan, segment, err);
    kg_scan_tables_free(scan);
    return good;
}

/* --- The file -------------------------------------------------------------------------------- */

static bool segments_read(struct kg_scan *scan, struct kg_segments *segments, struct kg_error *err)
{
    struct kg_segment segment;
    bool more;
    while (kg_segments_next(segments, &segment, &more, err)) {
        if (!more)
            return true;
        if (!segment_read(scan, &segment, err))
            return false;
    }
    return false;
}

bool kg_profile_scan_part(int file, const char *path, uint64_t size,
                          const struct kg_profile_visitor *visitor, struct kg_error *err)
{
    struct kg_scan scan = {.visitor = visitor};
    struct kg_segments segments = {0};
    scan.strings.arena = &scan.arena;
    const bool good = kg_window_open(&scan.window, file, path, size, err) &&
                      kg_segments_open(&segments, file, path, size, err) &&
                      segments_read(&scan, &segments, err);
    kg_scan_tables_free(&scan);
    kg_paths_free(&scan.paths);
    kg_strings_free(&scan.strings);
    kg_arena_free(&scan.arena);
    kg_segments_close(&segments);
    kg_window_close(&scan.window);
    return good;
}

bool kg_profile_size(int file, const char *path, uint64_t *size, struct kg_error *err)
{
    struct stat status;
    if (fstat(file, &status) != 0)
        return kg_error_set(err, KG_ERROR_SYSTEM, "cannot read '%s': %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return kg_error_set(err, KG_ERROR_USAGE, "cannot read '%s': it is not a regular file",
                            path);
    *size = (uint64_t)status.st_size;
    return true;
}

bool kg_profile_scan_file(int file, const char *path, const struct kg_profile_visitor *visitor,
                          struct kg_error *err)
{
    uint64_t size = 0;
    return kg_profile_size(file, path, &size, err) &&
           kg_profile_scan_part(file, path, size, visitor, err);
}

int kg_profile_open(const char *path, struct kg_error *err)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        kg_error_set(err, KG_ERROR_USAGE, "cannot read '%s': %s", path, strerror(errno));
    return file;
}

/* A first process may be cut off within its header, and another one come after it. */
bool kg_profile_is_recording(const char *path)
{
    struct kg_error err;
    unsigned char bytes[2 * sizeof(struct kg_chunk)] = {0};
    struct kg_chunk chunk;
    const int file = kg_profile_open(path, &err);
    if (file < 0)
        return false;
    const ssize_t count = pread(file, bytes, sizeof bytes, 0);
    close(file);
    memcpy(&chunk, bytes, sizeof chunk);
    bool is = count >= (ssize_t)sizeof chunk && chunk.magic == KG_CHUNK_MAGIC &&
              chunk.type == KG_CHUNK_PROCESS;
    for (size_t i = 1; i < sizeof chunk && !is; i++) {
        memcpy(&chunk, bytes + i, sizeof chunk);
        is = kg_chunk_is_process(&chunk);
    }
    return is;
}
