#include "base/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static bool fail(struct kg_text *text)
{
    text->failed = true;
    return kg_memory_out();
}

bool kg_text_reserve(struct kg_text *text, size_t extra)
{
    if (text->failed || extra >= SIZE_MAX / 2 - text->length)
        return fail(text);
    const size_t needed = text->length + extra + 1;
    if (needed <= text->capacity)
        return true;
    size_t capacity = text->capacity ? text->capacity : 256;
    while (capacity < needed)
        capacity *= 2;
    char *data = kg_realloc(text->data, capacity);
    if (!data)
        return fail(text);
    text->data = data;
    text->capacity = capacity;
    return true;
}

void kg_text_append_bytes(struct kg_text *text, const char *bytes, size_t length)
{
    if (!kg_text_reserve(text, length))
        return;
    if (length)
        memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void kg_text_append(struct kg_text *text, const char *string)
{
    kg_text_append_bytes(text, string, strlen(string));
}

void kg_text_printf(struct kg_text *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    if (kg_text_reserve(text, 0)) {
        const size_t room = text->capacity - text->length;
        const int length = vsnprintf(text->data + text->length, room, format, args);
        if (length < 0)
            fail(text);
        else if ((size_t)length >= room && kg_text_reserve(text, (size_t)length))
            vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        if (!text->failed)
            text->length += (size_t)length;
        text->data[text->length] = '\0'; /* also after printing a part of a text that did not fit */
    }
    va_end(args);
    va_end(again);
}

void kg_text_truncate(struct kg_text *text, size_t length)
{
    if (length >= text->length)
        return;
    text->length = length;
    text->data[length] = '\0';
}

const char *kg_text_string(const struct kg_text *text)
{
    return text->data ? text->data : "";
}

void kg_text_free(struct kg_text *text)
{
    free(text->data);
    *text = (struct kg_text){0};
}

void kg_text_remove(struct kg_text *text, size_t count)
{
    if (count > text->length)
        count = text->length;
    if (!count)
        return;
    memmove(text->data, text->data + count, text->length - count);
    text->length -= count;
    text->data[text->length] = '\0';
}

bool kg_string_ends(const char *string, const char *ending)
{
    const size_t length = strlen(string), end = strlen(ending);
    return length >= end && !strcmp(string + length - end, ending);
}

bool kg_string_same(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

int kg_string_compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *kg_strings_repeated(const char **strings, size_t count)
{
    qsort(strings, count, sizeof *strings, kg_string_compare);
    for (size_t i = 1; i < count; i++)
        if (!strcmp(strings[i], strings[i - 1]))
            return strings[i];
    return NULL;
}
