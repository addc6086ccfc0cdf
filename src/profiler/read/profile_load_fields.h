/* profile_load_fields.h: the members of a kgate.profile.v1 file, by tables, and whether their
 * values can be. For profile_load.c. */
#pragma once
#include "base/record.h"
#include "profiler/read/profile_load.h"

struct kg_loaded_process {
    struct kg_profile_process process;
    const char *sampling;
};

struct kg_loaded_row {
    struct kg_profile_row row;
    const char *kind;
};

struct kg_loaded_thread {
    size_t process;
    uint64_t thread, system_id;
    const char *name;
};

struct kg_loaded_entry {
    size_t process, path;
    uint64_t thread, nested, bytes, allocated_bytes, peak_bytes;
    double start_ns, duration_ns, overhead_ns, cpu_ns, gpu_start_ns, gpu_ns;
    const char *stream; /* "0x10" */
    bool unfinished;
};

struct kg_loaded {
    double wall_ns;
    uint64_t entry_count; /* of the recording */
    struct kg_loaded_entry *entries;
    size_t listed_count; /* of those above, in the file */
    struct kg_loaded_process *processes;
    size_t process_count;
    struct kg_loaded_thread *threads;
    size_t thread_count;
    struct kg_loaded_row *paths;
    size_t path_count;
    struct kg_profile_name *names;
    size_t name_count;
    struct kg_profile_share *thread_shares;
    size_t thread_share_count;
};

extern const struct kg_record kg_loaded_entry_record;

/* Checks the loaded members, and turns words into enums: sampling, kind.
 * err: KG_ERROR_USAGE naming the member */
bool kg_loaded_check(struct kg_loaded *loaded, struct kg_error *err);
