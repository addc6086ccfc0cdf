/* drive_brotli.c: compresses a file with brotli, often.
 *   program QUALITY FILE TIMES */
#include <brotli/encode.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    FILE *file = argc == 4 ? fopen(argv[2], "rb") : NULL;
    if (!file || fseek(file, 0, SEEK_END))
        return 2;
    size_t size = (size_t)ftell(file);
    rewind(file);
    uint8_t *text = malloc(size), *packed = malloc(2 * size + 1024);
    if (!text || !packed || fread(text, 1, size, file) != size)
        return 2;
    fclose(file);
    unsigned long total = 0;
    for (int i = 0; i < atoi(argv[3]); i++) {
        size_t length = 2 * size + 1024;
        if (!BrotliEncoderCompress(atoi(argv[1]), BROTLI_DEFAULT_WINDOW, BROTLI_MODE_TEXT, size,
                                   text, &length, packed))
            return 1;
        total += length;
    }
    printf("%lu bytes\n", total);
    free(text);
    free(packed);
    return 0;
}
