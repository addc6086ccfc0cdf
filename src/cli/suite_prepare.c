/* suite_prepare.c: makes a suite and its plan from the options of a subcommand; cli.h declares it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/nearest.h"
#include "cli/ab_sides.h"
#include "run/discover.h"

/* Splits --rounds N or MIN..MAX into two keys. */
static bool rounds_set(const char *rounds, char keys[2][64], struct kg_error *err)
{
    const char *dots = strstr(rounds, "..");
    const int length = dots ? (int)(dots - rounds) : (int)strlen(rounds);
    if (length && length < 30 && (!dots || (dots[2] && strlen(dots) < 30)) &&
        strspn(rounds, "0123456789") == (size_t)length) {
        snprintf(keys[0], sizeof keys[0], "rounds.min=%.*s", length, rounds);
        snprintf(keys[1], sizeof keys[1], "rounds.max=%.30s", dots ? dots + 2 : rounds);
        return true;
    }
    return kg_error_set(err, KG_ERROR_USAGE,
                        "--rounds is '%.60s', but must be a number, or two as 5..30", rounds);
}

/* Makes the overrides of the suite's defaults from the options. --set comes last, so it wins. */
static bool overrides_make(const struct kg_arguments *arguments, struct kg_arena *arena,
                           const char *set[KG_TEXTS_MOST + 8], size_t *count, struct kg_error *err)
{
    const struct {
        const char *key, *value;
    } keys[] = {{"threshold", arguments->threshold},
                {"min_effect", arguments->min_effect},
                {"warmup", arguments->warmup},
                {"unchanged_code", arguments->skip_unchanged      ? "skip"
                                   : arguments->measure_unchanged ? "measure"
                                                                  : NULL}};
    char rounds[2][64];
    *count = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].value)
            set[(*count)++] = kg_arena_printf(arena, "%s=%s", keys[i].key, keys[i].value);
    if (arguments->rounds && !rounds_set(arguments->rounds, rounds, err))
        return false;
    for (size_t i = 0; i < 2 && arguments->rounds; i++)
        set[(*count)++] = kg_arena_copy(arena, rounds[i]);
    for (size_t i = 0; i < arguments->set.count; i++)
        set[(*count)++] = arguments->set.at[i];
    return true;
}

static bool workload_known(const struct kg_suite *suite, const char *name)
{
    for (size_t i = 0; i < suite->workload_count; i++)
        if (!strcmp(suite->workloads[i].name, name))
            return true;
    return false;
}

/* Adds the workloads that only the working tree's suite has. kgate measures them but does not judge them. If that suite
 * is unreadable, adds none; the edits of the trust already name the file. */
static void untrusted_add(struct kg_prepared *prepared, const char *path, const char *const *set,
                          size_t count)
{
    struct kg_error unread;
    struct kg_suite *suite = &prepared->suite, *head = &prepared->head;
    if (!kg_suite_load(path, set, count, head, &unread))
        return;
    struct kg_workload_spec *all =
        kg_arena_alloc(&prepared->arena, suite->workload_count + head->workload_count, sizeof *all);
    prepared->untrusted =
        kg_arena_alloc(&prepared->arena, head->workload_count, sizeof *prepared->untrusted);
    memcpy(all, suite->workloads, suite->workload_count * sizeof *all);
    size_t all_count = suite->workload_count;
    for (size_t i = 0; i < head->workload_count; i++)
        if (!workload_known(suite, head->workloads[i].name)) {
            prepared->untrusted[prepared->untrusted_count++] = head->workloads[i].name;
            all[all_count++] = head->workloads[i];
        }
    suite->workloads = all;
    suite->workload_count = all_count;
}

/* Loads the suite of --trust. Does not search for it, because a search would find files that the change adds or
 * removes. */
static bool trusted_load(const struct kg_arguments *arguments, const char *const *set, size_t count,
                         struct kg_prepared *prepared, struct kg_error *err)
{
    const char *path = arguments->suite ? arguments->suite : KG_SUITE_FILE;
    struct kg_text text = {0};
    bool there;
    prepared->trusted = true;
    bool good = kg_trust_open(arguments->trust, &prepared->trust, err) &&
                kg_trust_read(&prepared->trust, path, KG_TRUST_SUITE, &text, &there, err);
    if (good && !there)
        good = kg_error_set(err, KG_ERROR_UNDECIDED,
                            "%s has no '%.300s', so kgate cannot judge this change by it. Once the "
                            "suite is merged, it can",
                            prepared->trust.words, path);
    if (good && !kg_suite_parse(path, kg_text_string(&text), text.length, set, count,
                                &prepared->suite, err))
        good = kg_error_wrap(err, "in %s", prepared->trust.words);
    kg_text_free(&text);
    if (good)
        untrusted_add(prepared, path, set, count);
    return good;
}

