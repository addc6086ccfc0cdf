#include "profiler/read/bottleneck.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "profiler/read/case_rows.h"

/* Three limits of a share. BOTTLENECK: the component is called the bottleneck. MOSTLY: so much time
 * is outside all scopes that the inner ones do not matter. NOTABLE: a further share is mentioned. */
static const double BOTTLENECK = 0.2, MOSTLY = 0.5, NOTABLE = 0.1;

/* Most names of a path in a report; most characters of a line. */
enum { NAMES_MOST = 3, LINE_MOST = 500 };

/* Lead of the first component over the second, in standard errors. */
static const double AHEAD = 2;

/* A report mentions the number of calls if there are fewer than these. */
enum { CALLS_FEW = 10 };

const char *const kg_bottleneck_kind_names[5] = {"scope", "name", "outside", "spread", NULL};

/* --- The components' ranks ------------------------------------------------------------------- */

/* The profiler's own pauses are no component of the program. */
static bool is_component(const struct kg_case_rows *subject, size_t row)
{
    return subject->profile->rows[row].path.kind != KGATE_SCOPE_PROFILER &&
           kg_case_rows_share(subject, row) > 0;
}

/* Puts a row into the first two ranks if its share is larger than theirs. */
static void row_rank(size_t row, double share, struct kg_bottleneck *found)
{
    if (share > found->share) {
        found->second = found->component;
        found->second_share = found->share;
        found->component = row;
        found->share = share;
    } else if (share > found->second_share) {
        found->second = row;
        found->second_share = share;
    }
}

static void rows_rank(const struct kg_case_rows *subject, struct kg_bottleneck *found)
{
    for (size_t i = subject->first + 1; i < subject->end; i++)
        if (is_component(subject, i))
            row_rank(i, kg_case_rows_share(subject, i), found);
}

/* Finds the name whose paths have the most time together, if their share is notable. */
static bool names_rank(const struct kg_case_rows *subject, struct kg_bottleneck *found)
{
    struct kg_named_row *named = kg_alloc(subject->end - subject->first, sizeof *named);
    size_t count = 0;
    if (!named)
        return false;
    for (size_t i = subject->first + 1; i < subject->end; i++)
        if (is_component(subject, i))
            named[count++] = (struct kg_named_row){subject->profile->rows[i].path.name, i};
    kg_named_rows_sort(named, count);
    for (size_t i = 0, next; i < count; i = next) {
        double share = 0;
        for (next = i; next < count && !strcmp(named[next].name, named[i].name); next++)
            share += kg_case_rows_share(subject, named[next].row);
        if (share < BOTTLENECK || share <= found->share)
            continue;
        found->kind = KG_BOTTLENECK_NAME;
        found->component = named[i].row;
        found->share = share;
        found->places = next - i;
    }
    free(named);
    return true;
}

/* The standard error of a row's total. The error of its self time is unknown, but hardly larger. */
static double standard_error_ns(const struct kg_case_rows *subject, size_t row)
{
    const struct kg_profile_figures *figures = &subject->profile->rows[row].figures;
    return figures->standard_deviation_ns * sqrt((double)figures->calls);
}

/* Whether the first two components are too close to rank. Only if kgate repeats the same call: another
 * program may handle a small file and then a large one, and its calls differ for that reason. The
 * scatter of GPU times is unknown. */
static bool is_close(const struct kg_case_rows *subject, const struct kg_bottleneck *found)
{
    if (found->kind != KG_BOTTLENECK_SCOPE || found->second == found->path || found->on_gpu)
        return false;
    if (!kg_is_label(subject->profile, subject->profile->rows[found->path].path.name))
        return false;
    const double error_ns = hypot(standard_error_ns(subject, found->component),
                                  standard_error_ns(subject, found->second));
    return (found->share - found->second_share) * subject->total_ns < AHEAD * error_ns;
}

static bool subject_judge(const struct kg_case_rows *subject, struct kg_bottleneck *found)
{
    *found = (struct kg_bottleneck){.path = subject->first,
                                    .kind = KG_BOTTLENECK_SPREAD,
                                    .component = subject->first,
                                    .second = subject->first,
                                    .places = 1,
                                    .outside_share = kg_case_rows_share(subject, subject->first),
                                    .on_gpu = subject->on_gpu};
    rows_rank(subject, found);
    if (found->outside_share >= MOSTLY)
        found->kind = KG_BOTTLENECK_OUTSIDE;
    else if (found->share >= BOTTLENECK)
        found->kind = KG_BOTTLENECK_SCOPE;
    else if (!names_rank(subject, found))
        return false;
    found->calls = subject->profile->rows[found->component].figures.calls;
    found->close = is_close(subject, found);
    return true;
}

/* --- The cases ------------------------------------------------------------------------------- */

