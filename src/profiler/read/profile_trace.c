/* Chrome's trace events: "Trace Event Format", as chrome://tracing and Perfetto read it. */
#include <math.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/json_print.h"
#include "profiler/read/number_map.h"
#include "profiler/read/path_texts.h"
#include "profiler/read/profile.h"
#include "profiler/read/writer.h"

/* Numbers that no thread and no process of the system's has. */
enum { STREAM_TRACKS = 1 << 30, PROCESS_NUMBERS = 1 << 23 };

struct trace {
    struct kg_writer output;
    struct kg_path_texts paths;
    bool any; /* an event is written */
    /* by process */
    struct process {
        uint64_t number;  /* one of its own */
        int64_t start_ns; /* since the first one's start */
    } * processes;
    size_t process_count, process_capacity;
    double started_ns;     /* of the first process */
    struct kg_map numbers; /* of processes; in use: 1 */
    struct kg_map streams; /* by process and stream, hashed, to its track + 1 */
    uint64_t stream_count;
    uint64_t span_count;
};

#define WRITE(output, literal) kg_writer_bytes((output), (literal), sizeof(literal) - 1)

/* --- Pieces of events ------------------------------------------------------------------------ */

static void member(struct kg_writer *output, const char *name, uint64_t value)
{
    kg_writer_string(output, name);
    kg_writer_count(output, value);
}

/* {"ph":"X","pid":1,"tid":1,"ts":1.000 */
static void event_begin(struct trace *trace, char phase, const struct process *process,
                        uint64_t track, int64_t start_ns)
{
    struct kg_writer *output = &trace->output;
    if (trace->any)
        WRITE(output, ",\n{\"ph\":\"");
    else
        WRITE(output, "\n{\"ph\":\"");
    trace->any = true;
    kg_writer_bytes(output, &phase, 1);
    member(output, "\",\"pid\":", process->number);
    member(output, ",\"tid\":", track);
    WRITE(output, ",\"ts\":");
    kg_writer_us(output, process->start_ns + start_ns);
}

static bool metadata(struct trace *trace, const struct process *process, uint64_t track,
                     const char *name, const char *value, struct kg_error *err)
{
    struct kg_text text = {0};
    kg_json_print_string(&text, value);
    event_begin(trace, 'M', process, track, -process->start_ns);
    WRITE(&trace->output, ",\"name\":\"");
    kg_writer_string(&trace->output, name);
    WRITE(&trace->output, "\",\"args\":{\"name\":");
    kg_writer_bytes(&trace->output, kg_text_string(&text), text.length);
    WRITE(&trace->output, "}}");
    const bool good = !text.failed;
    kg_text_free(&text);
    return good || kg_error_memory(err);
}

/* --- Processes, threads, paths --------------------------------------------------------------- */

/* The system's number, or a number of our own if another process of the file already has it. */
static bool number_choose(struct trace *trace, uint64_t wanted, uint64_t *number)
{
    *number = wanted;
    for (uint64_t next = PROCESS_NUMBERS; kg_map_get(&trace->numbers, *number); next++)
        *number = next + trace->process_count;
    uint64_t *place = kg_map_at(&trace->numbers, *number);
    if (place)
        *place = 1;
    return place != NULL;
}

static bool process_write(void *user, size_t index, const struct kg_profile_process *source,
                          struct kg_error *err)
{
    struct trace *trace = user;
    struct process process = {0};
    struct kg_text name = {0};
    if (!kg_grow(&trace->processes, trace->process_count, &trace->process_capacity,
                 sizeof *trace->processes) ||
        !number_choose(trace, source->number, &process.number))
        return kg_error_memory(err);
    if (index == 0)
        trace->started_ns = source->started_ns;
    const double later_ns = source->started_ns - trace->started_ns;
    process.start_ns = fabs(later_ns) < 0x1p60 ? llround(later_ns) : 0;
    trace->processes[trace->process_count++] = process;
    kg_text_append(&name, source->program ? source->program : "program");
    if (source->label)
        kg_text_printf(&name, ": %s", source->label);
    const bool good = !name.failed || kg_error_memory(err);
    const bool written =
        good && metadata(trace, &process, 0, "process_name", kg_text_string(&name), err);
    kg_text_free(&name);
    return written;
}

