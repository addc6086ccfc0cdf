/* bisect_reads.c: leaves out commits whose files no build reads. The compiler's dependency files (.d) list the sources
 * and headers; compile_commands.json lists the sources alone. Without either, every commit may matter. Files are
 * compared by their last name, because dependency files hold paths from unknown folders: so a commit is rather kept
 * than left out. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/json_tree.h"
#include "base/names.h"
#include "base/nearest.h"
#include "gate/bisect_parts.h"

enum { DEPTH_MOST = 32, FILE_MOST = 16 << 20, LOG_MOST = 256 << 20 };

/* The files that the builds of the ends read. */
struct reads {
    struct kg_arena arena;
    struct kg_names names;    /* last names */
    struct kg_names compiled; /* object files without ".o" */
    bool has_dependencies, has_commands;
};

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void name_add(struct reads *reads, struct kg_names *names, const char *path, size_t length)
{
    const char *copy = kg_arena_copy_bytes(&reads->arena, path, length);
    const char *name = last_name(copy);
    kg_names_set(&reads->arena, names, name, strlen(name), 1);
}

static bool ends_with(const char *name, const char *const *endings)
{
    for (; *endings; endings++)
        if (kg_string_ends(name, *endings))
            return true;
    return false;
}

/* Takes every word of a dependency file. Targets are among them, which does no harm. */
static void dependencies_read(struct reads *reads, const char *path)
{
    struct kg_text text = {0};
    struct kg_error unread;
    if (kg_file_read(path, FILE_MOST, &text, &unread)) {
        reads->has_dependencies = true;
        for (const char *word = kg_text_string(&text); *word;) {
            const size_t length = strcspn(word, " \t\r\n");
            if (length)
                name_add(reads, &reads->names, word, length);
            word += length + strspn(word + length, " \t\r\n");
        }
    }
    kg_text_free(&text);
}

static void commands_read(struct reads *reads, const char *path)
{
    struct kg_text text = {0};
    struct kg_error unread;
    const struct kg_json *list = NULL;
    if (kg_file_read(path, FILE_MOST, &text, &unread))
        list = kg_json_read(path, kg_text_string(&text), text.length, &reads->arena, &unread);
    for (const struct kg_json *item = NULL; (item = kg_json_next(list, item));) {
        const char *file = kg_json_member_string(item, "file");
        reads->has_commands = true;
        if (file)
            name_add(reads, &reads->names, file, strlen(file));
    }
    kg_text_free(&text);
}

static void file_take(struct reads *reads, const char *path)
{
    static const char *const dependencies[] = {".d", NULL}, *const objects[] = {".o", NULL};
    if (ends_with(path, dependencies))
        dependencies_read(reads, path);
    else if (ends_with(path, objects))
        name_add(reads, &reads->compiled, path, strlen(path) - 2);
    else if (!strcmp(last_name(path), "compile_commands.json"))
        commands_read(reads, path);
}

static void folder_walk(struct reads *reads, const char *path, int depth)
{
    DIR *folder = depth < DEPTH_MOST ? opendir(path) : NULL;
    struct stat facts;
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        const char *inner = kg_arena_printf(&reads->arena, "%s/%s", path, entry->d_name);
        if (lstat(inner, &facts) != 0)
            continue;
        if (S_ISDIR(facts.st_mode))
            folder_walk(reads, inner, depth + 1);
        else if (S_ISREG(facts.st_mode))
            file_take(reads, inner);
    }
    if (folder)
        closedir(folder);
}

static bool is_among(const struct kg_names *names, const char *name)
{
    return kg_names_find(names, name, strlen(name)) != NULL;
}

/* Whether an object file seems to come from this source: "a.o" or "a.c.o" from "a.c". */
static bool is_compiled(const struct reads *reads, const char *name)
{
    const char *dot = strrchr(name, '.');
    return is_among(&reads->compiled, name) ||
           (dot && kg_names_find(&reads->compiled, name, (size_t)(dot - name)));
}

/* Whether a build may read the file. Scripts, data and unknown files count as read. */
static bool may_read(const struct reads *reads, const char *path)
{
    static const char *const sources[] = {".c", ".cc", ".cpp", ".cxx", ".cu", NULL};
    static const char *const headers[] = {".h", ".hh", ".hpp", ".hxx", ".cuh", NULL};
    static const char *const texts[] = {".md", ".rst", ".adoc", NULL};
    static const char *const others[] = {"LICENSE",        "COPYING",       ".gitignore",
                                         ".gitattributes", ".clang-format", ".editorconfig"};
    const char *name = last_name(path);
    if (strpbrk(name, " #$\\"))
        return true; /* dependency files escape these characters */
    if (ends_with(name, sources))
        return is_among(&reads->names, name) || is_compiled(reads, name);
    if (ends_with(name, headers))
        return !reads->has_dependencies || is_among(&reads->names, name);
    return !ends_with(name, texts) &&
           !kg_word_is_among(name, others, sizeof others / sizeof *others);
}

/* Whether a build may read one of the files, one per line. git quotes unusual names, which then count as read. */
static bool may_read_any(const struct reads *reads, char *names)
{
    for (char *rest = NULL, *name = strtok_r(names, "\n", &rest); name;
         name = strtok_r(NULL, "\n", &rest))
        if (*name == '"' || may_read(reads, name))
            return true;
    return false;
}

void kg_bisect_leave_out(const struct kg_bisect_builder *builder, struct kg_bisect *bisect)
{
    const size_t last = bisect->commit_count - 1;
    struct reads reads = {0};
    struct kg_text text = {0};
    folder_walk(&reads, kg_bisect_build_tree(builder, bisect->commits[0].folder), 0);
    folder_walk(&reads, kg_bisect_build_tree(builder, bisect->commits[last].folder), 0);
    if ((reads.has_dependencies || reads.has_commands) &&
        kg_bisect_log(bisect, "--name-only", LOG_MOST, &text)) {
        size_t index = 0;
        for (char *rest = text.data, *names; (names = kg_bisect_log_next(bisect, &rest, &index));)
            if (bisect->commits[index].status == KG_BISECT_UNTRIED && !may_read_any(&reads, names))
                bisect->commits[index].status = KG_BISECT_LEFT_OUT;
    }
    kg_text_free(&text);
    kg_arena_free(&reads.arena);
}
