#include "util/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/hash.h"

bool kg_file_read(const char *path, size_t most, struct kg_text *text, struct kg_error *err)
{
    const bool standard_input = !strcmp(path, "-");
    const char *name = standard_input ? "standard input" : path;
    struct stat status;
    const int file = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    const int code = errno;
    if (file < 0)
        return kg_error_set(err, KG_ERROR_USAGE, "cannot read '%s': %s", path, strerror(code));
    bool good = true;
    if (fstat(file, &status) == 0 && S_ISDIR(status.st_mode))
        good = kg_error_set(err, KG_ERROR_USAGE, "cannot read '%s': it is a folder", name);
    while (good) {
        char bytes[65536];
        const ssize_t count = read(file, bytes, sizeof bytes);
        if (count == 0)
            break;
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            good =
                kg_error_set(err, KG_ERROR_SYSTEM, "cannot read '%s': %s", name, strerror(errno));
        else if (text->length + (size_t)count > most)
            good = kg_error_set(err, KG_ERROR_USAGE, "'%s' is longer than %zu bytes", name, most);
        else
            kg_text_append_bytes(text, bytes, (size_t)count);
        if (good && text->failed)
            good = kg_error_memory(err);
    }
    if (!standard_input)
        close(file);
    return good;
}

static bool write_all(int file, const char *bytes, size_t length)
{
    while (length) {
        const ssize_t count = write(file, bytes, length);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        bytes += count;
        length -= (size_t)count;
    }
    return true;
}

/* The mode that the file has, or that a new one would get. */
static mode_t mode_wanted(const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0)
        return status.st_mode & 0777;
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* A rename lasts through a power cut only when the folder is on the disk too; some file systems
 * refuse to sync a folder, which is no reason to call the write failed. */
static void folder_sync(const char *path)
{
    char copy[PATH_MAX];
    snprintf(copy, sizeof copy, "%s", path);
    const int folder = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return;
    fsync(folder);
    close(folder);
}

static bool temporary_write(const char *temporary, const char *target, const char *bytes,
                            size_t length)
{
    const int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return false;
    bool good = write_all(file, bytes, length) && fchmod(file, mode_wanted(target)) == 0 &&
                fsync(file) == 0;
    int code = errno;
    if (close(file) != 0 && good) {
        good = false;
        code = errno;
    }
    if (good && rename(temporary, target) == 0)
        return true;
    code = good ? errno : code;
    unlink(temporary);
    errno = code;
    return false;
}

bool kg_file_write(const char *path, const char *bytes, size_t length, struct kg_error *err)
{
    char resolved[PATH_MAX], temporary[PATH_MAX + 32];
    struct stat status;
    const char *target = path;
    if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode) && realpath(path, resolved))
        target = resolved;
    if (stat(target, &status) == 0 && !S_ISREG(status.st_mode)) {
        /* /dev/stdout, a pipe: nothing to be atomic about */
        FILE *file = S_ISDIR(status.st_mode) ? NULL : fopen(target, "we");
        const bool good = file && fwrite(bytes, 1, length, file) == length;
        const bool closed = file && fclose(file) == 0;
        return good && closed ? true
                              : kg_error_set(err, KG_ERROR_SYSTEM, "cannot write '%s': %s", path,
                                             strerror(S_ISDIR(status.st_mode) ? EISDIR : errno));
    }
    const int wanted = snprintf(temporary, sizeof temporary, "%s.tmp.%ld", target, (long)getpid());
    if (wanted < 0 || (size_t)wanted >= sizeof temporary)
        return kg_error_set(err, KG_ERROR_USAGE, "cannot write '%s': the path is too long", path);
    if (!temporary_write(temporary, target, bytes, length))
        return kg_error_set(err, KG_ERROR_SYSTEM, "cannot write '%s': %s", path, strerror(errno));
    folder_sync(target);
    return true;
}

bool kg_directory_make(const char *path, struct kg_error *err)
{
    char copy[PATH_MAX];
    struct stat status;
    const size_t length = strlen(path);
    if (length == 0 || length >= sizeof copy)
        return kg_error_set(err, KG_ERROR_USAGE, "cannot make the folder '%.100s': bad path", path);
    memcpy(copy, path, length + 1);
    for (size_t i = 1; i <= length; i++) {
        const char end = copy[i];
        if (end != '/' && end != '\0')
            continue;
        copy[i] = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST)
            return kg_error_set(err, errno == ENOSPC ? KG_ERROR_SYSTEM : KG_ERROR_USAGE,
                                "cannot make the folder '%s': %s", copy, strerror(errno));
        copy[i] = end;
    }
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
        return kg_error_set(err, KG_ERROR_USAGE, "'%s' is not a folder", path);
    return true;
}

int kg_file_lock(const char *path, double seconds, struct kg_error *err)
{
    const int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock < 0) {
        kg_error_set(err, KG_ERROR_SYSTEM, "cannot make the lock '%s': %s", path, strerror(errno));
        return -1;
    }
    const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
    for (double waited = 0;; waited += 0.02) {
        if (flock(lock, LOCK_EX | LOCK_NB) == 0)
            return lock;
        if (waited >= seconds || (errno != EWOULDBLOCK && errno != EINTR))
            break;
        nanosleep(&pause, NULL);
    }
    kg_error_set(err, KG_ERROR_SYSTEM,
                 "another process holds the lock '%s'; try again when it is done", path);
    close(lock);
    return -1;
}

void kg_file_unlock(int lock)
{
    if (lock >= 0)
        close(lock);
}

bool kg_file_hash(const char *path, char *hex)
{
    char bytes[65536];
    uint64_t hash = KG_HASH_START;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t count;
    while ((count = read(file, bytes, sizeof bytes)) > 0)
        hash = kg_hash_bytes(hash, bytes, (size_t)count);
    close(file);
    snprintf(hex, 17, "%016" PRIx64, hash);
    return count == 0;
}
