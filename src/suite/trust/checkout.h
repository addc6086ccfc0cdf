/* checkout.h: the commit and the branch of the checkout around a path, as the program git names them.
 * Results carry both, so that a reader can tell which version was measured. */
#pragma once
#include "base/arena.h"

struct kg_checkout {
    const char *commit; /* `git describe --tags --always --dirty`; NULL: not known */
    const char *branch; /* NULL: not known, or no branch is checked out */
};

/* Asks git about the checkout that contains the file or folder. Nothing is known without git, without
 * a repository, in a repository of another user (git's safe.directory), or if git takes longer than a
 * few seconds.
 *
 * A hostile repository makes git start nothing: no hook, no file system monitor, no remote helper. If the
 * repository's own configuration has a filter, `commit` never ends in "-dirty": git would start the
 * filter to compare files.
 * path    symbolic links are followed; nothing is known if it does not exist
 * returns strings in `arena` */
struct kg_checkout kg_checkout_read(struct kg_arena *arena, const char *path);
