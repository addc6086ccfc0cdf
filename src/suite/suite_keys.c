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

static const char *const tracing_names[] = {"no", "peaks", "yes", NULL};
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
     "name in reports and baselines. Default: the file's name without its ending"},
    {"history", KG_KEY_TEXT, OTHER, NULL, NULL, NULL, NULL,
     "[database](history.md) of `kgate history`: a path, relative to the suite, or `postgresql://...`"},
    {"reports", KG_KEY_SET, POLICY(reports), "markdown,junit", "1", NULL, kg_report_names,
     "[reports](reports.md#files-of-a-gate) of `gate`, `ab`, `compare` and `run` in the folder of `-o`, besides JSON"},
    {"policy", KG_KEY_MAPPING, OTHER, NULL, NULL, NULL, NULL, "rules for the gate's verdict"},
    {"defaults", KG_KEY_MAPPING, OTHER, NULL, NULL, NULL, NULL, "settings of measurement and verdict"},
    {"suggest", KG_KEY_MAPPING, OTHER, NULL, NULL, NULL, NULL,
     "limits from which kgate makes a suggestion"},
    {"workloads", KG_KEY_LIST, OTHER, "required", NULL, NULL, NULL, "workloads to measure, at least one"},
};

static const struct kg_key policy_keys[] = {
    {"fail_on", KG_KEY_SET, POLICY(fail_on), "REGRESSION,FAILED", NULL, NULL, kg_change_names,
     "changes that fail the gate"},
    {"missing_device", KG_KEY_CHOICE, POLICY(missing_device), "skip", NULL, NULL,
     kg_missing_device_names,
     "result if the machine lacks a case's device. The case is SKIPPED. `fail`: the gate fails. "
     "`undecided`: the gate is UNDECIDED if all cases of a device are SKIPPED; `run` exits 4"},
    {"undecided", KG_KEY_CHOICE, POLICY(undecided), "report", NULL, NULL, kg_undecided_names,
     "verdict of a gate with a SUSPECT, with most compared cases undecided, or without a compared case. "
     "`report`: UNDECIDED, exit status 4. A first run that `--update-missing` records passes"},
    {"missing", KG_KEY_SHARE, POLICY(missing), "0%", "0%", "100%", NULL,
     "share of MISSING cases that [`merge`](fleet.md) accepts; with more the gate is UNDECIDED"},
    {"quarantine.instability", KG_KEY_SHARE, POLICY(instability), "20%", "1%", "1000%", NULL,
     "median step between stored runs above which kgate proposes [quarantine](accepting.md#quarantine)"},
    {"quarantine.runs", KG_KEY_COUNT, POLICY(stable_runs), "5", "3", "100", NULL,
     "stored runs to examine; as many stable runs end a quarantine"},
};

static const struct kg_key default_keys[] = {
#define KG_METRIC(CONSTANT, metric, unit, PROOF, ORIGIN, field, timed, key, key_default,    \
                  key_least, effect_key, words)                                                    \
    {key, KG_KEY_SHARE, THRESHOLD(CONSTANT), key_default, key_least, "1000%", NULL,                \
     "smallest change of " words " that matters"},
