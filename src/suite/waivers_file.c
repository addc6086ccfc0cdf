#include "suite/waivers_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/nearest.h"
#include "base/units.h"
#include "model/metric_table.h"
#include "suite/suite_message.h"
#include "suite/suite_reader.h"
#include "suite/yaml_tree.h"

enum { REASON_MOST = 1000, ID_MOST = 4096, BYTES_MOST = 1024 * 1024 };

/* --- Values ----------------------------------------------------------------------------------- */

bool kg_waiver_change_parse(const char *text, double *change)
{
    const double sign = *text == '-' ? -1 : 1;
    double share;
    if (!kg_share_parse(text + (*text == '-' || *text == '+'), &share) || !(share > 0))
        return false;
    *change = sign * share;
    return true;
}

static bool change_is(const char *text)
{
    double change;
    return kg_waiver_change_parse(text, &change);
}

/* Whether the text is an existing moment in the notation `format`. */
static bool moment_is(const char *text, const char *format)
{
    struct tm parts = {0};
    char again[32];
    const char *end = strptime(text, format, &parts);
    if (!end || *end)
        return false;
    const time_t moment = timegm(&parts);
    return gmtime_r(&moment, &parts) && strftime(again, sizeof again, format, &parts) &&
           !strcmp(again, text);
}

bool kg_waiver_day_is(const char *text)
{
    return moment_is(text, "%Y-%m-%d");
}

static bool time_is(const char *text)
{
    return moment_is(text, "%Y-%m-%dT%H:%M:%SZ");
}

bool kg_waiver_text_is(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c < 0x20 || *c == 0x7F || (*c == 0xC2 && c[1] < 0xA0))
            return false;
    return text[strspn(text, " ")] && strlen(text) <= REASON_MOST;
}

static bool id_is(const char *text)
{
    return strlen(text) <= ID_MOST && strchr(text, '/') && kg_waiver_text_is(text);
}

/* --- The keys of an entry --------------------------------------------------------------------- */

enum {
    KEY_CASE,
    KEY_METRIC,
    KEY_CHANGE,
    KEY_BECAUSE,
    KEY_BY,
    KEY_SINCE,
    KEY_UNTIL,
    KEY_BASELINE,
    KEYS
};

/* The values of an entry as text, in the order of the keys above, which is the file's order. NULL: not given. */
struct entry {
    const char *values[KEYS];
};

static const struct {
    const char *name;
    bool (*is)(const char *text);
    const char *what;               /* valid values in words, for errors */
    bool required[KG_WAIVER_KINDS]; /* for each kind of waiver */
    bool accepted_only;
} keys[KEYS] = {
    [KEY_CASE] = {.name = "case",
                  .is = id_is,
                  .what = "the id of a case",
                  .required = {[KG_WAIVER_ACCEPTED] = true, [KG_WAIVER_QUARANTINED] = true}},
    [KEY_METRIC] = {.name = "metric",
                    .is = kg_waiver_text_is,
                    .what = "a metric, such as time",
                    .required = {[KG_WAIVER_ACCEPTED] = true},
                    .accepted_only = true},
    [KEY_CHANGE] = {.name = "change",
                    .is = change_is,
                    .what = "a change that is not 0, such as +12%",
                    .required = {[KG_WAIVER_ACCEPTED] = true},
                    .accepted_only = true},
    [KEY_BECAUSE] = {.name = "because",
                     .is = kg_waiver_text_is,
                     .what = "a reason: one line of words, of at most 1000 bytes",
                     .required = {[KG_WAIVER_ACCEPTED] = true, [KG_WAIVER_QUARANTINED] = true}},
    [KEY_BY] = {.name = "by",
                .is = kg_waiver_text_is,
                .what = "a name: one line of at most 1000 bytes"},
    [KEY_SINCE] = {.name = "since",
                   .is = time_is,
                   .what = "a time in UTC, such as 2026-01-31T12:00:00Z",
                   .required = {[KG_WAIVER_ACCEPTED] = true, [KG_WAIVER_QUARANTINED] = true}},
    [KEY_UNTIL] = {.name = "until", .is = kg_waiver_day_is, .what = "a day, such as 2026-01-31"},
    [KEY_BASELINE] = {.name = "baseline",
                      .is = kg_waiver_text_is,
                      .what = "the baseline of the change: one line of at most 1000 bytes",
                      .accepted_only = true},
};

static struct kg_waiver waiver_of(const struct entry *entry, enum kg_waiver_kind kind)
{
    struct kg_waiver waiver = {.kind = kind,
                               .id = entry->values[KEY_CASE],
                               .metric = entry->values[KEY_METRIC],
                               .change = NAN,
                               .because = entry->values[KEY_BECAUSE],
                               .by = entry->values[KEY_BY],
                               .since = entry->values[KEY_SINCE],
                               .until = entry->values[KEY_UNTIL],
                               .baseline = entry->values[KEY_BASELINE]};
    if (entry->values[KEY_CHANGE])
        kg_waiver_change_parse(entry->values[KEY_CHANGE], &waiver.change);
    return waiver;
}

