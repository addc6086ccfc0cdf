#include "cli/export_options.h"

#include "show/export.h"

bool kg_exports_check(const struct kg_arguments *arguments, const char *schema,
                      struct kg_error *err)
{
    for (size_t i = 0; i < arguments->exports.count; i++)
        if (!kg_export_check(schema, arguments->exports.at[i], err))
            return false;
    return true;
}

bool kg_exports_write(const struct kg_arguments *arguments, const char *schema,
                      const struct kg_report_subject *subject, struct kg_error *err)
{
    for (size_t i = 0; i < arguments->exports.count; i++)
        if (!kg_export_write(schema, arguments->exports.at[i], subject, err))
            return false;
    return true;
}
