/* command_manual.c: the manual page, from the tables of subcommands and options: `kgate man`. */
#include <string.h>

#include "cli/cli.h"

/* Escapes text for roff, so that no character acts as a command. */
static void roff(struct kg_text *text, const char *string, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const bool starts = !i || string[i - 1] == '\n';
        if (string[i] == '\\')
            kg_text_append(text, "\\e");
        else if (string[i] == '-')
            kg_text_append(text, "\\-");
        else if (starts && (string[i] == '.' || string[i] == '\''))
            kg_text_printf(text, "\\&%c", string[i]);
        else
            kg_text_append_bytes(text, &string[i], 1);
    }
}

static void words(struct kg_text *text, const char *string)
{
    roff(text, string, strlen(string));
}

static void option_append(struct kg_text *text, const struct kg_option_use *use)
{
    const struct kg_option *option = use->option;
    kg_text_append(text, ".TP\n\\fB");
    if (option->letter)
        kg_text_printf(text, "\\-%c\\fR, \\fB", option->letter);
    kg_text_append(text, "\\-\\-");
    words(text, option->name);
    kg_text_append(text, "\\fR");
    if (option->value) {
        kg_text_append(text, " \\fI");
        words(text, option->value);
        kg_text_append(text, "\\fR");
    }
    kg_text_append(text, "\n");
    words(text, use->help);
    kg_text_append(text, use->required ? " (needed)\n" : "\n");
}

/* Appends a summary. Its first line is prose; the other lines keep their alignment. */
static void summary_append(struct kg_text *text, const char *summary)
{
    const size_t first = strcspn(summary, "\n");
    roff(text, summary, first);
    kg_text_append(text, "\n");
    if (!summary[first])
        return;
    kg_text_append(text, ".PP\n.nf\n");
    words(text, summary + first + 1);
    kg_text_append(text, "\n.fi\n");
}

static void subcommand_append(struct kg_text *text, const struct kg_subcommand *subcommand)
{
    struct kg_option_use use;
    size_t index = 0;
    kg_text_append(text, ".SS \"kgate ");
    words(text, subcommand->name);
    kg_text_append(text, "\"\n\\fBkgate ");
    words(text, subcommand->name);
    kg_text_append(text, "\\fR ");
    words(text, subcommand->operands);
    kg_text_append(text, " [\\fIoptions\\fR]\n.PP\n");
    summary_append(text, subcommand->summary);
    while (kg_option_next(subcommand, &index, &use))
        if (strcmp(use.option->name, "help") != 0)
            option_append(text, &use);
    if (subcommand->more) {
        struct kg_text more = {0};
        subcommand->more(&more);
        kg_text_append(text, ".PP\n.nf\n");
        words(text, kg_text_string(&more) + strspn(kg_text_string(&more), "\n"));
        kg_text_append(text, ".fi\n");
        kg_text_free(&more);
    }
}

static const char before[] =
    ".TH KGATE 1 \"2026-11-23\" \"kgate " KGATE_VERSION "\" \"User Commands\"\n"
    ".SH NAME\n"
    "kgate \\- a performance gate for CUDA and C code\n"
    ".SH SYNOPSIS\n"
    "\\fBkgate\\fR \\fISUBCOMMAND\\fR [\\fIoptions\\fR]\n"
    ".br\n"
    "\\fBkgate \\-\\-help\\fR | \\fB\\-\\-version\\fR [\\fB\\-\\-json\\fR]\n"
    ".SH DESCRIPTION\n"
    "kgate measures programs, functions and kernels in fresh processes, compares them with a "
    "stored\n"
    "baseline or with another build, and exits non\\-zero when something became slower. Each\n"
    "subcommand takes \\fB\\-\\-help\\fR.\n"
    ".SH SUBCOMMANDS\n";

static const char after[] =
    ".SH EXIT STATUS\n"
    ".TP\n0\npass\n"
    ".TP\n1\na regression, or another change that the policy fails on\n"
    ".TP\n2\nbad usage, suite or file\n"
    ".TP\n3\na workload failed, or could not be measured\n"
    ".TP\n4\nundecided, or nothing could be compared\n"
    ".TP\n130, 143\ninterrupted by a signal; the measured rounds are written\n"
    ".SH ENVIRONMENT\n"
    ".TP\nNO_COLOR\nno colours on a terminal\n"
    ".TP\nOMP_NUM_THREADS\nnumber of threads of a workload, unless its suite sets it\n"
    ".TP\nSLURM_ARRAY_TASK_ID, SLURM_PROCID, CI_NODE_INDEX, BUILDKITE_PARALLEL_JOB, "
    "JOB_COMPLETION_INDEX\n"
    "index of the shard with \\fB\\-\\-shard auto\\fR; variables of the same scheduler give "
    "count, job and\nattempt\n"
    ".TP\nSLURMD_NODENAME\nname of the machine in the results of a shard, instead of the host's\n"
    ".TP\nXDG_CACHE_HOME\nfolder for the cache of CPU peaks and profiles\n"
    ".SH FILES\n"
    ".TP\n" KG_SUITE_FILE "\nsuite if \\fB\\-c\\fR is not given: in the working directory or in a\n"
    "directory above it, up to the repository's\n"
    ".TP\nbaselines/\nstored runs, one file per machine\n"
    ".TP\nout/\nreports of \\fBgate\\fR and \\fBab\\fR\n";

int kg_cli_man(const struct kg_arguments *arguments)
{
    struct kg_text text = {0};
    struct kg_error err;
    (void)arguments;
    kg_text_append(&text, before);
    for (size_t i = 0; kg_subcommand_at(i); i++)
        subcommand_append(&text, kg_subcommand_at(i));
    kg_text_append(&text, after);
    const bool good = kg_print(&text, &err);
    kg_text_free(&text);
    return good ? KG_EXIT_PASS : kg_fail(&err);
}
