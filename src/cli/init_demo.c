/* init_demo.c: `kgate init --demo`: an example profile and its page, for a look before measuring. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cli.h"
#include "show/formats.h"

/* docs/examples/profile/demo.json, ended by a 0. */
extern const char kg_demo_profile[];
__asm__(".pushsection .rodata\n.globl kg_demo_profile\n.hidden kg_demo_profile\n"
        "kg_demo_profile:\n.incbin \"" KGATE_DEMO "\"\n.byte 0\n.popsection\n");

static const char PROFILE[] = "kgate-demo.json", PAGE[] = "kgate-demo.html";

/* err: one of the files exists, and --force is not given */
static bool is_free(const struct kg_arguments *arguments, struct kg_error *err)
{
    const char *const paths[] = {PROFILE, PAGE};
    for (size_t i = 0; i < sizeof paths / sizeof *paths && !arguments->force; i++)
        if (access(paths[i], F_OK) == 0)
            return kg_error_set(err, KG_ERROR_USAGE, "'%s' exists already; --force overwrites it",
                                paths[i]);
    return true;
}

static bool page_write(const struct kg_arguments *arguments, struct kg_error *err)
{
    struct kg_report_request request = {.format = "html", .style = kg_style(arguments)};
    struct kg_file_writing writing;
    const char *const paths[] = {PROFILE};
    kg_style_for_file(&request.style);
    if (!kg_file_begin(&writing, PAGE, err))
        return false;
    const bool good = kg_report_page(&request, paths, 1, writing.file, err);
    return kg_file_end(&writing, good, err) && good;
}

int kg_cli_init_demo(const struct kg_arguments *arguments)
{
    struct kg_error err;
    if (!is_free(arguments, &err))
        return kg_fail(&err);
    if (arguments->dry_run) {
        printf("would write %s and %s\n", PROFILE, PAGE);
        return KG_EXIT_PASS;
    }
    if (!kg_file_write(PROFILE, kg_demo_profile, strlen(kg_demo_profile), &err) ||
        !page_write(arguments, &err))
        return kg_fail(&err);
    if (!arguments->quiet)
        printf("wrote %s\nwrote %s\nnext: open the page in a browser, or kgate report %s\n",
               PROFILE, PAGE, PROFILE);
    return KG_EXIT_PASS;
}