#include "model/metrics.def"
#undef KG_METRIC
    {"alpha", KG_KEY_ALPHA, POLICY(alpha), "0.01", NULL, NULL, NULL,
     "share of false alarms of the whole suite, not per case. Above 2.5 % it counts as 2.5 %"},
    {"min_effect", KG_KEY_DURATION, SETTING(min_effect_ns), "0ns", "0ns", "1h", NULL,
     "smallest absolute change of time that matters. `0ns`: the timer's resolution"},
    {"min_memory_effect", KG_KEY_SIZE, SETTING(min_memory_effect_bytes), "1MiB", "0B", "1024TiB", NULL,
     "smallest absolute change of peak memory that matters"},
    {"metrics", KG_KEY_SET, SETTING(metrics), "time,peak_memory", "1", NULL, kg_metric_kind_names,
     "[metrics](#metrics) to compare"},
    {"rounds.min", KG_KEY_COUNT, SETTING(rounds_min), "5", "1", "10000", NULL,
     "rounds per case, each in a fresh process"},
    {"rounds.max", KG_KEY_COUNT, SETTING(rounds_max), "30", "1", "10000", NULL,
     "rounds, at least `rounds.min`, after which a case stays undecided. Also limits the time of pairs. "
     "With `--budget` no limit for a case that may be worse"},
    {"min_time", KG_KEY_DURATION, SETTING(min_time_ns), "50ms", "0ns", "1h", NULL,
     "measured time per round; with `energy` 1 s. [Rounds can be shorter or longer](#how-long-rounds-are)"},
    {"iterations", KG_KEY_COUNT, SETTING(iterations), "0", "0", "1000000000", NULL,
     "timed calls per round, at least, instead of `min_time`. `0`: by time"},
    {"warmup", KG_KEY_COUNT, SETTING(warmup), "0", "0", "1000000", NULL,
     "untimed calls at the start of each round, besides kgate's own. Not on the GPU"},
    {"disturbance", KG_KEY_SHARE, SETTING(disturbance), "5%", "0.1%", "100%", NULL,
     "largest share of a round spent waiting for a CPU. kgate repeats a round that waited longer. A round "
     "that waited twice as long decides only a change larger than its waits. `100%`: accept every round"},
    {"timeout", KG_KEY_DURATION, SETTING(timeout_ns), "60s", "1ms", "24h", NULL,
     "time after which kgate kills a worker process; its case is FAILED"},
    {"memory_limit", KG_KEY_SIZE, SETTING(memory_limit_bytes), "none", "1MiB", "1024TiB", NULL,
     "address space of a worker process; on the GPU the device memory that a workload allocates"},
    {"devices", KG_KEY_SET, SETTING(devices), "cpu", "1", NULL, kg_device_names,
     "devices to run on; each is a case"},
    {"timing", KG_KEY_SET, SETTING(timings), "cold", "1", NULL, kg_timing_names,
     "[timing modes](gpu.md#timing) on the GPU; each is a case"},
    {"trace", KG_KEY_CHOICE, SETTING(trace), "yes", NULL, NULL, tracing_names,
     "profile apart from the rounds ([CPU](suggestions.md#evidence), [GPU](gpu.md#a-calls-trace)), and peaks "
     "of the device. `peaks`: these alone"},
    {"sample_time", KG_KEY_DURATION, SETTING(sample_time_ns), "500ms", "0ns", "1min", NULL,
     "time to sample the functions of a case on the CPU. `0ns` or `trace: no`: none"},
    {"unchanged_code", KG_KEY_CHOICE, SETTING(unchanged_code), "usual", NULL, NULL, unchanged_names,
     "treatment of a case with [unchanged code](#code-that-did-not-change). `usual`: `measure` in `gate`; in "
     "`ab` `skip`, unless files may differ"},
    {"pin", KG_KEY_PIN, SETTING(pin), "none", "0", "1023", NULL,
     "CPU to run on. `auto`: kgate chooses. `none`: all"},
    {"threads", KG_KEY_COUNT, SETTING(threads), "all", "1", "65536", NULL,
     "threads of a workload. `all`: one per CPU that it may use, or `OMP_NUM_THREADS`"},
    {"seed", KG_KEY_COUNT, SETTING(seed), "1", "0", "18446744073709551615", NULL,
     "seed of random input"},
    {"check_seed", KG_KEY_COUNT, SETTING(check_seed), "0", "0", "9007199254740991", NULL,
     "seed of the rows and projections that a check draws. The seed in a result repeats its check. `0`: a "
     "new seed per run"},
};

static const struct kg_key suggest_keys[] = {
    {"small_call", KG_KEY_DURATION, SUGGEST(small_call_ns), "1ms", "1ns", "1h", NULL,
     "time below which a call may be cheaper on the CPU, in a batch or cached"},
    {"large_call", KG_KEY_DURATION, SUGGEST(large_call_ns), "10ms", "1ns", "1h", NULL,
     "time above which a call on the CPU may be faster on the GPU"},
    {"batch_calls", KG_KEY_COUNT, SUGGEST(batch_calls), "10", "2", "1000000000", NULL,
     "consecutive calls of an operation from which kgate suggests one batch"},
    {"cache_calls", KG_KEY_COUNT, SUGGEST(cache_calls), "100", "2", "1000000000", NULL,
     "small calls of an operation from which kgate suggests a cache of results"},
    {"memory", KG_KEY_SIZE, SUGGEST(memory_bytes), "100MB", "1B", "1024TiB", NULL,
     "peak memory above which kgate suggests saving memory"},
    {"utilization", KG_KEY_SHARE, SUGGEST(utilization), "50%", "1%", "100%", NULL,
     "share of the cores, or of the GPU's capacity, below which kgate suggests more parallelism"},
    {"gap_share", KG_KEY_SHARE, SUGGEST(gap_share), "20%", "1%", "100%", NULL,
     "share of the time for starting work from which kgate suggests fixing it"},
    {"wait_share", KG_KEY_SHARE, SUGGEST(wait_share), "20%", "1%", "100%", NULL,
     "share of the time for waiting or transfers from which kgate suggests fixing it"},
    {"imbalance", KG_KEY_SHARE, SUGGEST(imbalance), "30%", "1%", "10000%", NULL,
     "largest accepted excess of the busiest thread over an even share"},
    {"line_waste", KG_KEY_SHARE, SUGGEST(line_waste), "100%", "1%", "10000%", NULL,
     "unneeded bytes of the fetched cache lines, relative to the needed bytes"},
    {"growth", KG_KEY_SHARE, SUGGEST(growth), "30%", "1%", "1000%", NULL,
     "largest accepted excess of the exponent of time over the exponent of work, in a sweep"},
    {"bound_share", KG_KEY_SHARE, SUGGEST(bound_share), "50%", "1%", "100%", NULL,
     "smallest share of a peak that counts as the bottleneck"},
    {"attainable", KG_KEY_SHARE, SUGGEST(attainable), "80%", "1%", "100%", NULL,
     "share of a peak that a good kernel reaches; estimates assume it"},
    {"min_gain", KG_KEY_SHARE, SUGGEST(min_gain), "10%", "0.1%", "99%", NULL,
     "smallest share of the time that a suggestion must save"},
};

