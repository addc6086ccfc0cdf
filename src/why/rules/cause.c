/* cause.c: the words of causes and their places. */
#include "why/rules/cause.h"

#include <string.h>

#include "base/code/symbol_name.h"

void kg_place_words(const struct kg_place *place, struct kg_text *text)
{
    const char *slash = place->file ? strrchr(place->file, '/') : NULL;
    const char *file = slash ? slash + 1 : place->file;
    kg_name_print(text, place->function ? place->function : "unnamed code");
    if (file && place->line)
        kg_text_printf(text, " (%s:%zu)", file, place->line);
    else if (place->module)
        kg_text_printf(text, " (%s)", place->module);
}

void kg_cause_words(const struct kg_cause *cause, struct kg_text *text)
{
    kg_text_printf(text, "%.0f %%", 100 * cause->share);
    if (cause->in_call)
        kg_text_printf(
            text, cause->several ? " in the system calls %s and others" : " in the system call %s",
            cause->in_call);
    else if (cause->seen) {
        kg_text_append(text,
                       cause->kind == KG_CAUSE_PAGE_FAULTS ? " in page faults, most in " : " in ");
        kg_place_words(cause->seen, text);
        kg_text_append(text, cause->several ? " and others" : "");
    }
    if (cause->caller && cause->caller != cause->seen) {
        kg_text_append(text, cause->in_call || cause->seen ? ", called from " : " below ");
        kg_place_words(cause->caller, text);
    }
    if (cause->repeated)
        kg_text_printf(text, ", where %.0f of %.0f calls had the arguments of an earlier call",
                       cause->repeated->repeated, cause->repeated->calls);
}

const struct kg_cause *kg_cause_of(const struct kg_facts *facts, enum kg_cause_kind kind)
{
    for (size_t i = 0; facts->causes && i < facts->causes->count; i++)
        if (facts->causes->of[i].kind == kind)
            return &facts->causes->of[i];
    return NULL;
}
