/* drive_utf8proc.c: brings every line of a text into a normal form.
 *   program compose|fold FILE TIMES */
#include "utf8proc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t normalise(const char *line, size_t size, int options)
{
    utf8proc_uint8_t *text;
    utf8proc_ssize_t length =
        utf8proc_map((const utf8proc_uint8_t *)line, (utf8proc_ssize_t)size, &text, options);
    if (length < 0)
        exit(3);
    free(text);
    return (size_t)length;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    int fold = strcmp(argv[1], "fold") == 0;
    int options =
        UTF8PROC_STABLE | UTF8PROC_COMPOSE | (fold ? UTF8PROC_CASEFOLD | UTF8PROC_COMPAT : 0);
    size_t total = 0;
    char line[4096];
    FILE *file = fopen(argv[2], "r");
    if (!file)
        return 2;
    for (int i = 0; i < atoi(argv[3]); i++) {
        rewind(file);
        while (fgets(line, sizeof line, file))
            total += normalise(line, strlen(line), options);
    }
    printf("%zu bytes\n", total);
    fclose(file);
    return 0;
}
