/* git_ask.h: the program git, asked without a shell: its words in, what it prints out. It is led to
 * no other repository by what the environment has, and waits for nobody's answer. */
#pragma once
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

enum { KG_GIT_SAID_MOST = 400 };

/* The nearest folder, from `inside` upwards, that has a `.git`. git itself would also take a folder for
 * a repository that holds the files of a bare one, and a change can commit these.
 * returns  false if there is no such folder */
bool kg_git_top(const char *inside, char top[PATH_MAX]);

/* Runs git in the kg_git_top of the working directory, if there is one, and appends what it prints.
 * words    behind "git", at most 14, NULL-terminated
 * most     bytes of what it prints: more is a failure
 * said     KG_GIT_SAID_MOST bytes, for what it says of a failure, on one line
 * status   its exit status; -1 where it was killed
 * returns  false where it could not be run or read */
bool kg_git_ask(const char *const *words, size_t most, struct kg_text *text, char *said,
                int *status, struct kg_error *err);

/* The same within a time, about objects that the clone has: git fetches none.
 * returns  the exit status of git; -1 if git was not started, was killed, or printed too much */
int kg_git_ask_within(const char *const *words, size_t most, double seconds, struct kg_text *text);

/* The one line that git prints, in `arena`; *line is NULL where it fails. */
bool kg_git_line(struct kg_arena *arena, const char *const *words, const char **line,
                 struct kg_error *err);
