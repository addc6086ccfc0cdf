#include "suite/adapters/adapter.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"

extern const struct kg_adapter kg_adapter_google_benchmark, kg_adapter_nvbench,
    kg_adapter_hyperfine;

const struct kg_adapter *const kg_adapters[] = {
    &kg_adapter_google_benchmark,
    &kg_adapter_nvbench,
    &kg_adapter_hyperfine,
    NULL,
};

const struct kg_adapter *kg_adapter_find(const char *name)
{
    for (size_t i = 0; kg_adapters[i]; i++)
        if (!strcmp(kg_adapters[i]->name, name))
            return kg_adapters[i];
    return NULL;
}

struct kg_foreign_case *kg_foreign_case_add(struct kg_arena *arena, struct kg_foreign *foreign,
                                            const char *name)
{
    kg_arena_grow(arena, &foreign->cases, foreign->case_count, &foreign->case_capacity,
                  sizeof *foreign->cases);
    struct kg_foreign_case *added = &foreign->cases[foreign->case_count];
    *added = (struct kg_foreign_case){.name = kg_arena_copy(arena, name),
                                      .device = "cpu",
                                      .calls = NAN,
                                      .cpu_ns = NAN,
                                      .user_ns = NAN,
                                      .system_ns = NAN,
                                      .items = NAN,
                                      .bytes = NAN};
    kg_names_set(arena, &foreign->names, added->name, strlen(added->name), foreign->case_count);
    foreign->case_count++;
    return added;
}

struct kg_foreign_case *kg_foreign_case_find(const struct kg_foreign *foreign, const char *name)
{
    const size_t *number = kg_names_find(&foreign->names, name, strlen(name));
    return number ? &foreign->cases[*number] : NULL;
}

/* Sets the failure of a case with impossible times. One impossible time fails the whole case: if kgate dropped only
 * this time, the other times would hide the error. */
static void times_judge(struct kg_arena *arena, struct kg_foreign_case *found)
{
    static const double LEAST_NS = 1e-3, MOST_NS = 3e17; /* resolution of results; ten years */
    size_t bad = 0, first = 0;
    if (found->failure)
        return;
    if (!found->sample_count)
        found->failure = "the file has no times of it";
    for (size_t i = found->sample_count; i-- > 0;)
        if (!(found->samples_ns[i] >= LEAST_NS && found->samples_ns[i] <= MOST_NS)) {
            first = i;
            bad++;
        }
    if (!bad)
        return;
    char value[40] = "no number";
    if (!isnan(found->samples_ns[first]))
        snprintf(value, sizeof value, "%.6g ns", found->samples_ns[first]);
    found->failure =
        kg_arena_printf(arena, "%zu of %zu time%s cannot be the time of a call; the first is %s",
                        bad, found->sample_count, found->sample_count == 1 ? "" : "s", value);
}

bool kg_foreign_read(const struct kg_adapter *adapter, struct kg_arena *arena, const char *path,
                     const struct kg_json *json, struct kg_foreign *foreign, struct kg_error *err)
{
    if (!adapter->read(arena, path, json, foreign, err))
        return false;
    for (size_t i = 0; i < foreign->case_count; i++)
        times_judge(arena, &foreign->cases[i]);
    return true;
}

const char *kg_foreign_name_escape(struct kg_arena *arena, const char *name)
{
    struct kg_text text = {0};
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f || strchr(",=%", *c))
            kg_text_printf(&text, "%%%02X", (unsigned)(unsigned char)*c);
        else
            kg_text_append_bytes(&text, c, 1);
    const char *value = kg_arena_copy(arena, kg_text_string(&text));
    kg_text_free(&text);
    return value;
}

const char *kg_foreign_name_restore(struct kg_arena *arena, const char *value)
{
    char *name = kg_arena_copy(arena, value), *to = name;
    for (const char *c = value; *c; c++) {
        const char hex[] = {c[1], c[1] ? c[2] : '\0', '\0'};
        const bool escaped =
            *c == '%' && isxdigit((unsigned char)hex[0]) && isxdigit((unsigned char)hex[1]);
        *to++ = escaped ? (char)strtoul(hex, NULL, 16) : *c;
        c += escaped ? 2 : 0;
    }
    *to = '\0';
    return name;
}

const char *kg_foreign_benchmark_text(struct kg_arena *arena, const char *name,
                                      const struct kg_pair *axes, size_t axis_count)
{
    const char *text = kg_foreign_name_escape(arena, name);
    for (size_t i = 0; text && i < axis_count; i++) {
        const char *axis = kg_foreign_name_escape(arena, axes[i].name);
        const char *value = kg_foreign_name_escape(arena, axes[i].value);
        text = kg_arena_printf(arena, "%s,%s=%s", text, axis, value);
    }
    return text;
}