bool kg_prepare_trusted(const struct kg_arguments *arguments, const char *suite,
                        struct kg_prepared *prepared, struct kg_error *err)
{
    struct kg_arguments with = *arguments;
    with.suite = suite;
    *prepared = (struct kg_prepared){0};
    return trusted_load(&with, NULL, 0, prepared, err) &&
           kg_cli_waiving_prepared(&with, prepared, err);
}

/* yaml  the suite in memory; NULL: the suite of --suite, or the default suite */
static bool suite_load(const struct kg_arguments *arguments, const struct kg_text *yaml,
                       struct kg_prepared *prepared, struct kg_error *err)
{
    struct kg_arena *arena = &prepared->arena;
    struct kg_suite *suite = &prepared->suite;
    const char *set[KG_TEXTS_MOST + 8], *path = arguments->suite;
    size_t count;
    if (!overrides_make(arguments, arena, set, &count, err))
        return false;
    if (yaml && arguments->trust)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "--trust needs a suite: give -c SUITE with --base and --head");
    if (yaml)
        return kg_suite_parse("", kg_text_string(yaml), yaml->length, set, count, suite, err);
    if (arguments->trust)
        return trusted_load(arguments, set, count, prepared, err);
    if (!path && !kg_suite_find(arena, &path, err))
        return false;
    if (!arguments->suite && !arguments->quiet)
        fprintf(stderr, "kgate: suite %s%s\n", path,
                strchr(path, '/') ? "; its relative paths begin in this folder" : "");
    return kg_suite_load(path, set, count, suite, err);
}

/* Asks programs of other harnesses for their benchmarks, for two builds the programs of both. */
static bool benchmarks_find(const struct kg_sides *sides, struct kg_prepared *prepared,
                            struct kg_error *err)
{
    const bool two = sides && sides->kind == KG_SIDES_BUILDS;
    const struct kg_plan_options all = {0};
    struct kg_build builds[2];
    if (!kg_discover_needed(&prepared->suite))
        return true;
    for (size_t side = 0; two && side < 2; side++)
        if (!kg_build_resolve(&prepared->arena, sides->labels[side], sides->given[side],
                              &builds[side], err))
            return false;
    if (!kg_plan_make(&prepared->suite, &prepared->machine, &all, &prepared->plan, err))
        return false;
    const struct kg_prepared_suite what = kg_prepared_what(prepared);
    const bool good =
        kg_discover(&what, two ? &builds[1] : NULL, two ? &builds[0] : NULL, &prepared->suite, err);
    kg_plan_free(&prepared->plan);
    return good;
}

bool kg_prepared_untrusted(const struct kg_prepared *prepared, const struct kg_case *planned)
{
    return kg_word_is_among(planned->spec->name, prepared->untrusted, prepared->untrusted_count);
}

/* A workload that only the change has uses the change's data. */
static bool data_find(void *user, const struct kg_case *planned, const char *given,
                      const char **path, struct kg_error *err)
{
    struct kg_prepared *prepared = user;
    *path = given;
    return kg_prepared_untrusted(prepared, planned) ||
           kg_trust_data(&prepared->trust, given, path, err);
}

bool kg_prepare(const struct kg_arguments *arguments, struct kg_prepared *prepared,
                struct kg_error *err)
{
    return kg_prepare_suite(arguments, NULL, NULL, prepared, err);
}

/* Describes the options that left cases out. With `--shard auto` it names the numbers. */
static void left_out_set(const struct kg_arguments *arguments, struct kg_prepared *prepared)
{
    struct kg_arena *arena = &prepared->arena;
    const struct kg_shard *shard = &prepared->shard;
    const char *filter =
        arguments->filter
            ? kg_arena_printf(arena, "--%s %s", arguments->filter_option, arguments->filter)
            : "";
    const char *numbers =
        shard->count ? kg_arena_printf(arena, "--shard %zu/%zu", shard->index, shard->count) : "";
    if (prepared->plan.left_out)
        prepared->left_out =
            kg_arena_printf(arena, "%s%s%s", filter, *filter && *numbers ? " " : "", numbers);
}