/* --- Reading ---------------------------------------------------------------------------------- */

static int key_find(enum kg_waiver_kind kind, const char *name)
{
    for (int k = 0; k < KEYS; k++)
        if (!strcmp(keys[k].name, name) && (kind == KG_WAIVER_ACCEPTED || !keys[k].accepted_only))
            return k;
    return KEYS;
}

static bool key_unknown(const struct kg_suite_reader *reader, enum kg_waiver_kind kind,
                        const struct kg_yaml_pair *pair)
{
    const char *names[KEYS];
    char quoted[KG_QUOTE_BYTES];
    size_t count = 0;
    struct kg_text message = {0};
    for (int k = 0; k < KEYS; k++)
        if (kind == KG_WAIVER_ACCEPTED || !keys[k].accepted_only)
            names[count++] = keys[k].name;
    kg_text_printf(&message, "unknown key '%s' in '%s'", kg_quote(pair->key, quoted),
                   kg_waiver_names[kind]);
    kg_suggest_append(&message, pair->key, names, count, "known keys");
    return kg_reader_fail_text(reader, pair->mark, &message);
}

/* Whether the change improves one of kgate's own metrics. Only the suite knows the good direction of a counter. */
static bool is_improvement(const struct kg_waiver *waiver)
{
    const enum kg_metric_kind kind =
        waiver->metric ? kg_metric_kind_find(waiver->metric) : KG_METRIC_KINDS;
    return kind < KG_METRIC_KINDS &&
           (kg_metric_rows[kind].better == KG_BETTER_HIGHER) == (waiver->change > 0);
}

static bool entry_read(const struct kg_suite_reader *reader, enum kg_waiver_kind kind,
                       const struct kg_yaml_node *node, struct entry *entry)
{
    char quoted[KG_QUOTE_BYTES];
    *entry = (struct entry){0};
    if (node->kind != KG_YAML_MAPPING)
        return kg_reader_fail(reader, node->mark, "an entry of '%s' must be a mapping",
                              kg_waiver_names[kind]);
    for (size_t i = 0; i < node->count; i++) {
        const struct kg_yaml_pair *pair = &node->pairs[i];
        const int key = key_find(kind, pair->key);
        if (key == KEYS)
            return key_unknown(reader, kind, pair);
        if (!kg_reader_expect(reader, pair, KG_YAML_SCALAR))
            return false;
        if (!keys[key].is(pair->value->text))
            return kg_reader_fail(reader, pair->value->mark, "'%s' is '%s', but must be %s",
                                  keys[key].name, kg_quote(pair->value->text, quoted),
                                  keys[key].what);
        entry->values[key] = pair->value->text;
    }
    for (int k = 0; k < KEYS; k++)
        if (keys[k].required[kind] && !entry->values[k])
            return kg_reader_fail(reader, node->mark, "an entry of '%s' needs the key '%s': %s",
                                  kg_waiver_names[kind], keys[k].name, keys[k].what);
    const struct kg_waiver waiver = waiver_of(entry, kind);
    if (is_improvement(&waiver))
        return kg_reader_fail(
            reader, kg_yaml_find(node, keys[KEY_CHANGE].name)->value->mark,
            "'change' is '%s', but less %s is better; an improvement needs no acceptance",
            entry->values[KEY_CHANGE], waiver.metric);
    return true;
}

static bool section_read(const struct kg_suite_reader *reader, enum kg_waiver_kind kind,
                         const struct kg_yaml_pair *section, struct kg_waivers *waivers)
{
    struct entry entry;
    if (!kg_reader_expect(reader, section, KG_YAML_SEQUENCE))
        return false;
    for (size_t i = 0; i < section->value->count; i++) {
        const struct kg_yaml_node *node = section->value->items[i];
        if (!entry_read(reader, kind, node, &entry))
            return false;
        struct kg_waiver waiver = waiver_of(&entry, kind);
        waiver.line = node->mark.line;
        waiver.column = node->mark.column;
        waivers->waivers[waivers->count++] = waiver;
    }
    return true;
}

static bool sections_read(const struct kg_suite_reader *reader, const struct kg_yaml_node *root,
                          struct kg_waivers *waivers)
{
    size_t most = 0;
    for (size_t i = 0; i < root->count; i++)
        most += root->pairs[i].value->count;
    waivers->waivers = kg_arena_alloc(&waivers->arena, most, sizeof *waivers->waivers);
    for (int k = KG_WAIVER_ACCEPTED; k <= KG_WAIVER_QUARANTINED; k++) {
        const struct kg_yaml_pair *section = kg_yaml_find(root, kg_waiver_names[k]);
        if (section && !section_read(reader, (enum kg_waiver_kind)k, section, waivers))
            return false;
    }
    return true;
}

