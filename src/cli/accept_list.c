#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/json_print.h"
#include "base/units.h"
#include "base/wrap.h"
#include "judge/reference.h"

enum { ID_MOST = 4096, TEXT_MOST = 1000, DAY_LENGTH = 10 };

/* State of an entry: it applies, or the reason why it has no effect. */
enum state { HOLDS, OVER, SPENT, NO_CASE, NO_METRIC };
static const struct {
    const char *name; /* name in JSON */
    const char *words;
} states[] = {
    [HOLDS] = {"holds", ""},
    [OVER] = {"over", "expired: its last day has passed"},
    [SPENT] = {"spent",
               "done: the baseline of this machine already contains this change; remove the entry"},
    [NO_CASE] = {"no_case", "no match: the suite has no such case"},
    [NO_METRIC] = {"no_metric", "no match: the workload has no such metric"},
};

static bool metric_is(const struct kg_workload_spec *spec, const char *name)
{
    for (size_t i = 0; i < spec->counter_count; i++)
        if (!strcmp(spec->counters[i].name, name))
            return true;
    return kg_metric_kind_find(name) < KG_METRIC_KINDS;
}

/* Cases of the suite, sorted by id. */
struct cases {
    const struct kg_case **at;
    size_t count;
};

static int by_id(const void *a, const void *b)
{
    const struct kg_case *const *x = a, *const *y = b;
    return strcmp((*x)->id, (*y)->id);
}

static void cases_sort(struct kg_arena *arena, const struct kg_plan *plan, struct cases *cases)
{
    cases->count = plan->case_count;
    cases->at = kg_arena_alloc(arena, cases->count, sizeof *cases->at);
    for (size_t i = 0; i < cases->count; i++)
        cases->at[i] = &plan->cases[i];
    qsort(cases->at, cases->count, sizeof *cases->at, by_id);
}

/* Data that decides the state of an entry. */
struct listing {
    struct cases cases;
    struct kg_baseline baseline;
    struct kg_reference_index index;
    const char *today;
};

/* Whether the stored runs of the case already begin with the accepted change. The entry then covers nothing more. */
static bool is_spent(const struct listing *listing, const struct kg_waiver *waiver)
{
    size_t known;
    const struct kg_reference_entry *entries =
        kg_reference_find(&listing->index, waiver->id, &known);
    const char *begins = known ? entries[known - 1].stored->accepted : NULL;
    return waiver->kind == KG_WAIVER_ACCEPTED && begins && strcmp(begins, waiver->since) >= 0;
}

static enum state state_of(const struct kg_waiver *waiver, const struct listing *listing)
{
    const struct cases *cases = &listing->cases;
    const struct kg_case wanted = {.id = waiver->id}, *key = &wanted;
    const struct kg_case *const *found =
        cases->count ? bsearch(&key, cases->at, cases->count, sizeof *cases->at, by_id) : NULL;
    if (!found)
        return NO_CASE;
    if (waiver->metric && !metric_is((*found)->spec, waiver->metric))
        return NO_METRIC;
    if (is_spent(listing, waiver))
        return SPENT;
    /* an entry still applies on its last day */
    return waiver->until && strncmp(listing->today, waiver->until, DAY_LENGTH) > 0 ? OVER : HOLDS;
}

/* --- Text ------------------------------------------------------------------------------------- */

void kg_accepted_line(const struct kg_waiver *waiver, struct kg_text *text)
{
    char change[KG_UNIT_BYTES];
    kg_escape_terminal(text, waiver->id, ID_MOST);
    if (waiver->kind == KG_WAIVER_ACCEPTED)
        kg_text_printf(text, ": %s up to %s is accepted", waiver->metric,
                       kg_change_format(1 + waiver->change, change));
    else
        kg_text_append(text, ": in quarantine");
    kg_text_printf(text, "%s%s", waiver->until ? " until " : "",
                   waiver->until ? waiver->until : "");
}

/* Appends "by Ann, since 2026-01-31T12:00:00Z, measured against ...". */
static void origin_append(const struct kg_waiver *waiver, struct kg_text *line)
{
    if (waiver->by) {
        kg_text_append(line, "by ");
        kg_escape_terminal(line, waiver->by, TEXT_MOST);
        kg_text_append(line, ", ");
    }
    kg_text_printf(line, "since %s", waiver->since);
    if (waiver->baseline) {
        kg_text_append(line, ", measured against ");
        kg_escape_terminal(line, waiver->baseline, TEXT_MOST);
    }
}

