#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/terminal.h"

/* In a temporary file's name: between the target's name and a unique mark. */
#define TEMPORARY ".tmp."

/* Reserves room for the whole file, since a large text that grows later must move. If there is no
 * memory, reading reports it. */
static void file_reserve(struct kg_text *text, const struct stat *status, size_t most)
{
    if (S_ISREG(status->st_mode) && status->st_size > 0 && (size_t)status->st_size <= most)
        kg_text_reserve(text, (size_t)status->st_size);
}

/* Reads up to the end of the file. */
static bool all_read(int file, const char *name, size_t most, struct kg_text *text,
                     struct kg_error *err)
{
    enum { PART_BYTES = 64 * 1024 };
    for (;;) {
        if (!kg_text_reserve(text, PART_BYTES))
            return kg_error_memory(err);
        const ssize_t count =
            read(file, text->data + text->length, text->capacity - text->length - 1);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return kg_error_set(err, KG_ERROR_SYSTEM, "cannot read '%s': %s", name,
                                strerror(errno));
        text->length += (size_t)count;
        text->data[text->length] = '\0';
        if (text->length > most)
            return kg_error_set(err, KG_ERROR_USAGE, "'%s' is longer than %zu bytes", name, most);
        if (!count)
            return true;
    }
}

/* A pipe without a name, as of `<(command)`: its other end is open. A named pipe may wait for a
 * writer for ever. */
static bool is_open_pipe(int file)
{
    struct statfs system;
    return fstatfs(file, &system) == 0 && system.f_type == PIPEFS_MAGIC;
}

/* Reason to refuse an open file; NULL: none. */
static const char *unreadable(int file, const struct stat *status)
{
    if (S_ISDIR(status->st_mode))
        return "it is a folder";
    if (S_ISFIFO(status->st_mode) && !is_open_pipe(file))
        return "it is a named pipe, not a file";
    return NULL;
}

int kg_file_open(const char *path, struct kg_error *err)
{
    struct stat status;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const char *why = file < 0                    ? strerror(errno)
                      : fstat(file, &status) != 0 ? strerror(errno)
                                                  : unreadable(file, &status);
    if (!why) {
        if (!S_ISREG(status.st_mode)) /* kgate waits for a pipe or a terminal */
            fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK);
        return file;
    }
    kg_error_set(err, KG_ERROR_USAGE, "cannot read '%s': %s", path, why);
    if (file >= 0)
        close(file);
    return -1;
}

bool kg_file_read(const char *path, size_t most, struct kg_text *text, struct kg_error *err)
{
    const bool standard_input = !strcmp(path, "-");
    const char *name = standard_input ? "standard input" : path;
    struct stat status;
    const int file = standard_input ? STDIN_FILENO : kg_file_open(path, err);
    if (file < 0)
        return false;
    if (fstat(file, &status) == 0)
        file_reserve(text, &status, most);
    const bool good = all_read(file, name, most, text, err);
    if (!standard_input)
        close(file);
    return good;
}

/* The file system lacks the operation, as FUSE, 9p, SMB or gVisor may. A failing disk says EIO. */
static bool is_refused(int code)
{
    return code == EPERM || code == EACCES || code == ENOSYS || code == EINVAL ||
           code == EOPNOTSUPP;
}

bool kg_file_sync(int file)
{
    return fsync(file) == 0 || is_refused(errno);
}

bool kg_file_mode_set(int file, unsigned mode)
{
    struct stat status;
    return (fstat(file, &status) == 0 && (status.st_mode & 0777) == mode) ||
           fchmod(file, mode) == 0 || is_refused(errno);
}

/* A new name lasts through a power cut only if its folder is on the disk too. Some file systems
 * refuse to sync a folder: that is no failure of the write. A failing disk is one. */
static bool folder_sync(const char *path)
{
    char copy[PATH_MAX];
    snprintf(copy, sizeof copy, "%s", path);
    const int folder = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return true;
    const bool failed = fsync(folder) != 0 && errno == EIO;
    close(folder);
    errno = failed ? EIO : 0;
    return !failed;
}

/* A new file with its final mode: some file systems refuse to change the mode later. The name does
 * not use the process id alone: a killed kgate leaves its file, and ids come again.
 * path  PATH_MAX bytes; set */
static int temporary_open(const char *target, mode_t mode, char *path, size_t size)
{
    enum { TRIES = 100 };
    struct timespec now;
    int file = -1;
    for (unsigned i = 0; i < TRIES && file < 0; i++) {
        clock_gettime(CLOCK_REALTIME, &now);
        const unsigned long mark =
            (unsigned long)now.tv_nsec * 2654435761UL + (unsigned long)getpid() * 40503UL + i;
        snprintf(path, size, "%s" TEMPORARY "%06lx", target, mark & 0xffffffUL);
        file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (file < 0 && errno != EEXIST)
            return -1;
    }
    return file;
}