/* Sorts the waivers, and refuses two waivers of the same kind, case and metric. */
static bool sort(const struct kg_suite_reader *reader, struct kg_waivers *waivers)
{
    char quoted[KG_QUOTE_BYTES];
    if (waivers->count)
        qsort(waivers->waivers, waivers->count, sizeof *waivers->waivers, kg_waivers_by_place);
    for (size_t i = 1; i < waivers->count; i++) {
        const struct kg_waiver *a = &waivers->waivers[i - 1], *b = a + 1;
        if (kg_waivers_by_place(a, b) != 0)
            continue;
        const struct kg_waiver *first = a->line < b->line ? a : b, *second = first == a ? b : a;
        return kg_reader_fail(reader, (struct kg_mark){second->line, second->column},
                              "'%s' is %s twice: also on line %u", kg_quote(a->id, quoted),
                              kg_waiver_names[a->kind], first->line);
    }
    return true;
}

static bool root_read(const struct kg_suite_reader *reader, const struct kg_yaml_node *root,
                      struct kg_waivers *waivers)
{
    char quoted[KG_QUOTE_BYTES];
    const struct kg_yaml_pair *version = kg_yaml_find(root, "version");
    if (root->kind != KG_YAML_MAPPING || !version)
        return kg_reader_fail(reader, root->mark,
                              "a file of accepted changes is a mapping with the key version; write "
                              "version: 1");
    if (version->value->kind != KG_YAML_SCALAR || strcmp(version->value->text, "1") != 0)
        return kg_reader_fail(reader, version->value->mark,
                              "this kgate reads version 1 of this file");
    for (size_t i = 0; i < root->count; i++) {
        const char *key = root->pairs[i].key;
        if (strcmp(key, "version") != 0 && strcmp(key, kg_waiver_names[KG_WAIVER_ACCEPTED]) != 0 &&
            strcmp(key, kg_waiver_names[KG_WAIVER_QUARANTINED]) != 0)
            return kg_reader_fail(reader, root->pairs[i].mark,
                                  "unknown key '%s'; known keys: version, accepted, quarantined",
                                  kg_quote(key, quoted));
    }
    return sections_read(reader, root, waivers);
}

bool kg_waivers_parse(const char *path, const char *bytes, size_t length,
                      struct kg_waivers *waivers, struct kg_error *err)
{
    const struct kg_suite_reader reader = {.path = path, .err = err};
    const struct kg_yaml_node *root;
    *waivers = (struct kg_waivers){0};
    waivers->path = kg_arena_copy(&waivers->arena, path);
    /* the waivers borrow the strings of the tree, which lives in their arena */
    if (kg_yaml_parse(path, bytes, length, &waivers->arena, &root, err) &&
        root_read(&reader, root, waivers) && sort(&reader, waivers))
        return true;
    kg_waivers_free(waivers);
    return false;
}

bool kg_waivers_load(const char *path, struct kg_waivers *waivers, struct kg_error *err)
{
    struct kg_text text = {0};
    *waivers = (struct kg_waivers){0};
    if (access(path, F_OK) != 0 && errno == ENOENT) {
        waivers->path = kg_arena_copy(&waivers->arena, path);
        return true;
    }
    const bool good = kg_file_read(path, BYTES_MOST, &text, err) &&
                      kg_waivers_parse(path, kg_text_string(&text), text.length, waivers, err);
    kg_text_free(&text);
    return good;
}

static bool waiver_check(const struct kg_waiver *waiver, struct kg_error *err)
{
    char quoted[KG_QUOTE_BYTES];
    const struct entry entry = {.values = {[KEY_CASE] = waiver->id,
                                           [KEY_METRIC] = waiver->metric,
                                           [KEY_BECAUSE] = waiver->because,
                                           [KEY_BY] = waiver->by,
                                           [KEY_SINCE] = waiver->since,
                                           [KEY_UNTIL] = waiver->until,
                                           [KEY_BASELINE] = waiver->baseline}};
    for (int k = 0; k < KEYS; k++)
        if (entry.values[k] && !keys[k].is(entry.values[k]))
            return kg_error_set(err, KG_ERROR_USAGE, "'%s' is '%s', but must be %s", keys[k].name,
                                kg_quote(entry.values[k], quoted), keys[k].what);
    return true;
}

/* --- Writing ---------------------------------------------------------------------------------- */

/* Appends the string in double quotes, escaped for YAML and JSON. */
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
    if (!waiver_check(waiver, err))
        return false;
    struct kg_waiver *all = kg_arena_alloc(arena, waivers->count + 1, sizeof *all);
    size_t count = 0;
    for (size_t i = 0; i < waivers->count; i++)
        if (kg_waivers_by_place(&waivers->waivers[i], waiver) != 0)
            all[count++] = waivers->waivers[i];
    all[count++] = (struct kg_waiver){.kind = waiver->kind,
                                      .id = kg_arena_keep(arena, waiver->id),
                                      .metric = kg_arena_keep(arena, waiver->metric),
                                      .change = waiver->change,
                                      .because = kg_arena_keep(arena, waiver->because),
                                      .by = kg_arena_keep(arena, waiver->by),
                                      .since = kg_arena_keep(arena, waiver->since),
                                      .until = kg_arena_keep(arena, waiver->until),
                                      .baseline = kg_arena_keep(arena, waiver->baseline)};
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
