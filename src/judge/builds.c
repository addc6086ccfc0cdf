#include "judge/builds.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sha256.h"

static const char FOLDER[] = "builds";
static const char HALF[] = ".new-"; /* prefix of an unfinished folder's name */
static const char MARK[] = ".history";

/* --- Reading ---------------------------------------------------------------------------------- */

static bool is_hash(const char *name)
{
    return strlen(name) == KG_SHA256_DIGITS && strspn(name, "0123456789abcdef") == KG_SHA256_DIGITS;
}

/* Finds the only file of a build's folder. Returns false if the folder has no file, or another entry. */
static bool file_find(const char *folder, char path[PATH_MAX], struct stat *facts)
{
    DIR *entries = opendir(folder);
    size_t found = 0;
    if (!entries)
        return false;
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
            !strcmp(entry->d_name, MARK))
            continue;
        found += snprintf(path, PATH_MAX, "%s/%s", folder, entry->d_name) < PATH_MAX ? 1 : 2;
    }
    closedir(entries);
    return found == 1 && lstat(path, facts) == 0 && S_ISREG(facts->st_mode);
}

static bool is_marked(const char *folder)
{
    char path[PATH_MAX];
    return snprintf(path, sizeof path, "%s/%s", folder, MARK) < PATH_MAX && access(path, F_OK) == 0;
}

static void build_read(struct kg_arena *arena, const char *directory, const char *hash,
                       struct kg_kept_build *build, bool *there)
{
    char folder[PATH_MAX], path[PATH_MAX];
    struct stat file, facts;
    *there = snprintf(folder, sizeof folder, "%s/%s/%s", directory, FOLDER, hash) < PATH_MAX &&
             file_find(folder, path, &file) && stat(folder, &facts) == 0;
    if (!*there)
        return;
    *build = (struct kg_kept_build){.hash = kg_arena_copy(arena, hash),
                                    .path = kg_arena_copy(arena, path),
                                    .bytes = (double)file.st_size,
                                    .history = is_marked(folder),
                                    .used = (double)facts.st_mtim.tv_sec +
                                            1e-9 * (double)facts.st_mtim.tv_nsec};
}

static int by_use(const void *a, const void *b)
{
    const struct kg_kept_build *x = a, *y = b;
    if (x->used != y->used)
        return x->used < y->used ? -1 : 1;
    return strcmp(x->hash, y->hash);
}

static void entries_read(struct kg_arena *arena, const char *directory, DIR *entries,
                         struct kg_kept_builds *builds)
{
    size_t capacity = 0;
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        bool there;
        if (!is_hash(entry->d_name))
            continue;
        kg_arena_grow(arena, &builds->builds, builds->count, &capacity, sizeof *builds->builds);
        build_read(arena, directory, entry->d_name, &builds->builds[builds->count], &there);
        if (there)
            builds->bytes += builds->builds[builds->count++].bytes;
    }
}

bool kg_builds_any(const char *directory)
{
    char folder[PATH_MAX];
    return snprintf(folder, sizeof folder, "%s/%s", directory, FOLDER) < PATH_MAX &&
           access(folder, F_OK) == 0;
}

bool kg_builds_list(struct kg_arena *arena, const char *directory, struct kg_kept_builds *builds,
                    struct kg_error *err)
{
    *builds = (struct kg_kept_builds){0};
    const char *folder = kg_arena_printf(arena, "%s/%s", directory, FOLDER);
    DIR *entries = opendir(folder);
    if (!entries)
        return errno == ENOENT ? true
                               : kg_error_set(err, KG_ERROR_SYSTEM, "cannot read '%s': %s", folder,
                                              strerror(errno));
    entries_read(arena, directory, entries, builds);
    closedir(entries);
    if (builds->count)
        qsort(builds->builds, builds->count, sizeof *builds->builds, by_use);
    return true;
}

