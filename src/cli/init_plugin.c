/* init_plugin.c: `kgate init --plugin NAME`: a plugin with one benchmark, and its entry in the suite. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cli.h"
#include "suite/adopt/adopt.h"

static const size_t SUITE_MOST = (size_t)16 << 20;

/* Texts of the plugin's source and the suite, and whether the suite exists. */
struct drafts {
    const char *name, *suite_path;
    char source_path[PATH_MAX];
    struct kg_text source, suite;
    bool suite_there;
};

/* Returns the include folder of this kgate: "" if the compiler searches it anyway, NULL if unknown. */
static const char *include_find(char folder[PATH_MAX])
{
    static const char *const from_program[] = {"/../include", "/../../include"};
    static const char *const usual[] = {"/usr/include", "/usr/local/include"};
    char program[PATH_MAX], header[PATH_MAX];
    char *slash = realpath("/proc/self/exe", program) ? strrchr(program, '/') : NULL;
    for (size_t i = 0; slash && i < sizeof from_program / sizeof *from_program; i++) {
        *slash = '\0';
        const int length = snprintf(header, sizeof header, "%s%s", program, from_program[i]);
        if (length >= (int)sizeof header || !realpath(header, folder) ||
            snprintf(header, sizeof header, "%s/kgate/plugin.h", folder) >= (int)sizeof header ||
            access(header, R_OK) != 0)
            continue;
        for (size_t k = 0; k < sizeof usual / sizeof *usual; k++)
            if (!strcmp(folder, usual[k]))
                return "";
        return folder;
    }
    return NULL;
}

static const char *folder_name(char here[PATH_MAX])
{
    const char *slash = realpath(".", here) ? strrchr(here, '/') : NULL;
    return slash && slash[1] ? slash + 1 : "suite";
}

/* Makes the text of the suite. If the entry does not fit into the existing suite, drafts->suite stays empty. */
static bool suite_draft(struct drafts *drafts, struct kg_error *err)
{
    char here[PATH_MAX];
    struct kg_text old = {0};
    drafts->suite_there = access(drafts->suite_path, F_OK) == 0;
    if (!drafts->suite_there) {
        kg_plugin_suite(drafts->name, folder_name(here), &drafts->suite);
        return true;
    }
    const bool good = kg_file_read(drafts->suite_path, SUITE_MOST, &old, err) &&
                      kg_plugin_entry_add(drafts->name, drafts->suite_path, kg_text_string(&old),
                                          old.length, &drafts->suite, err);
    kg_text_free(&old);
    return good;
}

static bool drafts_make(const struct kg_arguments *arguments, struct drafts *drafts,
                        struct kg_error *err)
{
    drafts->name = arguments->plugin;
    drafts->suite_path = arguments->positional_count ? arguments->positional[0] : KG_SUITE_FILE;
    if (!kg_plugin_name_good(drafts->name))
        return kg_error_set(err, KG_ERROR_USAGE,
                            "'%.100s' cannot be the name of a benchmark: use letters, digits and "
                            "underscores, as in a C function",
                            drafts->name);
    snprintf(drafts->source_path, sizeof drafts->source_path, "%s_bench.c", drafts->name);
    if (access(drafts->source_path, F_OK) == 0 && !arguments->force && !arguments->dry_run)
        return kg_error_set(err, KG_ERROR_USAGE, "'%s' exists already; --force overwrites it",
                            drafts->source_path);
    kg_plugin_source(drafts->name, &drafts->source);
    return suite_draft(drafts, err);
}

static bool drafts_write(const struct kg_arguments *arguments, const struct drafts *drafts,
                         struct kg_error *err)
{
    const bool suite = drafts->suite.length > 0;
    if (arguments->dry_run) {
        printf("--- %s\n%s\n", drafts->source_path, kg_text_string(&drafts->source));
        if (suite)
            printf("--- %s\n%s\n", drafts->suite_path, kg_text_string(&drafts->suite));
        return true;
    }
    if (!kg_file_write(drafts->source_path, kg_text_string(&drafts->source), drafts->source.length,
                       err) ||
        (suite && !kg_file_write(drafts->suite_path, kg_text_string(&drafts->suite),
                                 drafts->suite.length, err)))
        return false;
    if (arguments->quiet)
        return true;
    printf("wrote %s\n", drafts->source_path);
    if (suite && drafts->suite_there)
        printf("added %s to %s\n", drafts->name, drafts->suite_path);
    else if (suite)
        printf("wrote %s\n", drafts->suite_path);
    return true;
}

static void next_print(const struct drafts *drafts)
{
    char folder[PATH_MAX];
    struct kg_text entry = {0}, command = {0};
    const bool usual = !strcmp(drafts->suite_path, KG_SUITE_FILE);
    if (!drafts->suite.length) {
        kg_plugin_entry(drafts->name, 2, &entry);
        printf("add to the workloads of %s:\n%s", drafts->suite_path, kg_text_string(&entry));
    }
    kg_plugin_build_command(drafts->name, include_find(folder), &command);
    printf("next:\n  %s\n  kgate validate%s%s\n  kgate gate%s%s --update-missing\n",
           kg_text_string(&command), usual ? "" : " -c ", usual ? "" : drafts->suite_path,
           usual ? "" : " -c ", usual ? "" : drafts->suite_path);
    if (access(".git", F_OK) == 0 && access(".github/workflows/kgate.yml", F_OK) != 0)
        printf("  kgate init%s%s    writes the workflow of GitHub\n", usual ? "" : " ",
               usual ? "" : drafts->suite_path);
    kg_text_free(&entry);
    kg_text_free(&command);
}

int kg_cli_init_plugin(const struct kg_arguments *arguments)
{
    struct drafts drafts = {0};
    struct kg_error err;
    const bool good = drafts_make(arguments, &drafts, &err) &&
                      drafts_write(arguments, &drafts, &err) &&
                      kg_cli_ignore_output(arguments, &err);
    if (good && !arguments->quiet)
        next_print(&drafts);
    kg_text_free(&drafts.source);
    kg_text_free(&drafts.suite);
    return good ? KG_EXIT_PASS : kg_fail(&err);
}
