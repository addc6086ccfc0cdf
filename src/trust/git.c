#include "trust/git.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/escape.h"

enum { ARGUMENTS_MOST = 16, ENVIRONMENT_MORE = 8, BLOB_MOST = 1 << 30, SAID_MOST = 400 };

/* --- Asking git --------------------------------------------------------------------------------- */

/* Variables that lead git to another repository, or make it write elsewhere; where it runs in a hook they
 * are set. GIT_CONFIG_… stays: it is how a pipeline tells which folders are safe. */
static bool is_left_out(const char *variable)
{
    return !strncmp(variable, "GIT_", 4) && strncmp(variable, "GIT_CONFIG", 10) != 0 &&
           strncmp(variable, "GIT_SSH", 7) != 0 && strncmp(variable, "GIT_ASKPASS", 11) != 0;
}

static char **environment_make(struct kg_arena *arena)
{
    static const char *const own[] = {"GIT_NO_REPLACE_OBJECTS=1", "GIT_OPTIONAL_LOCKS=0",
                                      "GIT_TERMINAL_PROMPT=0", "GIT_LITERAL_PATHSPECS=1",
                                      "LC_ALL=C"};
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **made = kg_arena_alloc(arena, count + ENVIRONMENT_MORE, sizeof *made);
    for (size_t i = 0; made && i < count; i++)
        if (!is_left_out(environ[i]) && strncmp(environ[i], "LC_ALL=", 7) != 0)
            made[kept++] = environ[i];
    for (size_t i = 0; made && i < sizeof own / sizeof *own; i++)
        made[kept++] = (char *)own[i];
    return made;
}

/* Reads until the end, or beyond `most` bytes. */
static bool pipe_read(int from, size_t most, struct kg_text *text)
{
    char bytes[65536];
    ssize_t length;
    while ((length = read(from, bytes, sizeof bytes)) != 0) {
        if (length < 0 && errno == EINTR)
            continue;
        if (length < 0 || text->length + (size_t)length > most)
            return false;
        kg_text_append_bytes(text, bytes, (size_t)length);
    }
    return !text->failed;
}

static pid_t start(char *const *arguments, char *const *environment, int output, int errors)
{
    pid_t child = -1;
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return -1;
    const bool good =
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) == 0 &&
        posix_spawn_file_actions_adddup2(&actions, output, 1) == 0 &&
        posix_spawn_file_actions_adddup2(&actions, errors, 2) == 0;
    errno = good ? posix_spawnp(&child, "git", &actions, NULL, arguments, environment) : ENOMEM;
    posix_spawn_file_actions_destroy(&actions);
    return errno ? -1 : child;
}

