/* file.h: whole files, read and written so that nobody ever sees half a file. Thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "base/text.h"

/* Opens a file for reading, without waiting for it. KG_ERROR_USAGE if it is a folder or a named
 * pipe, or cannot be opened. The function opens a pipe whose writer lives, as of `<(command)`.
 * returns  a descriptor; -1 with err */
int kg_file_open(const char *path, struct kg_error *err);

/* Appends a whole file to `text`. "-" reads standard input. KG_ERROR_USAGE if the file is longer
 * than `most` bytes or kg_file_open refuses it; KG_ERROR_SYSTEM if a read fails. */
bool kg_file_read(const char *path, size_t most, struct kg_text *text, struct kg_error *err);

/* Writes a file by way of a temporary one beside it: write, fsync, rename, fsync of the folder. If
 * a step up to the rename fails, the old file is untouched and the temporary file is gone. The
 * function follows a symbolic link, and the link stays. Permissions of an existing file are kept.
 * If the file system cannot sync or change permissions, the write still succeeds: the file appears
 * whole or not at all. */
bool kg_file_write(const char *path, const char *bytes, size_t length, struct kg_error *err);

/* Writes a file in pieces: the caller writes to `file` between begin and end. */
struct kg_file_writing {
    FILE *file;
    bool atomic; /* false for a terminal or a pipe */
    bool exists;
    unsigned mode; /* permissions of the existing file, or 0666 */
    char target[4096];
    char temporary[4096 + 32];
};
bool kg_file_begin(struct kg_file_writing *writing, const char *path, struct kg_error *err);
/* Ends the writing.
 * good     whether the caller has written everything; if not, the old file and err stay unchanged.
 * returns  false if there is no new file, or if a power cut could undo it. If `good` was true, err
 *          has the reason */
bool kg_file_end(struct kg_file_writing *writing, bool good, struct kg_error *err);

/* fsync(2) and fchmod(2) of an open file. A file system without the operation is no failure; a
 * failing disk is one, with errno. */
bool kg_file_sync(int file);
bool kg_file_mode_set(int file, unsigned mode);

/* If a write to the file has failed, adds the file's name to err. Returns false, as kg_error_wrap
 * does. */
bool kg_file_blame(const struct kg_file_writing *writing, struct kg_error *err);

/* Removes the temporary files that killed writers of `path` have left beside it. The caller must
 * hold the lock for writing `path`: otherwise the function removes files of live writers. */
void kg_file_sweep(const char *path);

/* Writes a text to an open file and flushes it; on an ASCII terminal, after kg_escape_plain. err:
 * KG_ERROR_SYSTEM if the file takes no more, KG_ERROR_MEMORY if the text has `failed` */
bool kg_file_print(FILE *file, const struct kg_text *text, struct kg_error *err);

/* Makes a folder and its parents; an existing folder is no error. */
bool kg_directory_make(const char *path, struct kg_error *err);

/* Makes a new folder in TMPDIR, or in /tmp, for kg_directory_remove.
 * what  a word for its name
 * path  `size` bytes; set */
bool kg_directory_temporary(const char *what, char *path, size_t size, struct kg_error *err);

/* Removes a folder and its files as far as possible. A folder with subfolders stays. */
void kg_directory_remove(const char *path);

/* Takes an exclusive lock on a folder. If another process has the lock: KG_ERROR_USAGE, at once.
 * *lock: for kg_file_unlock; -1 if the folder cannot be opened, which is no failure */
bool kg_directory_lock(const char *path, int *lock, struct kg_error *err);

/* Whether both paths lead to one regular file; false for a terminal or a pipe. */
bool kg_file_same(const char *a, const char *b);
/* The same for folders. */
bool kg_directory_same(const char *a, const char *b);

/* Whether both paths lead to regular files with the same bytes. */
bool kg_file_alike(const char *a, const char *b);

/* Whether the path leads to a regular file. A device may have no end, and a pipe keeps its reader
 * waiting. */
bool kg_file_is_regular(const char *path);

/* The first readable one of `places`, relative to the folder of `program`.
 * path     4096 bytes; empty on failure
 * returns  false if there is none */
bool kg_file_beside(const char *program, const char *const *places, size_t count, char *path);

/* Whether the file lies, links followed, in a library folder of the operating system. */
bool kg_file_in_system(const char *path);

/* FNV-1a hash of a file's bytes, as 16 hexadecimal digits.
 * hex      17 bytes
 * returns  false if the file cannot be read */
bool kg_file_hash(const char *path, char *hex);
