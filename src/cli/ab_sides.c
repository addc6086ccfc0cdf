#include "cli/ab_sides.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/escape.h"
#include "base/nearest.h"
#include "gate/suite_in_memory.h"
#include "run/suite_check.h"

enum { SIDES = 2, NAME_MOST = 60 };
static const char *const options[SIDES] = {"--base", "--head"};
static const char *const operands[SIDES] = {"OLD", "NEW"}; /* names in the usage line */
static const char *const places[SIDES] = {"the first", "the second"};
static const char *const kind_names[] = {"a build", "a plugin", "a command"};

/* --- Kind of an operand ----------------------------------------------------------------------- */

static bool words_read(const struct kg_arguments *arguments, const char *given,
                       struct kg_arena *arena, struct kg_words *words, struct kg_error *err)
{
    if (!given[strspn(given, " \t\n")])
        return kg_error_set(err, KG_ERROR_USAGE, "a command is empty: kgate ab 'OLD' 'NEW'");
    if (!arguments->shell)
        return (kg_words_split(arena, given, words, err) || kg_error_wrap(err, "%s", given)) &&
               kg_words_check(*words, err);
    words->count = 3;
    words->at = kg_arena_alloc(arena, words->count + 1, sizeof *words->at);
    words->at[0] = "sh";
    words->at[1] = "-c";
    words->at[2] = given;
    return kg_words_check(*words, err);
}

/* If the operand is an existing file, the file decides the kind. Otherwise the operand is a command line. */
static bool operand_read(const struct kg_arguments *arguments, size_t side, struct kg_sides *sides,
                         enum kg_sides_kind *kind, struct kg_error *err)
{
    static const enum kg_sides_kind kinds[] = {[KG_BUILD_CHECKOUT] = KG_SIDES_BUILDS,
                                               [KG_BUILD_KGATE] = KG_SIDES_BUILDS,
                                               [KG_BUILD_PLUGIN] = KG_SIDES_PLUGINS,
                                               [KG_BUILD_COMMAND] = KG_SIDES_COMMANDS};
    const char *given = sides->given[side];
    struct stat facts;
    struct kg_build build;
    *kind = KG_SIDES_COMMANDS;
    if (!arguments->shell && *given && stat(given, &facts) == 0) {
        if (!kg_build_resolve(&sides->arena, sides->labels[side], given, &build, err))
            return false;
        *kind = kinds[build.kind];
    }
    return *kind != KG_SIDES_COMMANDS ||
           words_read(arguments, given, &sides->arena, &sides->words[side], err);
}

/* --- The suite -------------------------------------------------------------------------------- */

/* Names the workloads of one plugin that the other plugin lacks. kgate does not compare them. */
static void others_print(const struct kg_sides *sides, const struct kg_words names[SIDES],
                         size_t side)
{
    struct kg_text line = {0};
    for (size_t i = 0; i < names[side].count; i++) {
        if (kg_word_is_among(names[side].at[i], names[!side].at, names[!side].count))
            continue;
        kg_text_append(&line, line.length ? ", " : "");
        kg_escape_terminal(&line, names[side].at[i], NAME_MOST);
    }
    if (line.length)
        fprintf(stderr, "kgate: only in %s, not compared: %s\n", sides->given[side],
                kg_text_string(&line));
    kg_text_free(&line);
}

static bool plugins_suite(struct kg_sides *sides, struct kg_error *err)
{
    struct kg_words names[SIDES], both = {0};
    for (size_t side = 0; side < SIDES; side++)
        if (!kg_plugin_workloads(&sides->arena, sides->given[side], &names[side], err))
            return false;
    both.at = kg_arena_alloc(&sides->arena, names[0].count, sizeof *both.at);
    for (size_t i = 0; i < names[0].count; i++)
        if (kg_word_is_among(names[0].at[i], names[1].at, names[1].count))
            both.at[both.count++] = names[0].at[i];
    if (!both.count)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "'%.200s' and '%.200s' have no workload of the same name",
                            sides->given[0], sides->given[1]);
    for (size_t side = 0; side < SIDES; side++)
        others_print(sides, names, side);
    kg_suite_of_plugin(sides->given[0], both, &sides->yaml);
    return true;
}

static const char *program_name(const char *word)
{
    const char *slash = strrchr(word, '/');
    return slash && slash[1] ? slash + 1 : word;
}

/* Sets the names to the ends of two paths, from the first folder that differs. */
static void path_ends(const char *const paths[SIDES], const char *names[SIDES])
{
    size_t same = 0;
    for (size_t i = 0; paths[0][i] && paths[0][i] == paths[1][i]; i++)
        if (paths[0][i] == '/')
            same = i + 1;
    for (size_t side = 0; side < SIDES; side++)
        names[side] = paths[side] + same;
}

static const char *shown(struct kg_arena *arena, const char *name)
{
    struct kg_text text = {0};
    kg_escape_terminal(&text, name, NAME_MOST);
    const char *copy = kg_arena_copy(arena, kg_text_string(&text));
    kg_text_free(&text);
    return copy;
}

