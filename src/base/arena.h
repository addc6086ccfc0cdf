/* arena.h: one owner for everything a stage makes. Blocks are freed all at once; no free per item.
 * Not thread-safe: one arena belongs to one thread at a time. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct kg_arena_block;

/* Zero-initialise before first use: `struct kg_arena arena = {0};`. */
struct kg_arena {
    struct kg_arena_block *head;
};

/* Zeroed memory for `count` items of `size` bytes, aligned for any type, valid until the arena is
 * freed. A count of 0 gives a valid pointer.
 * returns  NULL if memory is out or count * size overflows (memory.h); the arena stays usable */
void *kg_arena_alloc(struct kg_arena *arena, size_t count, size_t size);

/* A copy of a string, or of its first `length` bytes and a terminator. NULL as above. */
char *kg_arena_copy(struct kg_arena *arena, const char *string);
char *kg_arena_copy_bytes(struct kg_arena *arena, const char *bytes, size_t length);

/* A copy of a string; NULL for NULL. */
const char *kg_arena_keep(struct kg_arena *arena, const char *string);

/* A formatted string as printf makes it. NULL as above. */
__attribute__((format(printf, 2, 3))) char *kg_arena_printf(struct kg_arena *arena,
                                                            const char *format, ...);

/* Room for one more item in an array that lives in the arena. A full array is copied to a new one,
 * twice as long; the old array stays in the arena until the arena is freed.
 * array     address of the pointer to `count` items of `size` bytes, or to NULL if there are no
 *           items. Set to the array's new place.
 * capacity  items that the array has room for; updated. A capacity below `count`, such as 0 for an
 *           array from a file, means a full array.
 * returns   false if memory is out: array and capacity are as before */
bool kg_arena_grow(struct kg_arena *arena, void *array, size_t count, size_t *capacity,
                   size_t size);

/* Memory from malloc lives in the arena from now on, and is freed with it.
 * returns  false if memory is out: the caller still owns `memory` */
bool kg_arena_own(struct kg_arena *arena, void *memory);

/* Moves the contents of `other` into `arena`. `other` is then empty and usable again. */
void kg_arena_join(struct kg_arena *arena, struct kg_arena *other);

/* Forgets the contents of the arena and keeps its first block. For data of one item of many at a
 * time. */
void kg_arena_clear(struct kg_arena *arena);

/* Frees every block; the arena is empty and usable again. */
void kg_arena_free(struct kg_arena *arena);
