/* drive_cjson.c: parses a text, or builds an array, with cJSON.
 *   program parse FILE TIMES
 *   program build COUNT */
#include "cJSON.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        exit(2);
    long size = ftell(file);
    rewind(file);
    char *text = calloc(1, (size_t)size + 1);
    if (!text || fread(text, 1, (size_t)size, file) != (size_t)size)
        exit(2);
    fclose(file);
    return text;
}

static int parse_often(const char *path, int times)
{
    char *text = read_file(path);
    int items = 0;
    for (int i = 0; i < times; i++) {
        cJSON *root = cJSON_Parse(text);
        items += cJSON_GetArraySize(root);
        cJSON_Delete(root);
    }
    printf("%d items\n", items);
    free(text);
    return 0;
}

static int build_array(int count)
{
    cJSON *root = cJSON_CreateArray();
    for (int i = 0; i < count; i++)
        cJSON_AddItemToArray(root, cJSON_CreateNumber(i));
    char *text = cJSON_PrintUnformatted(root);
    printf("%zu bytes\n", strlen(text));
    free(text);
    cJSON_Delete(root);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "parse") == 0)
        return parse_often(argv[2], atoi(argv[3]));
    if (argc == 3 && strcmp(argv[1], "build") == 0)
        return build_array(atoi(argv[2]));
    fprintf(stderr, "usage: program parse FILE TIMES | program build COUNT\n");
    return 2;
}
