/* suite_cuda.c: the keys that only `source` may have: the call of a CUDA kernel, its expected results and its work. */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "kgate/device.h"
#include "model/cuda_call.h"
#include "suite/suite_message.h"
#include "suite/suite_reader.h"

enum { TEXT_MOST = 4095, DIMENSIONS_MOST = 3 };

#define OTHER KG_BASE_OTHER, 0
/* clang-format off */
static const struct kg_key call_keys[] = {
    {"entry", KG_KEY_TEXT, OTHER, NULL, NULL, NULL, NULL,
     "name of the kernel in C++: `saxpy`, `axpy<float>`; in PTX and binaries its symbol. Default: `name`"},
    {"grid", KG_KEY_WORDS, OTHER, "required", NULL, NULL, NULL,
     "blocks: one to three formulas, such as `ceil({n} / 256)`"},
    {"block", KG_KEY_WORDS, OTHER, "required", NULL, NULL, NULL, "threads per block: one to three formulas"},
    {"shared", KG_KEY_TEXT, OTHER, NULL, NULL, NULL, NULL,
     "dynamic shared memory per block: a size, or a formula in bytes"},
    {"args", KG_KEY_LIST, OTHER, NULL, NULL, NULL, NULL, "the kernel's arguments, in its order"},
    {"options", KG_KEY_WORDS, OTHER, NULL, NULL, NULL, NULL,
     "options of NVRTC, such as `--use_fast_math`, `-DTILE={tile}`"},
    {"expect", KG_KEY_MAPPING, OTHER, NULL, NULL, NULL, NULL,
     "expected values of buffers, by name: a formula of element `i`, or `{file: values.bin}`"},
    {"tolerance", KG_KEY_TEXT, OTHER, NULL, NULL, NULL, NULL,
     "largest [error](cuda_source.md#check) of a value of `expect`. Default: [per type](cuda_source.md#types)"},
    {"work", KG_KEY_MAPPING, OTHER, NULL, NULL, NULL, NULL,
     "work per call, for rates: formulas for `items`, `bytes` and `flops`"},
};

static const char *const out_names[] = {"false", "true", NULL};

static const struct kg_key arg_keys[] = {
    {"name", KG_KEY_TEXT, OTHER, NULL, NULL, NULL, NULL, "name for formulas"},
    {"buffer", KG_KEY_TEXT, OTHER, NULL, NULL, NULL, NULL,
     "[element type](cuda_source.md#types) of device memory"},
    {"count", KG_KEY_TEXT, OTHER, NULL, NULL, NULL, NULL, "elements of the buffer: a formula"},
    {"fill", KG_KEY_TEXT, OTHER, NULL, NULL, NULL, NULL,
     "first values: `random` (from -1 to 1, whole numbers from 0), `zero`, `iota` (0, 1, 2, …) or a formula "
     "of `i`. Default: `random`; of an `out` buffer NaN, of whole numbers all bits set"},
    {"out", KG_KEY_CHOICE, OTHER, "false", NULL, NULL, out_names, "`true`: the kernel writes the buffer"},
    {"i8 … f64", KG_KEY_TEXT, OTHER, NULL, NULL, NULL, NULL, "scalar of this type, instead of `buffer`: a formula"},
};
/* clang-format on */

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

const struct kg_key_table kg_cuda_keys = {"source", "In an entry of `workloads` with `source`.",
                                          call_keys, COUNT(call_keys)};
const struct kg_key_table kg_cuda_arg_keys = {
    "args", "In an entry of `args`: a buffer or a scalar.", arg_keys, COUNT(arg_keys)};

static bool text_of(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                    const char **text)
{
    char what[KG_QUOTE_BYTES + 2], quoted[KG_QUOTE_BYTES];
    snprintf(what, sizeof what, "'%s'", kg_quote(pair->key, quoted));
    *text = pair->value->text;
    return kg_reader_expect(reader, pair, KG_YAML_SCALAR) &&
           kg_reader_text_check(reader, pair->value->mark, what, *text, TEXT_MOST, "");
}

