/* survey.c: walks a repository, hands each file to the reader of its kind, and joins the findings. */
#include "suite/adopt/survey.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/code/harness.h"
#include "base/file.h"
#include "base/utf8.h"

enum {
    DEPTH_MOST = 8,
    ENTRIES_MOST = 50000,
    FILE_MOST = 4 << 20,
    SCRIPT_MOST = 1 << 20,
    PATH_BYTES = 4096
};

struct walk {
    struct kg_survey *survey;
    const char *root;
    size_t entries;
};

/* Whether the name is plain UTF-8 without control characters, so that YAML and a terminal can show it. */
static bool is_text(const char *name)
{
    for (size_t length; *name; name += length) {
        length = kg_utf8_length((const unsigned char *)name, KG_UTF8_MOST);
        if (!length || (unsigned char)*name < 0x20 || *name == 0x7F)
            return false;
    }
    return true;
}

static bool words_are_text(const struct kg_finding *finding)
{
    for (size_t i = 0; i < finding->word_count; i++)
        if (!is_text(finding->words[i]))
            return false;
    return true;
}

void kg_survey_add(struct kg_survey *survey, const struct kg_finding *finding)
{
    if (!is_text(finding->name) || !is_text(finding->path) || !words_are_text(finding))
        return;
    kg_arena_grow(&survey->arena, &survey->findings, survey->count, &survey->capacity,
                  sizeof *survey->findings);
    struct kg_finding *added = &survey->findings[survey->count++];
    *added = *finding;
    added->name = kg_arena_keep(&survey->arena, finding->name);
    added->path = kg_arena_keep(&survey->arena, finding->path);
    added->proof = kg_arena_keep(&survey->arena, finding->proof);
    added->program = kg_arena_keep(&survey->arena, finding->program);
    added->artifact = kg_arena_keep(&survey->arena, finding->artifact);
    added->target = kg_arena_keep(&survey->arena, finding->target);
    added->build = kg_arena_keep(&survey->arena, finding->build);
    added->directory = kg_arena_keep(&survey->arena, finding->directory);
    added->doubt = kg_arena_keep(&survey->arena, finding->doubt);
    added->note = kg_arena_keep(&survey->arena, finding->note);
    added->words = kg_arena_alloc(&survey->arena, finding->word_count + 1, sizeof *added->words);
    for (size_t i = 0; i < finding->word_count; i++)
        added->words[i] = kg_arena_keep(&survey->arena, finding->words[i]);
}

bool kg_names_benchmark(const char *name)
{
    const char *at = strcasestr(name, "bench");
    return at && !strcasestr(name, "workbench") && !strcasestr(name, "testbench");
}

