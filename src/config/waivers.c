#include "config/waivers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/waivers_read.h"

const char *const kg_waiver_names[KG_WAIVER_KINDS + 1] = {
    [KG_WAIVER_NONE] = "none",
    [KG_WAIVER_ACCEPTED] = "accepted",
    [KG_WAIVER_QUARANTINED] = "quarantined",
    [KG_WAIVER_UNTRUSTED] = "untrusted",
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

/* --- Writing ---------------------------------------------------------------------------------- */

/* In double quotes, as YAML and JSON have them: nothing in it means anything but itself. */
static void quoted_append(struct kg_text *text, const char *string)
{
    kg_text_append(text, "\"");
    for (const char *s = string; *s; s++) {
        if (*s == '"' || *s == '\\')
            kg_text_append(text, "\\");
        kg_text_append_bytes(text, s, 1);
    }
    kg_text_append(text, "\"");
}

static void waiver_print(const struct kg_waiver *waiver, struct kg_text *text)
{
    kg_text_append(text, "  - case: ");
    quoted_append(text, waiver->id);
    if (waiver->metric) {
        kg_text_append(text, "\n    metric: ");
        quoted_append(text, waiver->metric);
    }
    if (isfinite(waiver->change))
        kg_text_printf(text, "\n    change: %+.6g%%", 100 * waiver->change);
    kg_text_append(text, "\n    because: ");
    quoted_append(text, waiver->because);
    if (waiver->by) {
        kg_text_append(text, "\n    by: ");
        quoted_append(text, waiver->by);
    }
    kg_text_printf(text, "\n    since: %s", waiver->since);
    if (waiver->until)
        kg_text_printf(text, "\n    until: %s", waiver->until);
    if (waiver->baseline) {
        kg_text_append(text, "\n    baseline: ");
        quoted_append(text, waiver->baseline);
    }
    kg_text_append(text, "\n");
}

void kg_waivers_print(const struct kg_waivers *waivers, struct kg_text *text)
{
    enum kg_waiver_kind last = KG_WAIVER_NONE;
    kg_text_append(text,
                   "# Changes that were accepted, and cases in quarantine: kgate fails on none of "
                   "these.\n# Written by `kgate accept` and `kgate quarantine`; review it like "
                   "code.\nversion: 1\n");
    for (size_t i = 0; i < waivers->count; i++) {
        const struct kg_waiver *waiver = &waivers->waivers[i];
        if (waiver->kind != last)
            kg_text_printf(text, "\n%s:\n", kg_waiver_names[waiver->kind]);
        last = waiver->kind;
        waiver_print(waiver, text);
    }
}

bool kg_waivers_put(struct kg_waivers *waivers, const struct kg_waiver *waiver,
                    struct kg_error *err)
{
    struct kg_arena *arena = &waivers->arena;
    bool good = true;
    if (!kg_waiver_check(waiver, err))
        return false;
    struct kg_waiver *all = kg_arena_alloc(arena, waivers->count + 1, sizeof *all);
    if (!all)
        return kg_error_memory(err);
    size_t count = 0;
    for (size_t i = 0; i < waivers->count; i++)
        if (kg_waivers_by_place(&waivers->waivers[i], waiver) != 0)
            all[count++] = waivers->waivers[i];
    all[count++] = (struct kg_waiver){.kind = waiver->kind,
                                      .id = kg_arena_keep(arena, waiver->id, &good),
                                      .metric = kg_arena_keep(arena, waiver->metric, &good),
                                      .change = waiver->change,
                                      .because = kg_arena_keep(arena, waiver->because, &good),
                                      .by = kg_arena_keep(arena, waiver->by, &good),
                                      .since = kg_arena_keep(arena, waiver->since, &good),
                                      .until = kg_arena_keep(arena, waiver->until, &good),
                                      .baseline = kg_arena_keep(arena, waiver->baseline, &good)};
    if (!good)
        return kg_error_memory(err);
    qsort(all, count, sizeof *all, kg_waivers_by_place);
    waivers->waivers = all;
    waivers->count = count;
    return true;
}

size_t kg_waivers_remove(struct kg_waivers *waivers, enum kg_waiver_kind kind, const char *id,
                         const char *metric)
{
    const size_t before = waivers->count;
    size_t kept = 0;
    for (size_t i = 0; i < before; i++)
        if (waivers->waivers[i].kind != kind || strcmp(waivers->waivers[i].id, id) != 0 ||
            (metric && strcmp(waivers->waivers[i].metric, metric) != 0))
            waivers->waivers[kept++] = waivers->waivers[i];
    waivers->count = kept;
    return before - kept;
}
