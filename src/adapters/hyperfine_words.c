/* hyperfine has no filter, and measures all of its commands one after the other: a process that measures one
 * case would measure the others too, n times the time. So the command's words are read as hyperfine
 * reads them, and a process is given the one command, with every option that concerns it: of -P and -L the
 * one value, so that hyperfine itself puts it into the command, its name, --setup and --prepare. */
#include "adapters/hyperfine_words.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

enum { PARAMETERS_MOST = 16, OPTION_VALUES_MOST = 3, BENCHMARKS_MOST = 10000 };

enum role {
    KEPT,
    EACH, /* given once for all benchmarks, or once for each */
    NAME,
    SCAN,
    STEP,
    LIST,
    RUNS,
    LEAST_RUNS,
    LEAST_TIME,
    OWN,     /* kgate gives it */
    REFUSED, /* what it measures is no case */
};

/* Those of hyperfine 1.15 to 1.19. */
static const struct option {
    const char *name; /* NULL: the letter alone */
    char letter;      /* or 0 */
    char values;
    char role;
} options[] = {
    {"warmup", 'w', 1, KEPT},
    {"min-runs", 'm', 1, LEAST_RUNS},
    {"max-runs", 'M', 1, KEPT},
    {"runs", 'r', 1, RUNS},
    {"setup", 's', 1, KEPT},
    {"prepare", 'p', 1, EACH},
    {"conclude", 'C', 1, EACH},
    {"cleanup", 'c', 1, KEPT},
    {"parameter-scan", 'P', 3, SCAN},
    {"parameter-step-size", 'D', 1, STEP},
    {"parameter-list", 'L', 2, LIST},
    {"shell", 'S', 1, KEPT},
    {NULL, 'N', 0, KEPT},
    {"ignore-failure", 'i', 0, KEPT},
    {"style", 0, 1, KEPT},
    {"sort", 0, 1, KEPT},
    {"show-elapsed", 'E', 0, KEPT},
    {"time-unit", 'u', 1, KEPT},
    {"export-asciidoc", 0, 1, KEPT},
    {"export-csv", 0, 1, KEPT},
    {"export-json", 0, 1, OWN},
    {"export-markdown", 0, 1, KEPT},
    {"export-orgmode", 0, 1, KEPT},
    {"show-output", 0, 0, KEPT},
    {"output", 0, 1, EACH},
    {"input", 0, 1, KEPT},
    {"command-name", 'n', 1, NAME},
    {"min-benchmarking-time", 0, 1, LEAST_TIME},
    {"reference", 0, 1, REFUSED},
    {"reference-name", 0, 1, REFUSED},
};
enum { OPTIONS = sizeof options / sizeof *options };

struct words {
    const char **at; /* room for all that there can be */
    size_t count;
};

struct parameter {
    const char *name;
    struct words values;
};

struct command {
    struct kg_arena *arena;
    struct kg_error *err;
    const char *const *given;
    size_t given_count;
    size_t next;                /* of `given` */
    size_t room;                /* for words, more than there can be */
    struct words kept;          /* the program, and options with their values */
    struct words commands;      /* to measure */
    struct words names;         /* --command-name */
    struct words each[OPTIONS]; /* values of an option that is EACH */
    struct parameter parameters[PARAMETERS_MOST];
    size_t parameter_count;
    const char *scan[OPTION_VALUES_MOST]; /* VAR MIN MAX, or NULLs */
    const char *step;
    bool has_runs, has_least_runs, has_least_time;
    size_t benchmark_count;
};

static bool refuse(const struct command *command, const char *why, const char *what)
{
    return kg_error_set(command->err, KG_ERROR_MEASURE, why, what);
}

static bool word_add(const struct command *command, struct words *words, const char *word)
{
    if (!words->at)
        words->at = kg_arena_alloc(command->arena, command->room, sizeof *words->at);
    if (!words->at || !word)
        return kg_error_memory(command->err);
    words->at[words->count++] = word;
    return true;
}

/* --- Reading ---------------------------------------------------------------------------------- */

