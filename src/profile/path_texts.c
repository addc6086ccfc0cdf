#include "profile/path_texts.h"

#include <stdlib.h>

static const size_t BYTES_MOST = (size_t)1 << 28;

void kg_path_name_append(struct kg_text *text, const char *name)
{
    const size_t before = text->length;
    kg_text_append(text, name);
    for (size_t i = before; i < text->length; i++)
        if (text->data[i] == ';')
            text->data[i] = ',';
}

static bool make_room(struct kg_path_texts *texts)
{
    if (texts->count < texts->capacity)
        return true;
    const size_t capacity = texts->capacity ? 2 * texts->capacity : 64;
    struct kg_path_text *items = realloc(texts->items, capacity * sizeof *items);
    if (!items)
        return false;
    texts->items = items;
    texts->capacity = capacity;
    return true;
}

bool kg_path_texts_add(struct kg_path_texts *texts, const struct kg_profile_path *path,
                       struct kg_text *text, struct kg_error *err)
{
    const char *copy = NULL;
    texts->bytes += text->length;
    const bool fits = texts->bytes <= BYTES_MOST;
    if (fits && !text->failed && make_room(texts))
        copy = kg_arena_copy_bytes(&texts->arena, text->data, text->length);
    if (copy)
        texts->items[texts->count++] = (struct kg_path_text){
            .text = copy, .length = text->length, .kind = path->kind, .span = path->span};
    kg_text_free(text);
    if (!fits)
        return kg_error_set(err, KG_ERROR_USAGE, "the names of all paths are longer than %zu bytes",
                            BYTES_MOST);
    return copy ? true : kg_error_memory(err);
}

void kg_path_texts_free(struct kg_path_texts *texts)
{
    kg_arena_free(&texts->arena);
    free(texts->items);
    *texts = (struct kg_path_texts){0};
}