static void entry_append(const struct kg_arguments *arguments, const struct kg_waiver *waiver,
                         enum state state, struct kg_text *text)
{
    const size_t width = kg_style(arguments).width;
    struct kg_text because = {0}, origin = {0};
    kg_accepted_line(waiver, text);
    if (arguments->quiet && state != HOLDS)
        kg_text_printf(text, "  (%s)", states[state].words);
    kg_text_append(text, "\n");
    if (arguments->quiet)
        return;
    if (state != HOLDS)
        kg_wrap(text, "    ", states[state].words, width);
    kg_escape_terminal(&because, waiver->because, TEXT_MOST);
    kg_wrap(text, "    ", kg_text_string(&because), width);
    origin_append(waiver, &origin);
    kg_wrap(text, "    ", kg_text_string(&origin), width);
    kg_text_free(&because);
    kg_text_free(&origin);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void entry_add(struct kg_json_writer *writer, const struct kg_waiver *waiver,
                      enum state state)
{
    const struct {
        const char *name, *value;
    } texts[] = {{"case", waiver->id},          {"kind", kg_waiver_names[waiver->kind]},
                 {"state", states[state].name}, {"metric", waiver->metric},
                 {"because", waiver->because},  {"by", waiver->by},
                 {"since", waiver->since},      {"until", waiver->until},
                 {"baseline", waiver->baseline}};
    kg_json_begin(writer, NULL, "{");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].value)
            kg_json_put_string(writer, texts[i].name, texts[i].value);
    if (isfinite(waiver->change))
        kg_json_put_real(writer, "change", waiver->change);
    kg_json_put_whole(writer, "line", waiver->line);
    kg_json_finish(writer, "}");
}

/* ------------------------------------------------------------------------------------------------ */

static void entries_json(enum kg_waiver_kind kind, const struct listing *listing,
                         const struct kg_waivers *waivers, struct kg_text *text)
{
    struct kg_json_writer writer = {.text = text};
    kg_json_begin(&writer, NULL, "[");
    for (size_t i = 0; i < waivers->count; i++)
        if (waivers->waivers[i].kind == kind)
            entry_add(&writer, &waivers->waivers[i], state_of(&waivers->waivers[i], listing));
    kg_json_finish(&writer, "]");
    kg_text_append(text, "\n");
}

static void entries_list(const struct kg_arguments *arguments, enum kg_waiver_kind kind,
                         const struct listing *listing, const struct kg_waivers *waivers,
                         struct kg_text *text)
{
    size_t count = 0;
    for (size_t i = 0; i < waivers->count; i++) {
        const struct kg_waiver *waiver = &waivers->waivers[i];
        if (waiver->kind != kind)
            continue;
        count++;
        entry_append(arguments, waiver, state_of(waiver, listing), text);
    }
    if (!count && !arguments->quiet)
        kg_text_printf(text, "nothing is %s\n",
                       kind == KG_WAIVER_ACCEPTED ? "accepted" : "in quarantine");
}

static bool listing_make(const struct kg_arguments *arguments, const struct kg_prepared *prepared,
                         struct kg_arena *arena, struct listing *listing, struct kg_error *err)
{
    const char *path =
        kg_baseline_path(arena, kg_baseline_directory(arguments), prepared->machine.fingerprint);
    cases_sort(arena, &prepared->plan, &listing->cases);
    if (!kg_baseline_load(path, &listing->baseline, err))
        return false;
    kg_reference_index_make(arena, &listing->baseline, prepared->suite.name, &listing->index);
    return true;
}

bool kg_accepted_list(const struct kg_arguments *arguments, enum kg_waiver_kind kind,
                      const struct kg_prepared *prepared, struct kg_error *err)
{
    struct kg_cli_waiving own;
    struct kg_text text = {0};
    struct listing listing = {.today = NULL};
    bool good = kg_cli_waiving_load(arguments, prepared->suite.path, &own, err) &&
                listing_make(arguments, prepared, &own.arena, &listing, err);
    listing.today = own.waiving.today;
    if (good && arguments->json)
        entries_json(kind, &listing, &own.waivers, &text);
    else if (good)
        entries_list(arguments, kind, &listing, &own.waivers, &text);
    good = good && kg_print(&text, err);
    kg_text_free(&text);
    kg_baseline_free(&listing.baseline);
    kg_cli_waiving_free(&own);
    return good;
}