static int status_wait(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* What it wrote to standard error, on one line: a blank for every line end, tab and row of these. */
static void said_take(FILE *errors, char said[SAID_MOST])
{
    rewind(errors);
    const size_t length = fread(said, 1, SAID_MOST - 1, errors);
    char *to = said;
    for (size_t i = 0; i < length; i++) {
        const char c = strchr("\n\t\r", said[i]) ? ' ' : said[i];
        if (c != ' ' || (to > said && to[-1] != ' '))
            *to++ = c;
    }
    while (to > said && to[-1] == ' ')
        to--;
    *to = '\0';
}

/* Runs git and appends what it prints.
 * said     SAID_MOST bytes, for what it says of a failure
 * status   its exit status; -1 where it was killed
 * returns  false where it could not be run or read */
static bool ask(const char *const *words, size_t most, struct kg_text *text, char *said,
                int *status, struct kg_error *err)
{
    char *arguments[ARGUMENTS_MOST] = {(char *)"git"};
    struct kg_arena arena = {0};
    int ends[2];
    for (size_t i = 0; words[i] && i + 2 < ARGUMENTS_MOST; i++)
        arguments[i + 1] = (char *)words[i];
    char **environment = environment_make(&arena);
    FILE *errors = environment ? tmpfile() : NULL;
    if (!errors || pipe2(ends, O_CLOEXEC) != 0) {
        if (errors)
            fclose(errors);
        kg_arena_free(&arena);
        return environment
                   ? kg_error_set(err, KG_ERROR_SYSTEM, "cannot start git: %s", strerror(errno))
                   : kg_error_memory(err);
    }
    const pid_t child = start(arguments, environment, ends[1], fileno(errors));
    const int why = errno;
    close(ends[1]);
    const bool whole = child > 0 && pipe_read(ends[0], most, text);
    close(ends[0]);
    *status = child > 0 ? status_wait(child) : -1;
    said_take(errors, said);
    fclose(errors);
    kg_arena_free(&arena);
    if (child <= 0)
        return kg_error_set(err, KG_ERROR_SYSTEM,
                            "--trust asks the program git, which could not be started: %s",
                            strerror(why));
    if (!whole && !*status)
        return text->failed ? kg_error_memory(err)
                            : kg_error_set(err, KG_ERROR_SYSTEM, "what git says is too long");
    return true;
}

/* The one line that git prints; *line is NULL where it fails. */
static bool line_ask(struct kg_repository *repository, const char *const *words, const char **line,
                     struct kg_error *err)
{
    struct kg_text text = {0};
    char said[SAID_MOST];
    int status;
    *line = NULL;
    bool good = ask(words, PATH_MAX, &text, said, &status, err);
    if (good && !status) {
        *line = kg_arena_copy_bytes(&repository->arena, kg_text_string(&text),
                                    strcspn(kg_text_string(&text), "\n"));
        good = *line ? true : kg_error_memory(err);
    }
    kg_text_free(&text);
    return good;
}

bool kg_git_user(struct kg_arena *arena, const char **name, struct kg_error *err)
{
    static const char *const words[] = {"config", "--get", "user.name", NULL};
    struct kg_repository here = {0};
    struct kg_error unknown = {0};
    const char *line = NULL;
    bool good = line_ask(&here, words, &line, &unknown) || unknown.kind != KG_ERROR_MEMORY;
    *name = good ? kg_arena_keep(arena, line, &good) : NULL;
    kg_repository_free(&here);
    return good || kg_error_memory(err);
}

/* --- The repository ------------------------------------------------------------------------------ */

/* Why git knows no repository here. One of another user's it does not read, so that whoever put it there
 * cannot set what git runs; it says so in several lines. */
static bool open_refuse(const char *said, struct kg_error *err)
{
    static const char place[] = "safe.directory ";
    const char *folder = strstr(said, place);
    if (strstr(said, "dubious ownership") && folder)
        return kg_error_set(
            err, KG_ERROR_USAGE,
            "--trust git:REF: git does not read this repository, because it belongs "
            "to another user; where you trust it: git config --global --add %s",
            folder);
    return kg_error_set(err, KG_ERROR_USAGE,
                        "--trust git:REF needs a working directory in the repository: git says: %s",
                        said);
}

bool kg_repository_open(struct kg_repository *repository, struct kg_error *err)
{
    static const char *const words[] = {"rev-parse", "--show-toplevel", NULL};
    static const char *const outer[] = {"rev-parse", "--show-superproject-working-tree", NULL};
    struct kg_text text = {0};
    char said[SAID_MOST];
    const char *super;
    int status;
    *repository = (struct kg_repository){0};
    bool good = ask(words, PATH_MAX, &text, said, &status, err);
    if (good && status)
        good = open_refuse(said, err);
    if (good) {
        repository->top = kg_arena_copy_bytes(&repository->arena, kg_text_string(&text),
                                              text.length ? text.length - 1 : 0);
        good = repository->top ? line_ask(repository, outer, &super, err) : kg_error_memory(err);
    }
    kg_text_free(&text);
    if (good && super && *super)
        good = kg_error_set(err, KG_ERROR_USAGE,
                            "'%.300s' is a submodule of '%.300s': a change of that one chooses "
                            "what this one is; --trust takes no branch of it",
                            repository->top, super);
    if (!good)
        kg_repository_free(repository);
    return good;
}

void kg_repository_free(struct kg_repository *repository)
{
    kg_arena_free(&repository->arena);
    *repository = (struct kg_repository){0};
}

/* --- Commits ------------------------------------------------------------------------------------ */

static bool is_hexadecimal(const char *name, size_t length)
{
    return length >= 7 && length <= 64 && strspn(name, "0123456789abcdef") >= length;
}

static bool name_check(const char *name, struct kg_error *err)
{
    const unsigned char *c = (const unsigned char *)name;
    bool good = *name && *name != '-' && !strstr(name, "..");
    for (; *c && good; c++)
        good = *c > ' ' && *c != 0x7f && !strchr(":?*[\\", *c);
    return good || kg_error_set(err, KG_ERROR_USAGE,
                                "--trust is 'git:%.100s', but must be git: and a branch, a tag or "
                                "a commit, such as git:origin/main",
                                name);
}

static bool commit_of(struct kg_repository *repository, const char *name, const char **commit,
                      struct kg_error *err)
{
    const char *whole = kg_arena_printf(&repository->arena, "%s^{commit}", name);
    const char *const words[] = {"rev-parse",        "--verify", "--quiet",
                                 "--end-of-options", whole,      NULL};
    return whole ? line_ask(repository, words, commit, err) : kg_error_memory(err);
}

/* A fetch of depth 1 into a clone that has everything would cut its history. */
static bool unknown(struct kg_repository *repository, const char *name, struct kg_error *err)
{
    static const char *const words[] = {"rev-parse", "--is-shallow-repository", NULL};
    const char *shallow;
    if (!line_ask(repository, words, &shallow, err))
        return false;
    const char *slash = strchr(name, '/');
    const char *branch = slash && slash[1] ? slash + 1 : name;
    return kg_error_set(err, KG_ERROR_USAGE,
                        "this clone has no '%.200s'; fetch it before: `git fetch %sorigin "
                        "+%.200s:refs/remotes/origin/%.200s`",
                        name, shallow && !strcmp(shallow, "true") ? "--depth=1 " : "", branch,
                        branch);
}

/* The whole name of a branch or tag, its suffix (~1, ^2) behind it: a tag that is called as a branch must
 * not take its place. */
static bool name_resolve(struct kg_repository *repository, const char *name, const char **whole,
                         struct kg_error *err)
{
    static const char *const folders[] = {"refs/remotes/", "refs/heads/", "refs/tags/"};
    const size_t length = strcspn(name, "~^@");
    const char *found = NULL, *first = NULL;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const char *commit;
        const char *full =
            kg_arena_printf(&repository->arena, "%s%.*s", folders[i], (int)length, name);
        if (!full)
            return kg_error_memory(err);
        if (!commit_of(repository, full, &commit, err))
            return false;
        if (commit && found && strcmp(commit, first) != 0)
            return kg_error_set(err, KG_ERROR_USAGE,
                                "'%.100s' is both %.200s and %.200s, which are not the same "
                                "commit: name one of them",
                                name, found, full);
        if (commit && !found)
            found = full, first = commit;
    }
    if (!found && !is_hexadecimal(name, length))
        return unknown(repository, name, err);
    *whole = found ? kg_arena_printf(&repository->arena, "%s%s", found, name + length) : name;
    return *whole ? true : kg_error_memory(err);
}