bool kg_foreign_name_add(struct kg_arena *arena, struct kg_foreign_names *names, const char *name,
                         struct kg_error *err)
{
    enum { NAMES_MOST = 10000 };
    if (names->count == NAMES_MOST)
        return kg_error_set(err, KG_ERROR_MEASURE, "the program has more than %d benchmarks",
                            NAMES_MOST);
    kg_arena_grow(arena, &names->at, names->count, &names->capacity, sizeof *names->at);
    names->at[names->count] = kg_arena_copy(arena, name);
    names->count++;
    return true;
}

/* Numbers are compared by value: "1" equals "1.0". */
static bool values_equal(const char *a, const char *b)
{
    char *end_a, *end_b;
    const double x = strtod(a, &end_a), y = strtod(b, &end_b);
    return !strcmp(a, b) || (*a && *b && !*end_a && !*end_b && !(x < y) && !(x > y));
}

/* Whether the case has the axis with this value. `found` has escaped names and values, `axis` unescaped ones. */
static bool has_axis(struct kg_arena *arena, const struct kg_foreign_case *found,
                     const struct kg_pair *axis)
{
    for (size_t i = 0; i < found->param_count; i++) {
        const char *name = kg_foreign_name_restore(arena, found->params[i].name);
        const char *value = kg_foreign_name_restore(arena, found->params[i].value);
        if (!strcmp(name, axis->name) && values_equal(value, axis->value))
            return true;
    }
    return false;
}

static bool has_axes(const struct kg_foreign_case *found, const struct kg_foreign_run *run)
{
    struct kg_arena arena = {0};
    bool all = !strcmp(found->name, run->name);
    for (size_t i = 0; i < run->axis_count && all; i++)
        all = has_axis(&arena, found, &run->axes[i]);
    kg_arena_free(&arena);
    return all;
}

const struct kg_foreign_case *kg_foreign_run_find(const struct kg_foreign *foreign,
                                                  const struct kg_foreign_run *run,
                                                  struct kg_error *err)
{
    const struct kg_foreign_case *found = NULL;
    size_t count = 0;
    for (size_t i = 0; i < foreign->case_count; i++)
        if (has_axes(&foreign->cases[i], run)) {
            found = &foreign->cases[i];
            count++;
        }
    if (count == 1)
        return found;
    kg_error_set(
        err, KG_ERROR_MEASURE,
        count
            ? "the benchmark '%.200s' ran %zu times in one process, on several devices or for "
              "several values of an axis; add `--devices 0`, and give each axis beside `benchmark`"
            : "the program has no benchmark '%.300s'",
        run->name, count);
    return NULL;
}

void kg_foreign_words_append(struct kg_arena *arena, const char ***words, size_t *count,
                             const char *const *added, size_t added_count)
{
    const char **all = kg_arena_alloc(arena, *count + added_count + 1, sizeof *all);
    memcpy(all, *words, *count * sizeof *all);
    for (size_t i = 0; i < added_count; i++)
        all[(*count)++] = added[i];
    *words = all;
}

double kg_foreign_number(const struct kg_json *object, const char *name)
{
    const struct kg_json *value = kg_json_member(object, name);
    return kg_json_is_number(value) ? kg_json_real(value) : NAN;
}

double kg_foreign_element(const struct kg_json *array, size_t index)
{
    const struct kg_json *value = kg_json_item(array, index);
    return kg_json_is_number(value) ? kg_json_real(value) : NAN;
}

const char *kg_foreign_text(struct kg_arena *arena, const struct kg_json *object, const char *name)
{
    const char *text = kg_json_member_string(object, name);
    const char *kept = text && *text ? kg_arena_copy(arena, text) : NULL;
    return kept;
}

/* Offset of a time zone from UTC in minutes, for "+01:00", "-0730" or "Z"; 0 for any other text. */
static int zone_minutes(const char *text)
{
    int hours = 0, minutes = 0;
    if ((*text != '+' && *text != '-') || sscanf(text + 1, "%2d:%2d", &hours, &minutes) < 1)
        return 0;
    if (strlen(text) == 5)
        sscanf(text + 3, "%2d", &minutes);
    return (*text == '-' ? -1 : 1) * (60 * hours + minutes);
}

const char *kg_foreign_date(struct kg_arena *arena, const char *text)
{
    struct tm moment = {0};
    char date[32];
    const char *rest = text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &moment) : NULL;
    if (!rest)
        return NULL;
    if (*rest == '.')
        rest += 1 + strspn(rest + 1, "0123456789");
    const time_t seconds = timegm(&moment) - 60 * zone_minutes(rest);
    if (!gmtime_r(&seconds, &moment) || !strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &moment))
        return NULL;
    const char *kept = kg_arena_copy(arena, date);
    return kept;
}
