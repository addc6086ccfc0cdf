#include "why/observe/callgrind_lines.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/code/symbol_name.h"
#include "base/file.h"

enum {
    EVENTS_MOST = 32,
    POSITIONS_MOST = 2, /* positions of an instruction and of a line */
    NAMES_MOST = 1 << 20,
    LINE_MOST = 1 << 30, /* limit of line numbers */
};
static const size_t FILE_MOST = (size_t)256 << 20;

/* Loads and stores share one sum, as do mispredicted branches and mispredicted indirect jumps. */
static const struct {
    const char *event;
    enum kg_line_amount amount;
} events[] = {
    {"Ir", KG_LINE_INSTRUCTIONS},    {"Dr", KG_LINE_LOADS},         {"Dw", KG_LINE_LOADS},
    {"Bc", KG_LINE_BRANCHES},        {"Bcm", KG_LINE_MISPREDICTED}, {"Bim", KG_LINE_MISPREDICTED},
    {"D1mr", KG_LINE_MISSES},        {"D1mw", KG_LINE_MISSES},      {"DLmr", KG_LINE_MEMORY_MISSES},
    {"DLmw", KG_LINE_MEMORY_MISSES},
};

/* --- Names ------------------------------------------------------------------------------------ */

/* Names by their numbers. Files, functions and objects have separate numbers. */
struct names {
    const char **texts;
    size_t count;
};

/* State of the reader of one file. */
struct reader {
    struct kg_callgrind_lines *sums;
    struct names files, functions, objects;
    enum kg_line_amount columns[EVENTS_MOST]; /* KG_LINE_AMOUNTS: an unused event */
    size_t column_count;
    size_t position_count;
    bool known;                         /* at least one event is used */
    uint64_t positions[POSITIONS_MOST]; /* the last one is the line */
    const char *function, *file, *object;
    const char *function_file; /* from `fl`: file at the begin of each function */
    const char *callee, *callee_object;
    const char *callee_file; /* NULL: the current file */
    /* Calls of the callee, whose cost is the next line; 0: the next line is the function's own. */
    double calls;
    bool skip; /* the next line belongs to a jump */
};

static void names_room(struct reader *reader, struct names *names, size_t number)
{
    if (number < names->count)
        return;
    size_t count = names->count ? names->count : 256;
    while (count <= number)
        count *= 2;
    const char **texts = kg_arena_alloc(&reader->sums->arena, count, sizeof *texts);
    if (names->count)
        memcpy(texts, names->texts, names->count * sizeof *texts);
    *names = (struct names){texts, count};
}

/* "Lexer::next(int)'2" as "Lexer::next'2": samples have names without arguments. */
static const char *function_name(struct kg_arena *arena, const char *name)
{
    const char *level = strrchr(name, '\'');
    if (!strchr(name, '('))
        return name;
    if (!level || level[1 + strspn(level + 1, "0123456789")])
        return kg_declaration_name(arena, name);
    const char *declaration = kg_arena_copy_bytes(arena, name, (size_t)(level - name));
    return kg_arena_printf(arena, "%s%s", kg_declaration_name(arena, declaration), level);
}

/* "(7) name" defines number 7, "(7)" refers to it, "name" has no number. */
static const char *name_read(struct reader *reader, struct names *names, const char *text,
                             size_t length)
{
    char *after = NULL;
    const unsigned long long number = *text == '(' ? strtoull(text + 1, &after, 10) : 0;
    const bool numbered = after && after > text + 1 && *after == ')' && number < NAMES_MOST;
    if (numbered) {
        names_room(reader, names, (size_t)number);
        const size_t skip = (size_t)(after + 1 - text);
        const char *known = names->texts[number];
        if (skip >= length)
            return known ? known : "";
        text += skip;
        length -= skip;
        while (length && *text == ' ') {
            text++;
            length--;
        }
    }
    /* without a symbol, the name is an address, which helps nobody */
    const bool unknown =
        !strcmp(text, "???") || (names == &reader->functions && !strncmp(text, "0x", 2));
    const char *name = unknown ? "" : kg_arena_copy_bytes(&reader->sums->arena, text, length);
    if (names == &reader->functions)
        name = function_name(&reader->sums->arena, name);
    if (numbered)
        names->texts[number] = name;
    return name;
}

