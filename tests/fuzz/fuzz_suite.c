/* Suites: YAML to Suite, and the plan of the suite. */
#include "fuzz.h"
#include "model/suite.h"
#include "suite/plan.h"

/* The plan of a suite on a machine without any hardware. More cases than this limit need one YAML
 * line, and only take time. */
static void plan(const struct kg_suite *suite)
{
    const struct kg_machine machine = {0};
    const struct kg_plan_options options = {0};
    struct kg_plan cases;
    struct kg_error err = {0};
    if (kg_plan_make(suite, &machine, &options, &cases, &err))
        kg_plan_free(&cases);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct kg_suite suite;
    struct kg_error err = {0};
    if (!kg_suite_parse("fuzz.yaml", (const char *)bytes, length, NULL, 0, &suite, &err))
        return 0;
    plan(&suite);
    kg_suite_free(&suite);
    return 0;
}
