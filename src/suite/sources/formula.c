#include "suite/sources/formula.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* DEPTH_MOST bounds the recursion of the parser, and with it the stack of the evaluation. */
enum { DEPTH_MOST = 64, STEPS_MOST = 4096, STACK_MOST = 8 * DEPTH_MOST };

enum step_kind { STEP_NUMBER, STEP_I, STEP_NAME, STEP_ELEMENT, STEP_ONE, STEP_TWO, STEP_SELECT };

/* One step of a stack machine: pops its operands and pushes its result. */
struct step {
    enum step_kind kind;
    double number;
    size_t name;
    double (*one)(double);
    double (*two)(double, double);
};

struct kg_formula {
    const struct step *steps;
    size_t count;
};

/* --- Operators and functions ------------------------------------------------------------------- */

/* clang-format off */
static double add(double a, double b) { return a + b; }
static double subtract(double a, double b) { return a - b; }
static double multiply(double a, double b) { return a * b; }
static double divide(double a, double b) { return a / b; }
static double less(double a, double b) { return a < b; }
static double less_equal(double a, double b) { return a <= b; }
static double more(double a, double b) { return a > b; }
static double more_equal(double a, double b) { return a >= b; }
static double equal(double a, double b) { return a == b; }
static double unequal(double a, double b) { return a != b; }
static double both(double a, double b) { return a != 0 && b != 0; }
static double either(double a, double b) { return a != 0 || b != 0; }
static double negative(double a) { return -a; }
/* clang-format on */

/* From weak to strong. If two operators begin alike, the longer one comes first. */
static const struct operation {
    const char *text;
    int level;
    double (*two)(double, double);
} operations[] = {
    {"||", 0, either},     {"&&", 1, both},       {"==", 2, equal},   {"!=", 2, unequal},
    {"<=", 3, less_equal}, {">=", 3, more_equal}, {"<", 3, less},     {">", 3, more},
    {"+", 4, add},         {"-", 4, subtract},    {"*", 5, multiply}, {"/", 5, divide},
    {"%", 5, fmod},
};
enum { LEVELS = 6 };

static const struct function {
    const char *name;
    double (*one)(double);
    double (*two)(double, double);
} functions[] = {
    {"abs", fabs, NULL},    {"ceil", ceil, NULL},   {"cos", cos, NULL},  {"exp", exp, NULL},
    {"floor", floor, NULL}, {"log", log, NULL},     {"max", NULL, fmax}, {"min", NULL, fmin},
    {"pow", NULL, pow},     {"round", round, NULL}, {"sin", sin, NULL},  {"sqrt", sqrt, NULL},
    {"tanh", tanh, NULL},   {"trunc", trunc, NULL},
};

/* --- Parsing: recursive descent ---------------------------------------------------------------- */

struct parser {
    const char *text;
    const char *at;
    const struct kg_formula_name *names;
    size_t name_count;
    bool element;
    int depth;
    struct kg_arena *arena;
    struct step *steps;
    size_t count, capacity;
    struct kg_error *err;
};

static bool refuse(struct parser *parser, const char *what)
{
    return kg_error_set(parser->err, KG_ERROR_USAGE, "'%.200s': %s at '%.40s'", parser->text, what,
                        *parser->at ? parser->at : "the end");
}

static void blanks_skip(struct parser *parser)
{
    parser->at += strspn(parser->at, " \t");
}

static bool take(struct parser *parser, const char *text)
{
    blanks_skip(parser);
    if (strncmp(parser->at, text, strlen(text)) != 0)
        return false;
    parser->at += strlen(text);
    return true;
}

static bool step_add(struct parser *parser, struct step step)
{
    if (parser->count == STEPS_MOST)
        return refuse(parser, "the formula is too long");
    kg_arena_grow(parser->arena, &parser->steps, parser->count, &parser->capacity,
                  sizeof *parser->steps);
    parser->steps[parser->count++] = step;
    return true;
}

static bool choice_parse(struct parser *parser);

static bool expect(struct parser *parser, const char *text, const char *what)
{
    return take(parser, text) || refuse(parser, what);
}

static bool call_parse(struct parser *parser, const struct function *function)
{
    const struct step step = {
        .kind = function->two ? STEP_TWO : STEP_ONE, .one = function->one, .two = function->two};
    if (!expect(parser, "(", "'(' is missing") || !choice_parse(parser))
        return false;
    if (function->two && (!expect(parser, ",", "',' is missing") || !choice_parse(parser)))
        return false;
    return expect(parser, ")", "')' is missing") && step_add(parser, step);
}

static bool name_parse(struct parser *parser, size_t name)
{
    if (!parser->names[name].indexed)
        return step_add(parser, (struct step){.kind = STEP_NAME, .name = name});
    return expect(parser, "[", "a buffer needs its element, such as [i],") &&
           choice_parse(parser) && expect(parser, "]", "']' is missing") &&
           step_add(parser, (struct step){.kind = STEP_ELEMENT, .name = name});
}

static bool is_word(const char *word, size_t length, const char *name)
{
    return name && strlen(name) == length && !strncmp(word, name, length);
}

