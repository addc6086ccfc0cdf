/* The rules of a Makefile whose name says that they run a benchmark. */
#include <stdio.h>
#include <string.h>

#include "adopt/survey.h"

#define LIBRARY "-lbenchmark"

enum { NAME_MOST = 128 };

static bool line_look(struct kg_survey *survey, const char *path, const char *text, size_t length,
                      unsigned line, const char *proof, struct kg_error *err)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
    const size_t name_length = strspn(text, allowed);
    char name[NAME_MOST];
    size_t end = name_length;
    while (end < length && text[end] == ' ')
        end++;
    const bool is_rule = end < length && text[end] == ':' && text[end + 1] != '=' &&
                         !(text[end + 1] == ':' && text[end + 2] == '=');
    if (!name_length || name_length >= sizeof name || text[0] == '.' || !is_rule)
        return true;
    snprintf(name, sizeof name, "%.*s", (int)name_length, text);
    const char *dot = strrchr(name, '.');
    if (!kg_names_benchmark(name) || (dot && dot != name)) /* bench.o: a file that is made */
        return true;
    const struct kg_finding finding = {.kind = KG_FOUND_MAKE_TARGET,
                                       .name = name,
                                       .path = path,
                                       .line = line,
                                       .proof = proof,
                                       .program = NULL};
    return kg_survey_add(survey, &finding, err);
}

bool kg_survey_makefile(struct kg_survey *survey, const char *path, const char *text,
                        struct kg_error *err)
{
    const char *proof = strstr(text, LIBRARY) ? "is of a file that links " LIBRARY : NULL;
    for (unsigned line = 1; *text; line++) {
        const size_t length = strcspn(text, "\n");
        if (!line_look(survey, path, text, length, line, proof, err))
            return false;
        text += length + (text[length] == '\n');
    }
    return true;
}
