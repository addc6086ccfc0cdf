/* resolve.h: what a stack of addresses means: functions and lines, without the frames of the worker
 * and of what starts programs and threads. One thread. */
#pragma once
#include "why/observe/sampler_state.h"

enum kg_stack_role {
    KG_STACK_NONE, /* nothing of the workload is on it: the worker alone, a thread without work */
    KG_STACK_WORK,
    KG_STACK_LOCKED,  /* it is in a function that waits for what another thread holds */
    KG_STACK_BARRIER, /* in one that waits until others come, too */
};

struct kg_resolved_stack {
    struct kg_place *frames; /* the innermost first, a function that calls itself once */
    size_t frame_count;      /* at most KG_HOT_FRAMES_MOST */
    kg_code_address at;      /* of the innermost frame */
    enum kg_stack_role role;
};

/* arena  owns the frames; strings are the modules'
 * first  whether it is the workload's first thread
 * returns false where memory is out */
bool kg_stack_resolve(struct kg_stack_sampler *sampler, uint32_t stack, bool first, bool root,
                      struct kg_arena *arena, struct kg_resolved_stack *resolved);
