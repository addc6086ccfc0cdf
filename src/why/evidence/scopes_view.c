#include "why/evidence/scopes_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "why/evidence/scopes.h"

size_t kg_scope_parent(const struct kg_profile *profile, size_t row)
{
    const size_t parent = profile->rows[row].path.parent;
    return parent == row ? KG_SCOPE_NONE : parent;
}

size_t kg_scope_end(const struct kg_profile *profile, size_t row)
{
    size_t end = row + 1;
    if (row == KG_SCOPE_NONE)
        return profile->row_count;
    while (end < profile->row_count &&
           profile->rows[end].path.depth > profile->rows[row].path.depth)
        end++;
    return end;
}

bool kg_scope_waits(const struct kg_profile *profile, size_t row)
{
    for (; row != KG_SCOPE_NONE; row = kg_scope_parent(profile, row))
        if (profile->rows[row].path.kind == KGATE_SCOPE_WAIT)
            return true;
    return false;
}

bool kg_scope_shared(const struct kg_scope_view *view, size_t row)
{
    return view->balances[view->names[row]].threads > 1;
}

/* --- Names ----------------------------------------------------------------------------------- */

struct named {
    const char *name;
    size_t row;
};

static int named_compare(const void *one, const void *other)
{
    const struct named *a = one, *b = other;
    return strcmp(a->name, b->name);
}

static void names_number(struct kg_scope_view *view)
{
    const size_t count = view->profile->row_count;
    struct named *named = kg_arena_alloc(&view->arena, count, sizeof *named);
    for (size_t i = 0; i < count; i++)
        named[i] = (struct named){view->profile->rows[i].path.name, i};
    qsort(named, count, sizeof *named, named_compare);
    for (size_t i = 0; i < count; i++) {
        view->name_count += !i || strcmp(named[i].name, named[i - 1].name) != 0;
        view->names[named[i].row] = view->name_count - 1;
    }
}

/* --- Threads of a process -------------------------------------------------------------------- */

/* The threads of the chosen processes, sorted by process and lane. */
struct sections {
    struct kg_scope_section *of;
    size_t count;
};

static bool has_row(const struct kg_scope_section *section, size_t row)
{
    for (size_t i = 0; i < section->count; i++)
        if (section->shares[i].row == row)
            return true;
    return false;
}

/* The first thread of a process is the one with the root, or the first that recorded. */
static void sections_find(struct kg_scope_view *view, struct sections *sections)
{
    const struct kg_profile *profile = view->profile;
    const size_t most = profile->share_count;
    sections->of = kg_arena_alloc(&view->arena, most, sizeof *sections->of);
    struct kg_scope_lane *lanes = kg_arena_alloc(&view->arena, most, sizeof *lanes);
    for (size_t at = 0, process = KG_SCOPE_NONE; at < most;) {
        struct kg_scope_section section = kg_scope_section_at(profile, at);
        section.first = view->root == KG_SCOPE_NONE ? section.process != process
                                                    : has_row(&section, view->root);
        process = section.process;
        at += section.count;
        if (view->chosen[process])
            sections->of[sections->count++] = section;
    }
    kg_scope_lanes_find(sections->of, sections->count, lanes);
}

/* State of a pass over the threads. */
struct pass {
    struct kg_scope_view *view;
    double *inner_ns; /* per row: time of inner scopes, on the current thread */
    double *name_ns;  /* per name: time on the current lane */
    double *first_ns; /* the part of name_ns on the first thread */
    const bool *counted;
    struct kg_scope_balance *balances;
    /* Per name, in the current process. Here even_ns is a sum. */
    struct kg_scope_balance *process;
};

