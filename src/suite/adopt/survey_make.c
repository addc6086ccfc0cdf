/* survey_make.c: the rules of a Makefile whose name contains bench. A rule makes a program, runs one, or does neither.
 * Only the text decides: kgate expands no variables and reads no included files. */
#include <stdio.h>
#include <string.h>

#include "base/shell_words.h"
#include "suite/adopt/survey.h"

#define LIBRARY "-lbenchmark"

enum { NAME_MOST = 128, LINE_MOST = 1024 };

/* The lines of a rule. */
struct rule {
    char name[NAME_MOST];
    char needs[LINE_MOST]; /* prerequisites */
    unsigned line;
    const char *recipe; /* first line of the recipe, after the tab; NULL: none */
    size_t recipe_count;
};

static size_t line_length(const char *text)
{
    return strcspn(text, "\n");
}

static const char name_letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";

/* Reads "name: needs" with the first of several names. False for other lines: variables, also of one target, and files
 * with an extension. */
static bool rule_head_read(const char *text, struct rule *rule)
{
    const size_t name_length = strspn(text, name_letters), length = line_length(text);
    size_t end = name_length;
    while (end < length && (text[end] == ' ' || strchr(name_letters, text[end])))
        end++;
    if (!name_length || name_length >= NAME_MOST || text[0] == '.' || end >= length ||
        text[end] != ':')
        return false;
    end += text[end + 1] == ':' ? 2 : 1;
    snprintf(rule->name, sizeof rule->name, "%.*s", (int)name_length, text);
    snprintf(rule->needs, sizeof rule->needs, "%.*s", (int)(length - end), text + end);
    rule->needs[strcspn(rule->needs, ";#")] = '\0';
    const char *dot = strrchr(rule->name, '.');
    return !strchr(rule->needs, '=') && (!dot || dot == rule->name);
}

static const char *recipe_step(const char *line)
{
    return line + line_length(line) + (line[line_length(line)] == '\n');
}

/* The first line after a rule's head. Backslashes continue the head. */
static const char *head_step(const char *line)
{
    while (line_length(line) && line[line_length(line) - 1] == '\\' && line[line_length(line)])
        line = recipe_step(line);
    return recipe_step(line);
}

static bool recipe_has(const struct rule *rule, const char *part)
{
    const char *line = rule->recipe;
    const size_t length = strlen(part);
    for (size_t i = 0; i < rule->recipe_count; i++, line = recipe_step(line))
        for (size_t at = 0; at + length <= line_length(line); at++)
            if (!strncmp(line + at, part, length))
                return true;
    return false;
}

/* Whether the rule makes a file called like the rule, by its recipe or by make's built-in rules. */
static bool makes_program(const struct rule *rule)
{
    char own[NAME_MOST + 8], object[NAME_MOST + 8];
    snprintf(own, sizeof own, "-o %s", rule->name);
    snprintf(object, sizeof object, "%s.", rule->name);
    if (!rule->recipe_count)
        return strstr(rule->needs, object) != NULL;
    return recipe_has(rule, "-o $@") || recipe_has(rule, "-o$@") || recipe_has(rule, own) ||
           recipe_has(rule, "$(LINK") || recipe_has(rule, "${LINK") ||
           recipe_has(rule, "-o \"$@\"");
}

