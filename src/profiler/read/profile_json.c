/* kgate.profile.v1: the sums of a recording, then its entries, one per line. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/json_print.h"
#include "profiler/read/bottleneck.h"
#include "profiler/read/profile.h"
#include "profiler/read/profile_fields.h"
#include "profiler/read/profile_sum.h"
#include "profiler/read/scan.h"
#include "profiler/read/writer.h"

static const char *const samplings[] = {"requests", "scopes"};

struct json {
    struct kg_writer output;
    struct kg_sum sum;
    struct kg_profile profile;
    size_t *rows; /* of each path of the scan */
    bool any;     /* an entry is written */
    bool own;     /* the recording of this process, with all entries */
};

#define WRITE(output, literal) kg_writer_bytes((output), (literal), sizeof(literal) - 1)

/* --- Members --------------------------------------------------------------------------------- */

/* The last byte in the buffer shows whether this is an object's first member. */
static void name_write(struct kg_writer *output, const char *name)
{
    const bool first = output->buffer[output->used - 1] == '{';
    kg_writer_string(output, first ? "\"" : ",\"");
    kg_writer_string(output, name);
    WRITE(output, "\":");
}

static void write_COUNT(struct kg_writer *output, const char *name, uint64_t value)
{
    name_write(output, name);
    kg_writer_count(output, value);
}

static void write_SIZE(struct kg_writer *output, const char *name, size_t value)
{
    write_COUNT(output, name, value);
}

static void write_MAYBE_REAL(struct kg_writer *output, const char *name, double value)
{
    if (!isfinite(value))
        return;
    name_write(output, name);
    kg_writer_real(output, value);
}

static void write_REAL(struct kg_writer *output, const char *name, double value)
{
    write_MAYBE_REAL(output, name, isfinite(value) ? value : 0);
}

static void write_BOOL(struct kg_writer *output, const char *name, bool value)
{
    name_write(output, name);
    kg_writer_string(output, value ? "true" : "false");
}

static void write_MAYBE_TEXT(struct kg_writer *output, const char *name, const char *value)
{
    struct kg_text text = {0};
    if (!value)
        return;
    name_write(output, name);
    kg_json_print_string(&text, value);
    kg_writer_bytes(output, kg_text_string(&text), text.length);
    if (text.failed)
        output->failure = ENOMEM;
    kg_text_free(&text);
}

static void write_TEXT(struct kg_writer *output, const char *name, const char *value)
{
    write_MAYBE_TEXT(output, name, value);
}

static void write_reals(struct kg_writer *output, const char *name, const double *values,
                        size_t count)
{
    name_write(output, name);
    WRITE(output, "[");
    for (size_t i = 0; i < count; i++) {
        if (i)
            WRITE(output, ",");
        kg_writer_real(output, values[i]);
    }
    WRITE(output, "]");
}

#define write_SHARE write_REAL
#define write_DEVICE write_TEXT
#define write_ORDINAL write_COUNT
#define WRITE_FIELD(member, kind, help) write_##kind(output, #member, object->member);

/* --- Objects --------------------------------------------------------------------------------- */

static void losses_write(struct kg_writer *output, const struct kgate_profile_losses *object)
{
    WRITE(output, "{");
    KG_PROFILE_LOSSES_FIELDS(WRITE_FIELD)
    WRITE(output, "}");
}

static void process_write(struct kg_writer *output, const struct kg_profile_process *object)
{
    WRITE(output, "{");
    KG_PROFILE_PROCESS_FIELDS(WRITE_FIELD)
    write_TEXT(output, "sampling", samplings[object->sampling]);
    WRITE(output, ",\"losses\":");
    losses_write(output, &object->losses);
    WRITE(output, "}");
}

static void figures_write(struct kg_writer *output, const struct kg_profile_figures *object)
{
    KG_PROFILE_FIGURES_FIELDS(WRITE_FIELD)
    /* These follow from the others: for readers that do not want to know how. */
    write_MAYBE_REAL(output, "gpu_utilization", kg_profile_gpu_utilization(object));
    write_MAYBE_REAL(output, "bytes_per_second", kg_profile_bandwidth(object));
}

static void row_write(struct kg_writer *output, const struct kg_profile_row *row)
{
    const struct kg_profile_path *object = &row->path;
    WRITE(output, "{");
    KG_PROFILE_PATH_FIELDS(WRITE_FIELD)
    write_TEXT(output, "kind", kg_scope_kind_names[object->kind]);
    figures_write(output, &row->figures);
    write_reals(output, "rounds_ns", row->rounds_ns, row->round_count);
    write_reals(output, "process_calls", row->calls, row->process_count);
    WRITE(output, "}");
}

