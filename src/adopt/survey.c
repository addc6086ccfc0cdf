#include "adopt/survey.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "code/harness.h"
#include "util/file.h"
#include "util/utf8.h"

enum { DEPTH_MOST = 8, ENTRIES_MOST = 50000, FILE_MOST = 4 << 20, PATH_BYTES = 4096 };

struct walk {
    struct kg_survey *survey;
    const char *root;
    size_t entries;
    struct kg_error *err;
};

/* What a suite in YAML, and a line of a terminal, can name. */
static bool is_text(const char *name)
{
    for (size_t length; *name; name += length) {
        length = kg_utf8_length((const unsigned char *)name, KG_UTF8_MOST);
        if (!length || (unsigned char)*name < 0x20 || *name == 0x7F)
            return false;
    }
    return true;
}

bool kg_survey_add(struct kg_survey *survey, const struct kg_finding *finding, struct kg_error *err)
{
    if (!is_text(finding->name) || !is_text(finding->path))
        return true;
    bool good = kg_arena_grow(&survey->arena, &survey->findings, survey->count, &survey->capacity,
                              sizeof *survey->findings);
    if (!good)
        return kg_error_memory(err);
    struct kg_finding *added = &survey->findings[survey->count];
    *added = *finding;
    added->name = kg_arena_keep(&survey->arena, finding->name, &good);
    added->path = kg_arena_keep(&survey->arena, finding->path, &good);
    added->proof = kg_arena_keep(&survey->arena, finding->proof, &good);
    added->program = kg_arena_keep(&survey->arena, finding->program, &good);
    survey->count += good;
    return good || kg_error_memory(err);
}

bool kg_names_benchmark(const char *name)
{
    static const char word[] = "bench";
    const char *at = strstr(name, word);
    return at && (at == name || strchr("_-.", at[-1]));
}

static bool ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text), end = strlen(ending);
    return length >= end && !strcmp(text + length - end, ending);
}

/* --- Files ------------------------------------------------------------------------------------- */

static bool file_add(struct walk *walk, enum kg_finding_kind kind, const char *name,
                     const char *path)
{
    const struct kg_finding finding = {
        .kind = kind, .name = name, .path = path, .line = 0, .proof = NULL, .program = NULL};
    return kg_survey_add(walk->survey, &finding, walk->err);
}

static bool text_read(struct walk *walk, const char *path,
                      bool (*reader)(struct kg_survey *survey, const char *path, const char *text,
                                     struct kg_error *err))
{
    struct kg_text text = {0};
    struct kg_error ignored;
    char full[PATH_BYTES];
    bool good = true;
    /* what cannot be read has nothing to say */
    if (snprintf(full, sizeof full, "%s/%s", walk->root, path) < (int)sizeof full &&
        kg_file_read(full, FILE_MOST, &text, &ignored))
        good = reader(walk->survey, path, kg_text_string(&text), walk->err);
    kg_text_free(&text);
    return good;
}

/* Objects, sources and data are executable only by mistake. */
static bool is_program(const char *name, const struct stat *facts)
{
    static const char *const endings[] = {".c",   ".cc",   ".cpp", ".cu",   ".h",  ".hpp",
                                          ".o",   ".so",   ".a",   ".txt",  ".md", ".json",
                                          ".yml", ".yaml", ".csv", ".cmake"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_with(name, endings[i]))
            return false;
    return (facts->st_mode & S_IXUSR) && kg_names_benchmark(name);
}

static bool file_look(struct walk *walk, const char *path, const struct stat *facts)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    walk->survey->has_cmake = walk->survey->has_cmake || !strcmp(path, "CMakeLists.txt");
    walk->survey->has_makefile = walk->survey->has_makefile || !strcmp(path, "Makefile");
    if (!strcmp(path, ".gitlab-ci.yml"))
        return file_add(walk, KG_FOUND_PIPELINE, name, path);
    if (!strncmp(path, ".github/workflows/", 18))
        return (!ends_with(name, ".yml") && !ends_with(name, ".yaml")) ||
               file_add(walk, KG_FOUND_WORKFLOW, name, path);
    if (!strcmp(name, "CMakeLists.txt"))
        return text_read(walk, path, kg_survey_cmake);
    if (!strcmp(name, "Makefile") || !strcmp(name, "GNUmakefile") || !strcmp(name, "makefile"))
        return text_read(walk, path, kg_survey_makefile);
    if (ends_with(name, ".cu"))
        return file_add(walk, KG_FOUND_CUDA_SOURCE, path, path);
    return !is_program(name, facts) || file_add(walk, KG_FOUND_PROGRAM, name, path);
}

/* --- Folders ----------------------------------------------------------------------------------- */

