/* profile_fields.h: the members of a profile's structs in kgate.profile.v1. Writer and reader share one
 * list. The writer (profile_json.c) is in the library and uses no JSON library. The reader
 * (profile_load.c) uses one.
 *
 * Each list calls F(member, kind, help). These kinds are always present: REAL, SHARE (above 0, up to 1),
 * COUNT, ORDINAL (from 1), SIZE, BOOL, TEXT, DEVICE (cpu or cuda). MAYBE_REAL and MAYBE_TEXT are left
 * out if they are not known. */
#pragma once

#define KG_PROFILE_LOSSES_FIELDS(F)                                                                \
    F(dropped, COUNT, "entries that found a full buffer, a full disk, or the file's limit")        \
    F(too_deep, COUNT, "scopes nested too deep, or of too many paths")                             \
    F(unbalanced, COUNT, "ends without a beginning")                                               \
    F(unfinished, COUNT, "scopes ended by the end of an outer one or of their thread")             \
    F(sampled_out, COUNT, "left out by sampling")                                                  \
    F(gpu_dropped, COUNT, "GPU times that were not taken")

/* Without `sampling`, a word, and `losses`. */
#define KG_PROFILE_PROCESS_FIELDS(F)                                                               \
    F(label, MAYBE_TEXT, "what it was said to do")                                                 \
    F(program, MAYBE_TEXT, "its executable's path")                                                \
    F(host, MAYBE_TEXT, "where it ran")                                                            \
    F(number, COUNT, "the system's")                                                               \
    F(started_ns, REAL, "since 1970")                                                              \
    F(wall_ns, REAL, "from the first beginning to the last end")                                   \
    F(scope_cost_ns, REAL, "what a scope costs the one around it")                                 \
    F(sample, SHARE, "share recorded")                                                             \
    F(threads, COUNT, "that recorded")                                                             \
    F(complete, BOOL, "it ended its recording itself")

/* `path` is written for `row`. */
#define KG_PROFILE_SHARE_FIELDS(F)                                                                 \
    F(process, SIZE, "its place in `processes`")                                                   \
    F(thread, ORDINAL, "its number in the process, from 1")                                        \
    F(calls, COUNT, "of the path, on the thread")                                                  \
    F(total_ns, REAL, "of these calls")                                                            \
    F(start_ns, REAL, "of the first of them, since the process's first reading of the clock")      \
    F(end_ns, REAL, "of the last of them, likewise")

/* Without `kind`, a word. */
#define KG_PROFILE_PATH_FIELDS(F)                                                                  \
    F(name, TEXT, "of its last scope")                                                             \
    F(parent, SIZE, "index of the path around it; its own index for an outermost one")             \
    F(depth, SIZE, "0 for an outermost one")                                                       \
    F(device, DEVICE, "where it ran")                                                              \
    F(backend, MAYBE_TEXT, "what it ran by")                                                       \
    F(file, MAYBE_TEXT, "its place in the source")                                                 \
    F(line, COUNT, "its place in the source; 0: not known")                                        \
    F(span, BOOL, "beside the nesting: it may begin and end on different threads")

#define KG_PROFILE_FIGURES_FIELDS(F)                                                               \
    F(calls, COUNT, "recorded")                                                                    \
    F(total_ns, REAL, "of all calls; of a name without calls inside itself")                       \
    F(self_ns, REAL, "without the scopes inside")                                                  \
    F(mean_ns, REAL, "of a call")                                                                  \
    F(standard_deviation_ns, REAL, "of a call")                                                    \
    F(min_ns, REAL, "of a call")                                                                   \
    F(max_ns, REAL, "of a call")                                                                   \
    F(p50_ns, REAL, "median, within 1 %")                                                          \
    F(p95_ns, REAL, "95 % of calls took no longer, within 1 %")                                    \
    F(p99_ns, REAL, "99 % of calls took no longer, within 1 %")                                    \
    F(share, REAL, "of the time of all outermost scopes")                                          \
    F(gpu_ns, REAL, "on the GPU, here and inside, without transfers")                              \
    F(transfer_ns, REAL, "in transfers, likewise")                                                 \
    F(cpu_ns, MAYBE_REAL, "CPU time")                                                              \
    F(overhead_ns, REAL, "the profiler's own time, estimated, here and inside")                    \
    F(bytes, COUNT, "read and written")                                                            \
    F(allocated_bytes, COUNT, "of all calls")                                                      \
    F(peak_bytes, COUNT, "of the worst call")                                                      \
    F(unfinished, COUNT, "calls that did not end by themselves")                                   \
    F(threads, COUNT, "that it ran on, over all processes; of a span none")                        \
    F(threads_most, COUNT, "that it ran on in one process")                                        \
    F(busiest_thread_ns, REAL,                                                                     \
      "of the thread that had most of it in its process, summed over processes")                   \
    F(even_thread_ns, REAL,                                                                        \
      "the same, had all threads of a process had as much of it: the imbalance is "                \
      "busiest_thread_ns / even_thread_ns")
