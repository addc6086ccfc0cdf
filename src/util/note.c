#include "util/note.h"

#include <stdio.h>
#include <unistd.h>

void kg_note_print(const struct kg_text *text)
{
    const char *clear = isatty(STDERR_FILENO) ? "\r\x1b[K" : "";
    fprintf(stderr, "%skgate: note: %s\n", clear,
            text->failed ? "out of memory" : kg_text_string(text));
}
