/* Functions that are the same in two builds, and the counted calls of sampled sites. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "model/hot_code.h"

/* --- Places ----------------------------------------------------------------------------------- */

struct kg_place kg_place_copy(struct kg_arena *arena, const struct kg_place *place)
{
    return (struct kg_place){.function = kg_arena_keep(arena, place->function),
                             .file = kg_arena_keep(arena, place->file),
                             .line = place->line,
                             .module = kg_arena_keep(arena, place->module),
                             .declared = kg_arena_keep(arena, place->declared)};
}

static const char *file_of(const struct kg_place *place)
{
    return place->declared ? place->declared : place->file;
}

/* Whether two paths end in the same name; also if one is unknown. */
static bool files_agree(const char *a, const char *b)
{
    const char *of_a = a ? strrchr(a, '/') : NULL, *of_b = b ? strrchr(b, '/') : NULL;
    return !a || !b || !strcmp(of_a ? of_a + 1 : a, of_b ? of_b + 1 : b);
}

bool kg_place_same(const struct kg_place *a, const struct kg_place *b)
{
    const bool unknown = a->function && (!a->module || !b->module);
    return kg_string_same(a->function, b->function) &&
           (unknown || kg_string_same(a->module, b->module)) && files_agree(file_of(a), file_of(b));
}

bool kg_place_same_file(const struct kg_place *a, const struct kg_place *b)
{
    return file_of(a) && file_of(b) && files_agree(file_of(a), file_of(b));
}

bool kg_place_is_header(const struct kg_place *place)
{
    static const char *const folders[] = {"/usr/include/", "/usr/lib/", "/usr/lib64/",
                                          "/usr/local/include/", "/rustc/"};
    const char *file = file_of(place), *name = place->function;
    if (!file) /* without debug information, the namespace tells */
        return name && (!strncmp(name, "std::", 5) || !strncmp(name, "__gnu_cxx::", 11));
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (!strncmp(file, folders[i], strlen(folders[i])))
            return true;
    /* a compiler in a folder of its own */
    return strstr(file, "/include/c++/") || strstr(file, "/lib/gcc/");
}

/* --- Counted calls ---------------------------------------------------------------------------- */

/* Whether the rest of a name is that of a version for some processors: "_avx2". */
static bool is_version(const char *rest)
{
    static const char *const versions[] = {"_avx", "_sse", "_ssse", "_evex", "_erms", "_unaligned"};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (!strncmp(rest, versions[i], strlen(versions[i])))
            return true;
    return false;
}

bool kg_counted_is(const char *counted, const char *name)
{
    const size_t length = strlen(name);
    if (!strncmp(counted, "__", 2) && !strncmp(counted + 2, name, length) &&
        is_version(counted + 2 + length))
        return true;
    return !strncmp(counted, name, length) && strchr(".@'", counted[length]);
}

/* Callgrind's name of a function that calls itself, from the second level on. */
static bool is_recursive(const struct kg_counted_edge *edge)
{
    return strchr(edge->caller, '\'') || strchr(edge->callee, '\'');
}

/* Calls from one place to another. */
struct ends {
    const struct kg_place *caller, *callee;
};

static bool same_names(const struct kg_counted_edge *edge, const struct ends *ends)
{
    return kg_counted_is(edge->caller, ends->caller->function) &&
           kg_counted_is(edge->callee, ends->callee->function);
}

static bool same_files(const struct kg_counted_edge *edge, const struct ends *ends)
{
    return files_agree(edge->caller_file, file_of(ends->caller)) &&
           files_agree(edge->callee_file, file_of(ends->callee));
}

/* Whether the names of both ends belong to several functions. Callgrind may give another file to a
 * function that begins with inlined code, so files count only then. */
static bool is_ambiguous(const struct kg_counted *counted, const struct ends *ends)
{
    const struct kg_counted_edge *last = NULL;
    for (size_t i = 0; i < counted->edge_count; i++) {
        const struct kg_counted_edge *edge = &counted->edges[i];
        if (!same_names(edge, ends))
            continue;
        if (last && (!files_agree(last->caller_file, edge->caller_file) ||
                     !files_agree(last->callee_file, edge->callee_file)))
            return true;
        last = edge;
    }
    return false;
}

static void site_count(const struct kg_counted *counted, const struct ends *ends,
                       struct kg_hot_site *site)
{
    bool recursive = false;
    site->calls = site->instructions = NAN;
    if (!ends->caller->function || !ends->callee->function)
        return;
    const bool ambiguous = is_ambiguous(counted, ends);
    for (size_t i = 0; i < counted->edge_count; i++) {
        const struct kg_counted_edge *edge = &counted->edges[i];
        if (!same_names(edge, ends) || (ambiguous && !same_files(edge, ends)))
            continue;
        recursive |= is_recursive(edge);
        site->calls = edge->calls + (isnan(site->calls) ? 0 : site->calls);
        site->instructions =
            edge->instructions + (isnan(site->instructions) ? 0 : site->instructions);
    }
    if (recursive)
        site->instructions = NAN;
}

void kg_counted_sites(const struct kg_counted *counted, struct kg_sampled *sampled)
{
    if (isnan(counted->calls))
        return;
    for (size_t i = 0; i < sampled->site_count; i++) {
        struct kg_hot_site *site = &sampled->sites[i];
        const bool entered = site->callee.function;
        const struct ends ends = {.caller = entered ? &site->place : &site->caller,
                                  .callee = entered ? &site->callee : &site->place};
        site_count(counted, &ends, site);
    }
}

static struct kg_place without_module(struct kg_arena *arena, const struct kg_place *place)
{
    struct kg_place copy = kg_place_copy(arena, place);
    copy.module = NULL;
    return copy;
}

/* Whether the calls of `site` are those of a sampled site. */
static bool is_sampled(const struct kg_sampled *sampled, const struct kg_hot_site *site)
{
    for (size_t i = 0; i < sampled->site_count; i++) {
        const struct kg_hot_site *other = &sampled->sites[i];
        if (kg_string_same(other->callee.function, site->callee.function) &&
            kg_place_same(&other->place, &site->place) &&
            (site->callee.function || kg_place_same(&other->caller, &site->caller)))
            return true;
    }
    return false;
}

void kg_counted_sites_add(const struct kg_counted *counted, const struct kg_sampled *other,
                          struct kg_arena *arena, struct kg_sampled *sampled)
{
    if (isnan(counted->calls))
        return;
    struct kg_hot_site *sites =
        kg_arena_alloc(arena, sampled->site_count + other->site_count, sizeof *sites);
    if (sampled->site_count)
        memcpy(sites, sampled->sites, sampled->site_count * sizeof *sites);
    sampled->sites = sites;
    for (size_t i = 0; i < other->site_count; i++) {
        struct kg_hot_site site = {.place = without_module(arena, &other->sites[i].place),
                                   .caller = without_module(arena, &other->sites[i].caller),
                                   .header = kg_place_copy(arena, &other->sites[i].header),
                                   .callee = kg_place_copy(arena, &other->sites[i].callee)};
        struct kg_sampled one = {.sites = &site, .site_count = 1};
        kg_counted_sites(counted, &one);
        if (other->sites[i].share > 0 && site.calls > 0 && !is_sampled(sampled, &site))
            sites[sampled->site_count++] = site;
    }
}