bool kg_builds_has(const char *directory, const char *hash)
{
    char folder[PATH_MAX], path[PATH_MAX];
    struct stat facts;
    return is_hash(hash) &&
           snprintf(folder, sizeof folder, "%s/%s/%s", directory, FOLDER, hash) < PATH_MAX &&
           file_find(folder, path, &facts);
}

/* --- Opening a build to measure it again ------------------------------------------------------ */

bool kg_builds_open(struct kg_arena *arena, const char *directory, const char *hash,
                    const char **path, struct kg_error *err)
{
    char folder[PATH_MAX], file[PATH_MAX], absolute[PATH_MAX], hex[KG_SHA256_DIGITS + 1];
    struct stat facts;
    if (!kg_builds_has(directory, hash))
        return kg_error_set(err, KG_ERROR_USAGE, "it is not kept");
    snprintf(folder, sizeof folder, "%s/%s/%s", directory, FOLDER, hash);
    if (!file_find(folder, file, &facts) || !realpath(file, absolute) ||
        !kg_sha256_file(absolute, hex))
        return kg_error_set(err, KG_ERROR_USAGE, "'%s' cannot be read", folder);
    if (strcmp(hex, hash) != 0)
        return kg_error_set(err, KG_ERROR_USAGE, "'%s' is damaged: its bytes have another hash",
                            file);
    utimensat(AT_FDCWD, folder, NULL, 0); /* fails on a read-only store, which does no harm */
    *path = kg_arena_copy(arena, absolute);
    return true;
}

/* --- Keeping ---------------------------------------------------------------------------------- */

/* Removes a build's folder, finished or unfinished. */
static void folder_remove(const char *folder)
{
    char path[PATH_MAX];
    DIR *entries = opendir(folder);
    if (!entries)
        return;
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < PATH_MAX)
            unlink(path);
    closedir(entries);
    rmdir(folder);
}

/* Removes folders that a killed kgate left unfinished. This process has the lock, so no other process fills one now. */
static void halves_remove(const char *directory)
{
    char folder[PATH_MAX], path[PATH_MAX];
    snprintf(folder, sizeof folder, "%s/%s", directory, FOLDER);
    DIR *entries = opendir(folder);
    if (!entries)
        return;
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;)
        if (!strncmp(entry->d_name, HALF, sizeof HALF - 1) &&
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < PATH_MAX)
            folder_remove(path);
    closedir(entries);
}

static bool folder_start(const char *directory, struct kg_error *err)
{
    static const char ignored[] = "# builds of the baseline: not for git\n*\n";
    char folder[PATH_MAX], path[PATH_MAX];
    if (snprintf(folder, sizeof folder, "%s/%s", directory, FOLDER) >= PATH_MAX - 128 ||
        snprintf(path, sizeof path, "%s/%s/.gitignore", directory, FOLDER) >= PATH_MAX)
        return kg_error_set(err, KG_ERROR_USAGE, "the path '%.100s…' is too long", directory);
    if (!kg_directory_make(folder, err))
        return false;
    halves_remove(directory);
    return access(path, F_OK) == 0 || kg_file_write(path, ignored, sizeof ignored - 1, err);
}

/* Copies the rest of one file to another and updates the checksum. */
static bool bytes_copy(int from, int to, struct kg_sha256 *sum)
{
    unsigned char bytes[65536];
    ssize_t count;
    while ((count = read(from, bytes, sizeof bytes)) > 0) {
        kg_sha256_add(sum, bytes, (size_t)count);
        for (ssize_t done = 0; done < count;) {
            const ssize_t written = write(to, bytes + done, (size_t)(count - done));
            if (written < 0)
                return false;
            done += written;
        }
    }
    return count == 0 && kg_file_sync(to);
}

