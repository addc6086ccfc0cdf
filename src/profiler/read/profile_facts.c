#include "profiler/read/profile_facts.h"

#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include "base/escape.h"
#include "base/text.h"
#include "base/units.h"
#include "base/wrap.h"
#include "profiler/read/profile_cells.h"

static void counted(struct kg_text *text, uint64_t count, const char *one, const char *several)
{
    kg_text_printf(text, "%" PRIu64 " %s", count, count == 1 ? one : several);
}

/* A name, so short that the words beside it find room in its line. */
static void name_print(const char *name, size_t width, struct kg_text *text)
{
    enum { BESIDE = 12 };
    struct kg_text escaped = {0};
    kg_escape_terminal(&escaped, name, KG_PROFILE_NAME_MOST);
    kg_text_append_ends(text, kg_text_string(&escaped),
                        width > 2 * BESIDE ? width - BESIDE : SIZE_MAX);
    text->failed = text->failed || escaped.failed;
    kg_text_free(&escaped);
}

/* "solver (nightly)", or of several programs the first one's. */
static void program_print(const struct kg_profile_process *process, size_t width,
                          struct kg_text *text)
{
    const char *program = process->program ? process->program : "program";
    const char *slash = strrchr(program, '/');
    name_print(slash && slash[1] ? slash + 1 : program, width, text);
    if (!process->label)
        return;
    kg_text_append(text, " (");
    name_print(process->label, width, text);
    kg_text_append(text, ")");
}

/* The words in lines that fit; frees them. */
static void lines_print(struct kg_text *words, size_t width, struct kg_text *text)
{
    if (words->length)
        kg_wrap(text, "", kg_text_string(words), width);
    text->failed = text->failed || words->failed;
    kg_text_free(words);
}

void kg_profile_facts_print(const struct kg_profile *profile, size_t width, struct kg_text *text)
{
    char wall[KG_UNIT_BYTES];
    struct kg_text words = {0};
    uint64_t threads = 0;
    bool others = false;
    for (size_t i = 0; i < profile->process_count; i++) {
        const struct kg_profile_process *process = &profile->processes[i];
        threads += process->threads;
        others = others || !kg_string_same(process->program, profile->processes[0].program) ||
                 !kg_string_same(process->label, profile->processes[0].label);
    }
    if (profile->process_count)
        program_print(&profile->processes[0], width, &words);
    kg_text_append(&words, others ? " and others: " : ": ");
    counted(&words, profile->process_count, "process, ", "processes, ");
    counted(&words, threads, "thread, ", "threads, ");
    counted(&words, profile->entry_count, "entry, ", "entries, ");
    kg_text_append(&words, kg_duration_format(profile->wall_ns, wall));
    lines_print(&words, width, text);
}

static void losses_print(const struct kg_profile *profile, struct kg_text *text)
{
    const struct kgate_profile_losses losses = kg_profile_losses(profile);
    const struct {
        uint64_t count;
        const char *one, *several;
    } lines[] = {
        {losses.dropped, "entry dropped", "entries dropped"},
        {losses.too_deep, "scope nested too deep", "scopes nested too deep"},
        {losses.unbalanced, "end without a start", "ends without a start"},
        {losses.unfinished, "scope without its own end", "scopes without their own end"},
        {losses.gpu_dropped, "GPU time not recorded", "GPU times not recorded"},
    };
    const char *separator = "Lost: ";
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (!lines[i].count)
            continue;
        kg_text_append(text, separator);
        counted(text, lines[i].count, lines[i].one, lines[i].several);
        separator = ", ";
    }
}

static void sampling_print(const struct kg_profile *profile, struct kg_text *text)
{
    static const char *const words[] = {"requests", "scopes"};
    double least = 1, most = 0;
    size_t sampling = 0;
    for (size_t i = 0; i < profile->process_count; i++) {
        const struct kg_profile_process *process = &profile->processes[i];
        if (process->sample < least) {
            least = process->sample;
            sampling = process->sampling;
        }
        if (process->sample > most)
            most = process->sample;
    }
    if (!(least < 1))
        return;
    if (least < most)
        kg_text_printf(text, "%.4g to %.4g %%", 100 * least, 100 * most);
    else
        kg_text_printf(text, "%.4g %%", 100 * least);
    kg_text_printf(text, " of %s were recorded: calls and totals count only these",
                   words[sampling]);
}

void kg_profile_remarks_print(const struct kg_profile *profile, size_t width, struct kg_text *text)
{
    struct kg_text losses = {0}, ends = {0}, sampling = {0};
    size_t open = 0;
    for (size_t i = 0; i < profile->process_count; i++)
        open += !profile->processes[i].complete;
    losses_print(profile, &losses);
    lines_print(&losses, width, text);
    if (open) {
        counted(&ends, open, "process", "processes");
        kg_text_append(&ends,
                       " did not end the recording: the entries still in buffers are missing");
    }
    lines_print(&ends, width, text);
    sampling_print(profile, &sampling);
    lines_print(&sampling, width, text);
}

void kg_profile_rest_print(size_t shown, size_t count, const char *what, struct kg_text *text)
{
    if (shown < count)
        kg_text_printf(text, "%zu of %zu %s are shown\n", shown, count, what);
}