/* The key's type for each value of enum kg_target. */
#define KEY_OF_NAME KG_KEY_TEXT
#define KEY_OF_FILE KG_KEY_TEXT
#define KEY_OF_CODE KG_KEY_TEXT
#define KEY_OF_WORDS KG_KEY_WORDS

static const struct kg_key workload_keys[] = {
    {"name", KG_KEY_TEXT, OTHER, "required", NULL, NULL, NULL,
     "unique name: at most 100 letters, digits, `_`, `.` and `-`"},
#define KG_SOURCE(constant, key, backend, reads, process, help)                                    \
    {#key, KEY_OF_##reads, OTHER, NULL, NULL, NULL, NULL, help},
#include "model/sources.def"
#undef KG_SOURCE
    {"workload", KG_KEY_TEXT, OTHER, NULL, NULL, NULL, NULL,
     "with `plugin`: name of the workload in it. Default: `name`"},
    {"format", KG_KEY_TEXT, OTHER, NULL, NULL, NULL, NULL,
     "with `command`: harness of the program, `google-benchmark` or `nvbench`; "
     "[each of its benchmarks is a case](adapters.md)"},
    {"environment", KG_KEY_MAPPING, OTHER, NULL, NULL, NULL, NULL,
     "with `command`: variables besides kgate's own environment"},
    {"directory", KG_KEY_TEXT, OTHER, NULL, NULL, NULL, NULL,
     "with `command`: working directory, relative to the suite's file. Default: kgate's own"},
    {"stdin", KG_KEY_TEXT, OTHER, NULL, NULL, NULL, NULL,
     "with `command`: file for standard input, relative to the suite's file"},
    {"exit_codes", KG_KEY_WORDS, OTHER, NULL, NULL, NULL, NULL,
     "with `command`: exit statuses of success, 0 to 255. Default: `[0]`"},
    {"setup", KG_KEY_WORDS, OTHER, NULL, NULL, NULL, NULL,
     "with `command`: untimed command before the calls of a process"},
    {"cleanup", KG_KEY_WORDS, OTHER, NULL, NULL, NULL, NULL,
     "with `command`: untimed command after the calls of a process, also after a failure"},
    {"params", KG_KEY_MAPPING, OTHER, NULL, NULL, NULL, NULL, "parameters with one value each"},
    {"matrix", KG_KEY_MAPPING, OTHER, NULL, NULL, NULL, NULL,
     "parameters with several values; every combination is a case"},
    {"budget", KG_KEY_MAPPING, OTHER, NULL, NULL, NULL, NULL,
     "[absolute limits](#budgets) of metrics and counters"},
    {"counters", KG_KEY_MAPPING, OTHER, NULL, NULL, NULL, NULL,
     "metrics that the workload reports, each with `better` (`lower` or `higher`) and `threshold`"},
    {"tags", KG_KEY_WORDS, OTHER, NULL, NULL, NULL, NULL,
     "groups for `--filter tag:NAME`; characters as in a name"},
    {"reference", KG_KEY_TEXT, OTHER, NULL, NULL, NULL, NULL,
     "reference version: a value of `version`, or `yes` for the whole workload. kgate compares other versions "
     "with it, and never suggests to replace it"},
};
/* clang-format on */

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

const struct kg_key_table kg_suite_keys = {"the suite", "The top level.", suite_keys,
                                           COUNT(suite_keys)};
const struct kg_key_table kg_policy_keys = {"policy", "In `policy`.", policy_keys,
                                            COUNT(policy_keys)};
const struct kg_key_table kg_default_keys = {
    "defaults",
    "In `defaults`. A workload can have every key except `alpha`, and overrides the default.",
    default_keys, COUNT(default_keys)};
const struct kg_key_table kg_suggest_keys = {
    "suggest", "In `suggest`: limits of suggestions. They change no verdict.", suggest_keys,
    COUNT(suggest_keys)};
const struct kg_key_table kg_workload_keys = {"workload",
                                              "In an entry of `workloads`. Give one:"
#define KG_SOURCE(constant, key, ...) " `" #key "`"
#include "model/sources.def"
#undef KG_SOURCE
                                              ".",
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
