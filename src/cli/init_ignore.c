/* init_ignore.c: reports do not belong into a repository, so `kgate init` adds their folder to .gitignore. If a folder
 * `out` has no results of kgate, it may be the user's own. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cli.h"

#define IGNORED_IN ".gitignore"
#define OUTPUT "out"

static const size_t IGNORED_MOST = (size_t)1 << 20;

bool kg_cli_ignore_output(const struct kg_arguments *arguments, struct kg_error *err)
{
    struct kg_text text = {0};
    struct kg_error absent;
    if (access(".git", F_OK) != 0)
        return true;
    const bool is_there =
        access(IGNORED_IN, F_OK) == 0 && kg_file_read(IGNORED_IN, IGNORED_MOST, &text, &absent);
    const bool own = access(OUTPUT, F_OK) == 0 && access(OUTPUT "/results.json", F_OK) != 0;
    bool known = own || (!is_there && access(IGNORED_IN, F_OK) == 0);
    for (const char *line = kg_text_string(&text); *line && !known;) {
        const size_t length = strcspn(line, "\r\n"), slash = *line == '/';
        known = length >= slash + 3 && !strncmp(line + slash, OUTPUT, 3) &&
                (length == slash + 3 || (length == slash + 4 && line[slash + 3] == '/'));
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    const bool ends = !text.length || kg_text_string(&text)[text.length - 1] == '\n';
    kg_text_printf(&text, "%s" OUTPUT "/\n", ends ? "" : "\n");
    bool good = true;
    if (!known && !arguments->dry_run)
        good = kg_file_write(IGNORED_IN, kg_text_string(&text), text.length, err);
    if (!known && good && !arguments->quiet)
        printf("%s " OUTPUT "/ (reports) to " IGNORED_IN "\n",
               arguments->dry_run ? "would add" : "added");
    kg_text_free(&text);
    return good;
}
