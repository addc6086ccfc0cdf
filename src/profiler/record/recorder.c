#include "profiler/record/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "profiler/record/losses.h"
#include "profiler/record/site.h"
#include "profiler/record/ticks.h"

enum { PARTS_MOST = 4, NAMES_BYTES = 1 << 16, TEXT_MOST = 4096 };

/* The pattern with "%p" replaced. false: too long. */
static bool path_expand(const char *pattern, char *path, size_t bytes)
{
    const char *place = strstr(pattern, "%p");
    const int length = place ? snprintf(path, bytes, "%.*s%ld%s", (int)(place - pattern), pattern,
                                        (long)getpid(), place + 2)
                             : snprintf(path, bytes, "%s", pattern);
    return length >= 0 && (size_t)length < bytes;
}

static int unnamed_open(void)
{
    const char *folder = secure_getenv("TMPDIR");
    char path[512];
    if (!folder || !*folder)
        folder = "/tmp";
    const int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0)
        return file;
    if (snprintf(path, sizeof path, "%s/kgate-profile-XXXXXX", folder) >= (int)sizeof path)
        return -1;
    const int named = mkostemp(path, O_CLOEXEC);
    if (named >= 0)
        unlink(path);
    return named;
}

/* A program that a recording one has started inherits KGATE_PROFILE: it must not write over the
 * file that its parent is still writing. */
static int named_open(struct kg_recorder *recorder)
{
    char path[sizeof recorder->path];
    if (!path_expand(recorder->pattern, path, sizeof path - 16))
        return -1;
    int file = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0666);
    if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0) {
        close(file);
        const size_t length = strlen(path);
        snprintf(path + length, sizeof path - length, ".%ld", (long)getpid());
        file = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0666);
    }
    memcpy(recorder->path, path, sizeof path);
    if (file >= 0 && ftruncate(file, 0) != 0 && errno != EINVAL) {
        close(file);
        return -1;
    }
    return file;
}

/* Whether the descriptor still belongs to the file. A program may have closed it, as daemons close all
 * inherited descriptors. Its number may now belong to another file. */
static bool still_ours(struct kg_recorder *recorder)
{
    struct stat status;
    if (recorder->file >= 0 && fstat(recorder->file, &status) == 0 &&
        status.st_dev == recorder->device && status.st_ino == recorder->inode)
        return true;
    recorder->file = -1;
    return false;
}

/* Writes all bytes at the offset, or leaves the file as it was. */
static bool append(struct kg_recorder *recorder, const struct iovec *parts, int part_count)
{
    size_t length = 0;
    for (int i = 0; i < part_count; i++)
        length += parts[i].iov_len;
    ssize_t written;
    do
        written = pwritev(recorder->file, parts, part_count, (off_t)recorder->offset);
    while (written < 0 && errno == EINTR);
    if (written == (ssize_t)length) {
        recorder->offset += length;
        return true;
    }
    /* Cuts off a torn chunk. If that fails, the next chunk is written over it. */
    if (written > 0 && ftruncate(recorder->file, (off_t)recorder->offset) != 0)
        errno = 0;
    return false;
}

static bool chunk_append(struct kg_recorder *recorder, enum kg_chunk_type type, uint32_t thread,
                         const struct iovec *parts, int part_count)
{
    struct kg_chunk chunk = {.magic = KG_CHUNK_MAGIC,
                             .version = KG_RECORDING_VERSION,
                             .type = (uint16_t)type,
                             .thread = thread};
    struct iovec all[PARTS_MOST + 1] = {{&chunk, sizeof chunk}};
    for (int i = 0; i < part_count; i++) {
        all[i + 1] = parts[i];
        chunk.bytes += (uint32_t)parts[i].iov_len;
    }
    kg_ticks_pair(&chunk.ticks, &chunk.clock_ns);
    return append(recorder, all, part_count + 1);
}

static uint16_t bounded(size_t length)
{
    return (uint16_t)(length < TEXT_MOST ? length : TEXT_MOST);
}