/* Lead of a flat recording's first component, as a share, below which another run may swap the first
 * two. Their calls may differ, so that the scatter of the calls says nothing about it. */
static const double LEAD = 0.03;

/* A row's time in a flat recording. A span's is that of other scopes. */
static double flat_ns(const struct kg_profile_row *row)
{
    return row->path.span ? 0 : row->figures.total_ns;
}

/* The bottleneck of a recording without nested scopes. Shares are of the sum over all threads. false:
 * it has such scopes, or no time. */
static bool flat_judge(const struct kg_profile *profile, struct kg_bottleneck *found)
{
    double whole_ns = 0;
    *found = (struct kg_bottleneck){.kind = KG_BOTTLENECK_SPREAD, .places = 1, .flat = true};
    for (size_t i = 0; i < profile->row_count; i++) {
        const double ns = flat_ns(&profile->rows[i]);
        if (profile->rows[i].path.parent != i)
            return false;
        whole_ns += ns;
        /* the shares are times until the whole is known */
        if (profile->rows[i].path.kind != KGATE_SCOPE_PROFILER)
            row_rank(i, ns, found);
    }
    if (!(found->share > 0))
        return false;
    found->share /= whole_ns;
    found->second_share /= whole_ns;
    found->path = found->component;
    if (!(found->second_share > 0))
        found->second = found->path;
    if (found->share >= BOTTLENECK)
        found->kind = KG_BOTTLENECK_SCOPE;
    found->close = found->share >= BOTTLENECK && found->share - found->second_share < LEAD;
    found->calls = profile->rows[found->component].figures.calls;
    return true;
}

bool kg_bottlenecks_find(const struct kg_profile *profile, struct kg_bottleneck **found,
                         size_t *count)
{
    struct kg_case_rows subject;
    *count = 0;
    *found = kg_alloc(profile->row_count + 1, sizeof **found);
    bool good = kg_case_rows_start(profile, &subject) && *found;
    while (good && kg_case_rows_next(&subject))
        good = subject_judge(&subject, &(*found)[(*count)++]);
    if (good && !*count)
        *count = flat_judge(profile, *found);
    kg_case_rows_free(&subject);
    if (!good) {
        free(*found);
        *found = NULL;
    }
    return good;
}

/* --- Words ----------------------------------------------------------------------------------- */

/* Whether another path of the case has this one's name. */
static bool is_ambiguous(const struct kg_profile *profile, size_t first, size_t row)
{
    for (size_t i = first; i < profile->row_count; i++) {
        if (i > first && profile->rows[i].path.parent == i)
            break;
        if (i != row && !strcmp(profile->rows[i].path.name, profile->rows[row].path.name))
            return true;
    }
    return false;
}

/* "scores", or "layer > scores" if other paths have that name. "scores itself" if the scope has scopes
 * inside, whose time is excluded. */
static void component_append(const struct kg_profile *profile, size_t first, size_t row,
                             struct kg_text *text)
{
    const char *names[NAMES_MOST];
    const size_t most = is_ambiguous(profile, first, row) ? NAMES_MOST : 1;
    size_t count = 0, at = row;
    for (; at != first && count < most; at = profile->rows[at].path.parent)
        names[count++] = profile->rows[at].path.name;
    if (at != first && most > 1)
        kg_text_append(text, "… > ");
    while (count--)
        kg_text_printf(text, "%s%s", names[count], count ? " > " : "");
    if (row + 1 < profile->row_count && profile->rows[row + 1].path.parent == row)
        kg_text_append(text, " itself");
}

/* Begins a remark in brackets. Remarks have notable shares that the sentence has not mentioned. */
static void aside_begin(struct kg_text *text, bool *any)
{
    kg_text_append(text, *any ? ", " : " (");
    *any = true;
}

static void asides_append(const struct kg_profile *profile, const struct kg_bottleneck *found,
                          struct kg_text *text)
{
    const bool scope = found->kind == KG_BOTTLENECK_SCOPE;
    const size_t row = scope ? found->second : found->component;
    const double share = scope ? found->second_share : found->share;
    bool any = false;
    if (row != found->path && share >= NOTABLE && found->kind != KG_BOTTLENECK_NAME &&
        !found->close) {
        aside_begin(text, &any);
        component_append(profile, found->path, row, text);
        kg_text_printf(text, " %.0f %%", 100 * share);
    }
    if (found->outside_share >= NOTABLE && found->kind != KG_BOTTLENECK_OUTSIDE) {
        aside_begin(text, &any);
        kg_text_printf(text, "%.0f %% outside its inner scopes", 100 * found->outside_share);
    }
    kg_text_append(text, any ? ")" : "");
}

/* "scores, 61 % of its time". If the first two are too close: "scores or softmax, 31 and 30 % of its
 * time: not told apart in 5 calls". */
