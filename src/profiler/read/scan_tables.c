/* The tables of a recording: names, threads, paths, losses. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "profiler/read/scan_state.h"

enum { NODES_FIRST = 16, NODES_MOST = 1 << 16 };

bool kg_scan_text(struct kg_scan *scan, const unsigned char *bytes, size_t length,
                  const char **text, struct kg_error *err)
{
    *text = NULL;
    if (!length || !bytes[0])
        return true;
    *text = kg_strings_keep(&scan->strings, (const char *)bytes, length);
    return *text ? true : kg_error_memory(err);
}

/* --- Names ----------------------------------------------------------------------------------- */

static bool name_texts(struct kg_scan *scan, const struct kg_chunk_name *row,
                       const unsigned char *text, struct kg_scan_name *name, struct kg_error *err)
{
    const unsigned char *backend = text + row->name_bytes;
    if (!kg_scan_text(scan, text, row->name_bytes, &name->name, err) ||
        !kg_scan_text(scan, backend, row->backend_bytes, &name->backend, err) ||
        !kg_scan_text(scan, backend + row->backend_bytes, row->file_bytes, &name->file, err))
        return false;
    if (!name->name)
        name->name = kg_strings_keep(&scan->strings, "", 0);
    return name->name ? true : kg_error_memory(err);
}

static bool name_add(struct kg_scan *scan, const struct kg_chunk_name *row,
                     const unsigned char *text, uint64_t where, struct kg_error *err)
{
    if (!row->id || row->device > KGATE_DEVICE_CUDA || row->kind >= KG_SCOPE_KINDS)
        return kg_scan_damaged(scan, where, err, "an impossible name");
    if (kg_map_get(&scan->name_by_id, row->id))
        return kg_scan_damaged(scan, where, err, "name %" PRIu32 " occurs twice", row->id);
    struct kg_scan_name name = {.line = row->line, .device = row->device, .kind = row->kind};
    if (!name_texts(scan, row, text, &name, err))
        return false;
    uint64_t *place = kg_map_at(&scan->name_by_id, row->id);
    if (!place ||
        !kg_grow(&scan->names, scan->name_count, &scan->name_capacity, sizeof *scan->names))
        return kg_error_memory(err);
    scan->names[scan->name_count++] = name;
    *place = scan->name_count;
    return true;
}

bool kg_scan_names(struct kg_scan *scan, const struct kg_scan_chunk *chunk, struct kg_error *err)
{
    uint64_t offset = chunk->start;
    while (offset < chunk->end) {
        struct kg_chunk_name row;
        size_t bytes = sizeof row;
        const uint64_t left = chunk->end - offset;
        const unsigned char *at =
            left < bytes ? NULL : kg_window_at(&scan->window, offset, bytes, err);
        if (left >= bytes && !at)
            return false;
        if (at) {
            memcpy(&row, at, sizeof row);
            bytes += (size_t)row.name_bytes + row.backend_bytes + row.file_bytes;
            bytes = (bytes + 7) / 8 * 8;
        }
        if (left < bytes)
            return chunk->cut ||
                   kg_scan_damaged(scan, offset, err, "a name is longer than its chunk");
        at = kg_window_at(&scan->window, offset, bytes, err);
        if (!at || !name_add(scan, &row, at + sizeof row, offset, err))
            return false;
        offset += bytes;
    }
    return true;
}

static struct kg_scan_name *name_of(const struct kg_scan *scan, uint32_t id)
{
    const uint64_t place = kg_map_get(&scan->name_by_id, id);
    return place ? &scan->names[place - 1] : NULL;
}

/* --- Paths ----------------------------------------------------------------------------------- */

static bool path_find(struct kg_scan *scan, const struct kg_scan_name *name, size_t parent,
                      bool span, uint64_t where, size_t *index, struct kg_error *err)
{
    static const char *const devices[] = {"cpu", "cuda"};
    const struct kg_profile_path path = {.name = name->name,
                                         .parent = parent,
                                         .device = devices[name->device],
                                         .backend = name->backend,
                                         .file = name->file,
                                         .line = name->line,
                                         .kind = name->kind,
                                         .span = span};
    bool fresh;
    if (!kg_paths_find(&scan->paths, &path, index, &fresh, err)) {
        char message[128];
        memcpy(message, err->message, sizeof message - 1);
        message[sizeof message - 1] = '\0';
        return err->kind == KG_ERROR_USAGE ? kg_scan_damaged(scan, where, err, "%s", message)
                                           : false;
    }
    const struct kg_profile_visitor *visitor = scan->visitor;
    return !fresh || !visitor->path ||
           visitor->path(visitor->user, *index, &scan->paths.items[*index], err);
}

bool kg_scan_span(struct kg_scan *scan, uint32_t id, uint64_t where, size_t *path,
                  struct kg_error *err)
{
    struct kg_scan_name *name = name_of(scan, id);
    if (!name)
        return kg_scan_damaged(scan, where, err, "unknown name %" PRIu32, id);
    if (!name->span) {
        if (!path_find(scan, name, KG_PATH_NONE, true, where, path, err))
            return false;
        name->span = *path + 1;
    }
    *path = name->span - 1;
    return true;
}