/* Reads a list of texts, or a single text. */
static bool texts_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                       size_t most, const char ***texts, size_t *count)
{
    const struct kg_yaml_node *node = pair->value;
    const bool one = node->kind == KG_YAML_SCALAR;
    const size_t length = one ? 1 : node->count;
    if (!one && !kg_reader_expect(reader, pair, KG_YAML_SEQUENCE))
        return false;
    if (!length || length > most)
        return kg_reader_fail(reader, node->mark, "'%s' must have 1 to %zu values, but has %zu",
                              pair->key, most, length);
    *texts = kg_arena_alloc(&reader->suite->arena, length, sizeof **texts);
    for (*count = 0; *count < length; ++*count) {
        const struct kg_yaml_pair item = {pair->key, pair->mark, one ? node : node->items[*count],
                                          0};
        if (!text_of(reader, &item, &(*texts)[*count]))
            return false;
    }
    return true;
}

/* --- Arguments --------------------------------------------------------------------------------- */

static bool type_find(const char *name, enum kg_cuda_type *type)
{
    for (int i = 0; kg_cuda_type_names[i]; i++)
        if (!strcmp(kg_cuda_type_names[i], name)) {
            *type = (enum kg_cuda_type)i;
            return true;
        }
    return false;
}

static bool buffer_type_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                             struct kg_cuda_arg *arg)
{
    const char *text;
    char quoted[KG_QUOTE_BYTES];
    struct kg_text message = {0};
    if (!text_of(reader, pair, &text))
        return false;
    if (type_find(text, &arg->type))
        return true;
    kg_text_printf(&message, "'%s' is no type", kg_quote(text, quoted));
    kg_suggest_append(&message, text, kg_cuda_type_names, KG_CUDA_TYPE_COUNT, "types");
    return kg_reader_fail_text(reader, pair->value->mark, &message);
}

/* A formula must be able to read the name, and uses the name `i` for the element. */
static bool arg_name_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                          struct kg_cuda_arg *arg)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    char quoted[KG_QUOTE_BYTES];
    if (!text_of(reader, pair, &arg->name))
        return false;
    if (strspn(arg->name, letters) == strlen(arg->name) && !strchr("0123456789", *arg->name) &&
        strcmp(arg->name, "i") != 0)
        return true;
    return kg_reader_fail(reader, pair->value->mark,
                          "an argument cannot be called '%s': use letters, digits and '_', not a "
                          "digit first, and not 'i', the "
                          "element",
                          kg_quote(arg->name, quoted));
}

static bool out_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                     struct kg_cuda_arg *arg)
{
    const char *text;
    if (!text_of(reader, pair, &text))
        return false;
    arg->out = !strcmp(text, "true") || !strcmp(text, "yes");
    return arg->out || !strcmp(text, "false") || !strcmp(text, "no") ||
           kg_reader_fail(reader, pair->value->mark, "'out' must be true or false");
}

static bool arg_key_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                         struct kg_cuda_arg *arg)
{
    static const struct kg_key_table *const tables[] = {&kg_cuda_arg_keys};
    if (!strcmp(pair->key, "name"))
        return arg_name_read(reader, pair, arg);
    if (!strcmp(pair->key, "buffer"))
        return buffer_type_read(reader, pair, arg);
    if (!strcmp(pair->key, "count"))
        return text_of(reader, pair, &arg->count);
    if (!strcmp(pair->key, "fill"))
        return text_of(reader, pair, &arg->fill);
    if (!strcmp(pair->key, "out"))
        return out_read(reader, pair, arg);
    if (type_find(pair->key, &arg->type))
        return text_of(reader, pair, &arg->value);
    return kg_reader_unknown_key(reader, pair, "an argument", tables, 1);
}