/* Names cases near a filter that matches none. */
static bool unmatched_refuse(const struct kg_arguments *arguments, struct kg_prepared *prepared,
                             struct kg_error *err)
{
    const struct kg_plan_options all = {0};
    struct kg_plan plan;
    struct kg_text near = {0};
    if (!arguments->filter)
        return kg_error_set(err, KG_ERROR_USAGE, "the suite has no case");
    if (!kg_plan_make(&prepared->suite, &prepared->machine, &all, &plan, err))
        return false;
    const char **ids = kg_arena_alloc(&prepared->arena, plan.case_count, sizeof *ids);
    for (size_t i = 0; i < plan.case_count; i++)
        ids[i] = plan.cases[i].id;
    kg_suggest_few_append(&near, arguments->filter, ids, plan.case_count, "the cases are");
    kg_error_set(err, KG_ERROR_USAGE, "no case of the suite matches --%s '%.200s'%s",
                 arguments->filter_option, arguments->filter, kg_text_string(&near));
    kg_text_free(&near);
    kg_plan_free(&plan);
    return false;
}

static bool empty_refuse(const struct kg_arguments *arguments, struct kg_prepared *prepared,
                         struct kg_error *err)
{
    const struct kg_shard *shard = &prepared->shard;
    if (!shard->cases)
        return unmatched_refuse(arguments, prepared, err);
    return kg_error_set(err, KG_ERROR_NOTHING,
                        "shard %zu of %zu measures nothing: the other shards have all %zu case%s",
                        shard->index, shard->count, shard->cases, shard->cases == 1 ? "" : "s");
}

static bool shard_plan_read(const struct kg_arguments *arguments, struct kg_prepared *prepared,
                            struct kg_error *err)
{
    struct kg_shard *shard = &prepared->shard;
    if (!arguments->plan)
        return true;
    if (!shard->count)
        return kg_error_set(err, KG_ERROR_USAGE, "--plan needs --shard I/N or --shard auto");
    if (!kg_shard_plan_load(arguments->plan, prepared->suite.name, shard->count,
                            &prepared->shard_plan, err))
        return false;
    shard->plan = prepared->shard_plan.hash;
    return true;
}

