#include "profiler/read/path_texts.h"

#include <stdlib.h>

#include "base/grow.h"

static const size_t BYTES_MOST = (size_t)1 << 28;

void kg_path_name_append(struct kg_text *text, const char *name)
{
    const size_t before = text->length;
    kg_text_append(text, name);
    for (size_t i = before; i < text->length; i++)
        if (text->data[i] == ';')
            text->data[i] = ',';
}

bool kg_path_texts_add(struct kg_path_texts *texts, const struct kg_profile_path *path,
                       struct kg_text *text, struct kg_error *err)
{
    const char *copy = NULL;
    texts->bytes += text->length;
    const bool fits = texts->bytes <= BYTES_MOST;
    if (fits && !text->failed &&
        kg_grow(&texts->items, texts->count, &texts->capacity, sizeof *texts->items))
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
