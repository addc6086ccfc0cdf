/* shard_output.c: --shard, and the names of a shard's output. With `--shard auto` all shards of a fleet have the same
 * command line, and often one folder on a shared disk. So kgate puts shard, job and attempt into the names. */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "suite/shard.h"

static const char *variable_find(void *user, const char *name)
{
    (void)user;
    return getenv(name);
}

/* Slurm's name comes first: the nodes of a test fleet may share a host. */
static const char *node_name(struct kg_arena *arena)
{
    char name[HOST_NAME_MAX + 1];
    const char *node = getenv("SLURMD_NODENAME");
    if (node && *node)
        return kg_arena_copy(arena, node);
    if (gethostname(name, sizeof name) != 0)
        return NULL;
    name[sizeof name - 1] = '\0';
    return kg_arena_copy(arena, name);
}

bool kg_shard_option(const struct kg_arguments *arguments, struct kg_arena *arena,
                     struct kg_shard *shard, struct kg_error *err)
{
    *shard = (struct kg_shard){0};
    if (!arguments->shard)
        return true;
    if (!kg_shard_parse(arena, arguments->shard, variable_find, NULL, shard, err))
        return false;
    shard->node = node_name(arena);
    return true;
}

bool kg_shard_arguments_make(const struct kg_arguments *given, bool is_folder,
                             struct kg_shard_arguments *own, struct kg_error *err)
{
    struct kg_shard shard;
    struct kg_arguments *named = &own->arguments;
    *own = (struct kg_shard_arguments){.arguments = *given};
    if (!kg_shard_names_output(given->shard))
        return true;
    if (!kg_shard_option(given, &own->arena, &shard, err)) {
        kg_shard_arguments_free(own);
        return false;
    }
    if (is_folder)
        named->output = kg_arena_printf(&own->arena, "%s/%s", kg_output_directory(given),
                                        kg_shard_label(&own->arena, &shard));
    else if (given->output)
        named->output = kg_shard_file(&own->arena, &shard, given->output);
    for (size_t i = 0; i < given->exports.count; i++)
        named->exports.at[i] = kg_shard_file(&own->arena, &shard, given->exports.at[i]);
    return true;
}

void kg_shard_arguments_free(struct kg_shard_arguments *own)
{
    kg_arena_free(&own->arena);
}
