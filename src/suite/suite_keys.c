#include "suite/suite_keys.h"

#include <string.h>

#include "base/nearest.h"

const char *const kg_source_names[KG_SOURCE_COUNT + 1] = {
#define KG_SOURCE(constant, key, ...) #key,
#include "model/sources.def"
#undef KG_SOURCE
    NULL,
};

const char *const kg_backend_names[KG_SOURCE_COUNT + 1] = {
#define KG_SOURCE(constant, key, backend, ...) #backend,
#include "model/sources.def"
#undef KG_SOURCE
    NULL,
};

const struct kg_source_facts kg_source_facts[KG_SOURCE_COUNT] = {
#define KG_SOURCE(constant, key, backend, reads, process, help)                                    \
    {.target = KG_TARGET_##reads, .own_process = (process)},
#include "model/sources.def"
#undef KG_SOURCE
};

const struct kg_source_facts *kg_source_find(const char *key)
{
    const size_t i = kg_word_index(key, kg_source_names, KG_SOURCE_COUNT);
    return i < KG_SOURCE_COUNT ? &kg_source_facts[i] : NULL;
}

const char *const kg_device_names[3] = {"cpu", "cuda", NULL};
const char *const kg_timing_names[5] = {"cold", "hot", "graph", "wall", NULL};

static const char *const tracing_names[] = {"no", "yes", NULL};
static const char *const unchanged_names[] = {"usual", "measure", "skip", NULL};

#define SETTING(field) KG_BASE_SETTINGS, offsetof(struct kg_settings, field)
#define THRESHOLD(kind) SETTING(thresholds[KG_METRIC_##kind])
#define POLICY(field) KG_BASE_POLICY, offsetof(struct kg_policy, field)
#define SUGGEST(field) KG_BASE_SUGGEST, offsetof(struct kg_suggest_settings, field)
#define OTHER KG_BASE_OTHER, 0
/* clang-format off */

static const struct kg_key suite_keys[] = {
    {"version", KG_KEY_COUNT, OTHER, "required", "1", "1", NULL, "version of this format"},
    {"suite", KG_KEY_TEXT, OTHER, NULL, NULL, NULL, NULL,
     "name of the suite in reports and baselines; by default the file's name without its ending"},
    {"reports", KG_KEY_SET, POLICY(reports), "markdown,junit", "1", NULL, kg_report_names,
     "what `gate`, `ab` and `compare` leave in the folder of `-o` besides their JSON files "
     "([which file is which](reports.md#files-of-a-gate))"},
    {"policy", KG_KEY_MAPPING, OTHER, NULL, NULL, NULL, NULL, "what fails the gate"},
    {"defaults", KG_KEY_MAPPING, OTHER, NULL, NULL, NULL, NULL, "how to measure and judge"},
    {"suggest", KG_KEY_MAPPING, OTHER, NULL, NULL, NULL, NULL,
     "from where on something is worth a suggestion"},
    {"workloads", KG_KEY_LIST, OTHER, "required", NULL, NULL, NULL, "what to measure, at least one"},
};

static const struct kg_key policy_keys[] = {
    {"fail_on", KG_KEY_SET, POLICY(fail_on), "REGRESSION,FAILED", NULL, NULL, kg_change_names,
     "the changes that fail the gate"},
    {"missing_device", KG_KEY_CHOICE, POLICY(missing_device), "skip", NULL, NULL,
     kg_missing_device_names,
     "what becomes of a case whose device this machine does not have: it is SKIPPED; with `fail` that "
     "fails the gate, with `undecided` a gate in which every case of a device was SKIPPED is UNDECIDED, "
     "and `run` exits 4"},
    {"undecided", KG_KEY_CHOICE, POLICY(undecided), "report", NULL, NULL, kg_undecided_names,
     "what becomes of a gate with a SUSPECT, with more than half of its compared cases undecided, or in which "
     "nothing could be compared: `report` is the verdict UNDECIDED and exit status 4; a first run "
     "that `--update-missing` records passes"},
    {"quarantine.instability", KG_KEY_SHARE, POLICY(instability), "20%", "1%", "1000%", NULL,
     "the median step of a case from one stored run to the next from which on "
     "[quarantine](accepting.md#quarantine) is proposed"},
    {"quarantine.runs", KG_KEY_COUNT, POLICY(stable_runs), "5", "3", "100", NULL,
     "stored runs that are looked at; as many stable ones end a quarantine"},
};

static const struct kg_key default_keys[] = {
#define KG_METRIC(CONSTANT, metric, unit, PROOF, ORIGIN, field, timed, key, key_default,    \
                  key_least, effect_key, words)                                                    \
    {key, KG_KEY_SHARE, THRESHOLD(CONSTANT), key_default, key_least, "1000%", NULL,                \
     "the smallest relative change of " words " that matters"},
#include "model/metrics.def"
#undef KG_METRIC
    {"alpha", KG_KEY_ALPHA, POLICY(alpha), "0.01", NULL, NULL, NULL,
     "false alarms allowed for the whole suite, not for each case; more than 2.5 % counts as 2.5 %; "
     "not in a workload"},
    {"min_effect", KG_KEY_DURATION, SETTING(min_effect_ns), "0ns", "0ns", "1h", NULL,
     "the smallest absolute change of time that matters; 0ns is what the timer resolves"},
    {"min_memory_effect", KG_KEY_SIZE, SETTING(min_memory_effect_bytes), "1MiB", "0B", "1024TiB", NULL,
     "the smallest absolute change of peak memory that matters"},
    {"metrics", KG_KEY_SET, SETTING(metrics), "time,peak_memory", "1", NULL, kg_metric_kind_names,
     "what is compared; `instructions` are counted by the processor, or by Valgrind's Callgrind; `energy` is "
     "that of the whole CPU or GPU while a round is timed, where the machine tells it"},
    {"rounds.min", KG_KEY_COUNT, SETTING(rounds_min), "5", "1", "10000", NULL,
     "rounds of every case, each in a fresh process"},
    {"rounds.max", KG_KEY_COUNT, SETTING(rounds_max), "30", "1", "10000", NULL,
     "rounds after which a doubtful case is left as it is, and the time that pairs may take; at least "
     "`rounds.min`. With `--budget` no limit for a case that may be worse"},
    {"min_time", KG_KEY_DURATION, SETTING(min_time_ns), "50ms", "0ns", "1h", NULL,
     "measured time of a round, from which [shorter and longer ones](#how-long-rounds-are) are chosen"},
    {"warmup", KG_KEY_COUNT, SETTING(warmup), "0", "0", "1000000", NULL,
     "calls before the timed ones in every round, more than the one or few that kgate makes by itself; not "
     "on the GPU, which is warmed up by time"},
    {"disturbance", KG_KEY_SHARE, SETTING(disturbance), "5%", "0.1%", "100%", NULL,
     "the share of a round that it may wait for a CPU. One that waited longer is measured again; one "
     "that waited twice as long decides only a change that its waits cannot explain. 100% takes "
     "every round as it is. No effect where neither a time nor a budget is judged"},
    {"timeout", KG_KEY_DURATION, SETTING(timeout_ns), "60s", "1ms", "24h", NULL,
     "time after which a worker process is killed and its case is FAILED"},
    {"memory_limit", KG_KEY_SIZE, SETTING(memory_limit_bytes), "none", "1MiB", "1024TiB", NULL,
     "address space of a worker process; on the GPU the device memory that a workload asks for"},
    {"devices", KG_KEY_SET, SETTING(devices), "cpu", "1", NULL, kg_device_names,
     "where to run; each device is a case of its own"},
    {"timing", KG_KEY_SET, SETTING(timings), "cold", "1", NULL, kg_timing_names,
     "what is timed on the GPU: `cold` one call with the L2 cache flushed, `hot` calls back to back, "
     "`graph` the same replayed as a CUDA graph, `wall` one call by the host's clock; each is a case "
     "of its own"},
    {"trace", KG_KEY_CHOICE, SETTING(trace), "yes", NULL, NULL, tracing_names,
     "whether to look apart from the rounds: on the GPU at what a call puts there (kernels, "
     "occupancy, transfers, gaps), on the CPU at its time with one thread and where its time "
     "goes (`sample_time`); and at what the device can do"},
    {"sample_time", KG_KEY_DURATION, SETTING(sample_time_ns), "500ms", "0ns", "1min", NULL,
     "how long the functions of a case on the CPU are looked at, apart from the rounds; `0ns` leaves "
     "that out, as `trace: no` does"},
    {"unchanged_code", KG_KEY_CHOICE, SETTING(unchanged_code), "usual", NULL, NULL, unchanged_names,
     "whether a case is measured whose machine code, libraries, definition and machine are those of the baseline "
     "(the base): `usual` is `measure` in `gate`, and in `ab` `skip` unless files may differ"},
    {"pin", KG_KEY_PIN, SETTING(pin), "none", "0", "1023", NULL,
     "the CPU to run on: its number, `auto` to let kgate choose, or `none` for all"},
    {"threads", KG_KEY_COUNT, SETTING(threads), "all", "1", "65536", NULL,
     "threads of a workload; `all` is one for each CPU that it may use, or `OMP_NUM_THREADS` of the "
     "environment"},
    {"seed", KG_KEY_COUNT, SETTING(seed), "1", "0", "18446744073709551615", NULL,
     "seed of random input: the same seed, the same input"},
    {"check_seed", KG_KEY_COUNT, SETTING(check_seed), "0", "0", "9007199254740991", NULL,
     "seed of the rows and projections that a check draws: that of a result repeats its check; `0` draws "
     "it anew in each run"},
};