bool kg_commit_find(struct kg_repository *repository, const char *name, const char **commit,
                    struct kg_error *err)
{
    const size_t length = strcspn(name, "~^@");
    const char *whole = name;
    if (!name_check(name, err))
        return false;
    const bool exact = !strncmp(name, "refs/", 5) || !length ||
                       (length == 4 && !strncmp(name, "HEAD", 4)) ||
                       (strlen(name) >= 40 && is_hexadecimal(name, strlen(name)));
    if ((!exact && !name_resolve(repository, name, &whole, err)) ||
        !commit_of(repository, whole, commit, err))
        return false;
    return *commit || unknown(repository, name, err);
}

bool kg_commit_common(struct kg_repository *repository, const char *one, const char *other,
                      const char **commit, struct kg_error *err)
{
    const char *const words[] = {"merge-base", one, other, NULL};
    return line_ask(repository, words, commit, err);
}

bool kg_commit_merges(struct kg_repository *repository, const char *commit, const char *into,
                      bool *merges, struct kg_error *err)
{
    static const char parent[] = "\nparent ";
    const char *const words[] = {"-C", repository->top, "cat-file", "commit", commit, NULL};
    struct kg_text text = {0};
    char said[SAID_MOST];
    int status;
    *merges = false;
    const bool good = ask(words, BLOB_MOST, &text, said, &status, err);
    const char *first = good && !status ? strstr(kg_text_string(&text), parent) : NULL;
    const char *end = first ? strstr(kg_text_string(&text), "\n\n") : NULL;
    if (first && first < end) {
        const char *name = first + sizeof parent - 1;
        const size_t length = strcspn(name, "\n");
        *merges = strlen(into) == length && !memcmp(name, into, length) &&
                  !strncmp(name + length, parent, sizeof parent - 1);
    }
    kg_text_free(&text);
    return good;
}