static bool thread_write(void *user, size_t process, uint32_t thread, uint64_t system_id,
                         const char *name, struct kg_error *err)
{
    struct trace *trace = user;
    char plain[64];
    snprintf(plain, sizeof plain, "thread %llu", (unsigned long long)system_id);
    return metadata(trace, &trace->processes[process], thread, "thread_name", *name ? name : plain,
                    err);
}

/* Stores the name and categories of a path, which all its events repeat. They exclude the place in the
 * source, and any other argument that all events would repeat. Some viewers take arguments for a part of
 * the name, and would show calls of one scope as different scopes. */
static bool path_note(void *user, size_t index, const struct kg_profile_path *path,
                      struct kg_error *err)
{
    struct trace *trace = user;
    struct kg_text text = {0}, categories = {0};
    (void)index;
    kg_text_printf(&categories, "%s%s",
                   path->span                           ? "span,"
                   : path->kind == KGATE_SCOPE_PROFILER ? "profiler,"
                   : path->kind == KGATE_SCOPE_TRANSFER ? "transfer,"
                   : path->kind == KGATE_SCOPE_WAIT     ? "wait,"
                   : path->kind == KGATE_SCOPE_PARALLEL ? "parallel,"
                                                        : "",
                   path->device);
    if (path->backend && strcmp(path->backend, path->device) != 0)
        kg_text_printf(&categories, ",%s", path->backend);
    kg_text_append(&text, ",\"name\":");
    kg_json_print_string(&text, path->name);
    kg_text_append(&text, ",\"cat\":");
    kg_json_print_string(&text, kg_text_string(&categories));
    text.failed = text.failed || categories.failed;
    kg_text_free(&categories);
    return kg_path_texts_add(&trace->paths, path, &text, err);
}

/* --- Entries --------------------------------------------------------------------------------- */

/* The arguments of an event, a JSON object. The first argument opens it. */
struct arguments {
    struct kg_writer *output;
    bool begun;
};

static void argument_name(struct arguments *arguments, const char *name)
{
    kg_writer_string(arguments->output, arguments->begun ? ",\"" : ",\"args\":{\"");
    kg_writer_string(arguments->output, name);
    WRITE(arguments->output, "\":");
    arguments->begun = true;
}

static void argument_count(struct arguments *arguments, const char *name, uint64_t value)
{
    if (!value)
        return;
    argument_name(arguments, name);
    kg_writer_count(arguments->output, value);
}

static void argument_ns(struct arguments *arguments, const char *name, double ns)
{
    if (isnan(ns))
        return;
    argument_name(arguments, name);
    kg_writer_ns(arguments->output, ns);
}

/* Ends the event, too. */
static void arguments_end(const struct arguments *arguments)
{
    kg_writer_string(arguments->output, arguments->begun ? "}}" : "}");
}

static void arguments_write(struct kg_writer *output, const struct kg_profile_entry *entry)
{
    struct arguments arguments = {.output = output};
    argument_count(&arguments, "bytes", entry->bytes);
    argument_count(&arguments, "allocated_bytes", entry->allocated_bytes);
    argument_count(&arguments, "peak_bytes", entry->peak_bytes);
    argument_ns(&arguments, "cpu_ns", entry->cpu_ns);
    argument_ns(&arguments, "gpu_ns", entry->gpu_ns);
    if (entry->unfinished) {
        argument_name(&arguments, "unfinished");
        WRITE(output, "true");
    }
    arguments_end(&arguments);
}

/* The track of a stream, named when it is first seen. */
static bool stream_track(struct trace *trace, const struct kg_profile_entry *entry, uint64_t *track,
                         struct kg_error *err)
{
    char name[48];
    /* Streams are addresses: mixed with the process, two of them have not the same number. */
    const uint64_t key = entry->stream ^ (uint64_t)entry->process * UINT64_C(0x9e3779b97f4a7c15);
    uint64_t *place = kg_map_at(&trace->streams, key);
    if (!place)
        return kg_error_memory(err);
    const bool fresh = !*place;
    if (fresh)
        *place = STREAM_TRACKS + trace->stream_count++;
    *track = *place;
    snprintf(name, sizeof name, "CUDA stream 0x%llx", (unsigned long long)entry->stream);
    return !fresh ||
           metadata(trace, &trace->processes[entry->process], *track, "thread_name", name, err);
}

