#include "suite/adapters/hyperfine_options.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { OPTION_VALUES_MOST = 3 };

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

static bool refuse(const struct kg_hyperfine_command *command, const char *why, const char *what)
{
    return kg_error_set(command->err, KG_ERROR_MEASURE, why, what);
}

bool kg_hyperfine_word_add(const struct kg_hyperfine_command *command,
                           struct kg_hyperfine_words *words, const char *word)
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

static bool list_read(struct kg_hyperfine_command *command, const char *name, const char *text)
{
    struct kg_text value = {0};
    struct kg_hyperfine_parameter *parameter = &command->parameters[command->parameter_count];
    size_t most = 2;
    if (!text)
        return refuse(command, "hyperfine's '--parameter-list %.100s' lacks its values", name);
    for (const char *c = text; *c; c++)
        most += *c == ',';
    if (command->parameter_count == KG_HYPERFINE_PARAMETERS_MOST)
        return refuse(command, "hyperfine's '--parameter-list %.100s': too many parameters", name);
    *parameter = (struct kg_hyperfine_parameter){.name = name};
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
        good = kept && kg_hyperfine_word_add(command, &parameter->values, kept);
        if (!*c)
            break;
    }
    command->parameter_count++;
    return good || kg_error_memory(command->err);
}

static bool each_add(struct kg_hyperfine_command *command, const char *option, const char *value)
{
    size_t i = 0;
    while (i < command->each_count && strcmp(command->each[i].option, option) != 0)
        i++;
    if (i == command->each_count) /* there are fewer such options than room */
        command->each[command->each_count++].option = option;
    return kg_hyperfine_word_add(command, &command->each[i].values, value);
}

static bool option_take(struct kg_hyperfine_command *command, const struct option *option,
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
        return kg_hyperfine_word_add(command, &command->names, values[0]);
    case EACH:
        return each_add(command, option->name, values[0]);
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
    return kg_hyperfine_word_add(command, &command->kept, word);
}

/* attached: a value in the option's own word, or NULL */
static bool values_read(struct kg_hyperfine_command *command, const struct option *option,
                        const char *attached, const char *word)
{
    const char *values[OPTION_VALUES_MOST] = {attached};
    for (char i = attached ? 1 : 0; i < option->values; i++) {
        if (command->next == command->given_count)
            return refuse(command, "hyperfine's option '%.100s' lacks a value", word);
        values[(size_t)i] = command->given[command->next++];
    }
    return option_take(command, option, values);
}

static bool letters_read(struct kg_hyperfine_command *command, const char *word)
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

static bool word_read(struct kg_hyperfine_command *command, const char *word)
{
    if (word[0] != '-' || !word[1])
        return kg_hyperfine_word_add(command, &command->commands, word);
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
static bool scan_read(struct kg_hyperfine_command *command)
{
    struct decimal low, high, step;
    struct kg_hyperfine_parameter *parameter = &command->parameters[command->parameter_count];
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
    enum { SCALE_MOST = 6, DIGITS_MOST = 1000000000 };
    const int scale = larger(larger(low.scale, high.scale), step.scale);
    const bool fits = scale <= SCALE_MOST && llabs(low.digits) <= DIGITS_MOST &&
                      llabs(high.digits) <= DIGITS_MOST && step.digits <= DIGITS_MOST;
    const int64_t from = fits ? low.digits * power_of_ten(scale - low.scale) : 0;
    const int64_t to = fits ? high.digits * power_of_ten(scale - high.scale) : 0;
    const int64_t by = fits ? step.digits * power_of_ten(scale - step.scale) : 1;
    if (!fits || to < from || (to - from) / by >= KG_HYPERFINE_BENCHMARKS_MOST)
        return refuse(command,
                      "the range of hyperfine's '--parameter-scan %.100s' is empty or too large",
                      scan[0]);
    const size_t count = (size_t)((to - from) / by) + 1;
    *parameter = (struct kg_hyperfine_parameter){.name = scan[0]};
    parameter->values.at = kg_arena_alloc(command->arena, count, sizeof *parameter->values.at);
    if (!parameter->values.at)
        return kg_error_memory(command->err);
    for (size_t i = 0; i < count; i++)
        if (!kg_hyperfine_word_add(command, &parameter->values,
                                   decimal_text(command->arena, from + (int64_t)i * by, scale,
                                                i ? larger(low.scale, step.scale) : low.scale)))
            return false;
    command->parameter_count = 1;
    return true;
}

/* --- The whole --------------------------------------------------------------------------------- */

/* hyperfine refuses the same, but is given one benchmark only. */
static bool counts_check(struct kg_hyperfine_command *command)
{
    const struct kg_hyperfine_words *names = &command->names;
    if (!command->commands.count)
        return refuse(command, "'%.100s' is given no command to measure", command->given[0]);
    command->benchmark_count = command->commands.count;
    for (size_t i = 0; i < command->parameter_count; i++) {
        command->benchmark_count *= command->parameters[i].values.count;
        if (command->benchmark_count > KG_HYPERFINE_BENCHMARKS_MOST)
            return refuse(command, "'%.100s' has too many benchmarks", command->given[0]);
    }
    if (command->parameter_count ? names->count > 1 && names->count != command->benchmark_count
                                 : names->count > command->commands.count)
        return kg_error_set(command->err, KG_ERROR_MEASURE,
                            "hyperfine's '--command-name' is given %zu times, for %zu benchmarks",
                            names->count, command->benchmark_count);
    for (size_t i = 0; i < command->each_count; i++) {
        const size_t count = command->each[i].values.count;
        if (count > 1 && count != command->benchmark_count)
            return kg_error_set(command->err, KG_ERROR_MEASURE,
                                "hyperfine's '--%s' is given %zu times, for %zu benchmarks: once, "
                                "or once for each",
                                command->each[i].option, count, command->benchmark_count);
    }
    return true;
}

/* A letter among others in one word may become a word, and a -L of two words three; the rest is kgate's. */
static size_t room_for(const struct kg_hyperfine_command *command)
{
    size_t room = 16 + 3 * command->given_count;
    for (size_t i = 0; i < command->given_count; i++)
        room += command->given[i][0] == '-' && command->given[i][1] != '-'
                    ? strlen(command->given[i])
                    : 0;
    return room;
}

bool kg_hyperfine_read(struct kg_hyperfine_command *command)
{
    command->room = room_for(command);
    if (!kg_hyperfine_word_add(command, &command->kept, command->given[command->next++]))
        return false;
    while (command->next < command->given_count) {
        const char *word = command->given[command->next++];
        if (!strcmp(word, "--")) {
            while (command->next < command->given_count)
                if (!kg_hyperfine_word_add(command, &command->commands,
                                           command->given[command->next++]))
                    return false;
        } else if (!word_read(command, word)) {
            return false;
        }
    }
    return scan_read(command) && counts_check(command);
}
