/* git_ask.h: the program git, asked without a shell: its words in, what it prints out. It is led to
 * no other repository by what the environment has, and waits for nobody's answer. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "util/arena.h"
#include "util/error.h"
#include "util/text.h"

enum { KG_GIT_SAID_MOST = 400 };

/* Runs git and appends what it prints.
 * words    behind "git", at most 14, NULL-terminated
 * most     bytes of what it prints: more is a failure
 * said     KG_GIT_SAID_MOST bytes, for what it says of a failure, on one line
 * status   its exit status; -1 where it was killed
 * returns  false where it could not be run or read */
bool kg_git_ask(const char *const *words, size_t most, struct kg_text *text, char *said,
                int *status, struct kg_error *err);

/* The one line that git prints, in `arena`; *line is NULL where it fails. */
bool kg_git_line(struct kg_arena *arena, const char *const *words, const char **line,
                 struct kg_error *err);
