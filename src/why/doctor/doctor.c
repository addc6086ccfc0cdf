#include "why/doctor/doctor.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "why/doctor/doctor_checks.h"

const char *const kg_finding_level_names[] = {"good", "note", "warning", NULL};

#define STRUCT kg_finding
static const struct kg_field finding_fields[] = {
    KG_FIELD(level, ENUM, "severity", KG_NAMES(kg_finding_level_names)),
    KG_FIELD(topic, STRING, "subject of the check"),
    KG_FIELD(found, STRING, "result of the check"),
    KG_FIELD(remedy, STRING, "command or advice that fixes it", KG_OPTIONAL),
};
const struct kg_record kg_finding_record = KG_RECORD_OF(finding_fields, "One finding.");
#undef STRUCT

/* In the order of the report: first the settings that a machine's owner can change soonest. */
static const struct {
    const char *topic;
    kg_doctor_check *check;
} checks[] = {
    {"frequency governor", kg_check_governor},
    {"boost", kg_check_boost},
    {"SMT", kg_check_smt},
    {"other load", kg_check_load},
    {"CPU quota", kg_check_quota},
    {"pinning", kg_check_pinning},
    {"NUMA", kg_check_nodes},
    {"memory", kg_check_memory},
    {"huge pages", kg_check_huge_pages},
    {"virtual machine", kg_check_hypervisor},
    {"counters", kg_check_counters},
    {"valgrind", kg_check_valgrind},
};

void kg_doctor_inspect(const struct kg_doctor *doctor, struct kg_findings *findings)
{
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        checks[i].check(doctor, checks[i].topic, findings);
}

/* Formats a string in the arena. Each finding fits into the buffer. */
static const char *text_make(struct kg_findings *findings, const char *format, va_list arguments)
{
    char buffer[2048];
    vsnprintf(buffer, sizeof buffer, format, arguments);
    const char *text = kg_arena_copy(findings->arena, buffer);
    return text;
}

const char *kg_finding_text(struct kg_findings *findings, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = text_make(findings, format, arguments);
    va_end(arguments);
    return text;
}

/* Makes room for one more finding. */
static void grow(struct kg_findings *findings)
{
    kg_arena_grow(findings->arena, &findings->items, findings->count, &findings->capacity,
                  sizeof *findings->items);
}

void kg_finding_add(struct kg_findings *findings, enum kg_finding_level level, const char *topic,
                    const char *remedy, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *found = text_make(findings, format, arguments);
    va_end(arguments);
    grow(findings);
    findings->items[findings->count++] =
        (struct kg_finding){.level = level, .topic = topic, .found = found, .remedy = remedy};
}

void kg_finding_unreadable(struct kg_findings *findings, const char *topic, const char *path,
                           int code, const char *line)
{
    if (code == ENODATA)
        kg_finding_add(findings, KG_FINDING_NOTE, topic, NULL, "unknown: %s has no value", path);
    else if (code)
        kg_finding_add(findings, KG_FINDING_NOTE, topic, NULL, "unknown: cannot read %s: %s", path,
                       strerror(code));
    else
        kg_finding_add(findings, KG_FINDING_NOTE, topic, NULL,
                       "unknown: kgate does not understand '%.40s' in %s", line, path);
}
