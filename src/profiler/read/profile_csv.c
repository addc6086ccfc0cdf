/* One line per entry, quoted by RFC 4180. An empty field is not known. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/csv.h"
#include "base/grow.h"
#include "profiler/read/path_texts.h"
#include "profiler/read/profile.h"
#include "profiler/read/writer.h"

static const char HEAD[] =
    "process,pid,thread,path,name,device,backend,kind,span,start_ns,duration_ns,nested,"
    "overhead_ns,bytes,allocated_bytes,peak_bytes,cpu_ns,gpu_start_ns,gpu_ns,stream,unfinished\n";

struct csv {
    struct kg_writer output;
    struct kg_path_texts paths;   /* "outer;inner" */
    struct kg_path_texts columns; /* path, name, device, backend, kind, span, with their commas */
    uint64_t *numbers;            /* of processes */
    size_t number_capacity;
};

static void field(struct kg_text *text, const char *value)
{
    kg_text_append(text, ",");
    kg_csv_text(text, value);
}

static bool process_print(void *user, size_t index, const struct kg_profile_process *process,
                          struct kg_error *err)
{
    struct csv *csv = user;
    if (!kg_grow(&csv->numbers, index, &csv->number_capacity, sizeof *csv->numbers))
        return kg_error_memory(err);
    csv->numbers[index] = process->number;
    return true;
}

static bool path_print(void *user, size_t index, const struct kg_profile_path *path,
                       struct kg_error *err)
{
    struct csv *csv = user;
    struct kg_text whole = {0}, columns = {0};
    if (path->parent != index)
        kg_text_printf(&whole, "%s;", csv->paths.items[path->parent].text);
    kg_path_name_append(&whole, path->name);
    if (!kg_path_texts_add(&csv->paths, path, &whole, err))
        return false;
    field(&columns, csv->paths.items[index].text);
    field(&columns, path->name);
    field(&columns, path->device);
    field(&columns, path->backend);
    field(&columns, kg_scope_kind_names[path->kind]);
    field(&columns, path->span ? "1" : "0");
    return kg_path_texts_add(&csv->columns, path, &columns, err);
}

static void count_field(struct kg_writer *output, uint64_t value, bool known)
{
    kg_writer_bytes(output, ",", 1);
    if (known)
        kg_writer_count(output, value);
}

static void ns_field(struct kg_writer *output, double ns)
{
    kg_writer_bytes(output, ",", 1);
    if (!isnan(ns))
        kg_writer_ns(output, ns);
}

static void stream_field(struct kg_writer *output, const struct kg_profile_entry *entry)
{
    char text[24] = ",";
    if (!isnan(entry->gpu_ns))
        snprintf(text, sizeof text, ",0x%llx", (unsigned long long)entry->stream);
    kg_writer_string(output, text);
}

static bool entry_print(void *user, const struct kg_profile_entry *entry, struct kg_error *err)
{
    struct csv *csv = user;
    struct kg_writer *output = &csv->output;
    const struct kg_path_text *columns = &csv->columns.items[entry->path];
    if (output->failure)
        return kg_error_set(err, KG_ERROR_SYSTEM, "cannot write the report: %s",
                            strerror(output->failure));
    kg_writer_count(output, entry->process);
    count_field(output, csv->numbers[entry->process], true);
    count_field(output, entry->thread, true);
    kg_writer_bytes(output, columns->text, columns->length);
    ns_field(output, entry->start_ns);
    ns_field(output, entry->duration_ns);
    count_field(output, entry->nested, true);
    ns_field(output, entry->overhead_ns);
    count_field(output, entry->bytes, entry->bytes);
    count_field(output, entry->allocated_bytes, entry->allocated_bytes || entry->peak_bytes);
    count_field(output, entry->peak_bytes, entry->allocated_bytes || entry->peak_bytes);
    ns_field(output, entry->cpu_ns);
    ns_field(output, entry->gpu_start_ns);
    ns_field(output, entry->gpu_ns);
    stream_field(output, entry);
    kg_writer_string(output, entry->unfinished ? ",1\n" : ",0\n");
    return true;
}

bool kg_profile_csv_write(const struct kg_profile_source *source, FILE *output,
                          struct kg_error *err)
{
    struct csv csv = {0};
    const struct kg_profile_visitor visitor = {
        .user = &csv, .process = process_print, .path = path_print, .entry = entry_print};
    if (!kg_writer_open(&csv.output, output, err))
        return false;
    kg_writer_bytes(&csv.output, HEAD, sizeof HEAD - 1);
    const bool good = source->scan(source, &visitor, err);
    const bool written = kg_writer_close(&csv.output, good, err);
    kg_path_texts_free(&csv.paths);
    kg_path_texts_free(&csv.columns);
    free(csv.numbers);
    return written;
}

bool kg_profile_csv(int file, const char *path, FILE *output, struct kg_error *err)
{
    const struct kg_profile_source source = kg_profile_source_file(file, path);
    return kg_profile_csv_write(&source, output, err);
}