/* --- Own code of kgate ------------------------------------------------------------------------ */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Whether the code is kgate's own. Built-in kernels run inside kg_kernel_run. */
static bool is_own(const char *object, const char *function)
{
    return !strcmp(base_name(object), "kgate") || !strcmp(function, "kg_kernel_run");
}

/* --- Costs ------------------------------------------------------------------------------------ */

static void line_add(struct reader *reader, const double amounts[KG_LINE_AMOUNTS])
{
    struct kg_callgrind_lines *sums = reader->sums;
    const uint64_t position = reader->positions[reader->position_count - 1];
    const uint64_t line = position < LINE_MOST ? position : 0;
    struct kg_line_sum *last = sums->line_count ? &sums->lines[sums->line_count - 1] : NULL;
    if (is_own(reader->object, reader->function))
        return;
    if (!last || last->line != line || last->function != reader->function ||
        last->file != reader->file || last->object != reader->object) {
        kg_arena_grow(&sums->arena, &sums->lines, sums->line_count, &sums->line_capacity,
                      sizeof *sums->lines);
        last = &sums->lines[sums->line_count++];
        *last = (struct kg_line_sum){.function = reader->function,
                                     .file = reader->file,
                                     .object = reader->object,
                                     .line = line};
    }
    for (size_t i = 0; i < KG_LINE_AMOUNTS; i++)
        last->amounts[i] += amounts[i];
}

static void edge_add(struct reader *reader, const double amounts[KG_LINE_AMOUNTS])
{
    struct kg_callgrind_lines *sums = reader->sums;
    if (is_own(reader->object, reader->function) || is_own(reader->callee_object, reader->callee) ||
        !*reader->function || !*reader->callee)
        return;
    kg_arena_grow(&sums->arena, &sums->edges, sums->edge_count, &sums->edge_capacity,
                  sizeof *sums->edges);
    sums->edges[sums->edge_count++] = (struct kg_edge_sum){
        .caller = reader->function,
        .callee = reader->callee,
        .caller_file = reader->function_file,
        .callee_file = reader->callee_file ? reader->callee_file : reader->file,
        .calls = reader->calls,
        .instructions = amounts[KG_LINE_INSTRUCTIONS]};
}

/* "17", "0x11", "+3", "-3", "*": absolute, or relative to the previous position. */
static const char *position_read(const char *text, uint64_t *position)
{
    char *after = (char *)text;
    const char sign = *text;
    if (sign == '*')
        return text + 1;
    const bool relative = sign == '+' || sign == '-';
    const uint64_t value = strtoull(text + relative, &after, 0);
    if (after == text + relative)
        return NULL;
    *position = sign == '+' ? *position + value : sign == '-' ? *position - value : value;
    return after;
}

/* Reads a line of positions and counts. Zeros at its end are omitted. */
static void cost_read(struct reader *reader, const char *text)
{
    double amounts[KG_LINE_AMOUNTS] = {0};
    for (size_t i = 0; i < reader->position_count && text; i++) {
        text += strspn(text, " ");
        text = position_read(text, &reader->positions[i]);
    }
    const bool called = reader->calls > 0, skipped = reader->skip;
    for (size_t i = 0; text && i < reader->column_count; i++) {
        char *after;
        const unsigned long long value = strtoull(text, &after, 10);
        if (after == text)
            break;
        if (reader->columns[i] < KG_LINE_AMOUNTS)
            amounts[reader->columns[i]] += (double)value;
        text = after;
    }
    if (!reader->known)
        text = NULL;
    if (text && !skipped && called)
        edge_add(reader, amounts);
    else if (text && !skipped)
        line_add(reader, amounts);
    reader->calls = 0;
    reader->skip = false;
}

/* --- Lines of a file -------------------------------------------------------------------------- */