static void share_write(struct kg_writer *output, const struct kg_profile_share *object)
{
    WRITE(output, "{");
    write_SIZE(output, "path", object->row);
    KG_PROFILE_SHARE_FIELDS(WRITE_FIELD)
    WRITE(output, "}");
}

static void thread_write(struct kg_writer *output, const struct kg_sum_named *thread)
{
    WRITE(output, "{");
    write_SIZE(output, "process", thread->process);
    write_COUNT(output, "thread", thread->thread);
    write_COUNT(output, "system_id", thread->system_id);
    write_TEXT(output, "name", thread->name);
    WRITE(output, "}");
}

/* Before each item of a list. */
static void item_begin(struct kg_writer *output, size_t index)
{
    kg_writer_string(output, index ? ",\n    " : "\n    ");
}

/* The sentence of the text reports, for programs that print it. */
static void words_write(const struct kg_profile *profile, const struct kg_bottleneck *found,
                        struct kg_writer *output)
{
    struct kg_text words = {0};
    kg_bottleneck_sentence(profile, found, &words);
    write_TEXT(output, "words", kg_text_string(&words));
    if (words.failed)
        output->failure = ENOMEM;
    kg_text_free(&words);
}

static void bottleneck_write(const struct kg_profile *profile, const struct kg_bottleneck *found,
                             struct kg_writer *output)
{
    WRITE(output, "{");
    write_SIZE(output, "path", found->path);
    write_TEXT(output, "kind", kg_bottleneck_kind_names[found->kind]);
    write_SIZE(output, "component", found->component);
    write_SIZE(output, "places", found->places);
    write_REAL(output, "share", found->share);
    write_SIZE(output, "second", found->second);
    write_REAL(output, "second_share", found->second_share);
    write_REAL(output, "outside_share", found->outside_share);
    write_COUNT(output, "calls", found->calls);
    write_BOOL(output, "close", found->close);
    write_BOOL(output, "flat", found->flat);
    write_BOOL(output, "on_gpu", found->on_gpu);
    words_write(profile, found, output);
    WRITE(output, "}");
}

static void bottlenecks_write(const struct kg_profile *profile, struct kg_writer *output)
{
    struct kg_bottleneck *found;
    size_t count;
    if (!kg_bottlenecks_find(profile, &found, &count)) {
        output->failure = ENOMEM;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        item_begin(output, i);
        bottleneck_write(profile, &found[i], output);
    }
    free(found);
}

static void summary_write(const struct json *json, struct kg_writer *output)
{
    const struct kg_profile *profile = &json->profile;
    const struct kgate_profile_losses losses = kg_profile_losses(profile);
    WRITE(output, "{\n  \"schema\": \"" KG_PROFILE_SCHEMA "\",\n  \"wall_ns\": ");
    kg_writer_real(output, profile->wall_ns);
    WRITE(output, ",\n  \"entry_count\": ");
    kg_writer_count(output, profile->entry_count);
    WRITE(output, ",\n  \"losses\": ");
    losses_write(output, &losses);
    WRITE(output, ",\n  \"processes\": [");
    for (size_t i = 0; i < profile->process_count; i++) {
        item_begin(output, i);
        process_write(output, &profile->processes[i]);
    }
    WRITE(output, "\n  ],\n  \"threads\": [");
    for (size_t i = 0; i < json->sum.named_count; i++) {
        item_begin(output, i);
        thread_write(output, &json->sum.named[i]);
    }
    WRITE(output, "\n  ],\n  \"paths\": [");
    for (size_t i = 0; i < profile->row_count; i++) {
        item_begin(output, i);
        row_write(output, &profile->rows[i]);
    }
    WRITE(output, "\n  ],\n  \"names\": [");
    for (size_t i = 0; i < profile->name_count; i++) {
        item_begin(output, i);
        WRITE(output, "{");
        write_TEXT(output, "name", profile->names[i].name);
        figures_write(output, &profile->names[i].figures);
        WRITE(output, "}");
    }
    WRITE(output, "\n  ],\n  \"thread_shares\": [");
    for (size_t i = 0; i < profile->share_count; i++) {
        item_begin(output, i);
        share_write(output, &profile->shares[i]);
    }
    WRITE(output, "\n  ],\n  \"bottlenecks\": [");
    bottlenecks_write(profile, output);
    WRITE(output, "\n  ],\n  \"entries\": [");
}

