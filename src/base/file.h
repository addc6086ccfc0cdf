/* file.h: whole files, read and written so that nobody ever sees half of one. Thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "base/text.h"

/* Opens a file for reading, without waiting for it. A folder, a named pipe, and a file that is not there
 * are KG_ERROR_USAGE. A pipe whose other end somebody holds, as of `<(command)`, is opened.
 * returns  a descriptor; -1 with err */
int kg_file_open(const char *path, struct kg_error *err);

/* Appends a whole file to `text`. "-" reads standard input. A file longer than `most` bytes, and
 * one that kg_file_open refuses, are KG_ERROR_USAGE; a failing read KG_ERROR_SYSTEM. */
bool kg_file_read(const char *path, size_t most, struct kg_text *text, struct kg_error *err);

/* Writes a file by way of a temporary one beside it: write, fsync, rename, fsync of the folder.
 * On failure what was there is untouched and the temporary file is gone. A symbolic link is
 * followed, so that it stays one; permissions of an existing file are kept. A file system that
 * cannot sync, or change permissions, fails no write: the file still appears whole or not at all. */
bool kg_file_write(const char *path, const char *bytes, size_t length, struct kg_error *err);

/* The same for what is written piece by piece. Write to `file` between begin and end. */
struct kg_file_writing {
    FILE *file;
    bool atomic; /* not for a terminal or a pipe */
    bool exists;
    unsigned mode; /* of the file that exists, or 0666 */
    char target[4096];
    char temporary[4096 + 32];
};
bool kg_file_begin(struct kg_file_writing *writing, const char *path, struct kg_error *err);
/* good: whether what was to be written was; otherwise nothing changes, and err stays as it is.
 * false: there is no new file, or none that would last through a power cut; err says why where
 * `good` was true */
bool kg_file_end(struct kg_file_writing *writing, bool good, struct kg_error *err);

/* fsync(2) and fchmod(2) of an open file. A file system that has no such operation is no failure; a
 * disk that fails is one, with errno. */
bool kg_file_sync(int file);
bool kg_file_mode_set(int file, unsigned mode);

/* Where the file took no more, adds its name to err. Returns false, as kg_error_wrap does. */
bool kg_file_blame(const struct kg_file_writing *writing, struct kg_error *err);

/* Removes the temporary files that killed writers of `path` have left beside it. For whoever holds
 * the lock under which it is written: others' would be removed too. */
void kg_file_sweep(const char *path);

/* Writes a text to an open file and flushes it; to a terminal of ASCII as kg_escape_plain has it. err: KG_ERROR_SYSTEM where the file takes no more,
 * KG_ERROR_MEMORY where the text has `failed` */
bool kg_file_print(FILE *file, const struct kg_text *text, struct kg_error *err);

/* Makes a folder and those above it; one that is there is fine. */
bool kg_directory_make(const char *path, struct kg_error *err);

/* Makes a folder of its own in TMPDIR, or in /tmp, for kg_directory_remove.
 * what  a word that its name has
 * path  is set, of `size` bytes */
bool kg_directory_temporary(const char *what, char *path, size_t size, struct kg_error *err);

/* Removes a folder and the files in it, as far as that can be done; not one with folders in it. */
void kg_directory_remove(const char *path);

/* Takes an exclusive lock on a folder, or says at once that another process has it: KG_ERROR_USAGE.
 * *lock: for kg_file_unlock; -1 where the folder cannot be opened, which is no failure */
bool kg_directory_lock(const char *path, int *lock, struct kg_error *err);

/* Whether both paths lead to one ordinary file; a terminal or a pipe is none. */
bool kg_file_same(const char *a, const char *b);

/* Whether the path leads to a regular file: a device may have no end, and a pipe keeps its reader waiting. */
bool kg_file_is_regular(const char *path);

/* The first of `places`, paths from the folder of `program`, that may be used in the `mode` of access(2).
 * path     4096 bytes; on failure empty
 * returns  false if there is none */
bool kg_file_beside(const char *program, const char *const *places, size_t count, int mode,
                    char *path);

/* Whether the file really lies, links followed, in a folder of the operating system's libraries. */
bool kg_file_in_system(const char *path);

/* FNV-1a hash of a file's bytes, as 16 hexadecimal digits.
 * hex      17 bytes
 * returns  false where the file cannot be read */
bool kg_file_hash(const char *path, char *hex);
