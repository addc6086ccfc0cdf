#include "why/evidence/scopes.h"

#include <math.h>
#include <stdlib.h>

struct kg_scope_section kg_scope_section_at(const struct kg_profile *profile, size_t from)
{
    const struct kg_profile_share *start = &profile->shares[from];
    struct kg_scope_section section = {.shares = start,
                                       .process = start->process,
                                       .start_ns = start->start_ns,
                                       .end_ns = start->end_ns};
    while (from + section.count < profile->share_count &&
           start[section.count].process == start->process &&
           start[section.count].thread == start->thread) {
        section.start_ns = fmin(section.start_ns, start[section.count].start_ns);
        section.end_ns = fmax(section.end_ns, start[section.count].end_ns);
        section.count++;
    }
    return section;
}

static int by_start(const void *one, const void *other)
{
    const struct kg_scope_section *a = one, *b = other;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (a->shares->thread > b->shares->thread) - (a->shares->thread < b->shares->thread);
}

static int by_lane(const void *one, const void *other)
{
    const struct kg_scope_section *a = one, *b = other;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    return (a->lane > b->lane) - (a->lane < b->lane);
}

/* Number of threads that ran at one time. The sections are sorted by start. */
static size_t lanes_count(struct kg_scope_lane *lanes, const struct kg_scope_section *of,
                          size_t count)
{
    size_t lane_count = 0;
    for (size_t i = 0; i < count; i++) {
        size_t lane = 0;
        while (lane < lane_count && lanes[lane].end_ns > of[i].start_ns)
            lane++;
        lane_count += lane == lane_count;
        lanes[lane].end_ns = of[i].end_ns;
    }
    for (size_t i = 0; i < lane_count; i++)
        lanes[i] = (struct kg_scope_lane){.end_ns = -INFINITY};
    return lane_count;
}

/* The free lane that was taken longest ago. */
static size_t lane_choose(const struct kg_scope_lane *lanes, size_t count, double start_ns)
{
    size_t chosen = count;
    for (size_t i = 0; i < count; i++)
        if (lanes[i].end_ns <= start_ns && (chosen == count || lanes[i].turn < lanes[chosen].turn))
            chosen = i;
    return chosen == count ? 0 : chosen;
}

void kg_scope_lanes_find(struct kg_scope_section *sections, size_t count,
                         struct kg_scope_lane *lanes)
{
    qsort(sections, count, sizeof *sections, by_start);
    for (size_t from = 0, end; from < count; from = end) {
        for (end = from + 1; end < count && sections[end].process == sections[from].process;)
            end++;
        const size_t lane_count = lanes_count(lanes, &sections[from], end - from);
        for (size_t i = from; i < end; i++) {
            struct kg_scope_section *section = &sections[i];
            section->lane = lane_choose(lanes, lane_count, section->start_ns);
            lanes[section->lane] =
                (struct kg_scope_lane){.end_ns = section->end_ns, .turn = i - from + 1};
        }
    }
    qsort(sections, count, sizeof *sections, by_lane);
}