static bool is_left_out(const char *path, const char *name)
{
    static const char *const names[] = {"node_modules", "CMakeFiles", "_deps", "third_party",
                                        "__pycache__"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return name[0] == '.' && strcmp(path, ".gitlab-ci.yml") != 0 && strcmp(path, ".github") != 0;
}

static bool folder_look(struct walk *walk, const char *folder, size_t depth);

static bool entry_look(struct walk *walk, const char *folder, const char *name, size_t depth)
{
    char path[PATH_BYTES], full[PATH_BYTES];
    struct stat facts;
    if (snprintf(path, sizeof path, "%s%s%s", folder, *folder ? "/" : "", name) >=
            (int)sizeof path ||
        snprintf(full, sizeof full, "%s/%s", walk->root, path) >= (int)sizeof full ||
        is_left_out(path, name) || lstat(full, &facts) != 0)
        return true;
    if (S_ISDIR(facts.st_mode))
        return folder_look(walk, path, depth + 1);
    return !S_ISREG(facts.st_mode) || file_look(walk, path, &facts);
}

static bool folder_look(struct walk *walk, const char *folder, size_t depth)
{
    char full[PATH_BYTES];
    struct dirent **entries;
    bool good = true;
    if (depth > DEPTH_MOST || walk->survey->cut ||
        snprintf(full, sizeof full, "%s/%s", walk->root, folder) >= (int)sizeof full)
        return true;
    const int count = scandir(full, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        walk->survey->cut = walk->survey->cut || ++walk->entries > ENTRIES_MOST;
        good = good && (walk->survey->cut || entry_look(walk, folder, entries[i]->d_name, depth));
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return good;
}

/* --- All --------------------------------------------------------------------------------------- */

static bool is_target(const struct kg_finding *finding)
{
    return finding->kind <= KG_FOUND_GTEST;
}

/* A built program of that name, wherever it lies: that of the target. */
static bool programs_find(struct walk *walk, const char *folder, size_t depth)
{
    char path[PATH_BYTES], full[PATH_BYTES];
    struct dirent **entries;
    struct stat facts;
    if (depth > DEPTH_MOST ||
        snprintf(full, sizeof full, "%s/%s", walk->root, folder) >= (int)sizeof full)
        return true;
    const int count = scandir(full, &entries, NULL, alphasort);
    bool good = true;
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (good && name[0] != '.' && !is_left_out("", name) &&
            snprintf(path, sizeof path, "%s%s%s", folder, *folder ? "/" : "", name) <
                (int)sizeof path &&
            snprintf(full, sizeof full, "%s/%s", walk->root, path) < (int)sizeof full &&
            lstat(full, &facts) == 0) {
            if (S_ISDIR(facts.st_mode))
                good = programs_find(walk, path, depth + 1);
            for (size_t k = 0;
                 S_ISREG(facts.st_mode) && (facts.st_mode & S_IXUSR) && k < walk->survey->count;
                 k++) {
                struct kg_finding *finding = &walk->survey->findings[k];
                if (is_target(finding) && !finding->program && !strcmp(finding->name, name))
                    finding->program = kg_arena_keep(&walk->survey->arena, path, &good);
            }
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return good || kg_error_memory(walk->err);
}

static bool same_folder(const char *a, const char *b)
{
    const char *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');
    const size_t length = slash_a ? (size_t)(slash_a - a) : 0;
    return length == (slash_b ? (size_t)(slash_b - b) : 0) && !strncmp(a, b, length);
}

/* Whether the rule makes a program that was found. */
static bool makes_program(const struct kg_survey *survey, const struct kg_finding *rule)
{
    for (size_t i = 0; i < survey->count; i++)
        if (survey->findings[i].kind == KG_FOUND_PROGRAM &&
            !strcmp(survey->findings[i].name, rule->name) &&
            same_folder(survey->findings[i].path, rule->path))
            return true;
    return false;
}

/* A program that is a target's is that target, and a rule that makes one is that program. */
static void programs_join(struct kg_survey *survey)
{
    size_t kept = 0;
    for (size_t i = 0; i < survey->count; i++) {
        const struct kg_finding *finding = &survey->findings[i];
        bool is_known = finding->kind == KG_FOUND_MAKE_TARGET && makes_program(survey, finding);
        for (size_t k = 0; k < survey->count && finding->kind == KG_FOUND_PROGRAM; k++)
            is_known =
                is_known || (is_target(&survey->findings[k]) && survey->findings[k].program &&
                             !strcmp(survey->findings[k].program, finding->path));
        if (!is_known)
            survey->findings[kept++] = *finding;
    }
    survey->count = kept;
}

/* A program that was found by its name alone may be one of a library, whatever built it. */
static void programs_name(struct walk *walk)
{
    char full[PATH_BYTES];
    for (size_t i = 0; i < walk->survey->count; i++) {
        struct kg_finding *finding = &walk->survey->findings[i];
        if (finding->kind != KG_FOUND_PROGRAM ||
            snprintf(full, sizeof full, "%s/%s", walk->root, finding->path) >= (int)sizeof full ||
            !kg_code_is_google_benchmark(full))
            continue;
        finding->kind = KG_FOUND_GOOGLE_BENCHMARK;
        finding->proof = "links libbenchmark";
        finding->program = finding->path;
    }
}

static int findings_order(const void *left, const void *right)
{
    const struct kg_finding *a = left, *b = right;
    const int paths = strcmp(a->path, b->path);
    return a->kind != b->kind ? (a->kind > b->kind) - (a->kind < b->kind)
           : paths            ? paths
                              : (a->line > b->line) - (a->line < b->line);
}

bool kg_survey_make(const char *root, struct kg_survey *survey, struct kg_error *err)
{
    struct walk walk = {.survey = survey, .root = root, .err = err};
    *survey = (struct kg_survey){0};
    if (access(root, R_OK | X_OK) != 0)
        return kg_error_set(err, KG_ERROR_USAGE, "cannot read the folder '%.300s': %s", root,
                            strerror(errno));
    if (!folder_look(&walk, "", 0) || !programs_find(&walk, "", 0))
        return false;
    programs_join(survey);
    programs_name(&walk);
    if (survey->count)
        qsort(survey->findings, survey->count, sizeof *survey->findings, findings_order);
    return true;
}

void kg_survey_free(struct kg_survey *survey)
{
    kg_arena_free(&survey->arena);
    *survey = (struct kg_survey){0};
}