static const struct option *option_find(const char *name, size_t length, char letter)
{
    for (size_t i = 0; i < OPTIONS; i++)
        if (letter ? options[i].letter == letter
                   : options[i].name && strlen(options[i].name) == length &&
                         !strncmp(options[i].name, name, length))
            return &options[i];
    return NULL;
}

static bool list_read(struct command *command, const char *name, const char *text)
{
    struct kg_text value = {0};
    struct parameter *parameter = &command->parameters[command->parameter_count];
    size_t most = 2;
    for (const char *c = text; *c; c++)
        most += *c == ',';
    if (command->parameter_count == PARAMETERS_MOST)
        return refuse(command, "hyperfine's '--parameter-list %.100s': too many parameters", name);
    *parameter = (struct parameter){.name = name};
    parameter->values.at = kg_arena_alloc(command->arena, most, sizeof *parameter->values.at);
    bool good = parameter->values.at != NULL;
    for (const char *c = text; good; c++) {
        if (*c && *c != ',') {
            c += *c == '\\' && (c[1] == ',' || c[1] == '\\');
            kg_text_append_bytes(&value, c, 1);
            continue;
        }
        const char *kept =
            value.failed ? NULL : kg_arena_copy(command->arena, kg_text_string(&value));
        kg_text_free(&value);
        good = kept && word_add(command, &parameter->values, kept);
        if (!*c)
            break;
    }
    command->parameter_count++;
    return good || kg_error_memory(command->err);
}

static bool option_take(struct command *command, const struct option *option,
                        const char *values[OPTION_VALUES_MOST])
{
    switch ((enum role)option->role) {
    case OWN:
        return refuse(command,
                      "'--%s' is what kgate gives hyperfine, to read its times: leave it out",
                      option->name);
    case REFUSED:
        return refuse(
            command,
            "hyperfine's '--%s' makes a benchmark that is compared with the others: write "
            "it as a command like them",
            option->name);
    case NAME:
        return word_add(command, &command->names, values[0]);
    case EACH:
        return word_add(command, &command->each[option - options], values[0]);
    case SCAN:
        memcpy(command->scan, values, sizeof command->scan);
        return true;
    case STEP:
        command->step = values[0];
        return true;
    case LIST:
        return list_read(command, values[0], values[1]);
    case RUNS:
        command->has_runs = true;
        break;
    case LEAST_RUNS:
        command->has_least_runs = true;
        break;
    case LEAST_TIME:
        command->has_least_time = true;
        break;
    case KEPT:
        break;
    }
    /* in one word, so that a value may begin with '-' */
    const char *word = !option->name ? kg_arena_printf(command->arena, "-%c", option->letter)
                       : values[0]
                           ? kg_arena_printf(command->arena, "--%s=%s", option->name, values[0])
                           : kg_arena_printf(command->arena, "--%s", option->name);
    return word_add(command, &command->kept, word);
}

/* attached: a value in the option's own word, or NULL */
static bool values_read(struct command *command, const struct option *option, const char *attached,
                        const char *word)
{
    const char *values[OPTION_VALUES_MOST] = {attached};
    for (char i = attached ? 1 : 0; i < option->values; i++) {
        if (command->next == command->given_count)
            return refuse(command, "hyperfine's option '%.100s' lacks a value", word);
        values[(size_t)i] = command->given[command->next++];
    }
    return option_take(command, option, values);
}

static bool letters_read(struct command *command, const char *word)
{
    for (const char *letter = word + 1; *letter; letter++) {
        const struct option *option = option_find(NULL, 0, *letter);
        if (!option)
            return refuse(command, "kgate does not know hyperfine's option '%.100s'", word);
        if (option->values) {
            const char *attached = letter[1] == '=' ? letter + 2 : letter[1] ? letter + 1 : NULL;
            return values_read(command, option, attached, word);
        }
        if (!values_read(command, option, NULL, word))
            return false;
    }
    return true;
}

