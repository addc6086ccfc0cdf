/* A profile for a pull request. */
#include "base/escape.h"
#include "base/units.h"
#include "profiler/read/bottleneck.h"
#include "profiler/read/profile.h"
#include "show/report.h"

enum { ID_MOST = 200, WORDS_MOST = 300, ROW_MOST = 4000 };

static void row_print(const struct kg_profile *profile, size_t index, struct kg_arena *arena,
                      struct kg_text *text)
{
    const struct kg_profile_figures *figures = &profile->rows[index].figures;
    const char *path = kg_profile_path_text(arena, profile, index);
    char total[KG_UNIT_BYTES], self[KG_UNIT_BYTES], mean[KG_UNIT_BYTES], p95[KG_UNIT_BYTES];
    if (!path) {
        text->failed = true;
        return;
    }
    kg_text_append(text, "| ");
    kg_escape_markdown(text, path, ID_MOST);
    kg_text_printf(text, " | %llu | %s | %s | %s | %s | %.1f %% |\n",
                   (unsigned long long)figures->calls, kg_duration_format(figures->total_ns, total),
                   kg_duration_format(figures->self_ns, self),
                   kg_duration_format(figures->mean_ns, mean),
                   kg_duration_format(figures->p95_ns, p95), 100 * figures->share);
}

static void bottleneck_print(struct kg_text *text, const char *words)
{
    kg_text_append(text, "- ");
    kg_escape_markdown(text, words, WORDS_MOST);
    kg_text_append(text, "\n");
}

void kg_report_profile_markdown(const struct kg_profile *profile, size_t top, struct kg_text *text)
{
    struct kg_arena arena = {0};
    char wall[KG_UNIT_BYTES];
    const size_t rows = top && top < profile->row_count ? top : profile->row_count;
    struct kg_text closing = {0};
    size_t printed = 0;
    kg_bottlenecks_tell(profile, &closing, bottleneck_print);
    const size_t room = KG_MARKDOWN_MOST - ROW_MOST - closing.length;
    kg_text_printf(text, "**kgate profile**: %zu %s, %llu scope%s in %s\n\n",
                   profile->process_count, profile->process_count == 1 ? "process" : "processes",
                   (unsigned long long)profile->entry_count, profile->entry_count == 1 ? "" : "s",
                   kg_duration_format(profile->wall_ns, wall));
    kg_text_append(text, "| scope | calls | total | self | mean | p95 | time |\n"
                         "| :-- | --: | --: | --: | --: | --: | --: |\n");
    for (; printed < rows && text->length < room; printed++)
        row_print(profile, printed, &arena, text);
    if (printed < profile->row_count)
        kg_text_printf(text, "\n%zu more %s not shown.\n", profile->row_count - printed,
                       profile->row_count - printed == 1 ? "scope is" : "scopes are");
    kg_text_printf(text, "%s%s", closing.length ? "\n" : "", kg_text_string(&closing));
    text->failed = text->failed || closing.failed;
    kg_text_free(&closing);
    kg_arena_free(&arena);
}
