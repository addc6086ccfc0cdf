#include "base/ids.h"

#include <stdlib.h>
#include <string.h>

#include "base/elide.h"

struct kg_id {
    const char *name;
    const char *shown;
    bool seen;
};

static int id_compare(const void *one, const void *other)
{
    return strcmp(((const struct kg_id *)one)->name, ((const struct kg_id *)other)->name);
}

bool kg_ids_make(struct kg_arena *arena, const char *const *names, size_t count, struct kg_ids *ids)
{
    *ids = (struct kg_ids){.ids = kg_arena_alloc(arena, count, sizeof *ids->ids)};
    if (!ids->ids)
        return false;
    for (size_t i = 0; i < count; i++)
        ids->ids[i] = (struct kg_id){.name = names[i], .shown = names[i]};
    if (count)
        qsort(ids->ids, count, sizeof *ids->ids, id_compare);
    for (size_t i = 0; i < count; i++)
        if (!ids->count || strcmp(ids->ids[ids->count - 1].name, ids->ids[i].name) != 0)
            ids->ids[ids->count++] = ids->ids[i];
    return true;
}

/* --- Sentences -------------------------------------------------------------------------------- */

/* The name of exactly these bytes; NULL where it is none. */
static struct kg_id *id_find(const struct kg_ids *ids, const char *word, size_t length)
{
    size_t from = 0, to = ids->count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        const int order = strncmp(word, ids->ids[middle].name, length);
        if (!order && !ids->ids[middle].name[length])
            return &ids->ids[middle];
        if (order > 0)
            from = middle + 1;
        else
            to = middle;
    }
    return NULL;
}

/* A word of a sentence, without what stands around it. */
struct word {
    const char *start;
    size_t length;
    const char *next; /* behind it */
};

/* The next word at `sentence`, which is not at its end. */
static struct word word_next(const char *sentence)
{
    static const char before[] = "'\"(", after[] = "'\"),.:;";
    const char *blank = sentence + strcspn(sentence, " \n");
    const char *start = sentence, *end = blank;
    while (start < end && strchr(before, *start))
        start++;
    while (end > start && strchr(after, end[-1]))
        end--;
    if (end - start > 2 && *start == '`' && end[-1] == '`') {
        start++;
        end--;
    }
    return (struct word){start, (size_t)(end - start), blank + strspn(blank, " \n")};
}

static size_t backticks(const char *from, const char *to)
{
    size_t count = 0;
    for (; from < to; from++)
        count += *from == '`';
    return count;
}

/* Hands each name to `take` with where it is, and where the text between it and the one before begins;
 * appends what is behind the last, to a `text` that is not NULL. */
static void names_visit(const struct kg_ids *ids, const char *sentence, struct kg_text *text,
                        void (*take)(struct kg_id *id, const char *between, const char *at,
                                     struct kg_text *text))
{
    const char *between = sentence;
    size_t quotes = 0;
    while (ids->count && *sentence) {
        const struct word word = word_next(sentence);
        struct kg_id *id = quotes % 2 ? NULL : id_find(ids, word.start, word.length);
        quotes += backticks(sentence, word.next);
        sentence = word.next;
        if (!id)
            continue;
        take(id, between, word.start, text);
        between = word.start + word.length;
    }
    if (text)
        kg_text_append(text, between);
}

static void name_seen(struct kg_id *id, const char *between, const char *at, struct kg_text *text)
{
    (void)between;
    (void)at;
    (void)text;
    id->seen = true;
}

static void name_append(struct kg_id *id, const char *between, const char *at, struct kg_text *text)
{
    kg_text_append_bytes(text, between, (size_t)(at - between));
    kg_text_append(text, id->shown);
}

void kg_ids_see(struct kg_ids *ids, const char *name)
{
    struct kg_id *id = id_find(ids, name, strlen(name));
    if (id)
        id->seen = true;
}

const char *kg_ids_shown(const struct kg_ids *ids, const char *name)
{
    const struct kg_id *id = id_find(ids, name, strlen(name));
    return id ? id->shown : name;
}

void kg_ids_see_in(struct kg_ids *ids, const char *sentence)
{
    names_visit(ids, sentence, NULL, name_seen);
}

void kg_ids_append(const struct kg_ids *ids, const char *sentence, struct kg_text *text)
{
    names_visit(ids, sentence, text, name_append);
}

bool kg_ids_shorten(struct kg_arena *arena, struct kg_ids *ids, size_t most)
{
    const char **names = kg_arena_alloc(arena, ids->count, sizeof *names);
    const char **shown = kg_arena_alloc(arena, ids->count, sizeof *shown);
    size_t count = 0;
    if (!names || !shown)
        return false;
    for (size_t i = 0; i < ids->count; i++)
        if (ids->ids[i].seen)
            names[count++] = ids->ids[i].name;
    if (!kg_elide(arena, names, count, most, shown))
        return false;
    for (size_t i = 0, seen = 0; i < ids->count; i++)
        if (ids->ids[i].seen)
            ids->ids[i].shown = shown[seen++];
    return true;
}