static bool word_parse(struct parser *parser)
{
    const char *word = parser->at;
    size_t length = 0;
    while (isalnum((unsigned char)word[length]) || word[length] == '_')
        length++;
    parser->at += length;
    for (size_t i = 0; i < parser->name_count; i++)
        if (is_word(word, length, parser->names[i].name))
            return name_parse(parser, i);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (is_word(word, length, functions[i].name))
            return call_parse(parser, &functions[i]);
    if (parser->element && is_word(word, length, "i"))
        return step_add(parser, (struct step){.kind = STEP_I});
    if (is_word(word, length, "pi"))
        return step_add(parser, (struct step){.kind = STEP_NUMBER, .number = acos(-1)});
    parser->at = word;
    return refuse(parser, "there is no such name or function");
}

/* Reads a decimal number. The extra check is needed because strtod also accepts "nan" and "0x1p3". */
static bool number_parse(struct parser *parser)
{
    char *end;
    const double number = strtod(parser->at, &end);
    const size_t length = strspn(parser->at, "0123456789.eE+-");
    if (end == parser->at || end > parser->at + length || !isfinite(number))
        return refuse(parser, "a number, a name or '(' must stand");
    parser->at = end;
    return step_add(parser, (struct step){.kind = STEP_NUMBER, .number = number});
}

static bool operand_parse(struct parser *parser)
{
    bool good;
    if (parser->depth == DEPTH_MOST)
        return refuse(parser, "the formula is nested too deep");
    parser->depth++;
    if (take(parser, "-"))
        good = operand_parse(parser) &&
               step_add(parser, (struct step){.kind = STEP_ONE, .one = negative});
    else if (take(parser, "("))
        good = choice_parse(parser) && expect(parser, ")", "')' is missing");
    else if (isalpha((unsigned char)*parser->at) || *parser->at == '_')
        good = word_parse(parser);
    else
        good = number_parse(parser);
    parser->depth--;
    return good;
}

static const struct operation *operation_take(struct parser *parser, int level)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (operations[i].level == level && take(parser, operations[i].text))
            return &operations[i];
    return NULL;
}

static bool level_parse(struct parser *parser, int level)
{
    const struct operation *operation;
    if (level == LEVELS)
        return operand_parse(parser);
    if (!level_parse(parser, level + 1))
        return false;
    while ((operation = operation_take(parser, level)))
        if (!level_parse(parser, level + 1) ||
            !step_add(parser, (struct step){.kind = STEP_TWO, .two = operation->two}))
            return false;
    return true;
}

static bool choice_parse(struct parser *parser)
{
    if (!level_parse(parser, 0))
        return false;
    if (!take(parser, "?"))
        return true;
    if (parser->depth == DEPTH_MOST)
        return refuse(parser, "the formula is nested too deep");
    parser->depth++;
    const bool good = choice_parse(parser) && expect(parser, ":", "':' is missing") &&
                      choice_parse(parser) && step_add(parser, (struct step){.kind = STEP_SELECT});
    parser->depth--;
    return good;
}

const struct kg_formula *kg_formula_parse(struct kg_arena *arena, const char *text,
                                          const struct kg_formula_name *names, size_t count,
                                          bool element, struct kg_error *err)
{
    struct parser parser = {.text = text,
                            .at = text,
                            .names = names,
                            .name_count = count,
                            .element = element,
                            .arena = arena,
                            .err = err};
    if (!choice_parse(&parser))
        return NULL;
    blanks_skip(&parser);
    if (*parser.at) {
        refuse(&parser, "an operator must stand");
        return NULL;
    }
    struct kg_formula *formula = kg_arena_alloc(arena, 1, sizeof *formula);
    *formula = (struct kg_formula){parser.steps, parser.count};
    return formula;
}

/* --- Evaluation -------------------------------------------------------------------------------- */

/* Each level of nesting needs at most one operand per level of operators, and three for ?:. */
_Static_assert(STACK_MOST >= DEPTH_MOST * (LEVELS + 2), "the parser limits the depth of the stack");

double kg_formula_value(const struct kg_formula *formula, double i,
                        const struct kg_formula_values *values)
{
    double stack[STACK_MOST + LEVELS + 4] = {0}; /* the first is never used */
    double *top = stack;
    for (const struct step *step = formula->steps; step < formula->steps + formula->count; step++)
        switch (step->kind) {
        case STEP_NUMBER:
            *++top = step->number;
            break;
        case STEP_I:
            *++top = i;
            break;
        case STEP_NAME:
            *++top = values->value(values->owner, step->name, 0);
            break;
        case STEP_ELEMENT:
            *top = values->value(values->owner, step->name, *top);
            break;
        case STEP_ONE:
            *top = step->one(*top);
            break;
        case STEP_TWO:
            top--;
            *top = step->two(top[0], top[1]);
            break;
        case STEP_SELECT:
            top -= 2;
            *top = top[0] != 0 ? top[1] : top[2];
            break;
        }
    return *top;
}

bool kg_formula_number(const char *text, double *number, struct kg_error *err)
{
    struct kg_arena arena = {0};
    const struct kg_formula *formula = kg_formula_parse(&arena, text, NULL, 0, false, err);
    if (formula)
        *number = kg_formula_value(formula, 0, NULL);
    kg_arena_free(&arena);
    return formula != NULL;
}
