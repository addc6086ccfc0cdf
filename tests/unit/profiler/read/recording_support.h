/* recording_support.h: hand-made recordings, chunk by chunk, and the events of a scan. */
#pragma once
#include "test_support.h"

#include <unistd.h>

#include "base/text.h"
#include "profiler/read/profile.h"
#include "profiler/read/scan.h"
#include "profiler/record/pack.h"
#include "profiler/record/recording.h"

/* Sanitizers take memory of their own, so tests cannot measure a reader's memory then. */
#if defined(__SANITIZE_ADDRESS__)
enum { MEMORY_MEASURED = 0 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
enum { MEMORY_MEASURED = 0 };
#else
enum { MEMORY_MEASURED = 1 };
#endif
#else
enum { MEMORY_MEASURED = 1 };
#endif

/* Doubles: cmocka compares floats. */
#define assert_near(value, expected, tolerance)                                                    \
    do {                                                                                           \
        const double value_ = (value), expected_ = (expected);                                     \
        if (!(fabs(value_ - expected_) <= (tolerance)))                                            \
            fail_msg("%s is %.17g, not %.17g", #value, value_, expected_);                         \
    } while (0)

/* Reads a recording by its path. */
static inline bool recording_scan(const char *path, const struct kg_profile_visitor *visitor,
                                  struct kg_error *err)
{
    const int file = kg_profile_open(path, err);
    if (file < 0)
        return false;
    const bool good = kg_profile_scan_file(file, path, visitor, err);
    close(file);
    return good;
}

/* A recording in memory. By default, ticks are nanoseconds. */
struct recording {
    struct kg_text bytes;
    uint64_t ticks, clock_ns; /* of the next chunk's header */
};

static inline void recording_chunk(struct recording *recording, unsigned type, uint32_t thread,
                                   const void *bytes, size_t length)
{
    static const char zeros[8];
    const size_t padded = (length + 7) / 8 * 8;
    const struct kg_chunk chunk = {.magic = KG_CHUNK_MAGIC,
                                   .version = KG_RECORDING_VERSION,
                                   .type = (uint16_t)type,
                                   .bytes = (uint32_t)padded,
                                   .thread = thread,
                                   .ticks = recording->ticks,
                                   .clock_ns = recording->clock_ns};
    kg_text_append_bytes(&recording->bytes, (const char *)&chunk, sizeof chunk);
    kg_text_append_bytes(&recording->bytes, bytes, length);
    kg_text_append_bytes(&recording->bytes, zeros, padded - length);
}

/* A process of number `number` whose ticks last `ns_per_tick`, and whose scopes cost 10 ns. */
static inline void recording_process(struct recording *recording, uint32_t number,
                                     double ns_per_tick, const char *label)
{
    static const char program[] = "/opt/solver", host[] = "host";
    struct kg_text text = {0};
    const struct kg_chunk_process process = {
        .started_ns = UINT64_C(1700000000000000000) + number * UINT64_C(1000000),
        .ns_per_tick = ns_per_tick,
        .scope_cost_ns = 10,
        .sample = 1,
        .process = number,
        .entry_bytes = sizeof(struct kg_entry),
        .buffer_entries = 64,
        .label_bytes = (uint16_t)strlen(label),
        .program_bytes = sizeof program - 1,
        .host_bytes = sizeof host - 1,
    };
    kg_text_append_bytes(&text, (const char *)&process, sizeof process);
    kg_text_printf(&text, "%s%s%s", label, program, host);
    recording_chunk(recording, KG_CHUNK_PROCESS, 0, text.data, text.length);
    kg_text_free(&text);
}

static inline void recording_name_as(struct recording *recording, uint32_t id, const char *name,
                                     enum kgate_scope_kind kind, enum kgate_device device,
                                     const char *backend)
{
    static const char file[] = "solver.c";
    struct kg_text text = {0};
    const struct kg_chunk_name row = {
        .id = id,
        .line = 10 * id,
        .device = (uint8_t)device,
        .kind = (uint8_t)kind,
        .name_bytes = (uint16_t)strlen(name),
        .backend_bytes = (uint16_t)strlen(backend),
        .file_bytes = sizeof file - 1,
    };
    kg_text_append_bytes(&text, (const char *)&row, sizeof row);
    kg_text_printf(&text, "%s%s%s", name, backend, file);
    recording_chunk(recording, KG_CHUNK_NAMES, 0, text.data, text.length);
    kg_text_free(&text);
}

static inline void recording_name(struct recording *recording, uint32_t id, const char *name)
{
    recording_name_as(recording, id, name, KGATE_SCOPE_COMPUTE, KGATE_DEVICE_CPU, "");
}

static inline void recording_node(struct recording *recording, uint32_t thread, uint32_t node,
                                  uint32_t parent, uint32_t name)
{
    const struct kg_chunk_node row = {.node = node, .parent = parent, .name = name};
    recording_chunk(recording, KG_CHUNK_NODES, thread, &row, sizeof row);
}

static inline void recording_thread(struct recording *recording, uint32_t thread, const char *name)
{
    struct kg_chunk_thread row = {.system_id = 1000 + thread};
    snprintf(row.name, sizeof row.name, "%s", name);
    recording_chunk(recording, KG_CHUNK_THREAD, thread, &row, sizeof row);
}

/* `count` entries, each of as many slots as its flags say, `slot_count` in all. */
static inline void recording_slots(struct recording *recording, uint32_t thread,
                                   const struct kg_entry *slots, size_t slot_count)
{
    uint8_t *bytes = malloc(8 + slot_count * KG_PACKED_MOST);
    assert_non_null(bytes);
    struct kg_pack_state state = {0};
    uint8_t *to = bytes + 8;
    uint64_t count = 0;
    for (size_t i = 0; i < slot_count; i += kg_entry_slots(&slots[i]), count++)
        to = kg_entry_pack(&state, &slots[i], to);
    memcpy(bytes, &count, sizeof count);
    recording_chunk(recording, KG_CHUNK_PACKED, thread, bytes, (size_t)(to - bytes));
    free(bytes);
}

/* One plain entry. */
static inline void recording_entry(struct recording *recording, uint32_t thread, uint32_t node,
                                   uint64_t start, uint64_t duration, uint32_t nested)
{
    const struct kg_entry entry = {
        .start = start, .duration = duration, .node = node, .nested_flags = nested};
    recording_slots(recording, thread, &entry, 1);
}

/* One with everything there is to say. */
static inline void recording_entry_full(struct recording *recording, uint32_t thread,
                                        const struct kg_entry *entry,
                                        const struct kg_entry_usage *usage,
                                        const struct kg_entry_gpu *gpu)
{
    struct kg_entry slots[KG_ENTRY_SLOTS_MOST] = {*entry};
    size_t count = 1;
    if (usage) {
        slots[0].nested_flags |= (uint32_t)KG_ENTRY_USAGE << 24;
        memcpy(&slots[count++], usage, sizeof *usage);
    }
    if (gpu) {
        slots[0].nested_flags |= (uint32_t)KG_ENTRY_GPU << 24;
        memcpy(&slots[count++], gpu, sizeof *gpu);
    }
    recording_slots(recording, thread, slots, count);
}

static inline void recording_span(struct recording *recording, uint32_t thread, uint32_t name,
                                  uint64_t start, uint64_t duration)
{
    recording_entry(recording, thread, name, start, duration, (uint32_t)KG_ENTRY_SPAN << 24);
}

static inline void recording_losses(struct recording *recording, uint32_t thread,
                                    const struct kgate_profile_losses *losses)
{
    recording_chunk(recording, KG_CHUNK_LOSSES, thread, losses, sizeof *losses);
}

static inline void recording_end(struct recording *recording)
{
    recording_chunk(recording, KG_CHUNK_END, 0, "", 0);
}

/* Writes the first `length` bytes to "folder/name"; returns the path, until the next call. */
static inline const char *recording_save_part(const struct recording *recording, const char *folder,
                                              const char *name, size_t length)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    /* A new file: some file systems wait for the disk when an old one is overwritten. */
    unlink(path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(kg_text_string(&recording->bytes), 1, length, file), length);
    assert_int_equal(fclose(file), 0);
    return path;
}

static inline const char *recording_save(const struct recording *recording, const char *folder,
                                         const char *name)
{
    return recording_save_part(recording, folder, name, recording->bytes.length);
}

static inline void recording_free(struct recording *recording)
{
    kg_text_free(&recording->bytes);
}

/* Adds up a recording and frees it; its file stays, as r.kgprof. */
static inline void recording_read(struct recording *recording, const char *folder,
                                  struct kg_profile *profile)
{
    struct kg_error err;
    if (!kg_profile_read(recording_save(recording, folder, "r.kgprof"), profile, &err))
        fail_msg("refused: %s", err.message);
    recording_free(recording);
}

/* The figures of all rows with this name. */
static inline const struct kg_profile_figures *profile_name(const struct kg_profile *profile,
                                                            const char *name)
{
    for (size_t i = 0; i < profile->name_count; i++)
        if (!strcmp(profile->names[i].name, name))
            return &profile->names[i].figures;
    fail_msg("there is no name %s", name);
    return NULL;
}

/* Compares a report and frees it. */
static inline void report_check(struct kg_text *text, const char *expected)
{
    assert_false(text->failed);
    assert_string_equal(kg_text_string(text), expected);
    kg_text_free(text);
}

/* Two calls of a parallel region of two threads that meet at a barrier.
 *
 *   thread 1: call 0..1000 { region 100..900 { part 200..400, barrier 400..800 } }, and at 2000
 *   thread 2: part 200..700, barrier 700..800, and at 2200 */
static inline void recording_parallel(struct recording *recording, uint32_t number,
                                      const char *label)
{
    recording_process(recording, number, 1, label);
    recording_name(recording, 1, "call");
    recording_name_as(recording, 2, "region", KGATE_SCOPE_PARALLEL, KGATE_DEVICE_CPU, "");
    recording_name_as(recording, 3, "part", KGATE_SCOPE_COMPUTE, KGATE_DEVICE_CPU, "openmp");
    recording_name_as(recording, 4, "barrier", KGATE_SCOPE_WAIT, KGATE_DEVICE_CPU, "");
    for (uint32_t node = 1; node <= 4; node++)
        recording_node(recording, 1, node, node < 4 ? node - 1 : 2, node);
    recording_node(recording, 2, 1, 0, 3);
    recording_node(recording, 2, 2, 0, 4);
    for (uint64_t at = 0; at <= 2000; at += 2000) {
        recording_entry(recording, 1, 3, at + 200, 200, 0);
        recording_entry(recording, 1, 4, at + 400, 400, 0);
        recording_entry(recording, 1, 2, at + 100, 800, 2);
        recording_entry(recording, 1, 1, at, 1000, 3);
        recording_entry(recording, 2, 1, at + 200, 500, 0);
        recording_entry(recording, 2, 2, at + 700, 100, 0);
    }
    recording_end(recording);
}

/* Two threads, two processes, nesting, recursion, transfers, GPU times, a span, a pause of the
 * profiler's, losses: something of everything.
 *
 *   thread 1: main 0..10000 { solve 1000..5000 { copy 1500..2500, (profiler) 3000..3100 },
 *                             solve 6000..9000 { solve 6500..8500 } }
 *   thread 2: solve 2000..4000 */
static inline void recording_rich(struct recording *recording, uint32_t number)
{
    recording_process(recording, number, 1, number == 7 ? "nightly" : "");
    recording_name(recording, 1, "main");
    recording_name_as(recording, 2, "solve", KGATE_SCOPE_COMPUTE, KGATE_DEVICE_CUDA, "cublas");
    recording_name_as(recording, 3, "copy", KGATE_SCOPE_TRANSFER, KGATE_DEVICE_CUDA, "cuda");
    recording_name_as(recording, 4, "(profiler)", KGATE_SCOPE_PROFILER, KGATE_DEVICE_CPU, "");
    recording_name(recording, 5, "request;\"a\"");
    recording_thread(recording, 1, "main thread");
    for (uint32_t node = 1; node <= 5; node++) {
        static const uint32_t parents[] = {0, 0, 1, 2, 2, 2}, names[] = {0, 1, 2, 3, 4, 2};
        recording_node(recording, 1, node, parents[node], names[node]);
    }
    recording_node(recording, 2, 1, 0, 2);
    const struct kg_entry copy = {.start = 1500, .duration = 1000, .bytes = 4096, .node = 3};
    const struct kg_entry_usage usage = {.allocated_bytes = 512, .peak_bytes = 256, .cpu_ns = 900};
    const struct kg_entry_gpu gpu = {.start = 1600, .duration_ns = 800, .stream = 0x10};
    recording_entry_full(recording, 1, &copy, &usage, &gpu);
    recording_entry(recording, 1, 4, 3000, 100, 0);
    const struct kg_entry solve = {.start = 1000, .duration = 4000, .node = 2, .nested_flags = 1};
    const struct kg_entry_gpu solve_gpu = {.start = 1100, .duration_ns = 3000, .stream = 0x10};
    recording_entry_full(recording, 1, &solve, NULL, &solve_gpu);
    recording_entry(recording, 2, 1, 2000, 2000, 0);
    recording_entry(recording, 1, 5, 6500, 2000, 0);
    recording_entry(recording, 1, 2, 6000, 3000, 1);
    recording_entry(recording, 1, 1, 0, 10000, (uint32_t)KG_ENTRY_UNFINISHED << 24 | 4);
    recording_span(recording, 2, 5, 500, 7000);
    const struct kgate_profile_losses losses = {.dropped = 3, .unfinished = 1};
    recording_losses(recording, 1, &losses);
    recording_end(recording);
}

/* --- Events of a scan ------------------------------------------------------------------------ */

enum { HEARD_MOST = 256 };

/* Strings are copied into the arena. */
struct heard {
    struct kg_arena arena;
    struct kg_profile_process processes[HEARD_MOST];
    size_t process_count, ended_count;
    struct kg_profile_path paths[HEARD_MOST];
    size_t path_count;
    struct kg_profile_entry entries[HEARD_MOST];
    size_t entry_count;
    struct {
        size_t process;
        uint32_t thread;
        uint64_t system_id;
        const char *name;
    } threads[HEARD_MOST];
    size_t thread_count;
};

static inline bool heard_process(void *user, size_t index, const struct kg_profile_process *process,
                                 struct kg_error *err)
{
    struct heard *heard = user;
    (void)err;
    assert_int_equal(index, heard->process_count);
    heard->processes[heard->process_count++] = *process;
    return true;
}

static inline bool heard_process_end(void *user, size_t index,
                                     const struct kg_profile_process *process, struct kg_error *err)
{
    struct heard *heard = user;
    struct kg_profile_process *known = &heard->processes[index];
    (void)err;
    *known = *process;
    known->label = process->label ? kg_arena_copy(&heard->arena, process->label) : NULL;
    known->program = process->program ? kg_arena_copy(&heard->arena, process->program) : NULL;
    known->host = process->host ? kg_arena_copy(&heard->arena, process->host) : NULL;
    heard->ended_count++;
    return true;
}

static inline bool heard_path(void *user, size_t index, const struct kg_profile_path *path,
                              struct kg_error *err)
{
    struct heard *heard = user;
    (void)err;
    assert_int_equal(index, heard->path_count);
    struct kg_profile_path *copy = &heard->paths[heard->path_count++];
    *copy = *path;
    copy->name = kg_arena_copy(&heard->arena, path->name);
    copy->backend = path->backend ? kg_arena_copy(&heard->arena, path->backend) : NULL;
    copy->file = path->file ? kg_arena_copy(&heard->arena, path->file) : NULL;
    copy->device = kg_arena_copy(&heard->arena, path->device);
    return true;
}

static inline bool heard_thread(void *user, size_t process, uint32_t thread, uint64_t system_id,
                                const char *name, struct kg_error *err)
{
    struct heard *heard = user;
    (void)err;
    const size_t i = heard->thread_count++;
    heard->threads[i].process = process;
    heard->threads[i].thread = thread;
    heard->threads[i].system_id = system_id;
    heard->threads[i].name = kg_arena_copy(&heard->arena, name);
    return true;
}

static inline bool heard_entry(void *user, const struct kg_profile_entry *entry,
                               struct kg_error *err)
{
    struct heard *heard = user;
    (void)err;
    assert_in_range(entry->process, 0, heard->process_count - 1);
    assert_in_range(entry->path, 0, heard->path_count - 1);
    if (heard->entry_count < HEARD_MOST)
        heard->entries[heard->entry_count] = *entry;
    heard->entry_count++;
    return true;
}

static inline struct kg_profile_visitor heard_visitor(struct heard *heard)
{
    return (struct kg_profile_visitor){.user = heard,
                                       .process = heard_process,
                                       .path = heard_path,
                                       .thread = heard_thread,
                                       .entry = heard_entry,
                                       .process_end = heard_process_end};
}

static inline void heard_free(struct heard *heard)
{
    kg_arena_free(&heard->arena);
}