/* --- Entries --------------------------------------------------------------------------------- */

static void member_ns(struct kg_writer *output, const char *name, double ns)
{
    if (isnan(ns))
        return;
    kg_writer_string(output, name);
    kg_writer_ns(output, ns);
}

static void member_count(struct kg_writer *output, const char *name, uint64_t value)
{
    if (!value)
        return;
    kg_writer_string(output, name);
    kg_writer_count(output, value);
}

static void gpu_members(struct kg_writer *output, const struct kg_profile_entry *entry)
{
    char stream[48];
    if (isnan(entry->gpu_ns))
        return;
    member_ns(output, ",\"gpu_start_ns\":", entry->gpu_start_ns);
    member_ns(output, ",\"gpu_ns\":", entry->gpu_ns);
    snprintf(stream, sizeof stream, ",\"stream\":\"0x%llx\"", (unsigned long long)entry->stream);
    kg_writer_string(output, stream);
}

static bool entry_write(void *user, const struct kg_profile_entry *entry, struct kg_error *err)
{
    struct json *json = user;
    struct kg_writer *output = &json->output;
    if (output->failure)
        return kg_error_set(err, KG_ERROR_SYSTEM, "cannot write the report: %s",
                            strerror(output->failure));
    if (entry->path >= json->profile.row_count)
        return kg_error_set(err, KG_ERROR_SYSTEM, "the recording changed while it was read");
    if (json->any)
        WRITE(output, ",\n    {\"process\":");
    else
        WRITE(output, "\n    {\"process\":");
    json->any = true;
    kg_writer_count(output, entry->process);
    WRITE(output, ",\"thread\":");
    kg_writer_count(output, entry->thread);
    WRITE(output, ",\"path\":");
    kg_writer_count(output, json->rows[entry->path]);
    member_ns(output, ",\"start_ns\":", entry->start_ns);
    member_ns(output, ",\"duration_ns\":", entry->duration_ns);
    member_count(output, ",\"nested\":", entry->nested);
    if (entry->overhead_ns > 0)
        member_ns(output, ",\"overhead_ns\":", entry->overhead_ns);
    member_count(output, ",\"bytes\":", entry->bytes);
    member_count(output, ",\"allocated_bytes\":", entry->allocated_bytes);
    member_count(output, ",\"peak_bytes\":", entry->peak_bytes);
    member_ns(output, ",\"cpu_ns\":", entry->cpu_ns);
    gpu_members(output, entry);
    if (entry->unfinished)
        WRITE(output, ",\"unfinished\":true");
    WRITE(output, "}");
    return true;
}

/* --- The whole ------------------------------------------------------------------------------- */

/* Scans the same bytes twice: the sums come first in the file, but are known last. */
static bool write_all(struct json *json, int file, const char *path, struct kg_error *err)
{
    const struct kg_profile_visitor first = kg_sum_visitor(&json->sum);
    const struct kg_profile_visitor second = {.user = json, .entry = entry_write};
    uint64_t size;
    if (!kg_profile_size(file, path, &size, err) ||
        !kg_profile_scan_part(file, path, size, &first, err) ||
        !kg_sum_finish(&json->sum, &json->profile, &json->rows, err))
        return false;
    for (size_t i = 0; json->own && i < json->profile.process_count; i++)
        json->profile.processes[i].complete = true;
    summary_write(json, &json->output);
    if (!kg_profile_scan_part(file, path, size, &second, err))
        return false;
    WRITE(&json->output, "\n  ]\n}\n");
    return true;
}

static bool report(int file, const char *path, bool own, FILE *output, struct kg_error *err)
{
    struct json json = {.own = own};
    bool good = kg_writer_open(&json.output, output, err);
    if (!good)
        return false;
    good = write_all(&json, file, path, err);
    good = kg_writer_close(&json.output, good, err);
    kg_profile_free(&json.profile);
    kg_sum_free(&json.sum);
    free(json.rows);
    return good;
}

bool kg_profile_json(int file, const char *path, FILE *output, struct kg_error *err)
{
    return report(file, path, false, output, err);
}

bool kg_profile_json_own(int file, const char *path, FILE *output, struct kg_error *err)
{
    return report(file, path, true, output, err);
}
