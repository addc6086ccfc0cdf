#include "suite/trust/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sha256.h"
#include "suite/suite_diff.h"

enum { FILE_MOST = 1 << 30, COMMIT_SHOWN = 12 };

static const char NOT_USED[] = " (not used)", USED[] = " (used: --accept-from head)";

/* Finds the start of the change in a clone of one commit, which has no history. If this commit merges the change into
 * the trusted commit, the change starts at the trusted commit. */
static bool merged_find(struct kg_trust *trust, struct kg_error *err)
{
    bool merged = false;
    if (trust->common)
        return true;
    if (!kg_commit_merges(&trust->repository, "HEAD", trust->commit, &merged, err))
        return false;
    trust->common = merged ? trust->commit : NULL;
    return true;
}

void kg_trust_describe(struct kg_trust *trust, const char **words)
{
    const char *more = "";
    if (trust->judges_itself)
        more = ", the commit that is checked out: it judges itself";
    else if (trust->edit_count && !trust->common)
        more = "; this clone lacks the merge base, so the list of edits may include the target "
               "branch's own: `git fetch --unshallow`, or fetch-depth: 0";
    *words = kg_arena_printf(&trust->repository.arena, "%s%s", trust->words, more);
}

bool kg_trust_open(const char *option, struct kg_trust *trust, struct kg_error *err)
{
    static const char prefix[] = "git:";
    const char *head;
    *trust = (struct kg_trust){0};
    if (strncmp(option, prefix, sizeof prefix - 1) != 0)
        return kg_error_set(err, KG_ERROR_USAGE,
                            "--trust is '%.100s', but must be git: and a branch, a tag or a "
                            "commit, such as git:origin/main",
                            option);
    const char *name = option + sizeof prefix - 1;
    if (!kg_repository_open(&trust->repository, err) ||
        !kg_commit_find(&trust->repository, name, &trust->commit, err) ||
        !kg_commit_find(&trust->repository, "HEAD", &head, err) ||
        !kg_commit_common(&trust->repository, trust->commit, head, &trust->common, err))
        return false;
    if (!merged_find(trust, err))
        return false;
    const bool is_commit = !strcmp(name, trust->commit);
    trust->judges_itself = !strcmp(head, trust->commit);
    trust->words =
        kg_arena_printf(&trust->repository.arena, "%s%s%.*s", is_commit ? "commit" : name,
                        is_commit ? " " : " at ", COMMIT_SHOWN, trust->commit);
    return true;
}

void kg_trust_free(struct kg_trust *trust)
{
    for (size_t i = 0; i < trust->data_count; i++)
        if (trust->data[i].held >= 0)
            close(trust->data[i].held);
    kg_repository_free(&trust->repository);
    *trust = (struct kg_trust){0};
}

void kg_trust_inside(struct kg_trust *trust, const char *given, bool *inside)
{
    const char *path;
    *inside = false;
    kg_repository_path(&trust->repository, given, &path);
    *inside = path != NULL;
}

static void edit_add(struct kg_trust *trust, const char *edit)
{
    kg_arena_grow(&trust->repository.arena, &trust->edits, trust->edit_count, &trust->edit_capacity,
                  sizeof *trust->edits);
    trust->edits[trust->edit_count++] = edit;
}

static bool same_text(const struct kg_text *a, bool a_there, const struct kg_text *b, bool b_there)
{
    return a_there == b_there &&
           (!a_there ||
            (a->length == b->length && !memcmp(kg_text_string(a), kg_text_string(b), a->length)));
}

/* Reads the file at the start of the change, because later edits of the target branch are no edits of the change. If
 * the start is unknown: the file of the trusted commit. */
static bool common_read(struct kg_trust *trust, const char *inside, const struct kg_text *trusted,
                        bool trusted_there, struct kg_text *common, bool *there,
                        struct kg_error *err)
{
    if (trust->common && strcmp(trust->common, trust->commit) != 0)
        return kg_commit_blob(&trust->repository, trust->common, inside, common, there, err);
    kg_text_append_bytes(common, kg_text_string(trusted), trusted->length);
    *there = trusted_there;
    return true;
}