static bool process_write(struct kg_recorder *recorder)
{
    static const char zeros[8];
    char program[TEXT_MOST], host[256] = "";
    struct kg_chunk_process *process = &recorder->process;
    struct timespec now;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program);
    length = length < 0 ? 0 : length;
    gethostname(host, sizeof host - 1);
    clock_gettime(CLOCK_REALTIME, &now);
    process->started_ns = (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
    process->process = (uint32_t)getpid();
    process->entry_bytes = sizeof(struct kg_entry);
    process->clock = (uint16_t)kg_ticks_source;
    process->label_bytes = bounded(strlen(recorder->label));
    process->program_bytes = bounded((size_t)length);
    process->host_bytes = bounded(strlen(host));
    char text[3 * TEXT_MOST + 8];
    size_t bytes = 0;
    memcpy(text, recorder->label, process->label_bytes);
    bytes += process->label_bytes;
    memcpy(text + bytes, program, process->program_bytes);
    bytes += process->program_bytes;
    memcpy(text + bytes, host, process->host_bytes);
    bytes += process->host_bytes;
    memcpy(text + bytes, zeros, sizeof zeros);
    bytes = (bytes + 7) / 8 * 8;
    const struct iovec parts[] = {{process, sizeof *process}, {text, bytes}};
    return chunk_append(recorder, KG_CHUNK_PROCESS, 0, parts, 2);
}

/* Writes the chunk that later calls of kg_recorder_lose overwrite. */
static bool losses_begin(struct kg_recorder *recorder)
{
    const struct iovec part = {&recorder->losses, sizeof recorder->losses};
    recorder->losses_offset = recorder->offset + sizeof(struct kg_chunk);
    return chunk_append(recorder, KG_CHUNK_LOSSES, 0, &part, 1);
}

/* Moves a descriptor to a high number: a program may assume that low numbers are its own. */
static int descriptor_raise(int file)
{
    enum { HIGH = 512 };
    const int raised = file < 0 ? -1 : fcntl(file, F_DUPFD_CLOEXEC, HIGH);
    if (raised < 0)
        return file;
    close(file);
    return raised;
}

/* Beyond the size that a process may give a file a signal would end it. */
static void limit_find(struct kg_recorder *recorder)
{
    enum { END_BYTES = 4096 };
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return;
    const uint64_t most = limit.rlim_cur > END_BYTES ? limit.rlim_cur - END_BYTES : 0;
    recorder->most = recorder->most < most ? recorder->most : most;
}

/* The program may change its folder. */
static void path_resolve(struct kg_recorder *recorder)
{
    char *resolved = recorder->path[0] ? realpath(recorder->path, NULL) : NULL;
    if (resolved && strlen(resolved) < sizeof recorder->path)
        memcpy(recorder->path, resolved, strlen(resolved) + 1);
    free(resolved);
}

static bool file_open(struct kg_recorder *recorder)
{
    struct stat status;
    recorder->lazy = false;
    recorder->offset = 0;
    recorder->names_written = 0;
    recorder->losses = (struct kgate_profile_losses){0};
    recorder->file = descriptor_raise(recorder->pattern[0] ? named_open(recorder) : unnamed_open());
    if (recorder->file < 0 || fstat(recorder->file, &status) != 0)
        return false;
    recorder->device = status.st_dev;
    recorder->inode = status.st_ino;
    path_resolve(recorder);
    limit_find(recorder);
    return process_write(recorder) && losses_begin(recorder);
}

bool kg_recorder_open(struct kg_recorder *recorder, struct kg_error *err)
{
    pthread_mutex_init(&recorder->lock, NULL);
    errno = 0;
    if (file_open(recorder))
        return true;
    const int reason = errno;
    kg_recorder_close(recorder);
    return kg_error_set(err, KG_ERROR_SYSTEM, "cannot record the profile into '%.300s': %s",
                        recorder->pattern[0] ? recorder->pattern : "a temporary file",
                        reason ? strerror(reason) : "the path is too long");
}

