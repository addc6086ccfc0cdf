#include "model/waivers.h"

#include <string.h>

const char *const kg_waiver_names[KG_WAIVER_KINDS + 1] = {
#define KG_WAIVER(constant, name, word) #name,
#include "model/changes.def"
};
const char *const kg_waiver_words[KG_WAIVER_KINDS] = {
#define KG_WAIVER(constant, name, word) word,
#include "model/changes.def"
};

static int by_case(const struct kg_waiver *waiver, enum kg_waiver_kind kind, const char *id)
{
    if (waiver->kind != kind)
        return waiver->kind < kind ? -1 : 1;
    return strcmp(waiver->id, id);
}

int kg_waivers_by_place(const void *a, const void *b)
{
    const struct kg_waiver *x = a, *y = b;
    const int order = by_case(x, y->kind, y->id);
    return order ? order : strcmp(x->metric ? x->metric : "", y->metric ? y->metric : "");
}

void kg_waivers_free(struct kg_waivers *waivers)
{
    kg_arena_free(&waivers->arena);
    *waivers = (struct kg_waivers){0};
}

const struct kg_waiver *kg_waivers_of(const struct kg_waivers *waivers, enum kg_waiver_kind kind,
                                      const char *id, size_t *count)
{
    size_t low = 0, high = waivers->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (by_case(&waivers->waivers[middle], kind, id) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (*count = 0; low + *count < waivers->count; ++*count)
        if (by_case(&waivers->waivers[low + *count], kind, id) != 0)
            break;
    return *count ? &waivers->waivers[low] : NULL;
}

char *kg_waivers_path(struct kg_arena *arena, const char *suite)
{
    static const char *const endings[] = {".yaml", ".yml"};
    size_t length = strlen(suite);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t end = strlen(endings[i]);
        if (length > end && !strcmp(suite + length - end, endings[i])) {
            length -= end;
            break;
        }
    }
    return kg_arena_printf(arena, "%.*s.accepted.yaml", (int)length, suite);
}
