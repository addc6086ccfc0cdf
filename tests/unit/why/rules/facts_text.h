/* facts_text.h: facts read from text, tests/text/suggest/NAME.facts. A line of facts is "time_ns
 * 10ms, threads 2"; "none" makes one not known. */
#pragma once
#include "why/facts_support.h"

#include "base/file.h"
#include "base/text.h"

/* A file, read line by line; comments and empty lines are skipped. */
struct facts_file {
    const char *name;
    struct kg_text text;
    char *rest;
    unsigned line;
    bool indented; /* the last line */
};

static inline void facts_open(struct facts_file *file, const char *name)
{
    char path[512];
    struct kg_error err;
    *file = (struct facts_file){.name = name};
    snprintf(path, sizeof path, KGATE_SOURCE_DIR "/tests/text/suggest/%s.facts", name);
    if (!kg_file_read(path, 1 << 20, &file->text, &err))
        fail_msg("%s", err.message);
    kg_text_append_bytes(&file->text, "", 1);
    file->rest = file->text.data;
}

static inline void facts_close(struct facts_file *file)
{
    kg_text_free(&file->text);
}

/* NULL at the end. */
static inline char *facts_next(struct facts_file *file)
{
    char *line;
    while ((line = strsep(&file->rest, "\n"))) {
        const size_t indent = strspn(line, " ");
        file->line++;
        file->indented = indent > 0;
        if (line[indent] && line[indent] != '#')
            return line + indent;
    }
    return NULL;
}

/* "10ms", "4MB", "80%", "L2", "none". */
static inline double facts_number(const struct facts_file *file, const char *word)
{
    static const struct {
        const char *name;
        double times;
    } units[] = {{"", 1},    {"ns", 1},   {"us", 1e3},      {"ms", 1e6},
                 {"s", 1e9}, {"MB", 1e6}, {"KiB", 1 << 10}, {"MiB", 1 << 20}};
    char *end;
    if (!strcmp(word, "none"))
        return NAN;
    for (int i = 0; i < KG_LEVEL_COUNT; i++)
        if (!strcmp(word, kg_level_names[i]))
            return i;
    const double value = strtod(word, &end);
    if (end != word && !strcmp(end, "%"))
        return value / 100;
    for (size_t i = 0; i < sizeof units / sizeof *units && end != word; i++)
        if (!strcmp(end, units[i].name))
            return value * units[i].times;
    fail_msg("%s.facts:%u: '%s' is no figure", file->name, file->line, word);
    return NAN;
}

/* Whether the word names a fact. */
static inline bool facts_is(const char *word)
{
    struct kg_trait fact;
    return kg_fact_find(word, &fact);
}

static inline void facts_line(const struct facts_file *file, char *line, struct kg_facts *facts)
{
    for (char *part; (part = strsep(&line, ","));) {
        char name[64], value[64], more[2];
        const int words = sscanf(part, " %63s %63s %1s", name, value, more);
        if (words == 2)
            fact_set(facts, name, facts_number(file, value));
        else if (words > 0)
            fail_msg("%s.facts:%u: expected `FACT VALUE, …`", file->name, file->line);
    }
}

static inline void facts_kind(struct kg_facts *facts, bool scope)
{
    facts->kind = scope ? KG_OPERATION_SCOPE : KG_OPERATION_CASE;
    facts->operation = scope ? "case;part" : "case";
}
