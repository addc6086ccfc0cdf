#include "suite/suite_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "suite/suite_message.h"

enum { KEYS_MOST = 128 };

bool kg_reader_fail(const struct kg_suite_reader *reader, struct kg_mark mark, const char *format,
                    ...)
{
    char message[sizeof reader->err->message];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return kg_error_at(reader->err, reader->path, mark.line, mark.column, "%s", message);
}

bool kg_reader_fail_text(const struct kg_suite_reader *reader, struct kg_mark mark,
                         struct kg_text *message)
{
    kg_error_at(reader->err, reader->path, mark.line, mark.column, "%s", kg_text_string(message));
    kg_text_free(message);
    return false;
}

static const char *kind_name(const struct kg_yaml_node *node)
{
    if (node->kind != KG_YAML_SCALAR)
        return node->kind == KG_YAML_MAPPING ? "a mapping" : "a list";
    return node->plain && !*node->text ? "empty" : "plain text";
}

bool kg_reader_expect(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                      enum kg_yaml_kind kind)
{
    static const char *const names[] = {"plain text", "a list", "a mapping"};
    char quoted[KG_QUOTE_BYTES];
    return pair->value->kind == kind ||
           kg_reader_fail(reader, pair->value->mark, "'%s' must be %s, but is %s",
                          kg_quote(pair->key, quoted), names[kind], kind_name(pair->value));
}

bool kg_reader_name_check(const struct kg_suite_reader *reader, struct kg_mark mark,
                          const char *what, const char *name)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
    const size_t length = strlen(name);
    char quoted[KG_QUOTE_BYTES];
    if (length && length <= KG_NAME_BYTES_MOST && strspn(name, allowed) == length)
        return true;
    return kg_reader_fail(reader, mark,
                          "%s '%s' must be 1 to %d letters, digits, '_', '.' or '-'%s", what,
                          kg_quote(name, quoted), KG_NAME_BYTES_MOST,
                          length > KG_NAME_BYTES_MOST ? ", but is longer" : "");
}

bool kg_reader_text_check(const struct kg_suite_reader *reader, struct kg_mark mark,
                          const char *what, const char *text, size_t most, const char *without)
{
    const size_t length = strlen(text);
    char quoted[KG_QUOTE_BYTES];
    if (!length)
        return kg_reader_fail(reader, mark, "%s must not be empty", what);
    if (length > most)
        return kg_reader_fail(reader, mark, "%s '%s' has %zu bytes; at most %zu are allowed", what,
                              kg_quote(text, quoted), length, most);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        const bool control = *c < 0x20 || *c == 0x7F || (*c == 0xC2 && c[1] < 0xA0);
        if (control)
            return kg_reader_fail(reader, mark, "%s '%s' must not contain control characters", what,
                                  kg_quote(text, quoted));
        if (strchr(without, *c))
            return kg_reader_fail(reader, mark, "%s '%s' must not contain '%c'", what,
                                  kg_quote(text, quoted), *c);
    }
    return true;
}

/* The names as written in a mapping: `rounds` stands once for every `rounds.…`. */
static size_t names_gather(const struct kg_suite_reader *reader,
                           const struct kg_key_table *const *tables, size_t table_count,
                           const char **names)
{
    size_t count = 0;
    for (size_t t = 0; t < table_count; t++)
        for (size_t i = 0; i < tables[t]->count && count < KEYS_MOST; i++) {
            const struct kg_key *key = &tables[t]->keys[i];
            if (tables[t] == &kg_default_keys && table_count > 1 && kg_key_is_suite_wide(key))
                continue;
            const size_t length = strcspn(key->name, ".");
            const char *name = kg_arena_copy_bytes(&reader->suite->arena, key->name, length);
            if (!count || strcmp(names[count - 1], name) != 0)
                names[count++] = name;
        }
    return count;
}

bool kg_reader_unknown_key(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                           const char *place, const struct kg_key_table *const *tables,
                           size_t count)
{
    const char *names[KEYS_MOST];
    char quoted[KG_QUOTE_BYTES];
    struct kg_text message = {0};
    const size_t name_count = names_gather(reader, tables, count, names);
    kg_text_printf(&message, "unknown key '%s' in %s", kg_quote(pair->key, quoted), place);
    kg_suggest_append(&message, pair->key, names, name_count, "known keys");
    return kg_reader_fail_text(reader, pair->mark, &message);
}