static void columns_read(struct reader *reader, const char *words)
{
    reader->column_count = 0;
    for (words += strspn(words, " "); *words && reader->column_count < EVENTS_MOST;
         words += strspn(words, " ")) {
        const size_t length = strcspn(words, " ");
        enum kg_line_amount amount = KG_LINE_AMOUNTS;
        for (size_t i = 0; i < sizeof events / sizeof *events; i++)
            if (strlen(events[i].event) == length && !strncmp(events[i].event, words, length))
                amount = events[i].amount;
        reader->columns[reader->column_count++] = amount;
        reader->known |= amount != KG_LINE_AMOUNTS;
        words += length;
    }
}

enum word { OBJECT, FILE_OF, FILE_IN, FUNCTION, CALLEE_OBJECT, CALLEE_FILE, CALLEE, CALLS, JUMP };

static const struct {
    const char *begin;
    enum word word;
} words[] = {
    {"fn=", FUNCTION}, {"fi=", FILE_IN},        {"fe=", FILE_IN},      {"fl=", FILE_OF},
    {"cfn=", CALLEE},  {"cfi=", CALLEE_FILE},   {"cfl=", CALLEE_FILE}, {"calls=", CALLS},
    {"ob=", OBJECT},   {"cob=", CALLEE_OBJECT}, {"jump=", JUMP},       {"jcnd=", JUMP},
};

static void word_do(struct reader *reader, enum word word, const char *text)
{
    const size_t length = strlen(text);
    switch (word) {
    case OBJECT:
        reader->object = reader->callee_object = name_read(reader, &reader->objects, text, length);
        break;
    case FILE_OF:
        reader->function_file = reader->file = name_read(reader, &reader->files, text, length);
        break;
    case FILE_IN:
        reader->file = name_read(reader, &reader->files, text, length);
        break;
    case FUNCTION:
        reader->function = name_read(reader, &reader->functions, text, length);
        reader->file = reader->function_file;
        reader->callee_object = reader->object;
        break;
    case CALLEE_OBJECT:
        reader->callee_object = name_read(reader, &reader->objects, text, length);
        break;
    case CALLEE_FILE:
        reader->callee_file = name_read(reader, &reader->files, text, length);
        break;
    case CALLEE:
        reader->callee = name_read(reader, &reader->functions, text, length);
        break;
    case CALLS:
        reader->calls = (double)strtoull(text, NULL, 10);
        reader->skip = !(reader->calls > 0);
        break;
    case JUMP:
        reader->skip = true;
        break;
    }
}

static bool is_cost(char c)
{
    return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '*';
}

/* Reads one line. `text` is without the line's end. */
static void line_read(struct reader *reader, const char *text)
{
    if (is_cost(*text)) {
        cost_read(reader, text);
        reader->callee_object = reader->object; /* `cob` and `cfi` are valid for one call */
        reader->callee_file = NULL;
        return;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strncmp(text, words[i].begin, strlen(words[i].begin))) {
            word_do(reader, words[i].word, text + strlen(words[i].begin));
            return;
        }
    if (!strncmp(text, "events:", 7))
        columns_read(reader, text + 7);
    else if (!strncmp(text, "positions:", 10))
        reader->position_count = strstr(text, "instr") && strstr(text, "line") ? 2 : 1;
}

bool kg_callgrind_lines_add(struct kg_callgrind_lines *lines, const char *path)
{
    struct kg_text text = {0};
    struct kg_error unread;
    struct reader reader = {.sums = lines,
                            .position_count = 1,
                            .function = "",
                            .file = "",
                            .object = "",
                            .function_file = "",
                            .callee = "",
                            .callee_object = ""};
    bool good = kg_file_read(path, FILE_MOST, &text, &unread) && text.length;
    for (char *line = good ? text.data : NULL; line;) {
        char *end = strchr(line, '\n');
        if (end)
            *end = '\0';
        line_read(&reader, line);
        line = end ? end + 1 : NULL;
    }
    kg_text_free(&text);
    return good && reader.known;
}