static void section_add(struct pass *pass, const struct kg_scope_section *section)
{
    const struct kg_profile *profile = pass->view->profile;
    const double cost_ns = profile->processes[section->process].scope_cost_ns;
    for (size_t i = 0; i < section->count; i++) {
        const struct kg_profile_share *share = &section->shares[i];
        const size_t parent = kg_scope_parent(profile, share->row);
        if (parent != KG_SCOPE_NONE)
            pass->inner_ns[parent] += share->total_ns + (double)share->calls * cost_ns;
    }
    for (size_t i = 0; i < section->count; i++) {
        const struct kg_profile_share *share = &section->shares[i];
        const double self_ns = fmax(0, share->total_ns - pass->inner_ns[share->row]);
        struct kg_scope_row *row = &pass->view->rows[share->row];
        row->all_calls += (double)share->calls;
        row->all_self_ns += self_ns;
        if (section->first && share->row > pass->view->root && share->row < pass->view->end)
            pass->view->cost_ns += profile->rows[share->row].path.kind == KGATE_SCOPE_PROFILER
                                       ? share->total_ns
                                       : (double)share->calls * cost_ns;
        if (section->first) {
            row->calls += (double)share->calls;
            row->total_ns += share->total_ns;
            row->self_ns += self_ns;
        }
    }
    /* Also for rows that were open at the end and have no time. */
    for (size_t i = 0; i < section->count; i++) {
        const size_t parent = kg_scope_parent(profile, section->shares[i].row);
        if (parent != KG_SCOPE_NONE)
            pass->inner_ns[parent] = 0;
    }
}

static void section_balance(struct pass *pass, const struct kg_scope_section *section)
{
    for (size_t i = 0; i < section->count; i++) {
        const size_t name = pass->view->names[section->shares[i].row];
        if (!pass->counted[section->shares[i].row])
            continue;
        pass->name_ns[name] += section->shares[i].total_ns;
        pass->first_ns[name] += section->first ? section->shares[i].total_ns : 0;
    }
}

static void lane_finish(struct pass *pass)
{
    for (size_t i = 0; i < pass->view->name_count; i++) {
        struct kg_scope_balance *process = &pass->process[i];
        if (!(pass->name_ns[i] > 0))
            continue;
        process->threads++;
        process->even_ns += pass->name_ns[i];
        process->busiest_ns = fmax(process->busiest_ns, pass->name_ns[i]);
        process->first_ns += pass->first_ns[i];
        pass->name_ns[i] = pass->first_ns[i] = 0;
    }
}

static void process_finish(struct pass *pass)
{
    for (size_t i = 0; i < pass->view->name_count; i++) {
        struct kg_scope_balance *process = &pass->process[i], *sum = &pass->balances[i];
        if (!(process->threads > 0))
            continue;
        sum->threads = fmax(sum->threads, process->threads);
        sum->first_ns += process->first_ns;
        sum->busiest_ns += process->busiest_ns;
        sum->even_ns += process->even_ns / process->threads;
        *process = (struct kg_scope_balance){0};
    }
}

/* --- Passes ---------------------------------------------------------------------------------- */

/* Waits, and scopes around parallel work, are no work. */
static bool is_work(const struct kg_profile *profile, size_t row)
{
    const size_t kind = profile->rows[row].path.kind;
    return kind != KGATE_SCOPE_PROFILER && kind != KGATE_SCOPE_PARALLEL &&
           !kg_scope_waits(profile, row);
}

/* Whether a thread counts. The calling thread may only wait for others; then it does not count. */
static bool is_at_work(const struct kg_scope_view *view, const struct kg_scope_section *section)
{
    for (size_t i = 0; i < section->count; i++)
        if (section->shares[i].row != view->root && is_work(view->profile, section->shares[i].row))
            return true;
    return !section->first;
}

static void rows_add(struct pass *pass, const struct sections *sections)
{
    struct kg_scope_view *view = pass->view;
    double threads = 0;
    size_t lane = KG_SCOPE_NONE; /* lane of the process's last counted thread */
    for (size_t i = 0; i < sections->count; i++) {
        const struct kg_scope_section *section = &sections->of[i];
        if (!i || section->process != section[-1].process) {
            threads = 0;
            lane = KG_SCOPE_NONE;
        }
        section_add(pass, section);
        if (section->lane != lane && is_at_work(view, section)) {
            threads++;
            lane = section->lane;
        }
        view->threads = fmax(view->threads, fmax(1, threads));
    }
}

/* Balances of the counted rows. */
static void balances_find(struct pass *pass, const struct sections *sections)
{
    for (size_t i = 0; i < sections->count; i++) {
        const struct kg_scope_section *section = &sections->of[i];
        const bool last = i + 1 == sections->count || section[1].process != section->process;
        section_balance(pass, section);
        if (last || section[1].lane != section->lane)
            lane_finish(pass);
        if (last)
            process_finish(pass);
    }
}

