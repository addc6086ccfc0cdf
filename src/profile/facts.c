#include "profile/facts.h"

#include <inttypes.h>
#include <string.h>

#include "profile/cells.h"
#include "util/escape.h"
#include "util/units.h"

static void counted(struct kg_text *text, uint64_t count, const char *one, const char *several)
{
    kg_text_printf(text, "%" PRIu64 " %s", count, count == 1 ? one : several);
}

/* "solver (nightly)", or of several programs the first one's. */
static void program_print(const struct kg_profile_process *process, struct kg_text *text)
{
    const char *program = process->program ? process->program : "program";
    const char *slash = strrchr(program, '/');
    kg_escape_terminal(text, slash && slash[1] ? slash + 1 : program, KG_PROFILE_NAME_MOST);
    if (!process->label)
        return;
    kg_text_append(text, " (");
    kg_escape_terminal(text, process->label, KG_PROFILE_NAME_MOST);
    kg_text_append(text, ")");
}

static bool is_same(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

void kg_profile_facts_print(const struct kg_profile *profile, struct kg_text *text)
{
    char wall[KG_UNIT_BYTES];
    uint64_t threads = 0;
    bool others = false;
    for (size_t i = 0; i < profile->process_count; i++) {
        const struct kg_profile_process *process = &profile->processes[i];
        threads += process->threads;
        others = others || !is_same(process->program, profile->processes[0].program) ||
                 !is_same(process->label, profile->processes[0].label);
    }
    if (profile->process_count)
        program_print(&profile->processes[0], text);
    kg_text_append(text, others ? " and others: " : ": ");
    counted(text, profile->process_count, "process, ", "processes, ");
    counted(text, threads, "thread, ", "threads, ");
    counted(text, profile->entry_count, "entry, ", "entries, ");
    kg_text_printf(text, "%s\n", kg_duration_format(profile->wall_ns, wall));
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
        {losses.unbalanced, "end without a beginning", "ends without a beginning"},
        {losses.unfinished, "scope not ended by itself", "scopes not ended by themselves"},
        {losses.gpu_dropped, "GPU time not taken", "GPU times not taken"},
    };
    const char *separator = "Lost: ";
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (!lines[i].count)
            continue;
        kg_text_append(text, separator);
        counted(text, lines[i].count, lines[i].one, lines[i].several);
        separator = ", ";
    }
    if (*separator == ',')
        kg_text_append(text, "\n");
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
    kg_text_printf(text, " of %s were recorded: calls and totals are of those\n", words[sampling]);
}

void kg_profile_remarks_print(const struct kg_profile *profile, struct kg_text *text)
{
    size_t open = 0;
    for (size_t i = 0; i < profile->process_count; i++)
        open += !profile->processes[i].complete;
    losses_print(profile, text);
    if (open) {
        counted(text, open, "process", "processes");
        kg_text_append(text,
                       " had not ended the recording: what was still in buffers is not in it\n");
    }
    sampling_print(profile, text);
}

void kg_profile_rest_print(size_t shown, size_t count, const char *what, struct kg_text *text)
{
    if (shown < count)
        kg_text_printf(text, "%zu of %zu %s are shown\n", shown, count, what);
}