/* Writes one name in the file's format; 0 if there is no room. */
static size_t name_put(const struct kgate_site *site, uint32_t number, char *to, size_t room)
{
    struct kg_chunk_name name = {
        .id = number,
        .line = site->line,
        .device = (uint8_t)site->device,
        .kind = (uint8_t)site->kind,
        .name_bytes = bounded(strlen(site->name)),
        .backend_bytes = bounded(site->backend ? strlen(site->backend) : 0),
        .file_bytes = bounded(site->file ? strlen(site->file) : 0),
    };
    const size_t text = (size_t)name.name_bytes + name.backend_bytes + name.file_bytes;
    const size_t bytes = (sizeof name + text + 7) / 8 * 8;
    if (bytes > room)
        return 0;
    memset(to, 0, bytes);
    memcpy(to, &name, sizeof name);
    to += sizeof name;
    memcpy(to, site->name, name.name_bytes);
    if (name.backend_bytes)
        memcpy(to + name.name_bytes, site->backend, name.backend_bytes);
    if (name.file_bytes)
        memcpy(to + name.name_bytes + name.backend_bytes, site->file, name.file_bytes);
    return bytes;
}

/* All names that are not in the file yet, in as many chunks as they need. */
static bool names_write(struct kg_recorder *recorder)
{
    const uint32_t count = kg_site_count();
    if (recorder->names_written == count)
        return true;
    char *buffer = malloc(NAMES_BYTES);
    bool good = buffer != NULL;
    while (good && recorder->names_written < count) {
        uint32_t next = recorder->names_written;
        size_t used = 0, bytes = 1;
        while (next < count && bytes) {
            bytes = name_put(kg_site_get(next + 1), next + 1, buffer + used, NAMES_BYTES - used);
            used += bytes;
            next += bytes > 0;
        }
        const struct iovec part = {buffer, used};
        good = chunk_append(recorder, KG_CHUNK_NAMES, 0, &part, 1);
        if (good)
            recorder->names_written = next;
    }
    free(buffer);
    return good;
}

static bool within_limit(const struct kg_recorder *recorder, enum kg_chunk_type type,
                         const struct iovec *parts, int part_count)
{
    uint64_t bytes = sizeof(struct kg_chunk);
    for (int i = 0; i < part_count; i++)
        bytes += parts[i].iov_len;
    return type == KG_CHUNK_END || recorder->offset + bytes <= recorder->most;
}

bool kg_recorder_write(struct kg_recorder *recorder, enum kg_chunk_type type, uint32_t thread,
                       const struct iovec *parts, int part_count)
{
    pthread_mutex_lock(&recorder->lock);
    bool good = !recorder->lazy || file_open(recorder);
    good = good && still_ours(recorder) && within_limit(recorder, type, parts, part_count) &&
           ((type != KG_CHUNK_NODES && type != KG_CHUNK_PACKED) || names_write(recorder)) &&
           chunk_append(recorder, type, thread, parts, part_count);
    pthread_mutex_unlock(&recorder->lock);
    return good;
}

void kg_recorder_lose(struct kg_recorder *recorder, const struct kgate_profile_losses *more)
{
    const uint64_t any = more->dropped | more->too_deep | more->unbalanced | more->unfinished |
                         more->sampled_out | more->gpu_dropped;
    if (!any)
        return;
    pthread_mutex_lock(&recorder->lock);
    kg_losses_add(&recorder->losses, more);
    const struct kgate_profile_losses now = recorder->losses;
    /* Overwrites existing bytes, which works on a full disk too. A failure here cannot be reported. */
    if (recorder->losses_offset && still_ours(recorder) &&
        pwrite(recorder->file, &now, sizeof now, (off_t)recorder->losses_offset) < 0)
        errno = 0;
    pthread_mutex_unlock(&recorder->lock);
}

void kg_recorder_unlock(struct kg_recorder *recorder)
{
    if (still_ours(recorder))
        flock(recorder->file, LOCK_UN);
}

void kg_recorder_close(struct kg_recorder *recorder)
{
    if (still_ours(recorder))
        close(recorder->file);
    recorder->file = -1;
    recorder->lazy = false;
}

int kg_recorder_file(struct kg_recorder *recorder)
{
    return still_ours(recorder) ? fcntl(recorder->file, F_DUPFD_CLOEXEC, 0) : -1;
}

bool kg_recorder_forked(struct kg_recorder *recorder)
{
    /* Another thread of the parent may have held it, and is not here to let it go. */
    pthread_mutex_init(&recorder->lock, NULL);
    kg_recorder_close(recorder);
    recorder->lazy = strstr(recorder->pattern, "%p") != NULL;
    return recorder->lazy;
}
