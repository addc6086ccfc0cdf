#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/record.h"
#include "base/table.h"
#include "cli/cli.h"
#include "device/gpus.h"
#include "why/doctor/doctor.h"
#include "why/doctor/doctor_noise.h"

/* Default threshold of a suite (docs/suite.md). */
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

#define STRUCT diagnosis
static const struct kg_field diagnosis_fields[] = {
    KG_FIELD(summary, STRING, "meaning of the noise, in words"),
    KG_FIELD(threshold, REAL, "share that the noise was judged for"),
    KG_FIELD_AS("warnings", warning_count, SIZE, "number of findings that are warnings"),
    KG_LIST(findings, finding_count, RECORDS, "findings in the order of the checks",
            KG_OF(kg_finding_record)),
    KG_LIST_AS("gpus", machine.gpus, machine.gpu_count, RECORDS, "CUDA devices",
               KG_OF(kg_gpu_record)),
    KG_FIELD_AS("gpu_chosen", machine.gpu_chosen, SIZE, "index in gpus of the GPU for CUDA cases",
                KG_OPTIONAL),
    KG_FIELD_AS("nvidia_driver", machine.nvidia_driver, STRING, "version of the NVIDIA driver",
                KG_OPTIONAL),
    KG_FIELD_AS("cuda_driver", machine.cuda_driver, STRING, "CUDA version of the driver",
                KG_OPTIONAL),
    KG_FIELD_AS("cuda_toolkit", machine.cuda_toolkit, STRING,
                "CUDA version that kgate was built with", KG_OPTIONAL),
    KG_FIELD_AS("cuda_missing", machine.cuda_missing, STRING, "reason why there is no CUDA device",
                KG_OPTIONAL),
    KG_FIELD_AS("cuda_code_missing", machine.cuda_code_missing, STRING,
                "reason why kgate's own device code cannot run on the chosen GPU", KG_OPTIONAL),
    KG_FIELD(noise, RECORD, "measured noise", KG_OF(kg_noise_record)),
};
const struct kg_record kg_diagnosis_record =
    KG_RECORD_OF(diagnosis_fields, "Noise of a machine and its sources: `kgate doctor --json`.");
#undef STRUCT

static void noise_measure(const struct kg_arguments *arguments, struct kg_arena *arena,
                          struct kg_noise *noise)
{
    const bool announced = isatty(STDERR_FILENO) && !arguments->quiet;
    *noise = kg_noise_none();
    if (!arguments->seconds)
        return;
    if (announced)
        fprintf(stderr, "measuring for %u s ...", (unsigned)arguments->seconds);
    kg_noise_measure((double)arguments->seconds, arena, noise);
    if (announced)
        fprintf(stderr, "\r%*s\r", 32, "");
}

static bool diagnose(const struct kg_arguments *arguments, struct kg_arena *arena,
                     struct diagnosis *diagnosis, struct kg_error *err)
{
    const struct kg_doctor doctor = {
        .root = "", .path = getenv("PATH"), .counters_errno = kg_counters_try()};
    struct kg_findings findings = {.arena = arena};
    struct kg_nvml_gpus *gpus = kg_arena_alloc(arena, 1, sizeof *gpus);
    if (!kg_machine_read(arena, arguments->device, &diagnosis->machine, err))
        return false;
    /* before the measurement, which is itself load */
    kg_doctor_inspect(&doctor, &findings);
    kg_nvml_gpus_read(KG_NVML_LIBRARY, KG_GPUS_TIMEOUT_MS, gpus);
    kg_doctor_gpus(doctor.root, gpus, &findings);
    kg_doctor_cuda(&diagnosis->machine, &findings);
    struct kg_cpu_times before = kg_cpu_times_read(doctor.root);
    noise_measure(arguments, arena, &diagnosis->noise);
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
    return true;
}

/* Escapes paths and names, because they come from outside. */
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
        row->cells[0] = kg_finding_level_names[finding->level];
        row->cells[1] = finding->topic;
        row->cells[2] = harmless(&table, "", finding->found);
        row->colour = colours[finding->level];
        row->under = finding->remedy ? harmless(&table, "fix: ", finding->remedy) : NULL;
    }
    if (table.row_count)
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
        good = kg_record_print(&kg_diagnosis_record, &diagnosis, KG_DOCTOR_SCHEMA, &text, &err);
    else if (good)
        findings_print(&style, &diagnosis, &text);
    good = good && kg_print(&text, &err);
    kg_text_free(&text);
    kg_arena_free(&arena);
    return good ? KG_EXIT_PASS : kg_fail(&err);
}