static bool word_read(struct command *command, const char *word)
{
    if (word[0] != '-' || !word[1])
        return word_add(command, &command->commands, word);
    if (word[1] != '-')
        return letters_read(command, word);
    const size_t length = strcspn(word + 2, "=");
    const struct option *option = option_find(word + 2, length, 0);
    if (!option)
        return refuse(command, "kgate does not know hyperfine's option '%.100s'", word);
    return values_read(command, option, word[2 + length] ? word + 2 + length + 1 : NULL, word);
}

/* --- A range ---------------------------------------------------------------------------------- */

/* A decimal number: digits / 10^scale. */
struct decimal {
    int64_t digits;
    int scale;
};

static bool decimal_read(const char *text, struct decimal *number)
{
    enum { DIGITS_MOST = 15 };
    const char *c = text + (*text == '-' || *text == '+');
    int count = 0;
    bool point = false;
    *number = (struct decimal){0, 0};
    for (; *c; c++) {
        if (*c == '.' && !point) {
            point = true;
            continue;
        }
        if (!isdigit((unsigned char)*c) || ++count > DIGITS_MOST)
            return false;
        number->digits = 10 * number->digits + (*c - '0');
        number->scale += point;
    }
    number->digits *= *text == '-' ? -1 : 1;
    return count > 0;
}

