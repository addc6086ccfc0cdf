/* terminal.h: the terminal's abilities, according to the environment. Thread-safe while nobody
 * changes the environment. */
#pragma once
#include <stdbool.h>

/* Whether the locale has no reliable characters beyond ASCII. */
bool kg_terminal_plain(void);

/* The sequence that clears the progress bar on standard error; "" if standard error can show
 * none. */
const char *kg_terminal_line_clear(void);