const char *kg_name_doubt(const char *name)
{
    static const struct {
        const char *part;
        bool begins; /* `part` must be the name's first or last word; "-", "_", "." end words */
        const char *doubt;
    } rows[] = {{"compil", false, "its name says that it compiles"},
                {"build", true, "its name says that it builds"},
                {"install", false, "its name says that it installs"},
                {"clean", false, "its name says that it removes files"},
                {"test", true, "its name says that it tests"},
                {"check", true, "its name says that it checks"},
                {"plot", false, "its name says that it draws"},
                {"lint", true, "its name says that it checks"},
                {"format", true, "its name says that it formats"},
                {"download", false, "its name says that it downloads"},
                {"dll", true, "its name says that it is for Windows"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t length = strlen(rows[i].part), whole = strlen(name);
        const bool ends = whole > length && !strcasecmp(name + whole - length, rows[i].part) &&
                          strchr("-_", name[whole - length - 1]);
        const bool begins = whole >= length && !strncasecmp(name, rows[i].part, length) &&
                            strchr("-_.", name[length]);
        if (rows[i].begins ? ends || begins : strcasestr(name, rows[i].part) != NULL)
            return rows[i].doubt;
    }
    return NULL;
}

const char *kg_survey_tree(const struct kg_survey *survey)
{
    return survey->tree ? survey->tree : "build";
}

const char *kg_path_seen_from(struct kg_arena *arena, const char *directory, const char *path)
{
    struct kg_text text = {0};
    for (const char *at = directory; *at; at = strchr(at, '/') ? strchr(at, '/') + 1 : "")
        kg_text_append(&text, "../");
    kg_text_append(&text, path);
    const char *seen = kg_arena_copy(arena, kg_text_string(&text));
    kg_text_free(&text);
    return seen;
}

bool kg_kind_is_target(enum kg_finding_kind kind)
{
    return kind <= KG_FOUND_CMAKE_TARGET;
}

struct kg_finding *kg_survey_target_find(const struct kg_survey *survey, const char *name)
{
    for (size_t i = 0; i < survey->count; i++)
        if (kg_kind_is_target(survey->findings[i].kind) && !strcmp(survey->findings[i].name, name))
            return &survey->findings[i];
    return NULL;
}

/* --- Files ------------------------------------------------------------------------------------- */

static void file_add(struct walk *walk, enum kg_finding_kind kind, const char *name,
                     const char *path)
{
    const struct kg_finding finding = {
        .kind = kind, .name = name, .path = path, .line = 0, .proof = NULL, .program = NULL};
    kg_survey_add(walk->survey, &finding);
}

static void makefile_look(struct walk *walk, const char *path)
{
    struct kg_text text = {0};
    struct kg_error ignored;
    char full[PATH_BYTES];
    /* an unreadable Makefile has no findings */
    if (snprintf(full, sizeof full, "%s/%s", walk->root, path) < (int)sizeof full &&
        kg_file_read(full, FILE_MOST, &text, &ignored)) {
        kg_survey_makefile(walk->survey, path, kg_text_string(&text));
    }
    kg_text_free(&text);
}

/* Whether a file is a program named bench. Objects, sources and data are executable only by mistake. */
static bool is_program(const char *name, const struct stat *facts)
{
    static const char *const endings[] = {
        ".c",   ".cc",  ".cpp",  ".cu",   ".h",    ".hpp",   ".o",     ".so",   ".a",
        ".txt", ".md",  ".json", ".yml",  ".yaml", ".csv",   ".cmake", ".html", ".svg",
        ".png", ".rst", ".xml",  ".toml", ".log",  ".patch", ".in",    ".mk"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (kg_string_ends(name, endings[i]))
            return false;
    return (facts->st_mode & S_IXUSR) && kg_names_benchmark(name);
}

/* Adds a program. kgate reads shell scripts; for other programs only the name counts. */
static void program_look(struct walk *walk, const char *path)
{
    struct kg_text text = {0};
    struct kg_error ignored;
    char full[PATH_BYTES], first[128];
    const bool is_read =
        snprintf(full, sizeof full, "%s/%s", walk->root, path) < (int)sizeof full &&
        kg_file_read(full, SCRIPT_MOST, &text, &ignored);
    snprintf(first, sizeof first, "%.*s", (int)strcspn(kg_text_string(&text), "\n"),
             kg_text_string(&text));
    const bool is_shell = is_read && !strncmp(first, "#!", 2) && strstr(first, "sh");
    kg_survey_program(walk->survey, path, is_shell ? kg_text_string(&text) : NULL);
    kg_text_free(&text);
}

/* Keeps a build folder of CMake. If there are several, a folder called build wins. */
static void tree_keep(struct kg_survey *survey, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash || (survey->tree && strncmp(path, "build/", 6) != 0))
        return;
    survey->tree = kg_arena_copy_bytes(&survey->arena, path, (size_t)(slash - path));
}

static void file_look(struct walk *walk, const char *path, const struct stat *facts)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    walk->survey->has_cmake = walk->survey->has_cmake || !strcmp(path, "CMakeLists.txt");
    walk->survey->has_makefile = walk->survey->has_makefile || !strcmp(path, "Makefile");
    if (!strcmp(path, ".gitlab-ci.yml")) {
        file_add(walk, KG_FOUND_PIPELINE, name, path);
        return;
    }
    if (!strncmp(path, ".github/workflows/", 18)) {
        if (kg_string_ends(name, ".yml") || kg_string_ends(name, ".yaml"))
            file_add(walk, KG_FOUND_WORKFLOW, name, path);
        return;
    }
    if (!strcmp(name, "CMakeCache.txt")) {
        tree_keep(walk->survey, path);
        return;
    }
    if (!strcmp(name, "Makefile") || !strcmp(name, "GNUmakefile") || !strcmp(name, "makefile")) {
        makefile_look(walk, path);
        return;
    }
    if (kg_string_ends(name, ".cu")) {
        file_add(walk, KG_FOUND_CUDA_SOURCE, path, path);
        return;
    }
    if (is_program(name, facts))
        program_look(walk, path);
}

