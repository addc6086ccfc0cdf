#include "model/policy.h"

#include <string.h>

const char *const kg_change_names[KG_CHANGE_COUNT + 1] = {
#define KG_CHANGE(constant, ...) #constant,
#include "model/changes.def"
};

const char *const kg_better_names[3] = {"lower", "higher", NULL};
const char *const kg_missing_device_names[4] = {"skip", "fail", "undecided", NULL};
const char *const kg_undecided_names[4] = {"report", "pass", "fail", NULL};
const char *const kg_report_names[KG_REPORT_KINDS + 1] = {
#define KG_REPORT(constant, kind, name, ...) #name,
#include "model/formats.def"
};

const char *kg_change_name(enum kg_change change)
{
    return kg_change_names[change];
}
