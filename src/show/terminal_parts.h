/* terminal_parts.h: colours of a terminal. */
#pragma once

/* Colours by what they mean, of the 256: those of a terminal's theme are not legible on every ground;
 * these are on white and on black. DIM, BOLD and PLAIN are as the terminal has them. */
#define KG_TERMINAL_BAD "\x1b[38;5;196m"
#define KG_TERMINAL_GOOD "\x1b[38;5;28m"
#define KG_TERMINAL_DOUBT "\x1b[38;5;130m"
#define KG_TERMINAL_MINOR "\x1b[38;5;30m"
#define KG_TERMINAL_DIM "\x1b[2m"
#define KG_TERMINAL_BOLD "\x1b[1m"
#define KG_TERMINAL_PLAIN "\x1b[0m"
