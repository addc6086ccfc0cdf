/* json.c: kgate's own reader makes a tree of a document and frees it. */
#include <string.h>

#include "base/json_tree.h"
#include "ordinary.h"

static const char document[] =
    "{\"id\": 4711, \"name\": \"A. Customer\", \"active\": true, \"balance\": 1234.56,"
    " \"tags\": [\"new\", \"regular\", \"r\\u00e9sum\\u00e9\"],"
    " \"address\": {\"street\": \"1 Long Road\", \"city\": \"Somewhere\", \"post_code\": "
    "\"12345\"},"
    " \"orders\": [{\"id\": 1, \"items\": [{\"sku\": \"a-1\", \"count\": 2, \"price\": 9.99},"
    " {\"sku\": \"b-2\", \"count\": 1, \"price\": 19.5}]},"
    " {\"id\": 2, \"items\": [{\"sku\": \"c-3\", \"count\": 12, \"price\": 0.25}]}]}";

static bool set_up(struct kgate_context *context, void **state)
{
    (void)context;
    *state = NULL;
    return true;
}

static void run(void *state)
{
    int64_t sum = 0;
    for (unsigned turn = 0; turn < turns; turn++) {
        struct kg_arena arena = {0};
        struct kg_error err;
        const struct kg_json *root =
            kg_json_read("document", document, sizeof document - 1, &arena, &err);
        sum += kg_json_whole(kg_json_member(root, "id"));
        kg_arena_free(&arena);
    }
    (void)state;
    (void)sum;
}

static const struct kgate_workload json_workload = {.name = "json",
                                                    .summary = "A document read as a tree.",
                                                    .devices = 1u << KGATE_DEVICE_CPU,
                                                    .revision = 1,
                                                    .set_up = set_up,
                                                    .run = run};
static const struct kgate_workload *const workloads[] = {&json_workload};
static const struct kgate_plugin plugin = {KGATE_PLUGIN_ABI, workloads, 1};

const struct kgate_plugin *kgate_plugin_workloads(void);
const struct kgate_plugin *kgate_plugin_workloads(void)
{
    return &plugin;
}