/* The target of a symbolic link, so that the write keeps the link; else `path`. */
static const char *target_of(const char *path, char resolved[PATH_MAX])
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISLNK(status.st_mode) && realpath(path, resolved)
               ? resolved
               : path;
}

/* The file that is being written. If memory runs out, its temporary file goes. Programs of kgate's
 * write one file at a time, from one thread. The profiler library keeps no such state. */
static const struct kg_file_writing *unfinished;

static void unfinished_remove(void)
{
    if (unfinished)
        unlink(unfinished->temporary);
}

bool kg_file_begin(struct kg_file_writing *writing, const char *path, struct kg_error *err)
{
    char resolved[PATH_MAX];
    struct stat status;
    const char *target = target_of(path, resolved);
    *writing = (struct kg_file_writing){0};
    if (strlen(target) >= sizeof writing->target)
        return kg_error_set(err, KG_ERROR_USAGE, "cannot write '%.100s…': the path is too long",
                            path);
    memcpy(writing->target, target, strlen(target) + 1);
    const bool exists = stat(target, &status) == 0;
    writing->atomic = !exists || S_ISREG(status.st_mode);
    if (writing->atomic) {
        writing->mode = exists ? status.st_mode & 0777 : 0666;
        writing->exists = exists;
        const int file =
            temporary_open(target, writing->mode, writing->temporary, sizeof writing->temporary);
        if (file >= 0 && kg_memory_before_end(unfinished_remove))
            unfinished = writing;
        writing->file = file < 0 ? NULL : fdopen(file, "w");
        if (file >= 0 && !writing->file) {
            close(file);
            unlink(writing->temporary);
            unfinished = NULL;
            errno = ENOMEM;
        }
    } else if (S_ISDIR(status.st_mode)) {
        errno = EISDIR;
    } else { /* /dev/stdout, a pipe: cannot be atomic */
        writing->file = fopen(target, "we");
    }
    return writing->file
               ? true
               : kg_error_set(err, KG_ERROR_SYSTEM, "cannot write '%s': %s", path, strerror(errno));
}

bool kg_file_end(struct kg_file_writing *writing, bool good, struct kg_error *err)
{
    const bool wanted = good;
    int code = errno; /* of a write that has just failed */
    if (!ferror(writing->file))
        errno = 0;
    good = good && !ferror(writing->file) && fflush(writing->file) == 0;
    if (writing->atomic)
        good = good &&
               (!writing->exists || kg_file_mode_set(fileno(writing->file), writing->mode)) &&
               kg_file_sync(fileno(writing->file));
    code = errno ? errno : code;
    if (fclose(writing->file) != 0 && good) {
        good = false;
        code = errno;
    }
    if (writing->atomic && good &&
        (rename(writing->temporary, writing->target) != 0 || !folder_sync(writing->target))) {
        good = false;
        code = errno;
    }
    if (writing->atomic && !good)
        unlink(writing->temporary);
    if (unfinished == writing)
        unfinished = NULL;
    if (wanted && !good)
        kg_error_set(err, KG_ERROR_SYSTEM, "cannot write '%s': %s", writing->target,
                     code ? strerror(code) : "the writing failed");
    return good;
}

bool kg_file_write(const char *path, const char *bytes, size_t length, struct kg_error *err)
{
    struct kg_file_writing writing;
    if (!kg_file_begin(&writing, path, err))
        return false;
    fwrite(bytes, 1, length, writing.file);
    return kg_file_end(&writing, true, err);
}

void kg_file_sweep(const char *path)
{
    char folder[PATH_MAX], left[PATH_MAX];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const size_t length = strlen(name), mark = strlen(TEMPORARY);
    const struct dirent *entry;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    DIR *entries = opendir(folder);
    while (entries && (entry = readdir(entries)))
        if (!strncmp(entry->d_name, name, length) &&
            !strncmp(entry->d_name + length, TEMPORARY, mark) &&
            snprintf(left, sizeof left, "%s/%s", folder, entry->d_name) < PATH_MAX)
            unlink(left);
    if (entries)
        closedir(entries);
}

bool kg_file_blame(const struct kg_file_writing *writing, struct kg_error *err)
{
    if (ferror(writing->file))
        kg_error_wrap(err, "for '%.300s'", writing->target);
    return false;
}

bool kg_file_print(FILE *file, const struct kg_text *text, struct kg_error *err)
{
    struct kg_text plain = {0};
    const bool is_plain = isatty(fileno(file)) && kg_terminal_plain();
    if (is_plain)
        kg_escape_plain(&plain, kg_text_string(text));
    const struct kg_text *shown = is_plain ? &plain : text;
    const bool memory = text->failed || plain.failed;
    const bool good = !memory &&
                      fwrite(kg_text_string(shown), 1, shown->length, file) == shown->length &&
                      fflush(file) == 0;
    const int why = errno;
    kg_text_free(&plain);
    if (memory)
        return kg_error_memory(err);
    return good ||
           kg_error_set(err, KG_ERROR_SYSTEM, "cannot write %s: %s",
                        file == stdout ? "to standard output" : "the report", strerror(why));
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
        if (mkdir(copy, 0777) == 0 ? !folder_sync(copy) : errno != EEXIST)
            return kg_error_set(err,
                                errno == ENOSPC || errno == EIO ? KG_ERROR_SYSTEM : KG_ERROR_USAGE,
                                "cannot make the folder '%s': %s", copy, strerror(errno));
        copy[i] = end;
    }
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
        return kg_error_set(err, KG_ERROR_USAGE, "'%s' is not a folder", path);
    return true;
}

