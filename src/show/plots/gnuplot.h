/* gnuplot.h: scripts for gnuplot, and pictures made by gnuplot. Names in a script come from untrusted suites and
 * programs, so every name goes through kg_gnuplot_string. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

/* The format of a picture and its size in pixels. */
struct kg_picture {
    bool svg; /* else PNG */
    size_t width;
    size_t height;
};

/* Whether this machine has gnuplot on PATH. */
bool kg_gnuplot_there(void);

/* Appends a string constant in single quotes. Inside them gnuplot interprets only the single quote. gnuplot 5.4 fails
 * on a doubled quote at the start of a string, so a typographic quote replaces it. Control characters of a
 * terminal become \xNN. If the string has more than `most` characters, its middle is left out.
 * format  gnuplot reads the string as a format, as for labels of tics: the function doubles each per cent sign */
void kg_gnuplot_string(struct kg_text *script, const char *string, size_t most, bool format);

/* Begins a script: terminal, size, light background, fonts, no markup in texts. */
void kg_gnuplot_begin(const struct kg_picture *picture, struct kg_text *script);

/* Appends the start of every plot: a reset of all settings, then the colours of frame and text. */
void kg_gnuplot_style(struct kg_text *script);

/* Replaces each character that common fonts lack by "?". Reason: cairo draws a missing character as large as the
 * picture. Only for PNG, because the viewer of an SVG brings its own fonts. */
void kg_gnuplot_signs(struct kg_text *script);

/* Runs the script and appends the picture.
 * err  KG_ERROR_SYSTEM; if gnuplot is missing, the message names the package to install */
bool kg_gnuplot_run(const struct kg_text *script, struct kg_text *image, struct kg_error *err);
