#include "cli/cli.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "suite/waivers_file.h"

/* Refuses a missing file of --accepted. Otherwise a misspelled name would mean "nothing is accepted". */
static bool named_missing(const char *path, struct kg_error *err)
{
    return kg_error_set(err, KG_ERROR_USAGE,
                        "the file '%.300s' of --accepted does not exist; `kgate accept` writes one",
                        path);
}

static void begin(struct kg_cli_waiving *own)
{
    *own = (struct kg_cli_waiving){0};
    own->waiving =
        (struct kg_waiving){.waivers = &own->waivers, .today = kg_timestamp(&own->arena)};
}

static const char *accepted_path(const struct kg_arguments *arguments, const char *suite,
                                 struct kg_cli_waiving *own)
{
    return arguments->accepted ? arguments->accepted : kg_waivers_path(&own->arena, suite);
}

bool kg_cli_waiving_load(const struct kg_arguments *arguments, const char *suite,
                         struct kg_cli_waiving *own, struct kg_error *err)
{
    begin(own);
    const bool is_file = suite && *suite && strcmp(suite, "-") != 0;
    if (!arguments->accepted && !is_file)
        return true;
    if (arguments->accepted && access(arguments->accepted, F_OK) != 0 && errno == ENOENT)
        return named_missing(arguments->accepted, err);
    return kg_waivers_load(accepted_path(arguments, suite, own), &own->waivers, err);
}

/* Whether the acceptances of the change itself count. */
static bool from_head(const struct kg_arguments *arguments, bool *head, struct kg_error *err)
{
    const char *given = arguments->accept_from;
    *head = given && !strcmp(given, "head");
    if (given && !*head && strcmp(given, "trust") != 0)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "--accept-from is '%.60s', but must be trust or head", given);
    return !given || arguments->trust ||
           kg_error_set(err, KG_ERROR_USAGE, "--accept-from is for --trust git:REF");
}

/* The change's own file counts, but reports still note that the change edits it. */
static bool head_print(const struct kg_arguments *arguments, struct kg_prepared *prepared,
                       struct kg_error *err)
{
    struct kg_text text = {0};
    bool inside, there;
    const char *path = accepted_path(arguments, prepared->suite.path, &prepared->accepted);
    kg_trust_inside(&prepared->trust, path, &inside);
    const bool good =
        !inside || kg_trust_read(&prepared->trust, path, KG_TRUST_HEAD_COUNTS, &text, &there, err);
    kg_text_free(&text);
    return good;
}

static bool trusted_load(const struct kg_arguments *arguments, struct kg_prepared *prepared,
                         struct kg_error *err)
{
    struct kg_cli_waiving *own = &prepared->accepted;
    struct kg_text text = {0};
    bool there;
    begin(own);
    const char *path = accepted_path(arguments, prepared->suite.path, own);
    bool good = kg_trust_read(&prepared->trust, path, KG_TRUST_OTHER, &text, &there, err);
    /* if only the change has the file, an edit notes it */
    if (good && !there && arguments->accepted && access(path, F_OK) != 0)
        good = named_missing(path, err);
    if (good && there &&
        !kg_waivers_parse(path, kg_text_string(&text), text.length, &own->waivers, err))
        good = kg_error_wrap(err, "in %s", prepared->trust.words);
    kg_text_free(&text);
    return good;
}

bool kg_cli_waiving_prepared(const struct kg_arguments *arguments, struct kg_prepared *prepared,
                             struct kg_error *err)
{
    struct kg_cli_waiving *own = &prepared->accepted;
    bool head;
    if (!from_head(arguments, &head, err))
        return false;
    const bool is_own = !prepared->trusted || head;
    if (is_own ? !kg_cli_waiving_load(arguments, prepared->suite.path, own, err) ||
                     (head && !head_print(arguments, prepared, err))
               : !trusted_load(arguments, prepared, err))
        return false;
    own->waiving.untrusted = prepared->untrusted;
    own->waiving.untrusted_count = prepared->untrusted_count;
    own->waiving.edits = prepared->trust.edits;
    own->waiving.edit_count = prepared->trust.edit_count;
    if (!prepared->trusted)
        return true;
    kg_trust_describe(&prepared->trust, &own->waiving.trust);
    kg_trust_uncovered(&prepared->trust, &own->waiving.uncovered);
    return true;
}

void kg_cli_waiving_free(struct kg_cli_waiving *own)
{
    kg_waivers_free(&own->waivers);
    kg_arena_free(&own->arena);
}
