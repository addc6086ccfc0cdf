/* file.h: whole files, read and written so that nobody ever sees half of one. Thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "util/error.h"
#include "util/text.h"

/* Appends a whole file to `text`. "-" reads standard input. A file longer than `most` bytes, a
 * directory, or one that is not there is KG_ERROR_USAGE; a failing read KG_ERROR_SYSTEM. */
bool kg_file_read(const char *path, size_t most, struct kg_text *text, struct kg_error *err);

/* Writes a file by way of a temporary one beside it: write, fsync, rename, fsync of the folder.
 * On failure what was there is untouched and the temporary file is gone. A symbolic link is
 * followed, so that it stays one; permissions of an existing file are kept. */
bool kg_file_write(const char *path, const char *bytes, size_t length, struct kg_error *err);

/* The same for what is written piece by piece. Write to `file` between begin and end. */
struct kg_file_writing {
    FILE *file;
    bool atomic; /* not for a terminal or a pipe */
    char target[4096];
    char temporary[4096 + 32];
};
bool kg_file_begin(struct kg_file_writing *writing, const char *path, struct kg_error *err);
/* good: whether what was to be written was; otherwise nothing changes, and err stays as it is.
 * false: there is no new file; err says why where `good` was true */
bool kg_file_end(struct kg_file_writing *writing, bool good, struct kg_error *err);

/* Removes the temporary files that killed writers of `path` have left beside it. For whoever holds
 * the lock under which it is written: others' would be removed too. */
void kg_file_sweep(const char *path);

/* Writes a text to an open file and flushes it. err: KG_ERROR_SYSTEM where the file takes no more,
 * KG_ERROR_MEMORY where the text has `failed` */
bool kg_file_print(FILE *file, const struct kg_text *text, struct kg_error *err);

/* Makes a folder and those above it; one that is there is fine. */
bool kg_directory_make(const char *path, struct kg_error *err);

/* Takes an exclusive lock on the file `path`, made where missing, waiting at most `seconds`. A
 * symbolic link is refused. Held until kg_file_unlock or the end of the process, however it ends.
 * returns a descriptor; -1 with err where another holds it (KG_ERROR_SYSTEM) or it cannot be made */
int kg_file_lock(const char *path, double seconds, struct kg_error *err);
void kg_file_unlock(int lock);

/* Takes an exclusive lock on a folder, or says at once that another process has it: KG_ERROR_USAGE.
 * *lock: for kg_file_unlock; -1 where the folder cannot be opened, which is no failure */
bool kg_directory_lock(const char *path, int *lock, struct kg_error *err);

/* FNV-1a hash of a file's bytes, as 16 hexadecimal digits.
 * hex      17 bytes
 * returns  false where the file cannot be read */
bool kg_file_hash(const char *path, char *hex);