static bool arg_read(const struct kg_suite_reader *reader, const struct kg_yaml_node *node,
                     struct kg_cuda_arg *arg)
{
    size_t types = 0;
    enum kg_cuda_type type;
    *arg = (struct kg_cuda_arg){.mark = node->mark};
    if (node->kind != KG_YAML_MAPPING)
        return kg_reader_fail(reader, node->mark,
                              "an argument must be a mapping, such as {name: x, buffer: f32, "
                              "count: \"{n}\"} or {f32: 2.0}");
    for (size_t i = 0; i < node->count; i++) {
        if (!arg_key_read(reader, &node->pairs[i], arg))
            return false;
        types += !strcmp(node->pairs[i].key, "buffer") || type_find(node->pairs[i].key, &type);
    }
    if (types != 1)
        return kg_reader_fail(
            reader, node->mark,
            "an argument is one buffer, such as {buffer: f32, count: \"{n}\"}, or "
            "one scalar, such as {f32: 2.0}");
    if (!arg->value && !arg->count)
        return kg_reader_fail(reader, node->mark, "a buffer needs the key 'count'");
    if (arg->value && (arg->count || arg->fill || arg->out))
        return kg_reader_fail(reader, node->mark, "a scalar has no 'count', 'fill' or 'out'");
    return true;
}

static struct kg_cuda_arg *arg_find(const struct kg_cuda_call *call, const char *name)
{
    for (size_t i = 0; i < call->arg_count; i++)
        if (call->args[i].name && !strcmp(call->args[i].name, name))
            return &call->args[i];
    return NULL;
}

static bool args_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                      struct kg_cuda_call *call)
{
    const struct kg_yaml_node *list = pair->value;
    if (!kg_reader_expect(reader, pair, KG_YAML_SEQUENCE))
        return false;
    if (list->count > KG_CUDA_ARGS_MOST)
        return kg_reader_fail(reader, list->mark, "'args' has %zu arguments; at most %d",
                              list->count, KG_CUDA_ARGS_MOST);
    call->args = kg_arena_alloc(&reader->suite->arena, list->count, sizeof *call->args);
    for (size_t i = 0; i < list->count; i++) {
        struct kg_cuda_arg *arg = &call->args[i];
        if (!arg_read(reader, list->items[i], arg))
            return false;
        if (arg->name && arg_find(call, arg->name))
            return kg_reader_fail(reader, arg->mark, "two arguments are called '%s'", arg->name);
        call->arg_count++;
    }
    return true;
}

/* --- Expected results and work ----------------------------------------------------------------- */

static bool expected_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                          struct kg_cuda_arg *arg)
{
    const struct kg_yaml_pair *file = kg_yaml_find(pair->value, "file");
    if (pair->value->kind != KG_YAML_MAPPING)
        return text_of(reader, pair, &arg->expect);
    if (!file || pair->value->count != 1)
        return kg_reader_fail(reader, pair->value->mark,
                              "an expected value must be a formula or {file: values.bin}");
    arg->expect_mark = file->value->mark;
    return text_of(reader, file, &arg->expect_file);
}

static bool expect_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                        struct kg_cuda_call *call)
{
    char quoted[KG_QUOTE_BYTES];
    if (!kg_reader_expect(reader, pair, KG_YAML_MAPPING))
        return false;
    for (size_t i = 0; i < pair->value->count; i++) {
        const struct kg_yaml_pair *expected = &pair->value->pairs[i];
        struct kg_cuda_arg *arg = arg_find(call, expected->key);
        if (!arg || arg->value)
            return kg_reader_fail(reader, expected->mark, "no buffer of 'args' has the name '%s'",
                                  kg_quote(expected->key, quoted));
        if (!expected_read(reader, expected, arg))
            return false;
        arg->out = true;
    }
    return true;
}

