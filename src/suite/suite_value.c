#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "base/units.h"
#include "suite/suite_keys.h"
#include "suite/suite_message.h"

enum { WORDS_MOST = 64 };

/* The value of a scalar's text. The key's type selects the member. */
struct value {
    double number;
    uint64_t whole;
    int pin;
};

static size_t names_count(const char *const *names)
{
    size_t count = 0;
    while (names[count])
        count++;
    return count;
}

static bool default_is(const struct kg_key *key, const char *word)
{
    return key->default_text && !strcmp(key->default_text, word);
}

/* Whether the text is a word for 0. "none" and "all" are allowed only if they are the key's default. */
static bool zero_word(const struct kg_key *key, const char *text)
{
    return (key->type == KG_KEY_SIZE && !strcmp(text, "none") && default_is(key, "none")) ||
           (key->type == KG_KEY_COUNT && !strcmp(text, "all") && default_is(key, "all"));
}

static bool pin_read(const char *text, struct value *value)
{
    value->pin = !strcmp(text, "auto") ? KG_PIN_AUTO : KG_PIN_NONE;
    if (!strcmp(text, "none") || !strcmp(text, "auto"))
        return true;
    if (!kg_count_parse(text, &value->whole) || value->whole > 1000000)
        return false;
    value->pin = (int)value->whole;
    return true;
}

static bool value_read(const struct kg_key *key, const char *text, struct value *value)
{
    *value = (struct value){0};
    switch (key->type) {
    case KG_KEY_SHARE:
        return kg_share_parse(text, &value->number);
    case KG_KEY_ALPHA:
        return kg_share_parse(text, &value->number) || kg_number_parse(text, &value->number);
    case KG_KEY_DURATION:
        return kg_duration_parse(text, &value->number);
    case KG_KEY_SIZE:
        return kg_size_parse(text, &value->whole);
    case KG_KEY_COUNT:
        return kg_count_parse(text, &value->whole);
    case KG_KEY_PIN:
        return pin_read(text, value);
    default:
        return false;
    }
}

static bool in_range(const struct kg_key *key, const struct value *value)
{
    struct value least, most;
    if (key->type == KG_KEY_ALPHA)
        return value->number > 0 && value->number < 1;
    if (key->type == KG_KEY_PIN && value->pin < 0)
        return true;
    return value_read(key, key->least, &least) && value_read(key, key->most, &most) &&
           value->number >= least.number && value->number <= most.number &&
           value->whole >= least.whole && value->whole <= most.whole;
}

static void value_store(const struct kg_key *key, const struct value *value, void *base)
{
    char *field = (char *)base + key->offset;
    switch (key->type) {
    case KG_KEY_SHARE:
    case KG_KEY_ALPHA:
    case KG_KEY_DURATION:
        memcpy(field, &value->number, sizeof value->number);
        break;
    case KG_KEY_PIN:
        memcpy(field, &value->pin, sizeof value->pin);
        break;
    default:
        memcpy(field, &value->whole, sizeof value->whole);
        break;
    }
}

const char *kg_key_type_name(const struct kg_key *key)
{
    switch (key->type) {
    case KG_KEY_SHARE:
        return "a share with %";
    case KG_KEY_ALPHA:
        return "a share with %, or a number";
    case KG_KEY_DURATION:
        return "a time with its unit";
    case KG_KEY_SIZE:
        return default_is(key, "none") ? "a size with its unit, or `none`" : "a size with its unit";
    case KG_KEY_COUNT:
        return default_is(key, "all") ? "a whole number, or `all`" : "a whole number";
    case KG_KEY_PIN:
        return "a CPU number, `auto` or `none`";
    case KG_KEY_CHOICE:
        return "a word";
    case KG_KEY_SET:
        return "a list of words";
    case KG_KEY_TEXT:
        return "text";
    case KG_KEY_WORDS:
        return "a list of texts";
    case KG_KEY_MAPPING:
        return "a mapping";
    case KG_KEY_LIST:
        return "a list of mappings";
    }
    return "";
}

static void type_append(const struct kg_key *key, struct kg_text *message)
{
    /* The table has Markdown; the message is plain text, so backticks go. */
    for (const char *c = kg_key_type_name(key); *c; c++)
        if (*c != '`')
            kg_text_append_bytes(message, c, 1);
    if (key->type == KG_KEY_DURATION)
        kg_text_append(message, " (ns, us, ms, s, min, h)");
    else if (key->type == KG_KEY_SIZE)
        kg_text_append(message, " (B, KiB, MiB, GiB, kB, MB, GB)");
}

/* If only the unit is missing: appends "; write 50ms", with the unit of the default. */
static void unit_hint_append(const struct kg_key *key, const char *text, struct kg_text *message)
{
    double number;
    char quoted[KG_QUOTE_BYTES];
    if (!kg_number_parse(text, &number) || number < 0)
        return;
    const char *unit = key->default_text + strspn(key->default_text, "0123456789.");
    if (default_is(key, "none"))
        unit = "MiB";
    if (key->type == KG_KEY_SHARE && number < 1)
        kg_text_printf(message, "; write %g%%", number * 100);
    else if (key->type == KG_KEY_SHARE || key->type == KG_KEY_DURATION || key->type == KG_KEY_SIZE)
        kg_text_printf(message, "; write %s%s", kg_quote(text, quoted), unit);
}

