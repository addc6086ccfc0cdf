#include "base/advice.h"

#include <stdio.h>

#include "base/escape.h"
#include "base/note.h"

bool kg_advice_take(struct kg_advice *advice, bool good, const char *missing,
                    const struct kg_error *err)
{
    char note[sizeof err->message + 256];
    struct kg_text text = {0};
    if (good)
        return true;
    snprintf(note, sizeof note, "%.250s: %s", missing, err->message);
    kg_escape_terminal(&text, note, sizeof note);
    kg_note_print(&text);
    kg_text_free(&text);
    if (advice && advice->keep)
        advice->keep(advice->user, note);
    if (advice)
        advice->notes++;
    return false;
}
