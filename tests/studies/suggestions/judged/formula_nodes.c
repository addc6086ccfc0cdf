/* formula_nodes.c: formulas such as (7+(3*4)) read into trees whose nodes come from an arena
 * that is used again. */
#include "judged.h"

enum { FORMULAS = 300, FORMULA_MOST = 256, NODES = 256 };

struct node {
    char operation; /* 0: a number */
    uint32_t number;
    struct node *left, *right;
};

struct arena {
    size_t used;
    struct node nodes[NODES];
};

struct state {
    double result;
    struct arena arena;
    char formulas[FORMULAS][FORMULA_MOST];
    uint32_t values[FORMULAS];
};

static struct node *take_node(struct arena *arena, struct node node)
{
    struct node *place = &arena->nodes[arena->used++];
    *place = node;
    return place;
}

/* A number, or a formula in brackets: (left operation right). */
static ELSEWHERE struct node *read_formula(struct arena *arena, const char **text)
{
    if (**text != '(')
        return take_node(arena, (struct node){.number = (uint32_t)(*(*text)++ - '0')});
    ++*text;
    struct node *left = read_formula(arena, text);
    const char operation = *(*text)++;
    struct node *right = read_formula(arena, text);
    ++*text;
    return take_node(arena, (struct node){operation, 0, left, right});
}

static uint32_t value_of(const struct node *node)
{
    if (!node->operation)
        return node->number;
    const uint32_t left = value_of(node->left), right = value_of(node->right);
    return node->operation == '+' ? left + right : left * right;
}

/* Writes a random formula and gives its value. */
static uint32_t write_formula(char **text, int depth, uint64_t *random)
{
    if (depth == 0) {
        const unsigned number = below(random, 10);
        *(*text)++ = (char)('0' + number);
        return number;
    }
    const bool plus = depth % 2;
    *(*text)++ = '(';
    const uint32_t left = write_formula(text, depth - 1, random);
    *(*text)++ = plus ? '+' : '*';
    const uint32_t right = write_formula(text, depth - 1, random);
    *(*text)++ = ')';
    return plus ? left + right : left * right;
}

static bool set_up(struct kgate_context *context, void **place)
{
    struct state *state = context->allocate(context, sizeof *state);
    if (!state)
        return refuse(context, "out of memory");
    uint64_t random = context->seed | 1;
    for (int i = 0; i < FORMULAS; i++) {
        char *text = state->formulas[i];
        state->values[i] = write_formula(&text, 5, &random);
    }
    *place = state;
    return true;
}

static void run(void *place)
{
    struct state *state = place;
    state->result = 0;
    for (int i = 0; i < FORMULAS; i++) {
        const char *text = state->formulas[i];
        state->arena.used = 0;
        state->result += value_of(read_formula(&state->arena, &text));
    }
}

static double reference(const struct state *state)
{
    double sum = 0;
    for (int i = 0; i < FORMULAS; i++)
        sum += state->values[i];
    return sum;
}

SINGLE(formula_nodes, 0, "Formulas read into trees and worked out.");