bool kg_directory_temporary(const char *what, char *path, size_t size, struct kg_error *err)
{
    const char *parent = getenv("TMPDIR");
    if (snprintf(path, size, "%s/kgate-%s-XXXXXX", parent && *parent ? parent : "/tmp", what) >=
        (int)size)
        errno = ENAMETOOLONG;
    else if (mkdtemp(path))
        return true;
    return kg_error_set(err, KG_ERROR_SYSTEM, "cannot make a temporary folder '%.300s': %s", path,
                        strerror(errno));
}

void kg_directory_remove(const char *path)
{
    DIR *folder = opendir(path);
    char file[PATH_MAX];
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        if (snprintf(file, sizeof file, "%s/%s", path, entry->d_name) < (int)sizeof file)
            unlink(file); /* fails for "." and ".." */
    if (folder)
        closedir(folder);
    rmdir(path);
}

bool kg_directory_lock(const char *path, int *lock, struct kg_error *err)
{
    *lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*lock < 0 || flock(*lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return true; /* some file systems cannot lock folders */
    close(*lock);
    *lock = -1;
    return kg_error_set(
        err, KG_ERROR_USAGE,
        "another kgate is writing to the folder '%.300s': give this kgate another folder with -o",
        path);
}

/* type  S_IFREG or S_IFDIR */
static bool is_same(const char *a, const char *b, mode_t type)
{
    struct stat of_a, of_b;
    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && (of_a.st_mode & S_IFMT) == type &&
           of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

bool kg_file_same(const char *a, const char *b)
{
    return is_same(a, b, S_IFREG);
}

bool kg_directory_same(const char *a, const char *b)
{
    return is_same(a, b, S_IFDIR);
}

/* Whether both streams have the same bytes from here to their ends. */
static bool streams_alike(FILE *a, FILE *b)
{
    char of_a[16384], of_b[sizeof of_a];
    for (;;) {
        const size_t count = fread(of_a, 1, sizeof of_a, a);
        if (fread(of_b, 1, sizeof of_b, b) != count || memcmp(of_a, of_b, count) != 0 ||
            ferror(a) || ferror(b))
            return false;
        if (count < sizeof of_a)
            return true;
    }
}

bool kg_file_alike(const char *a, const char *b)
{
    struct stat of_a, of_b;
    if (kg_file_same(a, b))
        return true;
    if (stat(a, &of_a) != 0 || stat(b, &of_b) != 0 || !S_ISREG(of_a.st_mode) ||
        !S_ISREG(of_b.st_mode) || of_a.st_size != of_b.st_size)
        return false;
    FILE *first = fopen(a, "rbe"), *second = fopen(b, "rbe");
    const bool alike = first && second && streams_alike(first, second);
    if (first)
        fclose(first);
    if (second)
        fclose(second);
    return alike;
}

bool kg_file_is_regular(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

bool kg_file_hash(const char *path, char *hex)
{
    char bytes[65536];
    uint64_t hash = KG_HASH_START;
    struct kg_error unread;
    const int file = kg_file_open(path, &unread);
    if (file < 0)
        return false;
    ssize_t count;
    while ((count = read(file, bytes, sizeof bytes)) > 0)
        hash = kg_hash_bytes(hash, bytes, (size_t)count);
    close(file);
    snprintf(hex, 17, "%016" PRIx64, hash);
    return count == 0;
}

/* Folders that packages fill and that no project builds into. */
static const char *const system_folders[] = {"/lib",       "/lib32",     "/lib64",      "/usr/lib",
                                             "/usr/lib32", "/usr/lib64", "/usr/libexec"};

bool kg_file_beside(const char *program, const char *const *places, size_t count, char *path)
{
    enum { PATH_BYTES = 4096 };
    const char *slash = strrchr(program, '/');
    const int folder = slash ? (int)(slash - program) + 1 : 0;
    for (size_t i = 0; i < count; i++) {
        const int length = snprintf(path, PATH_BYTES, "%.*s%s", folder, program, places[i]);
        if (length < PATH_BYTES && access(path, R_OK) == 0)
            return true;
    }
    path[0] = '\0';
    return false;
}

bool kg_file_in_system(const char *path)
{
    char real[PATH_MAX];
    if (!realpath(path, real))
        return false;
    for (size_t i = 0; i < sizeof system_folders / sizeof *system_folders; i++) {
        const size_t length = strlen(system_folders[i]);
        if (!strncmp(real, system_folders[i], length) && real[length] == '/')
            return true;
    }
    return false;
}