/* Adds the edits of a suite, key by key. If the suite cannot be read, the only edit is the reason. */
static void suite_edits_add(struct kg_trust *trust, const char *inside,
                            const struct kg_text *trusted, const struct kg_text *head)
{
    struct kg_arena *arena = &trust->repository.arena;
    struct kg_suite_diff diff;
    struct kg_error broken;
    if (!kg_suite_diff(arena, inside, kg_text_string(trusted), trusted->length,
                       kg_text_string(head), head->length, &diff, &broken)) {
        edit_add(trust, kg_arena_printf(arena, "%s: cannot be read: line %u: %.300s%s", inside,
                                        broken.line, broken.message, NOT_USED));
        return;
    }
    for (size_t i = 0; i < diff.count; i++)
        edit_add(trust, kg_arena_printf(arena, "%s: %s%s", inside, diff.lines[i], NOT_USED));
}

/* Compares the file of the change with its earlier content, and adds the edits. */
static void edits_compare(struct kg_trust *trust, const char *inside, enum kg_trust_file file,
                          const struct kg_text *before, bool before_there,
                          const struct kg_text *head, bool there)
{
    if (same_text(before, before_there, head, there))
        return;
    if (file == KG_TRUST_SUITE && there && before_there) {
        suite_edits_add(trust, inside, before, head);
        return;
    }
    edit_add(trust, kg_arena_printf(&trust->repository.arena, "%s: %s%s", inside,
                                    !before_there ? "added"
                                    : there       ? "edited"
                                                  : "removed",
                                    file == KG_TRUST_HEAD_COUNTS ? USED : NOT_USED));
}

/* A file of the working tree. */
struct head_file {
    struct kg_text text;
    bool there, readable;
};

/* Reads a file of the working tree. Only a regular file is readable: others may block or never end. */
static void head_read(const char *path, struct head_file *head)
{
    struct kg_error unreadable;
    struct stat facts;
    *head = (struct head_file){.there = access(path, F_OK) == 0};
    head->readable = !head->there || (stat(path, &facts) == 0 && S_ISREG(facts.st_mode) &&
                                      kg_file_read(path, FILE_MOST, &head->text, &unreadable));
}

/* Adds the edits of a file if the working tree differs from the trusted commit. */
static bool edits_find(struct kg_trust *trust, const char *inside, enum kg_trust_file file,
                       const struct head_file *head, const struct kg_text *trusted,
                       bool trusted_there, struct kg_error *err)
{
    struct kg_text common = {0};
    bool common_there, good = true;
    if (!head->readable) {
        edit_add(trust, kg_arena_printf(&trust->repository.arena, "%s: cannot be read%s", inside,
                                        NOT_USED));
    } else if (!same_text(trusted, trusted_there, &head->text, head->there)) {
        good = common_read(trust, inside, trusted, trusted_there, &common, &common_there, err);
        if (good)
            edits_compare(trust, inside, file, &common, common_there, &head->text, head->there);
    }
    kg_text_free(&common);
    return good;
}

bool kg_trust_read(struct kg_trust *trust, const char *given, enum kg_trust_file file,
                   struct kg_text *text, bool *there, struct kg_error *err)
{
    const char *inside;
    *there = false;
    kg_repository_path(&trust->repository, given, &inside);
    if (!inside)
        return kg_error_set(
            err, KG_ERROR_USAGE,
            "'%.300s' is not in the repository '%.300s'; --trust git:REF reads it from there",
            given, trust->repository.top);
    if (!kg_commit_read(&trust->repository, trust->commit, inside, text, there, err))
        return false;
    struct head_file head;
    head_read(given, &head);
    const bool good = edits_find(trust, inside, file, &head, text, *there, err);
    kg_text_free(&head.text);
    return good;
}

/* --- Data files ---------------------------------------------------------------------------------- */

static bool all_write(int file, const struct kg_text *text)
{
    for (size_t done = 0; done < text->length;) {
        const ssize_t length = write(file, kg_text_string(text) + done, text->length - done);
        if (length < 0 && errno == EINTR)
            continue;
        if (length <= 0)
            return false;
        done += (size_t)length;
    }
    return true;
}

/* Keeps the text in a sealed file in memory, so that no process can change it, not even the measured program. The file
 * ends with kgate, also after a crash.
 * returns  descriptor, or -1 */
static int text_hold(const struct kg_text *text, struct kg_error *err)
{
    const int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
    const int file = memfd_create("kgate-data", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file >= 0 && all_write(file, text) && fcntl(file, F_ADD_SEALS, seals) == 0)
        return file;
    kg_error_set(err, KG_ERROR_SYSTEM, "cannot keep a trusted data file in memory: %s",
                 strerror(errno));
    if (file >= 0)
        close(file);
    return -1;
}

