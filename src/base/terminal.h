/* terminal.h: what the environment says of the terminal. Thread-safe while nobody changes it. */
#pragma once
#include <stdbool.h>

/* Whether the locale has no characters beyond ASCII that one can rely on. */
bool kg_terminal_plain(void);

/* Clears the progress bar on standard error, if there is room for one; else "". */
const char *kg_terminal_line_clear(void);
