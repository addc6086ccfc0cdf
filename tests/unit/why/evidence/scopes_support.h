/* scopes_support.h: recordings made by hand, scope by scope. Ticks are nanoseconds, and a scope
 * costs the one around it 10. */
#pragma once
#include "profiler/read/recording_support.h"

enum { SCENE_MOST = 64 };

/* A recording of some processes. */
struct scene {
    struct recording recording;
    struct {
        const char *name;
        enum kgate_scope_kind kind;
    } names[SCENE_MOST]; /* of the process at hand */
    struct {
        uint32_t thread, number, parent, name;
    } nodes[SCENE_MOST];
    uint32_t name_count, node_count, process_count;
    enum kgate_device device; /* of the scopes that follow */
    uint64_t gpu_ns;          /* and their time there; 0: none */
    uint64_t bytes;           /* bytes moved per scope */
};

static inline void scene_process(struct scene *scene, const char *label)
{
    if (scene->process_count)
        recording_end(&scene->recording);
    scene->name_count = scene->node_count = 0;
    recording_process(&scene->recording, ++scene->process_count, 1, label);
}

static inline uint32_t scene_name(struct scene *scene, const char *name, enum kgate_scope_kind kind)
{
    for (uint32_t i = 0; i < scene->name_count; i++)
        if (!strcmp(scene->names[i].name, name) && scene->names[i].kind == kind)
            return i + 1;
    assert_true(scene->name_count < SCENE_MOST);
    scene->names[scene->name_count].name = name;
    scene->names[scene->name_count++].kind = kind;
    recording_name_as(&scene->recording, scene->name_count, name, kind, scene->device, "");
    return scene->name_count;
}

static inline uint32_t scene_node(struct scene *scene, uint32_t thread, uint32_t parent,
                                  uint32_t name)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        if (scene->nodes[i].thread != thread)
            continue;
        if (scene->nodes[i].parent == parent && scene->nodes[i].name == name)
            return scene->nodes[i].number;
        last = scene->nodes[i].number;
    }
    assert_true(scene->node_count < SCENE_MOST);
    scene->nodes[scene->node_count].thread = thread;
    scene->nodes[scene->node_count].number = last + 1;
    scene->nodes[scene->node_count].parent = parent;
    scene->nodes[scene->node_count++].name = name;
    recording_node(&scene->recording, thread, last + 1, parent, name);
    return last + 1;
}

/* A scope on a thread, inside one that this gave before, or in none (0). */
static inline uint32_t scene_add(struct scene *scene, uint32_t thread, uint32_t inside,
                                 const char *name, enum kgate_scope_kind kind, uint64_t duration)
{
    const uint32_t node = scene_node(scene, thread, inside, scene_name(scene, name, kind));
    const struct kg_entry entry = {.duration = duration, .bytes = scene->bytes, .node = node};
    const struct kg_entry_gpu gpu = {.duration_ns = scene->gpu_ns, .stream = 1};
    recording_entry_full(&scene->recording, thread, &entry, NULL, scene->gpu_ns ? &gpu : NULL);
    return node;
}

static inline uint32_t scene_work(struct scene *scene, uint32_t thread, uint32_t inside,
                                  const char *name, uint64_t duration)
{
    return scene_add(scene, thread, inside, name, KGATE_SCOPE_COMPUTE, duration);
}

/* Adds it up, by way of `folder`. */
static inline void scene_read(struct scene *scene, const char *folder, struct kg_profile *profile)
{
    struct kg_error err;
    recording_end(&scene->recording);
    if (!kg_profile_read(recording_save(&scene->recording, folder, "r.kgprof"), profile, &err))
        fail_msg("refused: %s", err.message);
    recording_free(&scene->recording);
}