static int64_t power_of_ten(int exponent)
{
    int64_t power = 1;
    while (exponent-- > 0)
        power *= 10;
    return power;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* digits / 10^scale with `shown` places, as hyperfine prints it. */
static const char *decimal_text(struct kg_arena *arena, int64_t digits, int scale, int shown)
{
    const int64_t at = digits / power_of_ten(scale - shown), one = power_of_ten(shown);
    const int64_t size = at < 0 ? -at : at;
    if (!shown)
        return kg_arena_printf(arena, "%" PRId64, at);
    return kg_arena_printf(arena, "%s%" PRId64 ".%0*" PRId64, at < 0 ? "-" : "", size / one, shown,
                           size % one);
}

/* The values of --parameter-scan: MIN, MIN + STEP, … up to MAX. */
static bool scan_read(struct command *command)
{
    struct decimal low, high, step;
    struct parameter *parameter = &command->parameters[command->parameter_count];
    const char *const *scan = command->scan;
    if (!scan[0])
        return !command->step ||
               refuse(command, "hyperfine's '%s' is given without '--parameter-scan'",
                      "--parameter-step-size");
    if (command->parameter_count)
        return refuse(command, "hyperfine takes '--parameter-list' or '%s', not both",
                      "--parameter-scan");
    if (!decimal_read(scan[1], &low) || !decimal_read(scan[2], &high) ||
        !decimal_read(command->step ? command->step : "1", &step) || step.digits <= 0)
        return refuse(
            command,
            "the range of hyperfine's '--parameter-scan %.100s' must be of plain numbers, "
            "and its step above 0",
            scan[0]);
    if (!command->step && (low.scale || high.scale))
        return refuse(command,
                      "hyperfine's '--parameter-scan %.100s' needs a '--parameter-step-size'",
                      scan[0]);
    const int scale = larger(larger(low.scale, high.scale), step.scale);
    const int64_t from = low.digits * power_of_ten(scale - low.scale);
    const int64_t to = high.digits * power_of_ten(scale - high.scale);
    const int64_t by = step.digits * power_of_ten(scale - step.scale);
    if (scale > 9 || llabs(low.digits) > 1000000000 || llabs(high.digits) > 1000000000 ||
        step.digits > 1000000000 || to < from || (to - from) / by >= BENCHMARKS_MOST)
        return refuse(command,
                      "the range of hyperfine's '--parameter-scan %.100s' is empty or too large",
                      scan[0]);
    const size_t count = (size_t)((to - from) / by) + 1;
    *parameter = (struct parameter){.name = scan[0]};
    parameter->values.at = kg_arena_alloc(command->arena, count, sizeof *parameter->values.at);
    if (!parameter->values.at)
        return kg_error_memory(command->err);
    for (size_t i = 0; i < count; i++)
        if (!word_add(command, &parameter->values,
                      decimal_text(command->arena, from + (int64_t)i * by, scale,
                                   i ? larger(low.scale, step.scale) : low.scale)))
            return false;
    command->parameter_count = 1;
    return true;
}

/* --- The benchmarks --------------------------------------------------------------------------- */

/* hyperfine refuses the same, but is given one benchmark only. */
static bool counts_check(struct command *command)
{
    const struct words *names = &command->names;
    if (!command->commands.count)
        return refuse(command, "'%.100s' is given no command to measure", command->given[0]);
    command->benchmark_count = command->commands.count;
    for (size_t i = 0; i < command->parameter_count; i++) {
        command->benchmark_count *= command->parameters[i].values.count;
        if (command->benchmark_count > BENCHMARKS_MOST)
            return refuse(command, "'%.100s' has too many benchmarks", command->given[0]);
    }
    if (command->parameter_count ? names->count > 1 && names->count != command->benchmark_count
                                 : names->count > command->commands.count)
        return kg_error_set(command->err, KG_ERROR_MEASURE,
                            "hyperfine's '--command-name' is given %zu times, for %zu benchmarks",
                            names->count, command->benchmark_count);
    for (size_t i = 0; i < OPTIONS; i++)
        if (command->each[i].count > 1 && command->each[i].count != command->benchmark_count)
            return kg_error_set(command->err, KG_ERROR_MEASURE,
                                "hyperfine's '--%s' is given %zu times, for %zu benchmarks: once, "
                                "or once for each",
                                options[i].name, command->each[i].count, command->benchmark_count);
    return true;
}

/* A letter among others in one word may become a word, and a -L of two words three; the rest is kgate's. */
static size_t room_for(const struct command *command)
{
    size_t room = 16 + 3 * command->given_count;
    for (size_t i = 0; i < command->given_count; i++)
        room += command->given[i][0] == '-' && command->given[i][1] != '-'
                    ? strlen(command->given[i])
                    : 0;
    return room;
}

static bool command_read(struct command *command)
{
    command->room = room_for(command);
    if (!word_add(command, &command->kept, command->given[command->next++]))
        return false;
    while (command->next < command->given_count) {
        const char *word = command->given[command->next++];
        if (!strcmp(word, "--")) {
            while (command->next < command->given_count)
                if (!word_add(command, &command->commands, command->given[command->next++]))
                    return false;
        } else if (!word_read(command, word)) {
            return false;
        }
    }
    return scan_read(command) && counts_check(command);
}

/* The commands change fastest, then the first parameter. */
static size_t value_of(const struct command *command, size_t benchmark, size_t parameter)
{
    size_t rest = benchmark / command->commands.count;
    for (size_t i = 0; i < parameter; i++)
        rest /= command->parameters[i].values.count;
    return rest % command->parameters[parameter].values.count;
}

static const char *command_of(const struct command *command, size_t benchmark)
{
    return command->commands.at[benchmark % command->commands.count];
}

/* The benchmark's --command-name, with its parameters still in braces; NULL where it has none. */
static const char *name_given(const struct command *command, size_t benchmark)
{
    const struct words *names = &command->names;
    return benchmark < names->count                   ? names->at[benchmark]
           : names->count && command->parameter_count ? names->at[0]
                                                      : NULL;
}

static const char *expanded(const struct command *command, size_t benchmark, const char *text)
{
    struct kg_text out = {0};
    while (*text) {
        size_t taken = 0;
        for (size_t i = 0; i < command->parameter_count && *text == '{' && !taken; i++) {
            const struct parameter *parameter = &command->parameters[i];
            const size_t length = strlen(parameter->name);
            if (strncmp(text + 1, parameter->name, length) != 0 || text[1 + length] != '}')
                continue;
            kg_text_append(&out, parameter->values.at[value_of(command, benchmark, i)]);
            taken = length + 2;
        }
        if (!taken)
            kg_text_append_bytes(&out, text, taken = 1);
        text += taken;
    }
    const char *kept = out.failed ? NULL : kg_arena_copy(command->arena, kg_text_string(&out));
    kg_text_free(&out);
    return kept;
}

static const char *benchmark_name(const struct command *command, size_t benchmark)
{
    const char *name = name_given(command, benchmark);
    return expanded(command, benchmark, name ? name : command_of(command, benchmark));
}

static bool names_add(const struct command *command, struct kg_foreign_names *names)
{
    struct kg_names known = {0};
    for (size_t i = 0; i < command->benchmark_count; i++) {
        const char *name = benchmark_name(command, i);
        if (!name)
            return kg_error_memory(command->err);
        if (kg_names_find(&known, name))
            return refuse(command,
                          "two of hyperfine's benchmarks are called '%.200s': give each a "
                          "'--command-name', with its parameters in it",
                          name);
        if (!kg_names_set(command->arena, &known, name, i))
            return kg_error_memory(command->err);
        if (!kg_foreign_name_add(command->arena, names, name, command->err))
            return false;
    }
    return true;
}

bool kg_hyperfine_list(struct kg_arena *arena, const char *const *words, size_t count,
                       struct kg_foreign_names *names, struct kg_error *err)
{
    struct command command = {.arena = arena, .err = err, .given = words, .given_count = count};
    return command_read(&command) && names_add(&command, names);
}

/* --- One of them ------------------------------------------------------------------------------ */

static const char *list_value(struct kg_arena *arena, const char *value)
{
    struct kg_text text = {0};
    for (; *value; value++)
        kg_text_printf(&text, "%s%c", *value == ',' || *value == '\\' ? "\\" : "", *value);
    const char *kept = text.failed ? NULL : kg_arena_copy(arena, kg_text_string(&text));
    kg_text_free(&text);
    return kept;
}

/* How long it measures is the round's to say, unless the command says how many runs it is to make. */
static bool times_add(struct command *command, const struct kg_foreign_run *run)
{
    struct words *kept = &command->kept;
    if (command->has_runs)
        return true;
    return (command->has_least_time ||
            word_add(command, kept,
                     kg_arena_printf(command->arena, "--min-benchmarking-time=%.9f",
                                     run->min_time_ns / 1e9))) &&
           (command->has_least_runs || word_add(command, kept, "--min-runs=1"));
}

static bool benchmark_words(struct command *command, size_t benchmark,
                            const struct kg_foreign_run *run)
{
    struct kg_arena *arena = command->arena;
    struct words *kept = &command->kept;
    const char *name = name_given(command, benchmark);
    for (size_t i = 0; i < OPTIONS; i++) {
        const struct words *each = &command->each[i];
        if (each->count && !word_add(command, kept,
                                     kg_arena_printf(arena, "--%s=%s", options[i].name,
                                                     each->at[each->count > 1 ? benchmark : 0])))
            return false;
    }
    for (size_t i = 0; i < command->parameter_count; i++) {
        const struct parameter *parameter = &command->parameters[i];
        if (!word_add(command, kept, "--parameter-list") ||
            !word_add(command, kept, parameter->name) ||
            !word_add(command, kept,
                      list_value(arena, parameter->values.at[value_of(command, benchmark, i)])))
            return false;
    }
    return (!name || word_add(command, kept, kg_arena_printf(arena, "--command-name=%s", name))) &&
           times_add(command, run) &&
           word_add(command, kept, kg_arena_printf(arena, "--export-json=%s", run->file)) &&
           word_add(command, kept, "--") && word_add(command, kept, command_of(command, benchmark));
}

bool kg_hyperfine_run_words(struct kg_arena *arena, const struct kg_foreign_run *run,
                            const char ***words, size_t *count, struct kg_error *err)
{
    struct command command = {.arena = arena, .err = err, .given = *words, .given_count = *count};
    size_t at = 0;
    if (!command_read(&command))
        return false;
    for (; at < command.benchmark_count; at++) {
        const char *name = benchmark_name(&command, at);
        if (!name)
            return kg_error_memory(err);
        if (!strcmp(name, run->name))
            break;
    }
    if (at == command.benchmark_count)
        return kg_error_set(err, KG_ERROR_MEASURE, "the command has no benchmark '%.300s'",
                            run->name);
    if (!benchmark_words(&command, at, run))
        return false;
    *words = command.kept.at;
    *count = command.kept.count;
    return true;
}
