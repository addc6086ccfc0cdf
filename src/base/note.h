/* note.h: a line on standard error that changes no exit status: "kgate: note: …". */
#pragma once
#include "base/text.h"

/* Prints the note on a line of its own, also over a progress bar.
 * text  one sentence without a final newline, escaped for a terminal */
void kg_note_print(const struct kg_text *text);
