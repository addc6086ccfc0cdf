/* terminal_parts.h: colours of a terminal. */
#pragma once

/* Colours by meaning, from the palette of 256: legible on white and on black. The 16 colours of a terminal's theme are
 * not legible on every background. */
#define KG_TERMINAL_BAD "\x1b[38;5;196m"
#define KG_TERMINAL_GOOD "\x1b[38;5;28m"
#define KG_TERMINAL_DOUBT "\x1b[38;5;130m"
#define KG_TERMINAL_MINOR "\x1b[38;5;30m"
#define KG_TERMINAL_DIM "\x1b[2m"
#define KG_TERMINAL_BOLD "\x1b[1m"
#define KG_TERMINAL_PLAIN "\x1b[0m"
