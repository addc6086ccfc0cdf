/* gnuplot.h: a script for gnuplot, and the picture that it makes. Names in a script come from suites and
 * programs that nobody has to trust: they go through kg_gnuplot_string alone. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

/* What a picture is. */
struct kg_picture {
    bool svg; /* else PNG */
    size_t width;
    size_t height;
};

/* Whether there is a gnuplot on this machine. */
bool kg_gnuplot_there(void);

/* Appends a string constant: in single quotes, where gnuplot acts on nothing but a single quote. It would
 * have to be doubled, which gnuplot 5.4 does not understand at a string's begin: a typographic one
 * stands for it. What a terminal would obey is shown as \xNN; of more than `most` characters the middle is left
 * out.
 * format  gnuplot reads it as a format, as it does labels of tics: a per cent is doubled */
void kg_gnuplot_string(struct kg_text *script, const char *string, size_t most, bool format);

/* Opens a script: terminal, size, light background, fonts; no text is marked up. */
void kg_gnuplot_begin(const struct kg_picture *picture, struct kg_text *script);

/* Appends what every plot begins with: nothing of the one before, the colours of frame and text. */
void kg_gnuplot_style(struct kg_text *script);

/* Replaces by "?" what the usual fonts have no sign for: one that is missing is drawn by cairo as large
 * as the picture. For PNG; whoever shows an SVG has fonts of their own. */
void kg_gnuplot_signs(struct kg_text *script);

/* Runs the script and appends the picture.
 * err  KG_ERROR_SYSTEM, that says what to install where there is no gnuplot */
bool kg_gnuplot_run(const struct kg_text *script, struct kg_text *image, struct kg_error *err);