static bool work_read(const struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                      struct kg_cuda_call *call)
{
    const struct {
        const char *name;
        const char **text;
    } rows[] = {{"items", &call->items}, {"bytes", &call->bytes}, {"flops", &call->flops}};
    char quoted[KG_QUOTE_BYTES];
    call->work_mark = pair->value->mark;
    if (!kg_reader_expect(reader, pair, KG_YAML_MAPPING))
        return false;
    for (size_t i = 0; i < pair->value->count; i++) {
        const struct kg_yaml_pair *one = &pair->value->pairs[i];
        size_t row = 0;
        while (row < COUNT(rows) && strcmp(rows[row].name, one->key) != 0)
            row++;
        if (row == COUNT(rows))
            return kg_reader_fail(reader, one->mark,
                                  "unknown key '%s' in 'work'; known keys: items, bytes, flops",
                                  kg_quote(one->key, quoted));
        if (!text_of(reader, one, rows[row].text))
            return false;
    }
    return true;
}

/* --- The whole --------------------------------------------------------------------------------- */

bool kg_suite_cuda_key_read(struct kg_suite_reader *reader, const struct kg_yaml_pair *pair,
                            struct kg_workload_spec *spec)
{
    struct kg_cuda_call *call = spec->call;
    if (!call)
        call = spec->call = kg_arena_alloc(&reader->suite->arena, 1, sizeof *call);
    if (!strcmp(pair->key, "entry"))
        return text_of(reader, pair, &spec->entry);
    if (!strcmp(pair->key, "grid")) {
        call->grid_mark = pair->value->mark;
        return texts_read(reader, pair, DIMENSIONS_MOST, &call->grid, &call->grid_count);
    }
    if (!strcmp(pair->key, "block")) {
        call->block_mark = pair->value->mark;
        return texts_read(reader, pair, DIMENSIONS_MOST, &call->block, &call->block_count);
    }
    if (!strcmp(pair->key, "shared")) {
        call->shared_mark = pair->value->mark;
        return text_of(reader, pair, &call->shared);
    }
    if (!strcmp(pair->key, "options")) {
        call->options_mark = pair->value->mark;
        return texts_read(reader, pair, KG_CUDA_OPTIONS_MOST, &call->options, &call->option_count);
    }
    if (!strcmp(pair->key, "tolerance")) {
        call->tolerance_mark = pair->value->mark;
        return text_of(reader, pair, &call->tolerance);
    }
    if (!strcmp(pair->key, "args"))
        return args_read(reader, pair, call);
    return strcmp(pair->key, "work") != 0 || work_read(reader, pair, call);
}

bool kg_suite_cuda_finish(const struct kg_suite_reader *reader, const struct kg_yaml_node *workload,
                          const char *place, struct kg_workload_spec *spec)
{
    const bool is_source = kg_source_facts[spec->source].target == KG_TARGET_CODE;
    for (size_t i = 0; i < COUNT(call_keys) && !is_source; i++) {
        const struct kg_yaml_pair *pair = kg_yaml_find(workload, call_keys[i].name);
        if (pair)
            return kg_reader_fail(reader, pair->mark, "'%s' goes with 'source', but %s is a %s",
                                  pair->key, place, kg_source_names[spec->source]);
    }
    if (!is_source)
        return true;
    if (!spec->call || !spec->call->grid || !spec->call->block)
        return kg_reader_fail(reader, spec->mark, "%s needs the keys 'grid' and 'block'", place);
    const struct kg_yaml_pair *devices = kg_yaml_find(workload, "devices");
    const unsigned cuda = 1U << KGATE_DEVICE_CUDA;
    if (devices && spec->settings.devices != cuda)
        return kg_reader_fail(reader, devices->value->mark,
                              "%s is a CUDA source, which runs on cuda alone", place);
    spec->settings.devices = cuda;
    const struct kg_yaml_pair *expect = kg_yaml_find(workload, "expect");
    return !expect || expect_read(reader, expect, spec->call);
}
