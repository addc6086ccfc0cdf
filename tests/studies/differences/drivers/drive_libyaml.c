/* drive_libyaml.c: counts the events of a YAML file, which it reads through a handler of its own.
 *   program FILE TIMES */
#include <yaml.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int read_file(void *data, unsigned char *buffer, size_t size, size_t *size_read)
{
    ssize_t got = read(*(int *)data, buffer, size);
    *size_read = got > 0 ? (size_t)got : 0;
    return got >= 0;
}

static long count_events(const char *path)
{
    yaml_parser_t parser;
    yaml_event_t event;
    long count = 0;
    int done = 0;
    int file = open(path, O_RDONLY);
    if (file < 0 || !yaml_parser_initialize(&parser))
        exit(2);
    yaml_parser_set_input(&parser, read_file, &file);
    while (!done) {
        if (!yaml_parser_parse(&parser, &event))
            exit(3);
        done = event.type == YAML_STREAM_END_EVENT;
        count++;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    close(file);
    return count;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    long count = 0;
    for (int i = 0; i < atoi(argv[2]); i++)
        count += count_events(argv[1]);
    printf("%ld events\n", count);
    return 0;
}
