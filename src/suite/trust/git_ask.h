/* git_ask.h: runs the program git without a shell and reads its output. Variables of the environment cannot lead git to
 * another repository, and git never prompts. */
#pragma once
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

enum { KG_GIT_ANSWER_MOST = 400 };

/* Finds the nearest folder with a `.git`, from `inside` upwards. git itself would also accept a folder with the files
 * of a bare repository, and a change can commit such files.
 * returns  false if there is no such folder */
bool kg_git_top(const char *inside, char top[PATH_MAX]);

/* Runs git and appends its standard output. git runs in the kg_git_top of the working directory, if there is one.
 * words    words after "git", NULL-terminated, at most 14
 * most     limit of the output in bytes; more output is a failure
 * answer   gets git's standard error on one line, cut to KG_GIT_ANSWER_MOST bytes.
 * status   gets git's exit status; -1 if git was killed
 * returns  false if git could not run or its output could not be read */
bool kg_git_ask(const char *const *words, size_t most, struct kg_text *text, char *answer,
                int *status, struct kg_error *err);

/* As kg_git_ask, with a time limit in seconds and without network: git fetches no missing objects.
 * returns  the exit status of git; -1 if git was not started, was killed, or printed too much */
int kg_git_ask_within(const char *const *words, size_t most, double seconds, struct kg_text *text);

/* Runs git and sets *line to the first line of its output, in `arena`. If git exits with an error: NULL.
 * returns  false if git could not run */
bool kg_git_line(struct kg_arena *arena, const char *const *words, const char **line,
                 struct kg_error *err);