/* same  whether the copy has the hash */
static bool file_copy(const char *from_path, const char *to_path, const char *hash, bool *same,
                      struct kg_error *err)
{
    struct kg_sha256 sum;
    struct stat facts;
    char hex[KG_SHA256_DIGITS + 1];
    *same = false;
    struct kg_error unread;
    const int from = kg_file_open(from_path, &unread);
    if (from < 0)
        return true; /* the file does not exist any more */
    const mode_t mode = fstat(from, &facts) == 0 ? (facts.st_mode & 0777) | S_IRUSR : 0700;
    const int to = open(to_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    kg_sha256_start(&sum);
    const bool copied = to >= 0 && bytes_copy(from, to, &sum) && kg_file_mode_set(to, mode);
    const int code = errno;
    if (to >= 0)
        close(to);
    close(from);
    if (!copied)
        return kg_error_set(err, KG_ERROR_SYSTEM, "cannot keep a copy of '%s' as '%s': %s",
                            from_path, to_path, strerror(code));
    kg_sha256_end(&sum, hex);
    *same = !strcmp(hex, hash);
    return true;
}

/* Makes a folder with a unique name and the permissions of a normal new folder. */
static bool folder_make(char *name)
{
    const mode_t mask = umask(0);
    umask(mask);
    if (!mkdtemp(name))
        return false;
    /* if the file system refuses chmod, only this user can read the folder */
    return chmod(name, 0777 & ~mask) == 0 || errno != EIO;
}

/* Keeps one file.
 * same  false if the file changed since it was measured */
static bool file_keep(const char *directory, const struct kg_measured_file *file, bool *same,
                      struct kg_error *err)
{
    char half[PATH_MAX], path[PATH_MAX], folder[PATH_MAX];
    const char *slash = strrchr(file->path, '/');
    const char *name = slash ? slash + 1 : file->path;
    snprintf(half, sizeof half, "%.3900s/%s/%sXXXXXX", directory, FOLDER, HALF);
    snprintf(folder, sizeof folder, "%.3900s/%s/%s", directory, FOLDER, file->hash);
    if (!folder_make(half) || snprintf(path, sizeof path, "%s/%s", half, name) >= PATH_MAX)
        return kg_error_set(err, KG_ERROR_SYSTEM, "cannot make the folder '%s': %s", half,
                            strerror(errno));
    bool good = file_copy(file->path, path, file->hash, same, err);
    if (good && *same) {
        folder_remove(folder); /* left by a damaged build */
        good = rename(half, folder) == 0 ||
               kg_error_set(err, KG_ERROR_SYSTEM, "cannot make the folder '%s': %s", folder,
                            strerror(errno));
    }
    if (!good || !*same)
        folder_remove(half);
    return good;
}

static double file_bytes(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 ? (double)facts.st_size : 0;
}

static enum kg_build_use use_of(const struct kg_build_uses *uses, const struct kg_kept_build *build)
{
    const enum kg_build_use use = uses->of(uses->user, build->hash);
    return use == KG_BUILD_UNUSED && build->history ? KG_BUILD_HISTORY : use;
}

static double pinned_bytes(const struct kg_kept_builds *builds, const struct kg_build_uses *uses)
{
    double bytes = 0;
    for (size_t i = 0; i < builds->count; i++)
        if (uses->of(uses->user, builds->builds[i].hash) == KG_BUILD_PINNED)
            bytes += builds->builds[i].bytes;
    return bytes;
}

static void count_not_kept(size_t *count, const char **first, const char *path)
{
    if (!(*count)++)
        *first = path;
}

/* Removes builds of one use, least recently used first, until at most `most` bytes remain. */
static void use_remove(const char *directory, const struct kg_kept_builds *builds,
                       enum kg_build_use which, double most, const struct kg_build_uses *uses,
                       struct kg_builds_outcome *outcome)
{
    char folder[PATH_MAX];
    for (size_t i = 0; i < builds->count && outcome->bytes > most; i++) {
        const struct kg_kept_build *build = &builds->builds[i];
        if (use_of(uses, build) != which)
            continue;
        snprintf(folder, sizeof folder, "%.3900s/%s/%s", directory, FOLDER, build->hash);
        folder_remove(folder);
        outcome->bytes -= build->bytes;
        outcome->removed++;
        outcome->removed_history += which == KG_BUILD_HISTORY;
    }
}

static size_t history_count(const struct kg_kept_builds *builds, const struct kg_build_uses *uses)
{
    size_t count = 0;
    for (size_t i = 0; i < builds->count; i++)
        count += use_of(uses, &builds->builds[i]) == KG_BUILD_HISTORY;
    return count;
}

/* Removes unused builds down to `unused_most` bytes, then those of a history and used builds down to `most` bytes. */
static bool room_make(const char *directory, double most, double unused_most,
                      const struct kg_build_uses *uses, struct kg_builds_outcome *outcome,
                      struct kg_error *err)
{
    struct kg_arena arena = {0};
    struct kg_kept_builds builds;
    const bool good = kg_builds_list(&arena, directory, &builds, err);
    outcome->bytes = good ? builds.bytes : 0;
    if (good) {
        use_remove(directory, &builds, KG_BUILD_UNUSED, unused_most, uses, outcome);
        use_remove(directory, &builds, KG_BUILD_HISTORY, most, uses, outcome);
        use_remove(directory, &builds, KG_BUILD_USED, most, uses, outcome);
        outcome->history = history_count(&builds, uses) - outcome->removed_history;
    }
    kg_arena_free(&arena);
    return good;
}

static bool files_keep(const char *directory, const struct kg_measured_file *files, size_t count,
                       const struct kg_build_uses *uses, double room,
                       struct kg_builds_outcome *outcome, struct kg_error *err)
{
    struct kg_error damaged;
    struct kg_arena arena = {0};
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        const enum kg_build_use use = uses->of(uses->user, files[i].hash);
        const char *path;
        bool same = true;
        if (use == KG_BUILD_UNUSED)
            continue;
        if (!kg_builds_open(&arena, directory, files[i].hash, &path, &damaged)) {
            if (file_bytes(files[i].path) > room) {
                count_not_kept(&outcome->large, &outcome->first_large, files[i].path);
                continue;
            }
            good = file_keep(directory, &files[i], &same, err);
            room -= use == KG_BUILD_PINNED && same ? file_bytes(files[i].path) : 0;
        }
        if (good && !same)
            count_not_kept(&outcome->changed, &outcome->first_changed, files[i].path);
    }
    kg_arena_free(&arena);
    return good;
}

