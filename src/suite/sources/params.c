#include "suite/sources/params.h"

#include <string.h>

#include "base/nearest.h"
#include "base/units.h"

enum { NAMES_MOST = 64 };

static const struct kgate_param *param_find(const struct kgate_workload *workload, const char *name)
{
    for (size_t i = 0; i < workload->param_count; i++)
        if (!strcmp(workload->params[i].name, name))
            return &workload->params[i];
    return NULL;
}

static bool unknown_name(const struct kgate_workload *workload, const char *name,
                         struct kg_error *err)
{
    const char *names[NAMES_MOST];
    size_t count = 0;
    for (; count < workload->param_count && count < NAMES_MOST; count++)
        names[count] = workload->params[count].name;
    return kg_error_unknown(err, name, names, count, "'%s' has no parameter '%s'", workload->name,
                            name);
}

static bool choice_parse(const struct kgate_param *param, const char *text,
                         struct kgate_value *value, struct kg_error *err)
{
    size_t count = 0;
    for (; param->choices[count]; count++)
        if (!strcmp(param->choices[count], text)) {
            value->integer = (int64_t)count;
            return true;
        }
    return kg_error_unknown(err, text, param->choices, count, "parameter '%s' cannot be '%s'",
                            param->name, text);
}

/* Reads the number and checks its range, for every type on value->real. */
static bool number_parse(const struct kgate_param *param, const char *text,
                         struct kgate_value *value, struct kg_error *err)
{
    uint64_t whole = 0;
    const char *expected = "a number";
    bool good = false;
    switch (param->type) {
    case KGATE_PARAM_REAL:
        good = kg_number_parse(text, &value->real);
        break;
    case KGATE_PARAM_SIZE:
        expected = "a size with its unit, such as 64MiB";
        good = kg_size_parse(text, &whole) && whole <= INT64_MAX;
        break;
    case KGATE_PARAM_INTEGER: {
        expected = "a whole number";
        const bool negative = text[0] == '-';
        good = kg_count_parse(text + negative, &whole) && whole <= INT64_MAX;
        value->integer = negative ? -(int64_t)whole : (int64_t)whole;
        break;
    }
    case KGATE_PARAM_CHOICE:
        break;
    }
    if (!good)
        return kg_error_set(err, KG_ERROR_USAGE, "parameter '%s' is '%s', but must be %s",
                            param->name, text, expected);
    if (param->type == KGATE_PARAM_SIZE)
        value->integer = (int64_t)whole;
    if (param->type != KGATE_PARAM_REAL)
        value->real = (double)value->integer;
    if (!(value->real >= param->minimum && value->real <= param->maximum))
        return kg_error_set(err, KG_ERROR_USAGE,
                            "parameter '%s' is %s, but must be from %.15g to %.15g", param->name,
                            text, param->minimum, param->maximum);
    return true;
}

static bool value_parse(const struct kgate_param *param, const char *text,
                        struct kgate_value *value, struct kg_error *err)
{
    *value = (struct kgate_value){0};
    return param->type == KGATE_PARAM_CHOICE ? choice_parse(param, text, value, err)
                                             : number_parse(param, text, value, err);
}

bool kg_params_resolve(const struct kgate_workload *workload, const struct kg_pair *pairs,
                       size_t count, struct kgate_value *values, size_t *at, struct kg_error *err)
{
    for (size_t i = 0; i < workload->param_count; i++)
        if (!value_parse(&workload->params[i], workload->params[i].default_text, &values[i], err))
            return kg_error_wrap(err, "default of '%s'", workload->name);
    for (size_t i = 0; i < count; i++) {
        const struct kgate_param *param = param_find(workload, pairs[i].name);
        *at = i;
        if (!param)
            return unknown_name(workload, pairs[i].name, err);
        if (!value_parse(param, pairs[i].value, &values[param - workload->params], err))
            return false;
    }
    return true;
}
