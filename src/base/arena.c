#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/memory.h"

/* Blocks double in size: a merge holds tens of thousands of small arenas. */
enum { FIRST_BYTES = 4 * 1024, BLOCK_BYTES = 64 * 1024 };

struct kg_arena_block {
    struct kg_arena_block *next;
    size_t used;
    size_t capacity;
    void *owned; /* from malloc, or NULL */
    max_align_t data[];
};

static struct kg_arena_block *block_new(size_t capacity)
{
    if (capacity > SIZE_MAX - sizeof(struct kg_arena_block))
        return kg_memory_out();
    /* kg_alloc zeroes like calloc: the arena hands out zeroed memory without touching each page
     * here */
    struct kg_arena_block *block = kg_alloc(1, sizeof *block + capacity);
    if (block)
        block->capacity = capacity;
    return block;
}

/* Size of the next usual block. */
static size_t block_bytes(const struct kg_arena_block *head)
{
    const size_t bytes = head ? 2 * head->capacity : FIRST_BYTES;
    return bytes < BLOCK_BYTES ? bytes : BLOCK_BYTES;
}

void *kg_arena_alloc(struct kg_arena *arena, size_t count, size_t size)
{
    const size_t align = sizeof(max_align_t);
    if (size && count > (SIZE_MAX - align) / size)
        return kg_memory_out();
    size_t bytes = (count * size + align - 1) / align * align;
    struct kg_arena_block *head = arena->head;
    if (!head || head->capacity - head->used < bytes) {
        const size_t usual = block_bytes(head);
        struct kg_arena_block *block = block_new(bytes > usual ? bytes : usual);
        if (!block)
            return NULL;
        if (head && bytes > usual) {
            /* A large item gets a block of its own behind the head, whose room stays in use. */
            block->next = head->next;
            head->next = block;
        } else {
            block->next = head;
            arena->head = block;
        }
        head = block;
    }
    void *memory = (char *)head->data + head->used;
    head->used += bytes;
    return memory;
}

char *kg_arena_copy_bytes(struct kg_arena *arena, const char *bytes, size_t length)
{
    if (length == SIZE_MAX)
        return kg_memory_out();
    char *copy = kg_arena_alloc(arena, length + 1, 1);
    if (copy && length)
        memcpy(copy, bytes, length);
    return copy;
}

char *kg_arena_copy(struct kg_arena *arena, const char *string)
{
    return kg_arena_copy_bytes(arena, string, strlen(string));
}

const char *kg_arena_keep(struct kg_arena *arena, const char *string)
{
    return string ? kg_arena_copy(arena, string) : NULL;
}

char *kg_arena_printf(struct kg_arena *arena, const char *format, ...)
{
    char usual[256]; /* most texts fit, so they are printed once */
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int length = vsnprintf(usual, sizeof usual, format, args);
    va_end(args);
    char *text = length < 0 ? kg_memory_out() : kg_arena_alloc(arena, (size_t)length + 1, 1);
    if (text && (size_t)length < sizeof usual)
        memcpy(text, usual, (size_t)length + 1);
    else if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

bool kg_arena_grow(struct kg_arena *arena, void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return true;
    const size_t grown = kg_grown(*capacity < count ? count : *capacity);
    void *moved = kg_arena_alloc(arena, grown, size), *items;
    if (!moved)
        return false;
    memcpy(&items, array, sizeof items); /* as in kg_grow */
    if (count)
        memcpy(moved, items, count * size);
    memcpy(array, &moved, sizeof moved);
    *capacity = grown;
    return true;
}

bool kg_arena_own(struct kg_arena *arena, void *memory)
{
    struct kg_arena_block *block = block_new(0);
    if (!block)
        return false;
    block->owned = memory;
    /* behind the head, whose room stays in use */
    block->next = arena->head ? arena->head->next : NULL;
    if (arena->head)
        arena->head->next = block;
    else
        arena->head = block;
    return true;
}

void kg_arena_join(struct kg_arena *arena, struct kg_arena *other)
{
    struct kg_arena_block **last = &arena->head;
    while (*last)
        last = &(*last)->next;
    *last = other->head;
    other->head = NULL;
}

void kg_arena_clear(struct kg_arena *arena)
{
    struct kg_arena_block *head = arena->head;
    if (!head)
        return;
    struct kg_arena others = {.head = head->next};
    kg_arena_free(&others);
    free(head->owned);
    head->owned = NULL;
    head->next = NULL;
    memset(head->data, 0, head->used);
    head->used = 0;
}

void kg_arena_free(struct kg_arena *arena)
{
    for (struct kg_arena_block *block = arena->head, *next; block; block = next) {
        next = block->next;
        free(block->owned);
        free(block);
    }
    arena->head = NULL;
}
