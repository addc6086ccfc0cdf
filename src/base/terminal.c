#include "base/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Reads the variables of the locale in the order of POSIX (Environment Variables). */
bool kg_terminal_plain(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (!value || !*value)
            continue;
        for (; *value; value++)
            if (!strncasecmp(value, "UTF-8", 5) || !strncasecmp(value, "UTF8", 4))
                return false;
        return true;
    }
    return true;
}

const char *kg_terminal_line_clear(void)
{
    const char *terminal = getenv("TERM");
    const bool erases = isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
    return erases ? "\r\x1b[K" : "";
}