static bool is_recursive(const struct kg_scope_view *view, size_t row)
{
    const struct kg_profile *profile = view->profile;
    const size_t name = view->names[row];
    for (row = kg_scope_parent(profile, row); row != KG_SCOPE_NONE;
         row = kg_scope_parent(profile, row))
        if (view->names[row] == name)
            return true;
    return false;
}

static bool is_inside_shared(const struct kg_scope_view *view, size_t row)
{
    const struct kg_profile *profile = view->profile;
    for (row = kg_scope_parent(profile, row); row != KG_SCOPE_NONE;
         row = kg_scope_parent(profile, row))
        if (kg_scope_shared(view, row))
            return true;
    return false;
}

static void passes_run(struct kg_scope_view *view)
{
    const struct kg_profile *profile = view->profile;
    const size_t rows = profile->row_count, names = view->name_count;
    struct sections sections = {0};
    bool *counted = kg_arena_alloc(&view->arena, rows, sizeof *counted);
    struct pass pass = {.view = view,
                        .inner_ns = kg_arena_alloc(&view->arena, rows, sizeof(double)),
                        .name_ns = kg_arena_alloc(&view->arena, names, sizeof(double)),
                        .first_ns = kg_arena_alloc(&view->arena, names, sizeof(double)),
                        .counted = counted,
                        .process = kg_arena_alloc(&view->arena, names, sizeof *pass.process)};
    view->balances = kg_arena_alloc(&view->arena, names, sizeof *view->balances);
    view->outer = kg_arena_alloc(&view->arena, names, sizeof *view->outer);
    sections_find(view, &sections);
    rows_add(&pass, &sections);
    for (size_t i = 0; i < rows; i++)
        counted[i] = is_work(profile, i) && !is_recursive(view, i);
    pass.balances = view->balances;
    balances_find(&pass, &sections);
    for (size_t i = 0; i < rows; i++)
        counted[i] = counted[i] && !is_inside_shared(view, i);
    pass.balances = view->outer;
    balances_find(&pass, &sections);
    view->is_outer = counted;
}

/* --- The whole ------------------------------------------------------------------------------- */

static bool is_wanted(const struct kg_profile_process *process, const char *label)
{
    if (process->sample < 1 && process->sampling == KGATE_SAMPLE_SCOPES)
        return false;
    return !label || (process->label && !strcmp(process->label, label));
}

static void processes_choose(struct kg_scope_view *view, const char *label)
{
    const struct kg_profile *profile = view->profile;
    for (size_t i = 0; i < profile->share_count; i++) {
        const struct kg_profile_share *share = &profile->shares[i];
        if (is_wanted(&profile->processes[share->process], label) &&
            (view->root == KG_SCOPE_NONE || share->row == view->root))
            view->chosen[share->process] = true;
    }
    for (size_t i = 0; i < profile->process_count; i++) {
        if (!view->chosen[i])
            continue;
        view->calls++;
        view->wall_ns += profile->processes[i].wall_ns;
        view->scope_cost_ns = fmax(view->scope_cost_ns, profile->processes[i].scope_cost_ns);
    }
}

void kg_scope_view_make(const struct kg_profile *profile, const char *label, size_t root,
                        struct kg_scope_view *view)
{
    const size_t rows = profile->row_count;
    *view = (struct kg_scope_view){
        .profile = profile, .root = root, .end = kg_scope_end(profile, root)};
    view->chosen = kg_arena_alloc(&view->arena, profile->process_count, sizeof *view->chosen);
    view->rows = kg_arena_alloc(&view->arena, rows, sizeof *view->rows);
    view->names = kg_arena_alloc(&view->arena, rows, sizeof *view->names);
    processes_choose(view, label);
    names_number(view);
    passes_run(view);
    if (root != KG_SCOPE_NONE) {
        view->calls = view->rows[root].calls;
        view->wall_ns = view->rows[root].total_ns;
    }
    view->alone = true;
    for (size_t i = 0; i < rows; i++) {
        const struct kg_profile_path *path = &profile->rows[i].path;
        const bool called = view->rows[i].calls > 0;
        view->regions = view->regions || (called && path->kind == KGATE_SCOPE_PARALLEL);
        if (called && root != KG_SCOPE_NONE && i != root && path->parent == i &&
            path->kind != KGATE_SCOPE_PROFILER)
            view->alone = false;
    }
}

void kg_scope_view_free(struct kg_scope_view *view)
{
    kg_arena_free(&view->arena);
    *view = (struct kg_scope_view){0};
}
