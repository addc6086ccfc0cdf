/* survey_program.c: executable files whose name contains bench. kgate reads shell scripts, because a script that builds
 * rarely measures. */
#include <string.h>

#include "suite/adopt/survey.h"

/* Returns the text after the command at `text`, including its continuation lines. */
static const char *command_skip(const char *text)
{
    while (*text && *text != '\n')
        text += text[0] == '\\' && text[1] == '\n' ? 2 : 1;
    return text + (*text == '\n');
}

static bool begins_with_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    return !strncmp(text, word, length) &&
           (text[length] == ' ' || text[length] == '\t' || !strncmp(text + length, "\\\n", 2));
}

static bool begins_with_one(const char *text, const char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        if (begins_with_word(text, words[i]))
            return true;
    return false;
}

/* A reason in words why a script does not only measure; NULL: none. */
static const char *script_doubt(const char *text)
{
    static const char *const compilers[] = {"c++",   "g++", "clang++", "gcc",
                                            "clang", "cc",  "nvcc",    NULL};
    static const char *const builders[] = {"cmake", "make",  "ninja", "meson",
                                           "cargo", "bazel", NULL};
    bool compiles = false, builds = false, starts = false;
    for (; *text; text = command_skip(text)) {
        text += strspn(text, " \t");
        starts = starts || !strncmp(text, "./", 2);
        compiles = compiles || begins_with_one(text, compilers);
        builds = builds || begins_with_one(text, builders);
    }
    return compiles && !starts ? "the script compiles, and starts no program"
           : builds ? "the script builds as well as it measures; name the program that it starts"
                    : NULL;
}

void kg_survey_program(struct kg_survey *survey, const char *path, const char *text)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    struct kg_finding finding = {
        .kind = KG_FOUND_PROGRAM, .name = name, .path = path, .doubt = kg_name_doubt(name)};
    if (text && !finding.doubt)
        finding.doubt = script_doubt(text);
    kg_survey_add(survey, &finding);
}