static const struct kg_key suggest_keys[] = {
    {"small_call", KG_KEY_DURATION, SUGGEST(small_call_ns), "1ms", "1ns", "1h", NULL,
     "a call that takes less is small: it may be cheaper on the CPU, in a batch, or kept"},
    {"large_call", KG_KEY_DURATION, SUGGEST(large_call_ns), "10ms", "1ns", "1h", NULL,
     "a call on the CPU that takes more may be worth the way to the GPU"},
    {"batch_calls", KG_KEY_COUNT, SUGGEST(batch_calls), "10", "2", "1000000000", NULL,
     "calls of the same operation, one after the other, from which on they may be made one"},
    {"cache_calls", KG_KEY_COUNT, SUGGEST(cache_calls), "100", "2", "1000000000", NULL,
     "small calls of the same operation from which on keeping what they give may be cheaper"},
    {"memory", KG_KEY_SIZE, SUGGEST(memory_bytes), "100MB", "1B", "1024TiB", NULL,
     "memory of which an operation that takes more is asked why"},
    {"utilization", KG_KEY_SHARE, SUGGEST(utilization), "50%", "1%", "100%", NULL,
     "the share of the cores, or of what the GPU can hold, under which parallelism is missing"},
    {"gap_share", KG_KEY_SHARE, SUGGEST(gap_share), "20%", "1%", "100%", NULL,
     "the share of the time, spent on starting work, from which on that is what to mend"},
    {"wait_share", KG_KEY_SHARE, SUGGEST(wait_share), "20%", "1%", "100%", NULL,
     "the share of the time, spent on waiting or on transfers, from which on that is what to mend"},
    {"imbalance", KG_KEY_SHARE, SUGGEST(imbalance), "30%", "1%", "10000%", NULL,
     "how much more than an even share the busiest thread may have to do"},
    {"line_waste", KG_KEY_SHARE, SUGGEST(line_waste), "100%", "1%", "10000%", NULL,
     "cache lines brought in beyond the bytes that the work needs, over those bytes"},
    {"growth", KG_KEY_SHARE, SUGGEST(growth), "30%", "1%", "1000%", NULL,
     "over a sweep, by how much the exponent that time grows with may be above the work's"},
    {"bound_share", KG_KEY_SHARE, SUGGEST(bound_share), "50%", "1%", "100%", NULL,
     "the share of a roof from which on it is what limits"},
    {"attainable", KG_KEY_SHARE, SUGGEST(attainable), "80%", "1%", "100%", NULL,
     "the share of a roof that a well-made kernel reaches: what estimates assume"},
    {"min_gain", KG_KEY_SHARE, SUGGEST(min_gain), "10%", "0.1%", "99%", NULL,
     "the least share of the time that a suggestion must save"},
};

