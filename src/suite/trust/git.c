#include "suite/trust/trust.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "suite/trust/git_ask.h"

enum { BLOB_MOST = 1 << 30 };

void kg_git_user(struct kg_arena *arena, const char **name)
{
    static const char *const words[] = {"config", "--get", "user.name", NULL};
    struct kg_repository here = {0};
    struct kg_error unknown = {0};
    const char *line = NULL;
    kg_git_line(&here.arena, words, &line, &unknown);
    *name = kg_arena_keep(arena, line);
    kg_repository_free(&here);
}

/* --- The repository ------------------------------------------------------------------------------ */

/* Sets the error if git finds no repository. git refuses a repository of another user, because its configuration could
 * start programs. git's message about this has several lines. */
static bool open_refuse(const char *answer, struct kg_error *err)
{
    static const char place[] = "safe.directory ";
    const char *folder = strstr(answer, place);
    if (strstr(answer, "dubious ownership") && folder)
        return kg_error_set(
            err, KG_ERROR_USAGE,
            "--trust git:REF: git does not read this repository, because it belongs "
            "to another user; where you trust it: git config --global --add %s",
            folder);
    return kg_error_set(err, KG_ERROR_USAGE,
                        "--trust git:REF needs a working directory in the repository: git says: %s",
                        answer);
}

/* Checks that git's folder is TOP/.git, or that TOP/.git is a file, as in a worktree. No commit can contain a path
 * named .git, so a change cannot put a repository there. git before 2.38 does not know safe.bareRepository: it accepts
 * any folder with HEAD, refs and objects. */
static bool folder_check(struct kg_repository *repository, struct kg_error *err)
{
    static const char *const words[] = {"rev-parse", "--absolute-git-dir", NULL};
    const char *folder = NULL;
    char real[PATH_MAX], asked[PATH_MAX];
    struct stat facts;
    if (!kg_git_line(&repository->arena, words, &folder, err))
        return false;
    const char *usual = kg_arena_printf(&repository->arena, "%s/.git", repository->top);
    const bool there = folder && lstat(usual, &facts) == 0;
    if (there && S_ISREG(facts.st_mode))
        return true;
    if (there && realpath(usual, real) && realpath(folder, asked) && !strcmp(real, asked))
        return true;
    return kg_error_set(err, KG_ERROR_USAGE,
                        "--trust git:REF: git takes '%.300s' for the repository, and a change can "
                        "commit such a folder; --trust accepts only '%.300s'",
                        folder ? folder : "", usual);
}

bool kg_repository_open(struct kg_repository *repository, struct kg_error *err)
{
    static const char *const words[] = {"rev-parse", "--show-toplevel", NULL};
    static const char *const outer[] = {"rev-parse", "--show-superproject-working-tree", NULL};
    struct kg_text text = {0};
    char answer[KG_GIT_ANSWER_MOST];
    const char *super;
    int status;
    *repository = (struct kg_repository){0};
    bool good = kg_git_ask(words, PATH_MAX, &text, answer, &status, err);
    if (good && status)
        good = open_refuse(answer, err);
    if (good) {
        repository->top = kg_arena_copy_bytes(&repository->arena, kg_text_string(&text),
                                              text.length ? text.length - 1 : 0);
        good = kg_git_line(&repository->arena, outer, &super, err);
    }
    kg_text_free(&text);
    good = good && folder_check(repository, err);
    if (good && super && *super)
        good = kg_error_set(
            err, KG_ERROR_USAGE,
            "'%.300s' is a submodule of '%.300s', and a change of the outer repository "
            "selects its commit; --trust does not work in a submodule",
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
    return kg_git_line(&repository->arena, words, commit, err);
}

/* Sets the error for an unknown name. Only a shallow clone gets the advice --depth=1, which would cut the history of a
 * full clone. */
static bool unknown(struct kg_repository *repository, const char *name, struct kg_error *err)
{
    static const char *const words[] = {"rev-parse", "--is-shallow-repository", NULL};
    const char *shallow;
    if (!kg_git_line(&repository->arena, words, &shallow, err))
        return false;
    const char *slash = strchr(name, '/');
    const char *branch = slash && slash[1] ? slash + 1 : name;
    return kg_error_set(err, KG_ERROR_USAGE,
                        "this clone has no '%.200s'; fetch it before: `git fetch %sorigin "
                        "+%.200s:refs/remotes/origin/%.200s`",
                        name, shallow && !strcmp(shallow, "true") ? "--depth=1 " : "", branch,
                        branch);
}

/* Finds the full name of a branch or tag and appends the suffix (~1, ^2). So a tag cannot replace a branch of the same
 * name. */
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
    return true;
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
    return kg_git_line(&repository->arena, words, commit, err);
}

bool kg_commit_merges(struct kg_repository *repository, const char *commit, const char *into,
                      bool *merges, struct kg_error *err)
{
    static const char parent[] = "\nparent ";
    const char *const words[] = {"-C", repository->top, "cat-file", "commit", commit, NULL};
    struct kg_text text = {0};
    char answer[KG_GIT_ANSWER_MOST];
    int status;
    *merges = false;
    const bool good = kg_git_ask(words, BLOB_MOST, &text, answer, &status, err);
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

/* Removes ".", ".." and doubled slashes from an absolute path, without looking at the file system. */
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

/* The part of the path after its folder `top`; NULL if none of its folders is `top`. */
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

void kg_repository_path(struct kg_repository *repository, const char *given, const char **inside)
{
    char *folder = get_current_dir_name(); /* $PWD if valid: symbolic links stay in the path */
    char *path =
        folder ? kg_arena_printf(&repository->arena, "%s/%s", *given == '/' ? "" : folder, given)
               : NULL;
    free(folder);
    *inside = NULL;
    if (!path)
        return;
    normalise(path);
    *inside = behind_top(repository->top, path);
}

/* --- Files of a commit --------------------------------------------------------------------------- */

/* Finds the blob of a path. If the commit lacks the path, *blob is NULL. */
static bool blob_find(struct kg_repository *repository, const char *commit, const char *inside,
                      const char **blob, struct kg_error *err)
{
    const char *const words[] = {"-C", repository->top, "ls-tree", "--full-tree", commit,
                                 "--", inside,          NULL};
    const char *line;
    char mode[8], type[16], hash[80];
    *blob = NULL;
    if (!kg_git_line(&repository->arena, words, &line, err))
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
    return true;
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
    char answer[KG_GIT_ANSWER_MOST];
    const char *blob;
    int status;
    *there = false;
    if (!blob_find(repository, commit, inside, &blob, err))
        return false;
    if (!blob)
        return true;
    const char *const words[] = {"cat-file", "blob", blob, NULL};
    if (!kg_git_ask(words, BLOB_MOST, text, answer, &status, err))
        return false;
    if (status)
        return kg_error_set(err, KG_ERROR_SYSTEM, "git cannot read '%.300s' of %.12s: %s", inside,
                            commit, answer);
    *there = true;
    return true;
}

bool kg_commit_read(struct kg_repository *repository, const char *commit, const char *inside,
                    struct kg_text *text, bool *there, struct kg_error *err)
{
    return kg_commit_blob(repository, commit, inside, text, there, err) &&
           (!*there || !kg_commit_pointer(text) ||
            kg_error_set(
                err, KG_ERROR_USAGE,
                "'%.300s' is kept by Git LFS; --trust reads only files that are in git itself",
                inside));
}
