#include "base/note.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void kg_note_print(const struct kg_text *text)
{
    const char *terminal = getenv("TERM");
    const bool erases = isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
    const char *clear = erases ? "\r\x1b[K" : "";
    fprintf(stderr, "%skgate: note: %s\n", clear,
            text->failed ? "out of memory" : kg_text_string(text));
}
