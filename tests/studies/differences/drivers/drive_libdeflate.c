/* drive_libdeflate.c: compresses the records of a file one by one, or compresses once and decompresses often.
 *   program pack FILE SIZE LEVEL      every SIZE bytes are a record
 *   program unpack FILE SIZE TIMES */
#include "libdeflate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
    unsigned char *bytes;
    size_t size;
};

static struct text read_file(const char *path)
{
    struct text text;
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        exit(2);
    text.size = (size_t)ftell(file);
    rewind(file);
    text.bytes = malloc(text.size);
    if (!text.bytes || fread(text.bytes, 1, text.size, file) != text.size)
        exit(2);
    fclose(file);
    return text;
}

/* One compressor serves all records of a level. */
static struct libdeflate_compressor *compressor_of(int level)
{
    static struct libdeflate_compressor *kept;
    if (!kept)
        kept = libdeflate_alloc_compressor(level);
    return kept;
}

static void done_with(struct libdeflate_compressor *compressor)
{
    (void)compressor;
}

static size_t pack_record(int level, const unsigned char *record, size_t size,
                          unsigned char *packed, size_t room)
{
    struct libdeflate_compressor *compressor = compressor_of(level);
    size_t length = libdeflate_zlib_compress(compressor, record, size, packed, room);
    done_with(compressor);
    return length;
}

static void pack_all(struct text text, size_t size, int level)
{
    size_t room = size + 1000, total = 0;
    unsigned char *packed = malloc(room);
    for (size_t at = 0; at + size <= text.size; at += size)
        total += pack_record(level, text.bytes + at, size, packed, room);
    printf("%zu bytes\n", total);
    free(packed);
}

static void unpack_often(struct text text, size_t size, int times)
{
    size_t count = text.size / size, room = size + 1000;
    unsigned char *packed = malloc(count * room), *plain = malloc(size);
    size_t *lengths = malloc(count * sizeof *lengths), wrong = 0;
    for (size_t i = 0; i < count; i++)
        lengths[i] = pack_record(1, text.bytes + i * size, size, packed + i * room, room);
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    for (size_t i = 0; i < count * (size_t)times; i++)
        wrong +=
            libdeflate_zlib_decompress(decompressor, packed + i % count * room, lengths[i % count],
                                       plain, size, NULL) != LIBDEFLATE_SUCCESS;
    printf("%zu records, %zu wrong\n", count, wrong);
    libdeflate_free_decompressor(decompressor);
    free(packed);
    free(plain);
    free(lengths);
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    struct text text = read_file(argv[2]);
    size_t size = (size_t)atol(argv[3]);
    if (strcmp(argv[1], "pack") == 0)
        pack_all(text, size ? size : text.size, atoi(argv[4]));
    else
        unpack_often(text, size ? size : text.size, atoi(argv[4]));
    free(text.bytes);
    return 0;
}