/* --- Paths --------------------------------------------------------------------------------------- */

/* Removes "." and ".." and doubled slashes of an absolute path, by its letters alone. */
static void normalise(char *path)
{
    char *to = path;
    for (const char *from = path; *from;) {
        from += strspn(from, "/");
        const size_t length = strcspn(from, "/");
        if (length == 2 && from[0] == '.' && from[1] == '.') {
            while (to > path && *--to != '/')
                ;
        } else if (length && !(length == 1 && from[0] == '.')) {
            *to++ = '/';
            memmove(to, from, length);
            to += length;
        }
        from += length;
    }
    if (to == path)
        *to++ = '/';
    *to = '\0';
}

/* The part of the path behind the folder that is the top; NULL where none of its folders is. */
static const char *behind_top(const char *top, char *path)
{
    char real[PATH_MAX];
    for (char *slash = strrchr(path, '/'); slash;) {
        *slash = '\0';
        const bool is_top = realpath(*path ? path : "/", real) && !strcmp(real, top);
        char *before = strrchr(path, '/');
        *slash = '/';
        if (is_top)
            return slash + 1;
        slash = before;
    }
    return NULL;
}

bool kg_repository_path(struct kg_repository *repository, const char *given, const char **inside,
                        struct kg_error *err)
{
    char *folder = get_current_dir_name(); /* as the shell has it: without links followed */
    char *path =
        folder ? kg_arena_printf(&repository->arena, "%s/%s", *given == '/' ? "" : folder, given)
               : NULL;
    free(folder);
    if (!path)
        return kg_error_memory(err);
    normalise(path);
    *inside = behind_top(repository->top, path);
    return true;
}

/* --- Files of a commit --------------------------------------------------------------------------- */

/* The blob of a path: *blob is NULL where there is none. */
static bool blob_find(struct kg_repository *repository, const char *commit, const char *inside,
                      const char **blob, struct kg_error *err)
{
    const char *const words[] = {"-C", repository->top, "ls-tree", "--full-tree", commit,
                                 "--", inside,          NULL};
    const char *line;
    char mode[8], type[16], hash[80];
    *blob = NULL;
    if (!line_ask(repository, words, &line, err))
        return false;
    if (!line)
        return kg_error_set(err, KG_ERROR_SYSTEM, "git cannot read the commit %.64s", commit);
    if (!*line)
        return true;
    if (sscanf(line, "%7s %15s %79s", mode, type, hash) != 3 || strcmp(type, "blob") != 0 ||
        !strcmp(mode, "120000"))
        return kg_error_set(err, KG_ERROR_USAGE, "'%.300s' is %s in %.12s, and must be a file",
                            inside, !strcmp(mode, "120000") ? "a symbolic link" : "no file",
                            commit);
    *blob = kg_arena_copy(&repository->arena, hash);
    return *blob ? true : kg_error_memory(err);
}

const char *kg_commit_pointer(const struct kg_text *text)
{
    static const char begin[] = "version https://git-lfs", before[] = "\noid sha256:";
    if (strncmp(kg_text_string(text), begin, sizeof begin - 1) != 0)
        return NULL;
    const char *hash = strstr(kg_text_string(text), before);
    return hash ? hash + sizeof before - 1 : "";
}

bool kg_commit_blob(struct kg_repository *repository, const char *commit, const char *inside,
                    struct kg_text *text, bool *there, struct kg_error *err)
{
    char said[SAID_MOST];
    const char *blob;
    int status;
    *there = false;
    if (!blob_find(repository, commit, inside, &blob, err))
        return false;
    if (!blob)
        return true;
    const char *const words[] = {"cat-file", "blob", blob, NULL};
    if (!ask(words, BLOB_MOST, text, said, &status, err))
        return false;
    if (status)
        return kg_error_set(err, KG_ERROR_SYSTEM, "git cannot read '%.300s' of %.12s: %s", inside,
                            commit, said);
    *there = true;
    return true;
}

bool kg_commit_read(struct kg_repository *repository, const char *commit, const char *inside,
                    struct kg_text *text, bool *there, struct kg_error *err)
{
    return kg_commit_blob(repository, commit, inside, text, there, err) &&
           (!*there || !kg_commit_pointer(text) ||
            kg_error_set(err, KG_ERROR_USAGE,
                         "'%.300s' is kept by Git LFS: what --trust reads must be in git itself",
                         inside));
}
