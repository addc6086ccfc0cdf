/* heap.c: search trees of nodes of mixed sizes, filled and torn down: malloc, free, and branches
 * that depend on random keys. */
#include <stdlib.h>

#include "ordinary.h"

enum { NODES = 40, PAYLOAD_MOST = 512 };

struct node {
    struct node *left, *right;
    uint64_t key;
    char payload[];
};

static uint64_t random_state;

static bool insert(struct node **place)
{
    const uint64_t random = xorshift(&random_state);
    struct node *node = malloc(sizeof *node + random % PAYLOAD_MOST);
    if (!node)
        return false;
    *node = (struct node){.key = random};
    while (*place)
        place = random < (*place)->key ? &(*place)->left : &(*place)->right;
    *place = node;
    return true;
}

static void clear(struct node *node) // NOLINT(misc-no-recursion)
{
    if (!node)
        return;
    clear(node->left);
    clear(node->right);
    free(node);
}

static bool set_up(struct kgate_context *context, void **state)
{
    *state = NULL;
    random_state = context->seed | 1;
    return true;
}

static void run(void *state)
{
    (void)state;
    for (unsigned turn = 0; turn < turns; turn++) {
        struct node *root = NULL;
        for (int i = 0; i < NODES && insert(&root); i++)
            ;
        clear(root);
    }
}

const struct kgate_workload heap_workload = {.name = "heap",
                                             .summary = "Trees of nodes of mixed sizes.",
                                             .devices = 1u << KGATE_DEVICE_CPU,
                                             .revision = 1,
                                             .set_up = set_up,
                                             .run = run};
