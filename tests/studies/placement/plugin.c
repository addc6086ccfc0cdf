/* plugin.c: a call of 5 to 100 us of a public library, which is linked in as an archive. LIBRARY says which.
 * run.sh compares copies of such a plugin: nothing differs but the place of its pages in memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kgate/plugin.h"

enum { BYTES = 1 << 14 };

static char text[BYTES];
static __attribute__((unused)) char result[2 * BYTES];
static volatile size_t sum;

#ifdef UNUSED_FUNCTION
/* Nobody calls it: it moves the code behind it. */
__attribute__((used)) static int unused(int n)
{
    for (int i = 0; i < n; i++)
        sum += (size_t)printf("%d\n", i);
    return n;
}
#endif

/* Objects of JSON as a log has them, the same in each process. */
static size_t json_make(void)
{
    unsigned seed = 1;
    size_t length = (size_t)snprintf(text, BYTES, "[");
    while (length < BYTES - 128) {
        seed = seed * 1103515245U + 12345U;
        length += (size_t)snprintf(text + length, BYTES - length,
                                   "%s{\"id\": %u, \"name\": \"user %u\", \"ok\": true, \"tags\": "
                                   "[\"a\", \"b%u\"]}",
                                   length > 1 ? "," : "", seed % 9999, seed % 77, seed % 7);
    }
    return length + (size_t)snprintf(text + length, BYTES - length, "]");
}

static size_t length;

#if defined(LIBRARY_yaml)
#include <yaml.h>
static void call(void)
{
    yaml_parser_t parser;
    yaml_token_t token;
    bool more = yaml_parser_initialize(&parser) != 0;
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, 1024);
    while (more && yaml_parser_scan(&parser, &token)) {
        more = token.type != YAML_STREAM_END_TOKEN;
        sum += 1;
        yaml_token_delete(&token);
    }
    yaml_parser_delete(&parser);
}
#elif defined(LIBRARY_yajl)
#include <yajl/yajl_parse.h>
static int number(void *user, const char *digits, size_t count)
{
    (void)user;
    (void)digits;
    sum += count;
    return 1;
}
static void call(void)
{
    const yajl_callbacks callbacks = {.yajl_number = number};
    yajl_handle parser = yajl_alloc(&callbacks, NULL, NULL);
    yajl_parse(parser, (const unsigned char *)text, length);
    yajl_complete_parse(parser);
    yajl_free(parser);
}
#elif defined(LIBRARY_expat)
#include <expat.h>
static void start(void *user, const char *name, const char **attributes)
{
    (void)user;
    (void)attributes;
    sum += strlen(name);
}
static void call(void)
{
    XML_Parser parser = XML_ParserCreate(NULL);
    XML_SetElementHandler(parser, start, NULL);
    XML_Parse(parser, result, (int)length, 1);
    XML_ParserFree(parser);
}
#elif defined(LIBRARY_lz4)
#include <lz4.h>
static void call(void)
{
    sum += (size_t)LZ4_compress_default(text, result, (int)length, sizeof result);
}
#elif defined(LIBRARY_deflate)
#include <libdeflate.h>
static void call(void)
{
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(1);
    sum += libdeflate_deflate_compress(compressor, text, length, result, sizeof result);
    libdeflate_free_compressor(compressor);
}
#elif defined(LIBRARY_zstd)
#include <zstd.h>
static void call(void)
{
    sum += ZSTD_compress(result, sizeof result, text, length, 1);
}
#elif defined(LIBRARY_xxhash)
#include <xxhash.h>
static void call(void)
{
    for (int i = 0; i < 20; i++)
        sum += XXH32(text, length, (unsigned)i) + XXH64(text, length, (unsigned)i);
}
#endif

static void *set_up(void)
{
    length = json_make();
#ifdef LIBRARY_expat
    /* each name becomes an element */
    size_t written = (size_t)snprintf(result, sizeof result, "<all>");
    for (size_t i = 0; i + 8 < length; i += 16)
        written += (size_t)snprintf(result + written, sizeof result - written,
                                    "<item n='%zu'>t</item>", i);
    length = written + (size_t)snprintf(result + written, sizeof result - written, "</all>");
#endif
    return text;
}

static void run(void *state)
{
    (void)state;
    call();
}

KGATE_BENCH(call, set_up, run, NULL);