bool kg_builds_keep(const char *directory, const struct kg_measured_file *files, size_t count,
                    double most, const struct kg_build_uses *uses,
                    struct kg_builds_outcome *outcome, struct kg_error *err)
{
    struct kg_arena arena = {0};
    struct kg_kept_builds before;
    *outcome = (struct kg_builds_outcome){0};
    const bool listed =
        folder_start(directory, err) && kg_builds_list(&arena, directory, &before, err);
    const double room = listed ? most - pinned_bytes(&before, uses) : 0;
    kg_arena_free(&arena);
    if (!listed || !files_keep(directory, files, count, uses, room, outcome, err) ||
        !room_make(directory, most, most, uses, outcome, err))
        return false;
    for (size_t i = 0; i < count; i++)
        outcome->kept += kg_builds_has(directory, files[i].hash);
    return true;
}

bool kg_builds_mark(const char *directory, const char *hash, struct kg_error *err)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.3900s/%s/%s/%s", directory, FOLDER, hash, MARK);
    const int mark = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (mark < 0)
        return kg_error_set(err, KG_ERROR_SYSTEM, "cannot make '%s': %s", path, strerror(errno));
    close(mark);
    return true;
}

bool kg_builds_prune(const char *directory, double most, const struct kg_build_uses *uses,
                     struct kg_builds_outcome *outcome, struct kg_error *err)
{
    *outcome = (struct kg_builds_outcome){0};
    halves_remove(directory);
    return room_make(directory, most, -1, uses, outcome, err);
}