/* Rounds start and end alike. So inner scopes stay inside. */
static void complete_event(struct trace *trace, const struct kg_profile_entry *entry,
                           uint64_t track, double start_ns, double duration_ns)
{
    const int64_t start = llround(start_ns), end = llround(start_ns + duration_ns);
    event_begin(trace, 'X', &trace->processes[entry->process], track, start);
    WRITE(&trace->output, ",\"dur\":");
    kg_writer_us(&trace->output, end - start);
}

static bool gpu_event(struct trace *trace, const struct kg_profile_entry *entry,
                      struct kg_error *err)
{
    const struct kg_path_text *path = &trace->paths.items[entry->path];
    uint64_t track = 0;
    if (!stream_track(trace, entry, &track, err))
        return false;
    complete_event(trace, entry, track, entry->gpu_start_ns, entry->gpu_ns);
    kg_writer_bytes(&trace->output, path->text, path->length);
    struct arguments arguments = {.output = &trace->output};
    argument_count(&arguments, "bytes", entry->bytes);
    argument_count(&arguments, "thread", entry->thread);
    arguments_end(&arguments);
    return true;
}

/* A span is a pair of asynchronous events. */
static void span_events(struct trace *trace, const struct kg_profile_entry *entry)
{
    const struct kg_path_text *path = &trace->paths.items[entry->path];
    const struct process *process = &trace->processes[entry->process];
    const int64_t start = llround(entry->start_ns);
    const int64_t end = llround(entry->start_ns + entry->duration_ns);
    trace->span_count++;
    event_begin(trace, 'b', process, entry->thread, start);
    member(&trace->output, ",\"id\":", trace->span_count);
    kg_writer_bytes(&trace->output, path->text, path->length);
    arguments_write(&trace->output, entry);
    event_begin(trace, 'e', process, entry->thread, end);
    member(&trace->output, ",\"id\":", trace->span_count);
    kg_writer_bytes(&trace->output, path->text, path->length);
    WRITE(&trace->output, "}");
}

static bool entry_write(void *user, const struct kg_profile_entry *entry, struct kg_error *err)
{
    struct trace *trace = user;
    const struct kg_path_text *path = &trace->paths.items[entry->path];
    if (trace->output.failure)
        return kg_error_set(err, KG_ERROR_SYSTEM, "cannot write the report: %s",
                            strerror(trace->output.failure));
    if (path->span) {
        span_events(trace, entry);
        return true;
    }
    complete_event(trace, entry, entry->thread, entry->start_ns, entry->duration_ns);
    kg_writer_bytes(&trace->output, path->text, path->length);
    arguments_write(&trace->output, entry);
    return isnan(entry->gpu_start_ns) || isnan(entry->gpu_ns) || gpu_event(trace, entry, err);
}

bool kg_profile_trace_write(const struct kg_profile_source *source, FILE *output,
                            struct kg_error *err)
{
    struct trace trace = {0};
    const struct kg_profile_visitor visitor = {.user = &trace,
                                               .process = process_write,
                                               .thread = thread_write,
                                               .path = path_note,
                                               .entry = entry_write};
    if (!kg_writer_open(&trace.output, output, err))
        return false;
    WRITE(&trace.output, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    bool good = source->scan(source, &visitor, err);
    WRITE(&trace.output, "\n]}\n");
    good = kg_writer_close(&trace.output, good, err);
    kg_path_texts_free(&trace.paths);
    kg_map_free(&trace.numbers);
    kg_map_free(&trace.streams);
    free(trace.processes);
    return good;
}

bool kg_profile_trace(int file, const char *path, FILE *output, struct kg_error *err)
{
    const struct kg_profile_source source = kg_profile_source_file(file, path);
    return kg_profile_trace_write(&source, output, err);
}
