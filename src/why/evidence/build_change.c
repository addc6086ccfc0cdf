#include "why/evidence/build_change.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "model/traits.h"
#include "why/evidence/compiler_options.h"

/* Smaller changes of the size mean nothing. */
static const double CODE_LEAST = 0.1, CODE_LEAST_BYTES = 4096;

static bool are_known(const struct kg_sampled *base, const struct kg_sampled *candidate)
{
    return base->code_bytes && candidate->code_bytes;
}

static bool has_library(const struct kg_sampled *sampled, const char *name)
{
    for (size_t i = 0; i < sampled->library_count; i++)
        if (!strcmp(sampled->libraries[i], name))
            return true;
    return false;
}

/* Whether the library checks a program at run time. */
static bool is_checker(const char *library)
{
    static const char *const begins[] = {"libasan.", "libubsan.", "libtsan.", "liblsan.",
                                         "libmsan."};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (!strncmp(library, begins[i], strlen(begins[i])))
            return true;
    return false;
}

/* Appends the libraries of `side` that `other` lacks: either the checking ones, or all others. */
static void libraries_add(struct kg_text *text, const char *label, const struct kg_sampled *side,
                          const struct kg_sampled *other, bool checkers)
{
    bool first = true;
    for (size_t i = 0; i < side->library_count; i++) {
        const char *name = side->libraries[i];
        if (is_checker(name) != checkers || has_library(other, name))
            continue;
        kg_text_printf(text, "%s%s%s", text->length ? ", " : "", first ? label : "", name);
        first = false;
    }
}

static const char *kept(struct kg_arena *arena, struct kg_text *text)
{
    const char *copy = text->length ? kg_arena_copy(arena, kg_text_string(text)) : NULL;
    kg_text_free(text);
    return copy;
}

/* Appends "built with X" if the candidate alone has X, "built without X" if the baseline alone has it. */
static void checks_add(struct kg_text *text, bool base, bool candidate, const char *checks)
{
    if (base != candidate)
        kg_text_printf(text, "%sbuilt %s %s", text->length ? ", " : "",
                       candidate ? "with" : "without", checks);
}

const char *kg_build_made(struct kg_arena *arena, const struct kg_sampled *base,
                          const struct kg_sampled *candidate)
{
    const char *options = kg_compiler_change(arena, base->compiler, candidate->compiler);
    struct kg_text text = {0};
    if (options)
        kg_text_append(&text, options);
    if (are_known(base, candidate)) {
        if (base->library_count && candidate->library_count) {
            checks_add(&text, base->asserts, candidate->asserts, "assertions");
            checks_add(&text, base->library_checks, candidate->library_checks,
                       "checks of libstdc++ (_GLIBCXX_DEBUG or _GLIBCXX_ASSERTIONS)");
        }
        if (!options || !strstr(options, "-fsanitize=")) {
            libraries_add(&text, "linked to ", candidate, base, true);
            libraries_add(&text, "no longer linked to ", base, candidate, true);
        }
    }
    return kept(arena, &text);
}

const char *kg_build_parts(struct kg_arena *arena, const struct kg_sampled *base,
                           const struct kg_sampled *candidate)
{
    const double old = (double)base->code_bytes, new = (double)candidate->code_bytes;
    const char *options = kg_compiler_other_options(arena, base->compiler, candidate->compiler);
    struct kg_text text = {0};
    if (!are_known(base, candidate))
        return options;
    if (options)
        kg_text_append(&text, options);
    libraries_add(&text, "linked to ", candidate, base, false);
    libraries_add(&text, "no longer linked to ", base, candidate, false);
    if (fabs(new / old - 1) >= CODE_LEAST && fabs(new - old) >= CODE_LEAST_BYTES) {
        kg_text_printf(&text, "%smachine code %s from ", text.length ? "; " : "",
                       new > old ? "grew" : "shrank");
        kg_trait_format(KG_TRAIT_BYTES, old, &text);
        kg_text_append(&text, " to ");
        kg_trait_format(KG_TRAIT_BYTES, new, &text);
    }
    return kept(arena, &text);
}
