/* recorder.h: writes a profiler's file. Each chunk is written whole or not at all. Thread-safe by a
 * lock of its own, taken once per full buffer. */
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
    bool lazy;              /* not open yet: the first chunk opens it, in a forked child */
    char path[512];         /* as it is on the disk; empty for a file without a name */
    char pattern[512];      /* as requested, with "%p"; empty without a path */
    uint64_t device, inode; /* identity of the file: programs close descriptors they do not know */
    uint64_t offset;
    uint64_t most; /* size limit of the file in bytes, except for its end */
    uint64_t losses_offset;
    struct kgate_profile_losses losses;
    uint32_t names_written;
    struct kg_chunk_process process;
    char label[128];
};

/* Opens the file and writes the process's header; with `lazy`, later. Before the call, the caller fills
 * recorder->pattern, most, label and process (except its number and lengths of strings). */
bool kg_recorder_open(struct kg_recorder *recorder, struct kg_error *err);

/* Writes one chunk with the parts' bytes (a multiple of 8). Before it, writes new names if the chunk
 * may use them.
 * returns false if the disk or the limit did not take it; the file is then unchanged */
bool kg_recorder_write(struct kg_recorder *recorder, enum kg_chunk_type type, uint32_t thread,
                       const struct iovec *parts, int part_count);

/* Adds losses to the file's. Their place is near the file's beginning, so they can be written even if
 * the disk is full. */
void kg_recorder_lose(struct kg_recorder *recorder, const struct kgate_profile_losses *more);

/* Lets another recording have the path; the file stays open for reading. */
void kg_recorder_unlock(struct kg_recorder *recorder);

/* The file in a descriptor that the caller must close; -1 without a file or a free descriptor. */
int kg_recorder_file(struct kg_recorder *recorder);

/* Closes the file. */
void kg_recorder_close(struct kg_recorder *recorder);

/* For a forked child: the open file belongs to the parent. If the pattern has "%p", the child opens a
 * file of its own at its first chunk.
 * returns false if the child records nothing */
bool kg_recorder_forked(struct kg_recorder *recorder);
