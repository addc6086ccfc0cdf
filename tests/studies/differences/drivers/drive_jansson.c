/* drive_jansson.c: parses a text, prints it, or builds an object and looks all its keys up, with Jansson.
 *   program parse|dump|print FILE TIMES
 *   program keys COUNT TIMES */
#include "jansson.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *load(const char *path)
{
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    if (!root)
        exit(2);
    return root;
}

static void parse_often(const char *path, int times)
{
    size_t items = 0;
    for (int i = 0; i < times; i++) {
        json_t *root = load(path);
        items += json_array_size(root);
        json_decref(root);
    }
    printf("%zu items\n", items);
}

/* Into one string, as a server does with an answer. */
static void dump_often(const char *path, int times)
{
    json_t *root = load(path);
    size_t size = 0;
    for (int i = 0; i < times; i++) {
        char *text = json_dumps(root, JSON_COMPACT);
        size += strlen(text);
        free(text);
    }
    printf("%zu bytes\n", size);
    json_decref(root);
}

static void print_often(const char *path, int times)
{
    json_t *root = load(path);
    for (int i = 0; i < times; i++)
        json_dumpf(root, stdout, JSON_INDENT(2));
    json_decref(root);
}

static void look_up(int count, int times)
{
    json_t *root = json_object();
    char key[32];
    long sum = 0;
    for (int i = 0; i < count; i++) {
        snprintf(key, sizeof key, "key number %d", i);
        json_object_set_new(root, key, json_integer(i));
    }
    for (int i = 0; i < times * count; i++) {
        snprintf(key, sizeof key, "key number %d", i % count);
        sum += (long)json_integer_value(json_object_get(root, key));
    }
    printf("%ld\n", sum);
    json_decref(root);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    json_object_seed(29);
    if (strcmp(argv[1], "parse") == 0)
        parse_often(argv[2], atoi(argv[3]));
    else if (strcmp(argv[1], "dump") == 0)
        dump_often(argv[2], atoi(argv[3]));
    else if (strcmp(argv[1], "print") == 0)
        print_often(argv[2], atoi(argv[3]));
    else
        look_up(atoi(argv[2]), atoi(argv[3]));
    return 0;
}
