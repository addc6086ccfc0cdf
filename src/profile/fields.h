/* fields.h: the members of a profile's structs as kgate.profile.v1 has them. One list for the
 * writer (json.c, in the library, without a JSON library) and the reader (profile_load.c, with
 * one).
 *
 * Each list calls REAL, COUNT, SIZE, BOOL, TEXT for what is always there, and MAYBE_REAL,
 * MAYBE_TEXT for what is left out where it is not known. */
#pragma once

#define KG_PROFILE_LOSSES_FIELDS(F)                                                                \
    F(dropped, COUNT)                                                                              \
    F(too_deep, COUNT)                                                                             \
    F(unbalanced, COUNT)                                                                           \
    F(unfinished, COUNT)                                                                           \
    F(sampled_out, COUNT)                                                                          \
    F(gpu_dropped, COUNT)

/* Without `sampling`, a word, and `losses`. */
#define KG_PROFILE_PROCESS_FIELDS(F)                                                               \
    F(label, MAYBE_TEXT)                                                                           \
    F(program, MAYBE_TEXT)                                                                         \
    F(host, MAYBE_TEXT)                                                                            \
    F(number, COUNT)                                                                               \
    F(started_ns, REAL)                                                                            \
    F(wall_ns, REAL)                                                                               \
    F(scope_cost_ns, REAL)                                                                         \
    F(sample, REAL)                                                                                \
    F(threads, COUNT)                                                                              \
    F(complete, BOOL)

/* `path` is written for `row`. */
#define KG_PROFILE_SHARE_FIELDS(F)                                                                 \
    F(process, SIZE)                                                                               \
    F(thread, COUNT)                                                                               \
    F(calls, COUNT)                                                                                \
    F(total_ns, REAL)                                                                              \
    F(start_ns, REAL)                                                                              \
    F(end_ns, REAL)

/* Without `kind`, a word. */
#define KG_PROFILE_PATH_FIELDS(F)                                                                  \
    F(name, TEXT)                                                                                  \
    F(parent, SIZE)                                                                                \
    F(depth, SIZE)                                                                                 \
    F(device, TEXT)                                                                                \
    F(backend, MAYBE_TEXT)                                                                         \
    F(file, MAYBE_TEXT)                                                                            \
    F(line, COUNT)                                                                                 \
    F(span, BOOL)

#define KG_PROFILE_FIGURES_FIELDS(F)                                                               \
    F(calls, COUNT)                                                                                \
    F(total_ns, REAL)                                                                              \
    F(self_ns, REAL)                                                                               \
    F(mean_ns, REAL)                                                                               \
    F(standard_deviation_ns, REAL)                                                                 \
    F(min_ns, REAL)                                                                                \
    F(max_ns, REAL)                                                                                \
    F(p50_ns, REAL)                                                                                \
    F(p95_ns, REAL)                                                                                \
    F(p99_ns, REAL)                                                                                \
    F(share, REAL)                                                                                 \
    F(gpu_ns, REAL)                                                                                \
    F(transfer_ns, REAL)                                                                           \
    F(cpu_ns, MAYBE_REAL)                                                                          \
    F(overhead_ns, REAL)                                                                           \
    F(bytes, COUNT)                                                                                \
    F(allocated_bytes, COUNT)                                                                      \
    F(peak_bytes, COUNT)                                                                           \
    F(unfinished, COUNT)                                                                           \
    F(threads, COUNT)                                                                              \
    F(threads_most, COUNT)                                                                         \
    F(busiest_thread_ns, REAL)                                                                     \
    F(even_thread_ns, REAL)
