#include "model/policy.h"

#include <string.h>

const char *const kg_change_names[KG_CHANGE_COUNT + 1] = {
    [KG_CHANGE_IMPROVEMENT] = "IMPROVEMENT",   [KG_CHANGE_REGRESSION] = "REGRESSION",
    [KG_CHANGE_NO_CHANGE] = "NO_CHANGE",       [KG_CHANGE_SUSPECT] = "SUSPECT",
    [KG_CHANGE_INCONCLUSIVE] = "INCONCLUSIVE", [KG_CHANGE_NEW] = "NEW",
    [KG_CHANGE_REMOVED] = "REMOVED",           [KG_CHANGE_FAILED] = "FAILED",
    [KG_CHANGE_SKIPPED] = "SKIPPED",
};

const char *const kg_better_names[3] = {"lower", "higher", NULL};
const char *const kg_missing_device_names[4] = {"skip", "fail", "undecided", NULL};
const char *const kg_undecided_names[4] = {"report", "pass", "fail", NULL};
const char *const kg_report_names[KG_REPORT_KINDS + 1] = {
    [KG_REPORT_MARKDOWN] = "markdown",
    [KG_REPORT_JUNIT] = "junit",
    [KG_REPORT_GITHUB] = "github",
    [KG_REPORT_CSV] = "csv",
    [KG_REPORT_OPENMETRICS] = "openmetrics",
    [KG_REPORT_HTML] = "html",
    [KG_REPORT_PNG] = "png",
    [KG_REPORT_SVG] = "svg",
};

const char *kg_change_name(enum kg_change change)
{
    return kg_change_names[change];
}
