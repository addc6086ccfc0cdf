/* yaml.c: a program: libyaml reads a document event by event. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

extern const unsigned turns;

static char document[8192];

static void document_make(void)
{
    size_t at = 0;
    for (unsigned i = 0; at + 128 < sizeof document; i++)
        at += (size_t)snprintf(document + at, 128,
                               "- name: item%u\n  size: {width: %u, height: 17}\n  text: 'it''s'\n",
                               i, i * 3);
}

static bool document_read(void)
{
    yaml_parser_t parser;
    bool good = yaml_parser_initialize(&parser), end = false;
    yaml_parser_set_input_string(&parser, (const unsigned char *)document, strlen(document));
    while (good && !end) {
        yaml_event_t event;
        good = yaml_parser_parse(&parser, &event);
        end = good && event.type == YAML_STREAM_END_EVENT;
        if (good)
            yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return good;
}

int main(void)
{
    bool good = true;
    document_make();
    for (unsigned turn = 0; good && turn < turns; turn++)
        good = document_read();
    return good ? 0 : 1;
}