/* --- Folders ----------------------------------------------------------------------------------- */

static bool is_left_out(const char *path, const char *name)
{
    static const char *const names[] = {"node_modules", "CMakeFiles",  "_deps",
                                        "third_party",  "__pycache__", "vendor"};
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
    if (S_ISREG(facts.st_mode))
        file_look(walk, path, &facts);
    return true;
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

/* Searches all folders for built programs. A program with the name of a target belongs to that target. */
static void programs_find(struct walk *walk, const char *folder, size_t depth)
{
    char path[PATH_BYTES], full[PATH_BYTES];
    struct dirent **entries;
    struct stat facts;
    if (depth > DEPTH_MOST ||
        snprintf(full, sizeof full, "%s/%s", walk->root, folder) >= (int)sizeof full)
        return;
    const int count = scandir(full, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (name[0] != '.' && !is_left_out("", name) &&
            snprintf(path, sizeof path, "%s%s%s", folder, *folder ? "/" : "", name) <
                (int)sizeof path &&
            snprintf(full, sizeof full, "%s/%s", walk->root, path) < (int)sizeof full &&
            lstat(full, &facts) == 0) {
            if (S_ISDIR(facts.st_mode))
                programs_find(walk, path, depth + 1);
            for (size_t k = 0;
                 S_ISREG(facts.st_mode) && (facts.st_mode & S_IXUSR) && k < walk->survey->count;
                 k++) {
                struct kg_finding *finding = &walk->survey->findings[k];
                if (kg_kind_is_target(finding->kind) && !finding->program &&
                    !strcmp(finding->name, name))
                    finding->program = kg_arena_keep(&walk->survey->arena, path);
            }
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

static bool is_named(const char *word, const char *path)
{
    return !strcmp(word + 2 * !strncmp(word, "./", 2), path);
}

/* Whether kgate found the program by its file name. Its kind may have changed to the kind of its library. */
static bool is_file(const struct kg_finding *finding)
{
    return finding->kind == KG_FOUND_PROGRAM ||
           (kg_kind_is_target(finding->kind) && !finding->line);
}

/* Whether another finding measures the same built program. */
static bool is_program_of(const struct kg_finding *program, const struct kg_finding *other)
{
    if (other == program || is_file(other))
        return false;
    if (kg_kind_is_target(other->kind))
        return other->program && !strcmp(other->program, program->path);
    return other->word_count && is_named(other->words[0], program->path);
}

/* Whether a test of CTest runs the program of a target. */
static bool runs_target(const struct kg_survey *survey, const struct kg_finding *test,
                        const struct kg_finding *target)
{
    char path[PATH_BYTES];
    if (test->kind != KG_FOUND_CTEST || !kg_kind_is_target(target->kind) || !test->word_count)
        return false;
    kg_finding_program(survey, target, path, sizeof path);
    return is_named(test->words[0], path);
}

/* Adds the program's path and library to the other finding, which keeps its own facts. */
static void program_join(struct kg_finding *other, const struct kg_finding *program)
{
    other->program = program->path;
    if (program->kind != KG_FOUND_GOOGLE_BENCHMARK)
        return;
    if (other->kind == KG_FOUND_CMAKE_TARGET)
        other->kind = program->kind;
    other->proof = program->proof;
    other->doubt = NULL;
}

/* Joins findings of the same program. A program of a harness replaces a test that runs the program. A test, which has
 * the words, replaces a target without a harness. */
static void findings_join(struct kg_survey *survey)
{
    size_t kept = 0;
    for (size_t i = 0; i < survey->count; i++) {
        struct kg_finding *finding = &survey->findings[i];
        finding->is_joined = false;
        for (size_t k = 0; k < survey->count; k++) {
            struct kg_finding *other = &survey->findings[k];
            if (is_file(finding) && is_program_of(finding, other)) {
                finding->is_joined = true;
                program_join(other, finding);
            } else if (runs_target(survey, finding, other)) {
                finding->is_joined = finding->is_joined || other->kind <= KG_FOUND_NVBENCH;
                finding->target = other->name;
            } else if (runs_target(survey, other, finding) && finding->kind > KG_FOUND_NVBENCH) {
                finding->is_joined = true;
                other->target = finding->name;
            }
        }
    }
    for (size_t i = 0; i < survey->count; i++)
        if (!survey->findings[i].is_joined)
            survey->findings[kept++] = survey->findings[i];
    survey->count = kept;
}

/* Detects Google Benchmark in programs that kgate found by name, whatever built them. */
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
        finding->doubt = NULL;
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

/* If the repository has programs of a harness, a target with only the name may prepare data: it gets a doubt. */
static void others_doubt(struct kg_survey *survey)
{
    bool harness = false;
    for (size_t i = 0; i < survey->count; i++)
        harness = harness || survey->findings[i].kind <= KG_FOUND_NVBENCH;
    for (size_t i = 0; harness && i < survey->count; i++)
        if (survey->findings[i].kind == KG_FOUND_CMAKE_TARGET && !survey->findings[i].doubt)
            survey->findings[i].doubt = "it links no harness; add the arguments that it needs";
}

/* Finds the built programs of tests by the path in their command. */
static void tests_look(struct walk *walk)
{
    char full[PATH_BYTES];
    for (size_t i = 0; i < walk->survey->count; i++) {
        struct kg_finding *finding = &walk->survey->findings[i];
        if (finding->kind == KG_FOUND_CTEST && !strncmp(finding->words[0], "./", 2) &&
            snprintf(full, sizeof full, "%s/%s", walk->root, finding->words[0]) <
                (int)sizeof full &&
            access(full, X_OK) == 0)
            finding->program = finding->words[0] + 2;
    }
}

void kg_survey_join(const char *root, struct kg_survey *survey)
{
    struct walk walk = {.survey = survey, .root = root};
    programs_find(&walk, "", 0);
    tests_look(&walk);
    programs_name(&walk);
    findings_join(survey);
    others_doubt(survey);
    if (survey->count)
        qsort(survey->findings, survey->count, sizeof *survey->findings, findings_order);
}

/* Reads CMake's reply in an existing build folder. */
static void tree_read(const char *root, struct kg_survey *survey)
{
    char real[PATH_MAX], built[PATH_MAX + 256];
    if (!survey->tree || !realpath(root, real))
        return;
    snprintf(built, sizeof built, "%s/%s", real, survey->tree);
    kg_survey_reply(survey, real, built, &survey->is_configured);
}

bool kg_survey_make(const char *root, struct kg_survey *survey, struct kg_error *err)
{
    struct walk walk = {.survey = survey, .root = root};
    *survey = (struct kg_survey){.options = ""};
    if (access(root, R_OK | X_OK) != 0)
        return kg_error_set(err, KG_ERROR_USAGE, "cannot read the folder '%.300s': %s", root,
                            strerror(errno));
    if (!folder_look(&walk, "", 0))
        return false;
    tree_read(root, survey);
    kg_survey_join(root, survey);
    return true;
}

void kg_survey_free(struct kg_survey *survey)
{
    kg_arena_free(&survey->arena);
    *survey = (struct kg_survey){0};
}
