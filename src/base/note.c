#include "base/note.h"

#include <stdio.h>

#include "base/terminal.h"

void kg_note_print(const struct kg_text *text)
{
    fprintf(stderr, "%skgate: note: %s\n", kg_terminal_line_clear(), kg_text_string(text));
}