static bool node_add(struct kg_scan *scan, struct kg_scan_thread *thread,
                     const struct kg_chunk_node *row, uint64_t where, struct kg_error *err)
{
    const struct kg_scan_name *name = name_of(scan, row->name);
    size_t path;
    if (!kg_grow(&thread->nodes, thread->node_count, &thread->node_capacity, sizeof *thread->nodes))
        return kg_error_memory(err);
    if (row->node != thread->node_count || row->node >= NODES_MOST)
        return kg_scan_damaged(scan, where, err, "path %" PRIu32 " where %zu was to come",
                               row->node, thread->node_count);
    if (row->parent >= row->node)
        return kg_scan_damaged(scan, where, err, "path %" PRIu32 " is inside unknown path %" PRIu32,
                               row->node, row->parent);
    if (!name)
        return kg_scan_damaged(scan, where, err, "path %" PRIu32 " has unknown name %" PRIu32,
                               row->node, row->name);
    const struct kg_scan_node around = thread->nodes[row->parent];
    const size_t parent = row->parent ? around.path - 1 : KG_PATH_NONE;
    const bool started = row->parent && row->flags & KG_NODE_STARTED;
    if (!path_find(scan, name, parent, false, where, &path, err))
        return false;
    thread->nodes[thread->node_count++] =
        (struct kg_scan_node){(uint32_t)path + 1, started, started || around.elsewhere};
    return true;
}

bool kg_scan_nodes(struct kg_scan *scan, const struct kg_scan_chunk *chunk, struct kg_error *err)
{
    struct kg_scan_thread *thread = kg_scan_thread_of(scan, chunk->header.thread, err);
    struct kg_chunk_node row;
    if (!thread)
        return false;
    if (chunk->header.bytes % sizeof row)
        return kg_scan_damaged(scan, chunk->start, err, "half a path");
    for (uint64_t offset = chunk->start; offset + sizeof row <= chunk->end; offset += sizeof row) {
        const unsigned char *at = kg_window_at(&scan->window, offset, sizeof row, err);
        if (!at)
            return false;
        memcpy(&row, at, sizeof row);
        if (!node_add(scan, thread, &row, offset, err))
            return false;
    }
    return true;
}

/* --- Threads --------------------------------------------------------------------------------- */

struct kg_scan_thread *kg_scan_thread_of(struct kg_scan *scan, uint32_t number,
                                         struct kg_error *err)
{
    const uint64_t known = kg_map_get(&scan->thread_by_number, number);
    if (known)
        return &scan->threads[known - 1];
    if (!kg_grow(&scan->threads, scan->thread_count, &scan->thread_capacity,
                 sizeof *scan->threads)) {
        kg_error_memory(err);
        return NULL;
    }
    struct kg_scan_thread thread = {.node_count = 1, .node_capacity = NODES_FIRST};
    thread.nodes = calloc(NODES_FIRST, sizeof *thread.nodes);
    uint64_t *place = thread.nodes ? kg_map_at(&scan->thread_by_number, number) : NULL;
    if (!place) {
        free(thread.nodes);
        kg_error_memory(err);
        return NULL;
    }
    scan->threads[scan->thread_count++] = thread;
    *place = scan->thread_count;
    return &scan->threads[scan->thread_count - 1];
}

bool kg_scan_thread(struct kg_scan *scan, const struct kg_scan_chunk *chunk, struct kg_error *err)
{
    const struct kg_profile_visitor *visitor = scan->visitor;
    struct kg_chunk_thread row;
    const char *name;
    if (chunk->header.bytes < sizeof row)
        return kg_scan_damaged(scan, chunk->start, err, "half a thread");
    if (chunk->cut || !visitor->thread)
        return true;
    const unsigned char *at = kg_window_at(&scan->window, chunk->start, sizeof row, err);
    if (!at)
        return false;
    memcpy(&row, at, sizeof row);
    return kg_scan_text(scan, (const unsigned char *)row.name, sizeof row.name, &name, err) &&
           visitor->thread(visitor->user, scan->process_count - 1, chunk->header.thread,
                           row.system_id, name ? name : "", err);
}

bool kg_scan_losses(struct kg_scan *scan, const struct kg_scan_chunk *chunk, struct kg_error *err)
{
    if (chunk->header.bytes < sizeof(struct kgate_profile_losses))
        return kg_scan_damaged(scan, chunk->start, err, "half of the losses");
    if (chunk->cut)
        return true;
    struct kg_scan_thread *thread = kg_scan_thread_of(scan, chunk->header.thread, err);
    const unsigned char *at =
        thread ? kg_window_at(&scan->window, chunk->start, sizeof thread->losses, err) : NULL;
    if (!at)
        return false;
    struct kgate_profile_losses row;
    memcpy(&row, at, sizeof row);
    const uint64_t any = row.dropped | row.too_deep | row.unbalanced | row.unfinished |
                         row.sampled_out | row.gpu_dropped;
    if (any >> 56)
        return kg_scan_damaged(scan, chunk->start, err, "impossible losses");
    thread->losses = row;
    return true;
}

void kg_scan_tables_free(struct kg_scan *scan)
{
    for (size_t i = 0; i < scan->thread_count; i++)
        free(scan->threads[i].nodes);
    free(scan->threads);
    free(scan->names);
    kg_map_free(&scan->name_by_id);
    kg_map_free(&scan->thread_by_number);
    scan->names = NULL;
    scan->threads = NULL;
    scan->name_count = scan->name_capacity = scan->thread_count = scan->thread_capacity = 0;
}