static bool scalar_set(const struct kg_key *key, void *base, const char *text,
                       struct kg_text *message)
{
    struct value value = {0};
    char quoted[KG_QUOTE_BYTES];
    const bool good = zero_word(key, text) || value_read(key, text, &value);
    if (good && (zero_word(key, text) || in_range(key, &value))) {
        value_store(key, &value, base);
        return true;
    }
    kg_text_printf(message, "'%s' is '%s', but must be ", key->name, kg_quote(text, quoted));
    if (!good) {
        type_append(key, message);
        unit_hint_append(key, text, message);
    } else if (key->type == KG_KEY_ALPHA) {
        kg_text_append(message, "more than 0 and less than 1");
    } else {
        kg_text_printf(message, "from %s to %s", key->least, key->most);
        if (default_is(key, "none") || default_is(key, "all"))
            kg_text_printf(message, ", or %s", key->default_text);
    }
    return false;
}

static bool name_index(const struct kg_key *key, const char *word, unsigned *index,
                       struct kg_text *message)
{
    char quoted[KG_QUOTE_BYTES];
    for (*index = 0; key->names[*index]; ++*index)
        if (!strcmp(key->names[*index], word))
            return true;
    kg_text_printf(message, "'%s' cannot be '%s'", key->name, kg_quote(word, quoted));
    /* If there are only two words, the error names both: the answer "cpu" to "gpu" would mislead. */
    const size_t count = names_count(key->names);
    kg_suggest_append(message, count > 2 ? word : "", key->names, count, "it may be");
    return false;
}

static bool set_set(const struct kg_key *key, void *base, const char *const *words, size_t count,
                    size_t *bad, struct kg_text *message)
{
    unsigned bits = 0;
    *bad = 0;
    if (!count && key->least) {
        kg_text_printf(message, "'%s' needs at least one word", key->name);
        return false;
    }
    for (*bad = 0; *bad < count; ++*bad) {
        unsigned index;
        if (!name_index(key, words[*bad], &index, message))
            return false;
        if (bits & 1u << index) {
            kg_text_printf(message, "'%s' names %s twice", key->name, words[*bad]);
            return false;
        }
        bits |= 1u << index;
    }
    memcpy((char *)base + key->offset, &bits, sizeof bits);
    return true;
}

static bool choice_set(const struct kg_key *key, void *base, const char *word,
                       struct kg_text *message)
{
    unsigned index;
    if (!name_index(key, word, &index, message))
        return false;
    memcpy((char *)base + key->offset, &index, sizeof index);
    return true;
}

bool kg_key_set(const struct kg_key *key, void *base, const char *const *words, size_t count,
                size_t *bad, struct kg_text *message)
{
    *bad = 0;
    if (key->type == KG_KEY_SET)
        return set_set(key, base, words, count, bad, message);
    if (count != 1) {
        kg_text_printf(message, "'%s' takes one value", key->name);
        return false;
    }
    if (key->type == KG_KEY_CHOICE)
        return choice_set(key, base, words[0], message);
    return scalar_set(key, base, words[0], message);
}

bool kg_key_set_text(const struct kg_key *key, void *base, const char *text,
                     struct kg_text *message)
{
    const char *words[WORDS_MOST];
    size_t count = 0, bad;
    char *copy = kg_strdup(text), *rest = copy;
    const char *separators = key->type == KG_KEY_SET ? "," : "";
    for (char *word; count < WORDS_MOST && (word = strsep(&rest, separators));)
        words[count++] = word;
    const bool good = kg_key_set(key, base, words, count, &bad, message);
    free(copy);
    return good;
}

void kg_key_default(const struct kg_key *key, void *base)
{
    struct kg_text message = {0};
    kg_key_set_text(key, base, key->default_text, &message);
    kg_text_free(&message);
}

bool kg_key_holds(const struct kg_key *key, const void *base)
{
    const char *field = (const char *)base + key->offset;
    struct value value = {0};
    switch (key->type) {
    case KG_KEY_SHARE:
    case KG_KEY_ALPHA:
    case KG_KEY_DURATION:
        memcpy(&value.number, field, sizeof value.number);
        return in_range(key, &value);
    case KG_KEY_SIZE:
    case KG_KEY_COUNT:
        memcpy(&value.whole, field, sizeof value.whole);
        return in_range(key, &value);
    default:
        return true;
    }
}

void kg_keys_default(struct kg_settings *settings, struct kg_policy *policy,
                     struct kg_suggest_settings *suggest)
{
    static const struct kg_key_table *const tables[] = {&kg_suite_keys, &kg_policy_keys,
                                                        &kg_default_keys, &kg_suggest_keys};
    void *const bases[] = {
        [KG_BASE_SETTINGS] = settings, [KG_BASE_POLICY] = policy, [KG_BASE_SUGGEST] = suggest};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (size_t i = 0; i < tables[t]->count; i++) {
            const struct kg_key *key = &tables[t]->keys[i];
            if (key->base != KG_BASE_OTHER)
                kg_key_default(key, bases[key->base]);
        }
    settings->unasked_metrics = settings->metrics & ~(1u << KG_METRIC_TIME);
}

double kg_settings_number(const struct kg_settings *settings, const char *name)
{
    const struct kg_key *key = kg_key_find(&kg_default_keys, name);
    const char *field = (const char *)settings + (key ? key->offset : 0);
    double number;
    uint64_t whole;
    if (!key || key->base != KG_BASE_SETTINGS)
        return NAN;
    memcpy(&number, field, sizeof number);
    memcpy(&whole, field, sizeof whole);
    switch (key->type) {
    case KG_KEY_SHARE:
    case KG_KEY_DURATION:
        return number;
    case KG_KEY_SIZE:
    case KG_KEY_COUNT:
        return (double)whole;
    default:
        return NAN;
    }
}