static void data_add(struct kg_trust *trust, const char *given, const char *path, int held)
{
    struct kg_arena *arena = &trust->repository.arena;
    given = kg_arena_copy(arena, given);
    kg_arena_grow(arena, &trust->data, trust->data_count, &trust->data_capacity,
                  sizeof *trust->data);
    trust->data[trust->data_count++] =
        (struct kg_trust_data){.given = given, .path = path, .held = held};
}

static void uncovered_add(struct kg_trust *trust, const char *given, const char *inside)
{
    struct kg_arena *arena = &trust->repository.arena;
    kg_arena_grow(arena, &trust->uncovered, trust->uncovered_count, &trust->uncovered_capacity,
                  sizeof *trust->uncovered);
    trust->uncovered[trust->uncovered_count++] = inside;
    data_add(trust, given, kg_arena_copy(arena, given), -1);
}

/* Whether the file of the working tree equals the commit's file. For a Git LFS pointer: whether the hashes match. */
static bool is_trusted(const char *path, const struct head_file *head,
                       const struct kg_text *trusted)
{
    char hex[KG_SHA256_DIGITS + 1];
    const char *pointer = kg_commit_pointer(trusted);
    if (head->readable && same_text(trusted, true, &head->text, head->there))
        return true;
    return pointer && head->there && head->readable && kg_sha256_file(path, hex) &&
           !strncmp(pointer, hex, KG_SHA256_DIGITS);
}

/* Adds a data file that the commit has. If the working tree differs, kgate reads a sealed copy instead.
 * path  absolute path in the working tree */
static bool covered_add(struct kg_trust *trust, const char *given, const char *inside,
                        const char *path, const struct kg_text *trusted, struct kg_error *err)
{
    struct head_file head;
    bool good;
    head_read(path, &head);
    if (is_trusted(path, &head, trusted)) {
        data_add(trust, given, path, -1);
        good = true;
    } else if (kg_commit_pointer(trusted)) {
        good = kg_error_set(err, KG_ERROR_UNDECIDED,
                            "'%.300s' is kept by Git LFS, and this checkout lacks the version of "
                            "%s; kgate cannot judge this change by it",
                            inside, trust->words);
    } else {
        const int held = text_hold(trusted, err);
        if (held >= 0)
            data_add(
                trust, given,
                kg_arena_printf(&trust->repository.arena, "/proc/%ld/fd/%d", (long)getpid(), held),
                held);
        good = held >= 0 && edits_find(trust, inside, KG_TRUST_OTHER, &head, trusted, true, err);
    }
    kg_text_free(&head.text);
    return good;
}

static bool data_read(struct kg_trust *trust, const char *given, struct kg_error *err)
{
    struct kg_arena *arena = &trust->repository.arena;
    struct kg_text trusted = {0};
    const char *inside;
    bool there;
    kg_repository_path(&trust->repository, given, &inside);
    if (!inside) {
        data_add(trust, given, kg_arena_copy(arena, given), -1);
        return true;
    }
    const char *path = kg_arena_printf(arena, "%s/%s", trust->repository.top, inside);
    bool good = kg_commit_blob(&trust->repository, trust->commit, inside, &trusted, &there, err);
    if (good && there)
        good = covered_add(trust, given, inside, path, &trusted, err);
    else if (good)
        uncovered_add(trust, given, inside);
    kg_text_free(&trusted);
    return good;
}

bool kg_trust_data(struct kg_trust *trust, const char *given, const char **path,
                   struct kg_error *err)
{
    for (size_t i = 0; i < trust->data_count; i++)
        if (!strcmp(trust->data[i].given, given)) {
            *path = trust->data[i].path;
            return true;
        }
    if (!data_read(trust, given, err))
        return false;
    *path = trust->data[trust->data_count - 1].path;
    return true;
}

void kg_trust_uncovered(struct kg_trust *trust, const char **note)
{
    enum { MOST = 5 };
    struct kg_text text = {0};
    *note = NULL;
    if (!trust->uncovered_count)
        return;
    kg_text_printf(&text,
                   "--trust does not cover data files that %s does not have; they are the "
                   "working directory's: ",
                   trust->words);
    for (size_t i = 0; i < trust->uncovered_count && i < MOST; i++)
        kg_text_printf(&text, "%s%s", i ? ", " : "", trust->uncovered[i]);
    if (trust->uncovered_count > MOST)
        kg_text_printf(&text, " and %zu more", trust->uncovered_count - MOST);
    *note = kg_arena_copy(&trust->repository.arena, kg_text_string(&text));
    kg_text_free(&text);
}
