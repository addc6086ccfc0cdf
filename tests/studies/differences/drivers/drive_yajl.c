/* drive_yajl.c: reads a JSON file and writes it again without white space, with yajl's parser and generator.
 *   program FILE TIMES [check]          check: parses only
 * Memory comes from functions of its own, as in a program with an arena: growing means copying. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_gen.h>
#include <yajl/yajl_parse.h>

#define HEADER 16

static void *get_block(void *context, size_t size)
{
    (void)context;
    char *block = malloc(size + HEADER);
    if (!block)
        exit(2);
    memcpy(block, &size, sizeof size);
    return block + HEADER;
}

static void free_block(void *context, void *block)
{
    (void)context;
    if (block)
        free((char *)block - HEADER);
}

static void *move_block(void *context, void *block, size_t size)
{
    void *moved = get_block(context, size);
    if (block) {
        size_t old;
        memcpy(&old, (char *)block - HEADER, sizeof old);
        memcpy(moved, block, old < size ? old : size);
        free_block(context, block);
    }
    return moved;
}

static int on_number(void *g, const char *text, size_t length)
{
    return yajl_gen_number(g, text, length) == yajl_gen_status_ok;
}
static int on_string(void *g, const unsigned char *text, size_t length)
{
    return yajl_gen_string(g, text, length) == yajl_gen_status_ok;
}
static int on_map(void *g)
{
    return yajl_gen_map_open(g) == yajl_gen_status_ok;
}
static int on_map_end(void *g)
{
    return yajl_gen_map_close(g) == yajl_gen_status_ok;
}
static int on_array(void *g)
{
    return yajl_gen_array_open(g) == yajl_gen_status_ok;
}
static int on_array_end(void *g)
{
    return yajl_gen_array_close(g) == yajl_gen_status_ok;
}

static size_t rewrite(const unsigned char *text, size_t size, bool check)
{
    static const yajl_callbacks events = {.yajl_number = on_number,
                                          .yajl_string = on_string,
                                          .yajl_start_map = on_map,
                                          .yajl_map_key = on_string,
                                          .yajl_end_map = on_map_end,
                                          .yajl_start_array = on_array,
                                          .yajl_end_array = on_array_end};
    yajl_alloc_funcs memory = {.malloc = get_block, .realloc = move_block, .free = free_block};
    yajl_gen out = yajl_gen_alloc(&memory);
    yajl_handle in = yajl_alloc(check ? NULL : &events, &memory, out);
    if (yajl_parse(in, text, size) != yajl_status_ok || yajl_complete_parse(in) != yajl_status_ok)
        exit(1);
    const unsigned char *written;
    size_t length;
    yajl_gen_get_buf(out, &written, &length);
    yajl_free(in);
    yajl_gen_free(out);
    return length;
}

int main(int argc, char **argv)
{
    FILE *file = argc >= 3 ? fopen(argv[1], "rb") : NULL;
    if (!file || fseek(file, 0, SEEK_END))
        return 2;
    long size = ftell(file);
    rewind(file);
    unsigned char *text = malloc((size_t)size);
    if (!text || fread(text, 1, (size_t)size, file) != (size_t)size)
        return 2;
    fclose(file);
    size_t length = 0;
    for (int i = 0; i < atoi(argv[2]); i++)
        length += rewrite(text, (size_t)size, argc > 3);
    printf("%zu bytes\n", length);
    free(text);
    return 0;
}
