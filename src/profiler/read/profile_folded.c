/* Collapsed stacks for flame graphs: a line per path with "outer;inner" and its self time in ns. Spans
 * are outside the nesting and are left out. */
#include <math.h>
#include <stdint.h>

#include "base/escape.h"
#include "profiler/read/profile.h"

/* The row's path, without characters that would end a name or the line. */
static void stack_print(const struct kg_profile *profile, size_t row, struct kg_text *text)
{
    const struct kg_profile_path *path = &profile->rows[row].path;
    if (path->parent != row) {
        stack_print(profile, path->parent, text);
        kg_text_append(text, ";");
    }
    const size_t before = text->length;
    kg_escape_terminal(text, path->name, SIZE_MAX);
    for (size_t i = before; i < text->length; i++)
        if (text->data[i] == ';')
            text->data[i] = ',';
}

void kg_profile_folded(const struct kg_profile *profile, struct kg_text *text)
{
    for (size_t i = 0; i < profile->row_count && !text->failed; i++) {
        const struct kg_profile_row *row = &profile->rows[i];
        const double ns = round(row->figures.self_ns);
        if (row->path.span || !(ns >= 1))
            continue;
        stack_print(profile, i, text);
        kg_text_printf(text, " %.0f\n", ns);
    }
}
