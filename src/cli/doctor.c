#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "device/gpus.h"
#include "doctor/doctor.h"
#include "doctor/doctor_noise.h"
#include "util/escape.h"
#include "util/record.h"
#include "util/table.h"

/* The threshold that a suite has unless it says otherwise (docs/suite.md). */
static const double THRESHOLD = 0.05;
enum { SECONDS_MOST = 600 };

struct diagnosis {
    struct kg_finding *findings;
    size_t finding_count;
    size_t warning_count;
    double threshold;
    const char *summary;
    struct kg_noise noise;
    struct kg_machine machine;
};

#define DIAGNOSIS(member, field_kind) KG_FIELD(struct diagnosis, member, field_kind)
#define MACHINE(member, field_kind)                                                                \
    {                                                                                              \
        .name = #member, .kind = (field_kind), .optional = true,                                   \
        .offset = offsetof(struct diagnosis, machine.member)                                       \
    }
static const struct kg_field diagnosis_fields[] = {
    DIAGNOSIS(summary, KG_FIELD_STRING),
    DIAGNOSIS(threshold, KG_FIELD_REAL),
    {.name = "warnings",
     .kind = KG_FIELD_SIZE,
     .offset = offsetof(struct diagnosis, warning_count)},
    {.name = "findings",
     .kind = KG_FIELD_RECORDS,
     .offset = offsetof(struct diagnosis, findings),
     .count_offset = offsetof(struct diagnosis, finding_count),
     .record = &kg_finding_record},
    {.name = "gpus",
     .kind = KG_FIELD_RECORDS,
     .offset = offsetof(struct diagnosis, machine.gpus),
     .count_offset = offsetof(struct diagnosis, machine.gpu_count),
     .record = &kg_gpu_record},
    MACHINE(gpu_chosen, KG_FIELD_SIZE),
    MACHINE(nvidia_driver, KG_FIELD_STRING),
    MACHINE(cuda_driver, KG_FIELD_STRING),
    MACHINE(cuda_toolkit, KG_FIELD_STRING),
    MACHINE(cuda_missing, KG_FIELD_STRING),
    MACHINE(cuda_code_missing, KG_FIELD_STRING),
    {.name = "noise",
     .kind = KG_FIELD_RECORD,
     .offset = offsetof(struct diagnosis, noise),
     .record = &kg_noise_record},
};
static const struct kg_record diagnosis_record = KG_RECORD_OF(struct diagnosis, diagnosis_fields);

static bool noise_measure(const struct kg_arguments *arguments, struct kg_arena *arena,
                          struct kg_noise *noise)
{
    const bool announced = isatty(STDERR_FILENO) && !arguments->quiet;
    *noise = kg_noise_none();
    if (!arguments->seconds)
        return true;
    if (announced)
        fprintf(stderr, "measuring for %u s ...", (unsigned)arguments->seconds);
    const bool good = kg_noise_measure((double)arguments->seconds, arena, noise);
    if (announced)
        fprintf(stderr, "\r%*s\r", 32, "");
    return good;
}

static bool diagnose(const struct kg_arguments *arguments, struct kg_arena *arena,
                     struct diagnosis *diagnosis, struct kg_error *err)
{
    const struct kg_doctor doctor = {
        .root = "", .path = getenv("PATH"), .counters_errno = kg_counters_try()};
    struct kg_findings findings = {.arena = arena};
    struct kg_nvml_gpus *gpus = kg_arena_alloc(arena, 1, sizeof *gpus);
    if (!gpus)
        return kg_error_memory(err);
    if (!kg_machine_read(arena, arguments->device, &diagnosis->machine, err))
        return false;
    /* before measuring, which is load itself */
    kg_doctor_inspect(&doctor, &findings);
    kg_nvml_gpus_read(KG_NVML_LIBRARY, KG_GPUS_TIMEOUT_MS, gpus);
    kg_doctor_gpus(doctor.root, gpus, &findings);
    kg_doctor_cuda(&diagnosis->machine, &findings);
    struct kg_cpu_times before = kg_cpu_times_read(doctor.root);
    if (!noise_measure(arguments, arena, &diagnosis->noise))
        return kg_error_memory(err);
    if (!arguments->seconds)
        before = (struct kg_cpu_times){0};
    const struct kg_cpu_times after = kg_cpu_times_read(doctor.root);
    kg_doctor_steal(&before, &after, &findings);
    kg_noise_judge(&diagnosis->noise, THRESHOLD, &findings);
    diagnosis->threshold = THRESHOLD;
    diagnosis->summary = kg_noise_words(&diagnosis->noise, THRESHOLD, &findings);
    diagnosis->findings = findings.items;
    diagnosis->finding_count = findings.count;
    for (size_t i = 0; i < findings.count; i++)
        diagnosis->warning_count += findings.items[i].level == KG_FINDING_WARNING;
    return findings.failed ? kg_error_memory(err) : true;
}

/* Paths and names come from elsewhere; NULL (and the table's `failed`) where memory is out. */
static const char *harmless(struct kg_table *table, const char *before, const char *string)
{
    struct kg_text text = {0};
    kg_text_append(&text, before);
    kg_escape_terminal(&text, string, 1000);
    return kg_table_cell(table, &text);
}

static void findings_print(const struct kg_report_style *style, const struct diagnosis *diagnosis,
                           struct kg_text *text)
{
    static const char *const colours[] = {
        [KG_FINDING_GOOD] = NULL, [KG_FINDING_NOTE] = NULL, [KG_FINDING_WARNING] = "\x1b[33m"};
    struct kg_table table = {.columns = 3,
                             .indent = 2,
                             .heads = {"level", "topic", "found"},
                             .left = {true, true, true}};
    for (size_t i = 0; i < diagnosis->finding_count; i++) {
        const struct kg_finding *finding = &diagnosis->findings[i];
        if (style->quiet && finding->level != KG_FINDING_WARNING)
            continue;
        struct kg_table_row *row = kg_table_row_add(&table);
        if (!row)
            break;
        row->cells[0] = kg_finding_level_names[finding->level];
        row->cells[1] = finding->topic;
        row->cells[2] = harmless(&table, "", finding->found);
        row->colour = colours[finding->level];
        row->under = finding->remedy ? harmless(&table, "mend: ", finding->remedy) : NULL;
    }
    if (table.row_count || table.failed)
        kg_table_print(&table, style->colour, text);
    if (!style->quiet)
        kg_text_printf(text, "\n%s\n", diagnosis->summary);
    kg_table_free(&table);
}

int kg_cli_doctor(const struct kg_arguments *arguments)
{
    const struct kg_report_style style = kg_style(arguments);
    struct kg_arena arena = {0};
    struct kg_text text = {0};
    struct diagnosis diagnosis = {0};
    struct kg_error err;
    if (arguments->seconds > SECONDS_MOST) {
        kg_error_set(&err, KG_ERROR_USAGE, "--seconds is %llu, but at most %d can be measured",
                     (unsigned long long)arguments->seconds, SECONDS_MOST);
        return kg_fail(&err);
    }
    bool good = diagnose(arguments, &arena, &diagnosis, &err);
    if (good && arguments->json)
        good = kg_record_print(&diagnosis_record, &diagnosis, "kgate.doctor.v1", &text, &err);
    else if (good)
        findings_print(&style, &diagnosis, &text);
    good = good && kg_print(&text, &err);
    kg_text_free(&text);
    kg_arena_free(&arena);
    return good ? KG_EXIT_PASS : kg_fail(&err);
}