/* Whether the recipe starts another build program. */
static bool delegates(const struct rule *rule)
{
    static const char *const parts[] = {"$(MAKE)", "${MAKE}", "cmake", "ninja", "cargo", "meson"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (recipe_has(rule, parts[i]))
            return true;
    return false;
}

/* Reads the words of a recipe with one plain line, "./x --size 3". kgate can measure such a program directly. */
static bool words_read(struct kg_survey *survey, const struct rule *rule, struct kg_words *words)
{
    struct kg_error ignored;
    char line[LINE_MOST];
    const char *text = rule->recipe;
    words->count = 0;
    if (rule->recipe_count != 1 || line_length(text) >= sizeof line)
        return false;
    text += strspn(text, "@-+ \t");
    snprintf(line, sizeof line, "%.*s", (int)line_length(text), text);
    return kg_words_split(&survey->arena, line, words, &ignored) && words->count &&
           words->at[0][0] != '/' && strchr(words->at[0], '/') && !strchr(words->at[0], '=');
}

/* "make -C tests fullbench", in the survey's arena. */
static const char *make_command(struct kg_survey *survey, const char *folder, const char *targets)
{
    return kg_arena_printf(&survey->arena, "make%s%s%s%s", *folder ? " -C " : "", folder,
                           *targets ? " " : "", targets);
}

/* The prerequisites of a rule that are plain names. */
static void needs_plain(const struct rule *rule, char plain[LINE_MOST])
{
    char copy[LINE_MOST], *rest = copy;
    size_t length = 0;
    snprintf(copy, sizeof copy, "%s", rule->needs);
    plain[0] = '\0';
    for (const char *word; (word = strsep(&rest, " \t")) && length < LINE_MOST;)
        if (*word && !strpbrk(word, "$%|*\\"))
            length += (size_t)snprintf(plain + length, LINE_MOST - length, "%s%s",
                                       length ? " " : "", word);
}

static void words_make(struct kg_survey *survey, struct kg_finding *finding, size_t count,
                       const char *const *words)
{
    finding->words = kg_arena_alloc(&survey->arena, count, sizeof *finding->words);
    finding->word_count = count;
    for (size_t i = 0; i < count; i++)
        finding->words[i] = words[i];
}

/* Fills a finding for a rule that runs a program: the program if the recipe is plain, else make. */
static void run_fill(struct kg_survey *survey, const struct rule *rule, const char *folder,
                     struct kg_finding *finding)
{
    char plain[LINE_MOST];
    struct kg_words words;
    needs_plain(rule, plain);
    if (*plain)
        finding->build = make_command(survey, folder, plain);
    if (words_read(survey, rule, &words)) {
        finding->directory = *folder ? folder : NULL;
        words.at[0] = kg_arena_printf(&survey->arena, "./%s%s%s", folder, *folder ? "/" : "",
                                      words.at[0] + 2 * !strncmp(words.at[0], "./", 2));
        words_make(survey, finding, words.count, words.at);
        return;
    }
    const char *const make[] = {"make", "-s", "-C", *folder ? folder : ".", rule->name};
    finding->note =
        "A call runs make and the whole rule. If the rule runs one program, name the program here.";
    finding->doubt = delegates(rule)
                         ? "the rule builds as well as it measures; name the program that it runs"
                         : NULL;
    words_make(survey, finding, sizeof make / sizeof *make, make);
}

/* Whether another rule starts the same program. If the new rule makes the program, the other rule gets its build
 * command. */
static bool is_doubled(struct kg_survey *survey, const struct kg_finding *finding)
{
    for (size_t i = 0; i < survey->count; i++) {
        struct kg_finding *other = &survey->findings[i];
        if (other->kind != KG_FOUND_MAKE_TARGET || other->word_count != 1 ||
            finding->word_count != 1 || strcmp(other->words[0], finding->words[0]) != 0)
            continue;
        if (finding->is_made) {
            other->build = finding->build;
            other->is_made = true;
        }
        return true;
    }
    return false;
}

static void rule_add(struct kg_survey *survey, const char *path, const struct rule *rule,
                     const char *proof)
{
    const char *slash = strrchr(path, '/');
    const char *folder =
        kg_arena_copy_bytes(&survey->arena, path, slash ? (size_t)(slash - path) : 0);
    struct kg_finding finding = {.kind = KG_FOUND_MAKE_TARGET,
                                 .name = rule->name,
                                 .path = path,
                                 .line = rule->line,
                                 .proof = proof,
                                 .doubt = kg_name_doubt(rule->name)};
    if (strstr(path, "dll/"))
        finding.doubt = "its folder says that it is for Windows";
    for (size_t i = 0; i < survey->count; i++)
        if (survey->findings[i].kind == KG_FOUND_MAKE_TARGET &&
            !strcmp(survey->findings[i].path, path) &&
            !strcmp(survey->findings[i].name, rule->name))
            return; /* the second part of a split rule */
    const char *doubt = finding.doubt;
    if (makes_program(rule)) {
        const char *program =
            kg_arena_printf(&survey->arena, "./%s%s%s", folder, *folder ? "/" : "", rule->name);
        finding.build = make_command(survey, folder, rule->name);
        finding.is_made = true;
        words_make(survey, &finding, 1, &program);
    } else if (rule->recipe_count) {
        run_fill(survey, rule, folder, &finding);
    } else {
        return; /* the rule only lists other rules */
    }
    finding.doubt = doubt ? doubt : finding.doubt;
    if (!is_doubled(survey, &finding))
        kg_survey_add(survey, &finding);
}

void kg_survey_makefile(struct kg_survey *survey, const char *path, const char *text)
{
    const char *proof = strstr(text, LIBRARY) ? "is of a file that links " LIBRARY : NULL;
    struct rule rule;
    unsigned line = 1;
    if (!strncmp(text, "# CMAKE generated file", 22))
        return;
    for (; *text; text = recipe_step(text), line++) {
        if (!rule_head_read(text, &rule) || !kg_names_benchmark(rule.name))
            continue;
        const char *next = head_step(text);
        rule.line = line;
        rule.recipe = *next == '\t' ? next + 1 : NULL;
        rule.recipe_count = 0;
        for (; *next == '\t'; next = recipe_step(next))
            rule.recipe_count++;
        rule_add(survey, path, &rule, proof);
    }
}
