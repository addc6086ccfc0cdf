/* profile_fields.h: the members of a profile's structs in kgate.profile.v1. Writer and reader share one
 * list. The writer (profile_json.c) is in the library and uses no JSON library. The reader
 * (profile_load.c) uses one.
 *
 * Each list calls F(member, kind, help). These kinds are always present: REAL, SHARE (above 0, up to 1),
 * COUNT, ORDINAL (from 1), SIZE, BOOL, TEXT, DEVICE (cpu or cuda). MAYBE_REAL and MAYBE_TEXT are left
 * out if they are not known. */
#pragma once

#define KG_PROFILE_LOSSES_FIELDS(F)                                                                \
    F(dropped, COUNT, "entries lost to a full buffer, a full disk, or the file's limit")           \
    F(too_deep, COUNT, "scopes nested too deep, or with too many paths")                           \
    F(unbalanced, COUNT, "ends without a start")                                                   \
    F(unfinished, COUNT, "scopes ended by the end of an outer scope or of their thread")           \
    F(sampled_out, COUNT, "entries left out by sampling")                                          \
    F(gpu_dropped, COUNT, "GPU times that were not recorded")

/* Without `sampling`, a word, and `losses`. */
#define KG_PROFILE_PROCESS_FIELDS(F)                                                               \
    F(label, MAYBE_TEXT, "label of the process")                                                   \
    F(program, MAYBE_TEXT, "path of the executable")                                               \
    F(host, MAYBE_TEXT, "host name")                                                               \
    F(number, COUNT, "process id")                                                                 \
    F(started_ns, REAL, "start time since 1970, ns")                                               \
    F(wall_ns, REAL, "time from the first start to the last end, ns")                              \
    F(scope_cost_ns, REAL, "cost of a scope to its outer scope, ns")                               \
    F(sample, SHARE, "recorded share")                                                             \
    F(threads, COUNT, "number of threads with entries")                                            \
    F(complete, BOOL, "whether the process ended its recording itself")

/* `path` is written for `row`. */
#define KG_PROFILE_SHARE_FIELDS(F)                                                                 \
    F(process, SIZE, "index into `processes`")                                                     \
    F(thread, ORDINAL, "number of the thread in the process, from 1")                              \
    F(calls, COUNT, "number of calls of the path on the thread")                                   \
    F(total_ns, REAL, "total time of these calls, ns")                                             \
    F(start_ns, REAL, "start of the first call since the process's first clock reading, ns")       \
    F(end_ns, REAL, "end of the last call since the process's first clock reading, ns")

/* Without `kind`, a word. */
#define KG_PROFILE_PATH_FIELDS(F)                                                                  \
    F(name, TEXT, "name of the path's last scope")                                                 \
    F(parent, SIZE, "index of the outer path; outermost: its own index")                           \
    F(depth, SIZE, "depth of nesting; outermost: 0")                                               \
    F(device, DEVICE, "device of the scope")                                                       \
    F(backend, MAYBE_TEXT, "backend of the scope")                                                 \
    F(file, MAYBE_TEXT, "source file of the scope")                                                \
    F(line, COUNT, "line in the source file; 0: not known")                                        \
    F(span, BOOL, "whether it is a span: outside the nesting, may end on another thread")

#define KG_PROFILE_FIGURES_FIELDS(F)                                                               \
    F(calls, COUNT, "number of recorded calls")                                                    \
    F(total_ns, REAL, "time of all calls, ns; for a name: recursion counts once")                  \
    F(elsewhere_ns, REAL,                                                                          \
      "part of total_ns on threads that a parallel region around the scope started, ns")           \
    F(self_ns, REAL, "time without inner scopes, ns")                                              \
    F(mean_ns, REAL, "mean time per call, ns")                                                     \
    F(standard_deviation_ns, REAL, "standard deviation of the time per call, ns")                  \
    F(min_ns, REAL, "shortest call, ns")                                                           \
    F(max_ns, REAL, "longest call, ns")                                                            \
    F(p50_ns, REAL, "median time per call, within 1 %, ns")                                        \
    F(p95_ns, REAL, "95th percentile of the time per call, within 1 %, ns")                        \
    F(p99_ns, REAL, "99th percentile of the time per call, within 1 %, ns")                        \
    F(share, REAL, "share of the wall time in scopes")                                             \
    F(gpu_ns, REAL, "GPU time with inner scopes, without transfers, ns")                           \
    F(transfer_ns, REAL, "transfer time with inner scopes, ns")                                    \
    F(cpu_ns, MAYBE_REAL, "CPU time, ns")                                                          \
    F(overhead_ns, REAL, "estimated cost of the profiler with inner scopes, ns")                   \
    F(bytes, COUNT, "bytes read and written")                                                      \
    F(allocated_bytes, COUNT, "bytes allocated by all calls")                                      \
    F(peak_bytes, COUNT, "greatest peak memory of a call, bytes")                                  \
    F(device_peak_bytes, COUNT,                                                                    \
      "most device memory that a call added, or an inner scope on a stream, bytes")                \
    F(unfinished, COUNT, "calls without their own end")                                            \
    F(threads, COUNT, "number of threads over all processes; spans: 0")                            \
    F(threads_most, COUNT, "largest number of threads in one process")                             \
    F(busiest_thread_ns, REAL,                                                                     \
      "time of the busiest thread per process, summed over processes, ns")                         \
    F(even_thread_ns, REAL,                                                                        \
      "time per thread if all threads of a process had the same time, summed over processes, ns; " \
      "imbalance: busiest_thread_ns / even_thread_ns")