static void scope_append(const struct kg_profile *profile, const struct kg_bottleneck *found,
                         const char *its, struct kg_text *text)
{
    const bool labelled = kg_is_label(profile, profile->rows[found->path].path.name);
    component_append(profile, found->path, found->component, text);
    if (found->close) {
        kg_text_append(text, " or ");
        component_append(profile, found->path, found->second, text);
        kg_text_printf(text, ", %.0f and %.0f %% of %s: too close to tell apart",
                       100 * found->share, 100 * found->second_share, its);
    } else {
        kg_text_printf(text, ", %.0f %% of %s", 100 * found->share, its);
    }
    if (found->close || (labelled && found->calls < CALLS_FEW))
        kg_text_printf(text, " in %llu call%s", (unsigned long long)found->calls,
                       found->calls == 1 ? "" : "s");
}

/* Share above which no inner scope matters. */
static const double ALL = 0.995;

/* Whether kgate measured the program. A case's id is the label of its processes. */
static bool has_cases(const struct kg_profile *profile)
{
    for (size_t i = 0; i < profile->process_count; i++)
        if (profile->processes[i].label && *profile->processes[i].label)
            return true;
    return false;
}

/* `kgate explain` knows the functions of cases. */
static void outside_append(const struct kg_profile *profile, const char *its, struct kg_text *text)
{
    kg_text_printf(
        text, "no inner scope has 1 %% of %s: name its parts with kgate/profiler.h, %s", its,
        has_cases(profile) ? "or run `kgate explain`, which lists functions without scopes"
                           : "or list its functions with `perf record -g`");
}

static void flat_append(const struct kg_profile *profile, const struct kg_bottleneck *found,
                        struct kg_text *text)
{
    static const char all[] = "the time of all scopes";
    if (found->kind == KG_BOTTLENECK_SPREAD) {
        kg_text_printf(text, "none: no scope has %.0f %% of %s", 100 * BOTTLENECK, all);
        return;
    }
    if (found->close) {
        kg_text_printf(text, "%s or %s, %.0f and %.0f %% of %s: too close to tell apart",
                       profile->rows[found->component].path.name,
                       profile->rows[found->second].path.name, 100 * found->share,
                       100 * found->second_share, all);
        return;
    }
    kg_text_printf(text, "%s, %.0f %% of %s", profile->rows[found->component].path.name,
                   100 * found->share, all);
    if (found->second_share >= NOTABLE)
        kg_text_printf(text, " (%s %.0f %%)", profile->rows[found->second].path.name,
                       100 * found->second_share);
}

void kg_bottleneck_words(const struct kg_profile *profile, const struct kg_bottleneck *found,
                         struct kg_text *text)
{
    const char *its = found->on_gpu ? "its time on the GPU" : "its time";
    if (found->flat) {
        flat_append(profile, found, text);
        return;
    }
    switch (found->kind) {
    case KG_BOTTLENECK_SCOPE:
        scope_append(profile, found, its, text);
        break;
    case KG_BOTTLENECK_NAME:
        kg_text_printf(text, "%s in %zu places, %.0f %% of %s",
                       profile->rows[found->component].path.name, found->places, 100 * found->share,
                       its);
        break;
    case KG_BOTTLENECK_OUTSIDE:
        if (found->outside_share > ALL)
            outside_append(profile, its, text);
        else
            kg_text_printf(text, "%.0f %% of %s is outside its inner scopes",
                           100 * found->outside_share, its);
        break;
    case KG_BOTTLENECK_SPREAD:
        kg_text_printf(text, "none: no scope has %.0f %% of %s", 100 * BOTTLENECK, its);
        break;
    }
    asides_append(profile, found, text);
}

void kg_bottleneck_sentence(const struct kg_profile *profile,
                            const struct kg_bottleneck *bottleneck, struct kg_text *text)
{
    if (bottleneck->flat)
        kg_text_append(text, "bottleneck: ");
    else
        kg_text_printf(text, "bottleneck of %s: ", profile->rows[bottleneck->path].path.name);
    kg_bottleneck_words(profile, bottleneck, text);
}

void kg_profile_bottlenecks(const struct kg_profile *profile, struct kg_text *text)
{
    struct kg_bottleneck *found;
    size_t count;
    if (!kg_bottlenecks_find(profile, &found, &count)) {
        text->failed = true;
        return;
    }
    for (size_t i = 0; i < count && i < KG_BOTTLENECKS_MOST; i++) {
        struct kg_text words = {0};
        kg_bottleneck_sentence(profile, &found[i], &words);
        kg_escape_terminal(text, kg_text_string(&words), LINE_MOST);
        kg_text_append(text, "\n");
        text->failed = text->failed || words.failed;
        kg_text_free(&words);
    }
    if (count > KG_BOTTLENECKS_MOST)
        kg_text_printf(text, "%zu more bottlenecks are in the JSON report\n",
                       count - KG_BOTTLENECKS_MOST);
    free(found);
}
