/* recorder.h: the file that a profiler writes: chunks, whole or not at all. Thread-safe by a lock
 * of its own, taken once a full buffer. */
#pragma once
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/error.h"
#include "kgate/profiler.h"
#include "profiler/record/recording.h"

struct kg_recorder {
    pthread_mutex_t lock;
    int file;               /* -1: none */
    bool lazy;              /* none yet: opened at the first chunk, as a forked child's is */
    char path[512];         /* as it is on the disk; empty for a file without a name */
    char pattern[512];      /* as it was asked for, with "%p"; empty where there is none */
    uint64_t device, inode; /* of the file: programs close descriptors that they do not know */
    uint64_t offset;
    uint64_t most; /* bytes of the file, but for its end */
    uint64_t losses_offset;
    struct kgate_profile_losses losses;
    uint32_t names_written;
    struct kg_chunk_process process;
    char label[128];
};

/* Opens the file and writes what process this is; with `lazy`, later. recorder->pattern, most,
 * process (but its strings' lengths and numbers) and label are the caller's to fill in before. */
bool kg_recorder_open(struct kg_recorder *recorder, struct kg_error *err);

/* Writes one chunk of the parts' bytes (a multiple of 8), new names before it where it can use
 * them.
 * returns false where the disk or the limit would not take it; the file is as before */
bool kg_recorder_write(struct kg_recorder *recorder, enum kg_chunk_type type, uint32_t thread,
                       const struct iovec *parts, int part_count);

/* Adds to what was lost. It has its place near the file's beginning, so that it can be told when
 * the disk is full. */
void kg_recorder_lose(struct kg_recorder *recorder, const struct kgate_profile_losses *more);

/* Lets another recording have the path; the file stays open for reading. */
void kg_recorder_unlock(struct kg_recorder *recorder);

/* The file in a descriptor to be closed; -1 where there is none, or none is left. */
int kg_recorder_file(struct kg_recorder *recorder);

/* Closes the file. */
void kg_recorder_close(struct kg_recorder *recorder);

/* In a forked child: the file is the parent's. With "%p" in the pattern the child opens its own at
 * its first chunk.
 * returns false where the child records nothing */
bool kg_recorder_forked(struct kg_recorder *recorder);