/* Names the commands for tables: by --name, else by program, or its path, if they differ, else by command line. If the
 * names are still equal: "the first" and "the second". */
static void names_make(const struct kg_arguments *arguments, struct kg_sides *sides)
{
    const char *paths[SIDES], *programs[SIDES];
    for (size_t side = 0; side < SIDES; side++) {
        paths[side] = arguments->shell
                          ? sides->given[side]
                          : sides->words[side].at[kg_words_program(sides->words[side])];
        programs[side] = arguments->shell ? paths[side] : program_name(paths[side]);
    }
    if (!arguments->shell && !strcmp(programs[0], programs[1]))
        path_ends(paths, programs);
    const bool differ = strcmp(programs[0], programs[1]) != 0;
    for (size_t side = 0; side < SIDES; side++)
        sides->names[side] =
            shown(&sides->arena, side < arguments->names.count ? arguments->names.at[side]
                                 : differ                      ? programs[side]
                                                               : sides->given[side]);
    if (!strcmp(sides->names[0], sides->names[1]))
        memcpy(sides->names, places, sizeof places);
}

/* Names the sides for reports. */
static void titles_make(const struct kg_arguments *arguments, struct kg_sides *sides)
{
    for (size_t side = 0; side < SIDES; side++) {
        const char *given = sides->given[side];
        if (side < arguments->names.count)
            sides->titles[side] =
                kg_arena_printf(&sides->arena, "%s (%s)", arguments->names.at[side], given);
        else if (arguments->names.count || sides->kind != KG_SIDES_BUILDS)
            sides->titles[side] = kg_arena_copy(&sides->arena, given);
    }
}

/* --- Both sides ------------------------------------------------------------------------------- */

static bool kinds_agree(const struct kg_sides *sides, const enum kg_sides_kind kinds[SIDES],
                        struct kg_error *err)
{
    return kinds[0] == kinds[1] ||
           kg_error_set(
               err, KG_ERROR_USAGE, "'%.200s' is %s, and '%.200s' is %s: give two of the same kind",
               sides->given[0], kind_names[kinds[0]], sides->given[1], kind_names[kinds[1]]);
}

static bool operands_read(const struct kg_arguments *arguments, struct kg_sides *sides,
                          struct kg_error *err)
{
    enum kg_sides_kind kinds[SIDES];
    for (size_t side = 0; side < SIDES; side++) {
        sides->given[side] = arguments->positional[side];
        sides->labels[side] = operands[side];
        if (!arguments->suite && !operand_read(arguments, side, sides, &kinds[side], err))
            return false;
    }
    sides->kind = arguments->suite ? KG_SIDES_BUILDS : kinds[0];
    if (!arguments->suite && !kinds_agree(sides, kinds, err))
        return false;
    if (sides->kind == KG_SIDES_PLUGINS)
        return plugins_suite(sides, err);
    if (sides->kind == KG_SIDES_COMMANDS) {
        kg_suite_of_command(sides->words[1], &sides->yaml);
        names_make(arguments, sides);
    }
    return true;
}

static bool names_check(const struct kg_arguments *arguments, struct kg_error *err)
{
    if (arguments->names.count > SIDES)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "--name is given %zu times, and there are two sides",
                            arguments->names.count);
    for (size_t i = 0; i < arguments->names.count; i++)
        if (!*arguments->names.at[i])
            return kg_error_set(err, KG_ERROR_USAGE,
                                "--name is '', but must be the name of a side");
    return true;
}

static bool both_read(const struct kg_arguments *arguments, struct kg_sides *sides,
                      struct kg_error *err)
{
    if (arguments->positional_count == SIDES && !arguments->base && !arguments->head)
        return operands_read(arguments, sides, err);
    if (!arguments->positional_count && arguments->base && arguments->head)
        return true;
    if (!arguments->positional_count && (arguments->base || arguments->head))
        return kg_error_set(err, KG_ERROR_USAGE, "`kgate ab` needs %s",
                            arguments->base ? "--head B too: the candidate build"
                                            : "--base A too: the baseline build");
    return kg_error_set(err, KG_ERROR_USAGE,
                        "`kgate ab` needs two sides: kgate ab './old --bench' './new --bench', or "
                        "with a suite kgate ab -c SUITE --base A --head B");
}

bool kg_sides_read(const struct kg_arguments *arguments, struct kg_sides *sides,
                   struct kg_error *err)
{
    *sides = (struct kg_sides){.kind = KG_SIDES_BUILDS,
                               .given = {arguments->base, arguments->head},
                               .labels = {options[0], options[1]}};
    if (!names_check(arguments, err) || !both_read(arguments, sides, err))
        return false;
    titles_make(arguments, sides);
    return true;
}

void kg_sides_free(struct kg_sides *sides)
{
    kg_text_free(&sides->yaml);
    kg_arena_free(&sides->arena);
}