/* The key's type for each value of enum kg_target. */
#define KEY_OF_NAME KG_KEY_TEXT
#define KEY_OF_FILE KG_KEY_TEXT
#define KEY_OF_CODE KG_KEY_TEXT
#define KEY_OF_WORDS KG_KEY_WORDS

static const struct kg_key workload_keys[] = {
    {"name", KG_KEY_TEXT, OTHER, "required", NULL, NULL, NULL,
     "unique name: letters, digits, `_`, `.` and `-`, at most 100"},
#define KG_SOURCE(constant, key, backend, reads, process, help)                                    \
    {#key, KEY_OF_##reads, OTHER, NULL, NULL, NULL, NULL, help},
#include "model/sources.def"
#undef KG_SOURCE
    {"workload", KG_KEY_TEXT, OTHER, NULL, NULL, NULL, NULL,
     "with `plugin`: the workload in it; by default `name`"},
    {"format", KG_KEY_TEXT, OTHER, NULL, NULL, NULL, NULL,
     "with `command`: it is a program of another harness, `google-benchmark` or `nvbench`; each of its benchmarks is "
     "a case ([adapters.md](adapters.md))"},
    {"environment", KG_KEY_MAPPING, OTHER, NULL, NULL, NULL, NULL,
     "with `command`: variables besides those that kgate was started with"},
    {"directory", KG_KEY_TEXT, OTHER, NULL, NULL, NULL, NULL,
     "with `command`: the folder to run in, relative to the suite's file; by default that in which kgate was "
     "started"},
    {"stdin", KG_KEY_TEXT, OTHER, NULL, NULL, NULL, NULL,
     "with `command`: a file for standard input, relative to the suite's file; by default there is none"},
    {"exit_codes", KG_KEY_WORDS, OTHER, NULL, NULL, NULL, NULL,
     "with `command`: the exit statuses that are no failure, 0 to 255; by default `[0]`"},
    {"setup", KG_KEY_WORDS, OTHER, NULL, NULL, NULL, NULL,
     "with `command`: a command to run once before the calls of a process, untimed"},
    {"cleanup", KG_KEY_WORDS, OTHER, NULL, NULL, NULL, NULL,
     "with `command`: a command to run once after them, untimed, however the process ends"},
    {"params", KG_KEY_MAPPING, OTHER, NULL, NULL, NULL, NULL, "parameters with one value each"},
    {"matrix", KG_KEY_MAPPING, OTHER, NULL, NULL, NULL, NULL,
     "parameters with several values each; every combination is a case"},
    {"budget", KG_KEY_MAPPING, OTHER, NULL, NULL, NULL, NULL,
     "absolute limits, besides the baseline, on kgate's own metrics and on what `counters` names"},
    {"counters", KG_KEY_MAPPING, OTHER, NULL, NULL, NULL, NULL,
     "figures that the workload itself reports, each with `better` (`lower` or `higher`) and "
     "`threshold`"},
    {"tags", KG_KEY_WORDS, OTHER, NULL, NULL, NULL, NULL,
     "words to group workloads by, same characters as a name: `--filter tag:NAME` measures those of a tag"},
    {"reference", KG_KEY_TEXT, OTHER, NULL, NULL, NULL, NULL,
     "what the other versions are compared with, and nobody is told to replace: a value of the "
     "parameter `version`, or `yes` for the whole workload"},
};
/* clang-format on */

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

const struct kg_key_table kg_suite_keys = {
    "the suite", "The top level. Keys that begin with `x-` are ignored: a place for anchors.",
    suite_keys, COUNT(suite_keys)};
const struct kg_key_table kg_policy_keys = {"policy", "In `policy`.", policy_keys,
                                            COUNT(policy_keys)};
const struct kg_key_table kg_default_keys = {
    "defaults", "In `defaults`, and all but `alpha` in a workload too, where they override.",
    default_keys, COUNT(default_keys)};
const struct kg_key_table kg_suggest_keys = {
    "suggest", "In `suggest`: the thresholds of suggestions. They change no verdict.", suggest_keys,
    COUNT(suggest_keys)};
const struct kg_key_table kg_workload_keys = {"workload",
                                              "In an entry of `workloads`. Of "
#define KG_SOURCE(constant, key, ...) "`" #key "`, "
#include "model/sources.def"
#undef KG_SOURCE
                                              "exactly one must be given.",
                                              workload_keys, COUNT(workload_keys)};

const struct kg_key *kg_key_find(const struct kg_key_table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++)
        if (!strcmp(table->keys[i].name, name))
            return &table->keys[i];
    return NULL;
}

bool kg_key_is_suite_wide(const struct kg_key *key)
{
    return key->base == KG_BASE_POLICY;
}