static int by_id(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Number of cases of the shard plan that the suite lacks.
 * first  the first of them */
static size_t planned_lost(struct kg_prepared *prepared, const char **first)
{
    const struct kg_plan *plan = &prepared->plan;
    const struct kg_shard_plan *planned = &prepared->shard_plan;
    const size_t count = prepared->shard.cases;
    const char **ids = kg_arena_alloc(&prepared->arena, count, sizeof *ids);
    size_t lost = 0;
    for (size_t i = 0; i < count; i++)
        ids[i] =
            i < plan->case_count ? plan->cases[i].id : plan->elsewhere[i - plan->case_count].id;
    if (count)
        qsort(ids, count, sizeof *ids, by_id);
    for (size_t i = 0; i < planned->case_count; i++)
        if (!count || !bsearch(&planned->cases[i].id, ids, count, sizeof *ids, by_id))
            *first = lost++ ? *first : planned->cases[i].id;
    return lost;
}

/* Notes the differences between the shard plan and the suite. Every shard notes them, as no shard knows of others. */
static void shard_plan_compare(const struct kg_arguments *arguments, struct kg_prepared *prepared)
{
    const struct kg_plan *plan = &prepared->plan;
    const bool is_filtered = plan->left_out > plan->elsewhere_count;
    const char *first = NULL;
    if (!arguments->plan || arguments->quiet)
        return;
    const size_t lost = is_filtered ? 0 : planned_lost(prepared, &first);
    if (plan->unplanned)
        fprintf(stderr,
                "kgate: note: %s lacks %zu case%s of the suite, the first is %s. kgate chooses a "
                "shard by the id; `kgate plan` makes a new plan\n",
                arguments->plan, plan->unplanned, plan->unplanned == 1 ? "" : "s",
                plan->unplanned_id);
    if (lost)
        fprintf(stderr, "kgate: note: the suite lacks %zu case%s of %s, the first is %s\n", lost,
                lost == 1 ? "" : "s", arguments->plan, first);
}

/* Hash of what a case measures and how kgate judges it. */
static uint64_t case_hash(const struct kg_case *planned)
{
    const struct kg_settings *settings = &planned->spec->settings;
    uint64_t hash = kg_hash_string(KG_HASH_START, planned->id);
    hash = kg_hash_string(hash, planned->definition_hash);
    hash = kg_hash_bytes(hash, settings->thresholds, sizeof settings->thresholds);
    hash = kg_hash_bytes(hash, &settings->min_effect_ns, sizeof settings->min_effect_ns);
    hash = kg_hash_bytes(hash, &settings->min_memory_effect_bytes,
                         sizeof settings->min_memory_effect_bytes);
    hash = kg_hash_bytes(hash, &settings->metrics, sizeof settings->metrics);
    hash = kg_hash_bytes(hash, &settings->rounds_min, sizeof settings->rounds_min);
    hash = kg_hash_bytes(hash, &settings->rounds_max, sizeof settings->rounds_max);
    hash = kg_hash_bytes(hash, &settings->min_time_ns, sizeof settings->min_time_ns);
    hash = kg_hash_bytes(hash, &settings->iterations, sizeof settings->iterations);
    return kg_hash_bytes(hash, &settings->disturbance, sizeof settings->disturbance);
}

/* Hash of the cases of all shards, in any order: every shard of a run has the same one. */
static const char *definition_make(struct kg_prepared *prepared)
{
    const struct kg_plan *plan = &prepared->plan;
    uint64_t sum = 0;
    for (size_t i = 0; i < plan->case_count; i++)
        sum += case_hash(&plan->cases[i]);
    for (size_t i = 0; i < plan->elsewhere_count; i++)
        sum += case_hash(&plan->elsewhere[i]);
    return kg_arena_printf(&prepared->arena, "%016" PRIx64, sum);
}

/* The options that decide how a gate measures and judges. A repetition needs them. NULL: none. */
static const char *deciding_options(const struct kg_arguments *arguments, struct kg_arena *arena)
{
    struct kg_text text = {0};
    kg_option_append(&text, "--base", arguments->base);
    kg_option_append(&text, "--device", arguments->device);
    kg_option_append(&text, "--trust", arguments->trust);
    kg_option_append(&text, "--accepted", arguments->accepted);
    kg_option_append(&text, "--accept-from", arguments->accept_from);
    for (size_t i = 0; i < arguments->set.count; i++)
        kg_option_append(&text, "--set", arguments->set.at[i]);
    if (arguments->lock_clocks)
        kg_text_append(&text, " --lock-clocks");
    const char *copy = text.length ? kg_arena_copy(arena, kg_text_string(&text)) : NULL;
    kg_text_free(&text);
    return copy;
}

/* Reads the machine and plans the cases of this shard. */
static bool cases_plan(const struct kg_arguments *arguments, const struct kg_sides *sides,
                       struct kg_prepared *prepared, struct kg_error *err)
{
    struct kg_shard *shard = &prepared->shard;
    const struct kg_plan_options options = {.filter = arguments->filter,
                                            .shard_index = shard->count ? shard->index - 1 : 0,
                                            .shard_count = shard->count,
                                            .shard_plan =
                                                arguments->plan ? &prepared->shard_plan : NULL};
    if (!kg_machine_read(&prepared->arena, arguments->device, &prepared->machine, err) ||
        !benchmarks_find(sides, prepared, err) ||
        !kg_plan_make(&prepared->suite, &prepared->machine, &options, &prepared->plan, err) ||
        (prepared->trusted && !kg_plan_data_place(&prepared->plan, data_find, prepared, err)) ||
        !kg_plan_data_check(&prepared->plan, prepared->suite.path, err))
        return false;
    shard->cases = prepared->plan.case_count + prepared->plan.elsewhere_count;
    shard->definition = definition_make(prepared);
    shard->trust = prepared->trusted ? prepared->trust.words : NULL;
    shard->baselines = kg_baselines_named(arguments);
    shard->options = deciding_options(arguments, &prepared->arena);
    left_out_set(arguments, prepared);
    shard_plan_compare(arguments, prepared);
    return prepared->plan.case_count || empty_refuse(arguments, prepared, err);
}

bool kg_prepare_suite(const struct kg_arguments *arguments, const struct kg_text *yaml,
                      const struct kg_sides *sides, struct kg_prepared *prepared,
                      struct kg_error *err)
{
    *prepared = (struct kg_prepared){0};
    if (kg_shard_option(arguments, &prepared->arena, &prepared->shard, err) &&
        suite_load(arguments, yaml, prepared, err) && shard_plan_read(arguments, prepared, err) &&
        cases_plan(arguments, sides, prepared, err))
        return true;
    kg_prepared_free(prepared);
    return false;
}

struct kg_prepared_suite kg_prepared_what(const struct kg_prepared *prepared)
{
    return (struct kg_prepared_suite){.suite = &prepared->suite,
                                      .plan = &prepared->plan,
                                      .machine = &prepared->machine,
                                      .shard = prepared->shard.count ? &prepared->shard : NULL};
}

void kg_prepared_free(struct kg_prepared *prepared)
{
    kg_plan_free(&prepared->plan);
    kg_shard_plan_free(&prepared->shard_plan);
    kg_suite_free(&prepared->suite);
    kg_suite_free(&prepared->head);
    kg_trust_free(&prepared->trust);
    kg_cli_waiving_free(&prepared->accepted);
    kg_arena_free(&prepared->arena);
}
