/* Executable files whose name says bench. A shell script that calls hyperfine says which commands to measure: each
 * call becomes a workload of its own, if the shell has nothing to expand in it. */
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "suite/adapters/adapter.h"
#include "suite/adopt/survey.h"

enum { LINE_MOST = 4096, SAID_MOST = 120 };

static const char TOOL[] = "hyperfine";

/* --- A call of hyperfine ------------------------------------------------------------------------ */

/* A command of the script, with the lines that a backslash continues. */
struct call {
    char text[LINE_MOST];
    unsigned line;
    bool whole; /* it fits */
};

/* Reads the command at *text and steps behind it. */
static void call_read(const char **text, unsigned *line, struct call *call)
{
    size_t length = 0;
    call->line = *line;
    call->whole = true;
    *text += strspn(*text, " \t");
    while (**text && **text != '\n') {
        const bool continues = (*text)[0] == '\\' && (*text)[1] == '\n';
        call->whole = call->whole && length + 1 < LINE_MOST;
        if (call->whole)
            call->text[length++] = continues ? ' ' : **text;
        *line += continues;
        *text += continues ? 2 : 1;
    }
    call->text[length] = '\0';
    *line += **text == '\n';
    *text += **text == '\n';
}

static bool begins_with_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    return !strncmp(text, word, length) && (text[length] == ' ' || text[length] == '\t');
}

/* Leaves out the options that write a file: kgate has one of its own written. */
static void exports_drop(struct kg_words *words)
{
    size_t kept = 0;
    for (size_t i = 0; i < words->count; i++) {
        const bool is_export = !strncmp(words->at[i], "--export-", 9);
        if (is_export && !strchr(words->at[i], '='))
            i++;
        if (!is_export)
            words->at[kept++] = words->at[i];
    }
    words->count = kept;
}

/* Why the call cannot be measured as it is; NULL: it can, and `words` are its own. */
static const char *call_doubt(struct kg_survey *survey, const struct call *call, bool moved,
                              struct kg_words *words)
{
    struct kg_foreign_names names = {0};
    struct kg_error err = {0};
    if (!call->whole)
        return "the call of hyperfine is too long to be read";
    if (!kg_words_split(&survey->arena, call->text, words, &err))
        return "the shell has something to expand in the call of hyperfine; write its words out";
    exports_drop(words);
    if (!kg_adapter_find(TOOL)->list(&survey->arena, words->at, words->count, NULL, &names, &err))
        return kg_arena_printf(&survey->arena, "kgate cannot measure this call: %.*s", SAID_MOST,
                               err.message);
    return moved ? "the script enters another folder before; set `directory` to it" : NULL;
}

/* kgate's own parameters have braces too. */
static bool words_keep(struct kg_survey *survey, const struct kg_words *words,
                       struct kg_finding *finding)
{
    finding->words = kg_arena_alloc(&survey->arena, words->count + 1, sizeof *finding->words);
    finding->word_count = words->count;
    if (finding->words && words->count)
        memcpy(finding->words, words->at, words->count * sizeof *finding->words);
    return finding->words != NULL;
}

static bool call_add(struct kg_survey *survey, const char *path, const struct call *call,
                     bool moved, struct kg_error *err)
{
    const char *slash = strrchr(path, '/');
    struct kg_words words = {0};
    struct kg_finding finding = {.kind = KG_FOUND_HYPERFINE,
                                 .name = slash ? slash + 1 : path,
                                 .path = path,
                                 .line = call->line};
    finding.doubt = call_doubt(survey, call, moved, &words);
    if (finding.doubt) {
        words.at = kg_arena_alloc(&survey->arena, 1, sizeof *words.at);
        words.count = words.at ? 1 : 0;
        if (words.at)
            words.at[0] = TOOL;
    }
    return words.at && words_keep(survey, &words, &finding) ? kg_survey_add(survey, &finding, err)
                                                            : kg_error_memory(err);
}

/* Sets *found if the script calls hyperfine. */
static bool calls_add(struct kg_survey *survey, const char *path, const char *text, bool *found,
                      struct kg_error *err)
{
    struct call call;
    bool moved = false;
    *found = false;
    for (unsigned line = 1; *text;) {
        call_read(&text, &line, &call);
        moved = moved || begins_with_word(call.text, "cd") || begins_with_word(call.text, "pushd");
        if (!begins_with_word(call.text, TOOL))
            continue;
        *found = true;
        if (!call_add(survey, path, &call, moved, err))
            return false;
    }
    return true;
}

/* --- A program ---------------------------------------------------------------------------------- */

static bool begins_with_one(const char *text, const char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        if (begins_with_word(text, words[i]))
            return true;
    return false;
}

/* Why a script does not measure alone; NULL: nothing in it says so. */
static const char *script_doubt(const char *text)
{
    static const char *const compilers[] = {"c++",   "g++", "clang++", "gcc",
                                            "clang", "cc",  "nvcc",    NULL};
    static const char *const builders[] = {"cmake", "make",  "ninja", "meson",
                                           "cargo", "bazel", NULL};
    struct call call;
    bool compiles = false, builds = false, starts = false;
    for (unsigned line = 1; *text;) {
        call_read(&text, &line, &call);
        starts = starts || !strncmp(call.text, "./", 2);
        compiles = compiles || begins_with_one(call.text, compilers);
        builds = builds || begins_with_one(call.text, builders);
    }
    return compiles && !starts ? "the script compiles, and starts no program"
           : builds ? "the script builds as well as it measures; name the program that it starts"
                    : NULL;
}

bool kg_survey_program(struct kg_survey *survey, const char *path, const char *text,
                       struct kg_error *err)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    struct kg_finding finding = {
        .kind = KG_FOUND_PROGRAM, .name = name, .path = path, .doubt = kg_name_doubt(name)};
    bool calls = false;
    if (text && !calls_add(survey, path, text, &calls, err))
        return false;
    if (calls)
        return true;
    if (text && !finding.doubt)
        finding.doubt = script_doubt(text);
    return kg_survey_add(survey, &finding, err);
}
