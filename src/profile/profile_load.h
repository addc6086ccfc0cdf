/* profile_load.h: profiles from files of either kind, recording or JSON. kgate's own, not part of the
 * profiler library: it needs a JSON reader. */
#pragma once
#include "profile/profile.h"

/* Loads a recording, or a kgate.profile.v1 file (its entries are passed over).
 * err: KG_ERROR_USAGE naming what is wrong and where. profile: as kg_profile_read */
bool kg_profile_load(const char *path, struct kg_profile *profile, struct kg_error *err);

/* Whether a file is a profile of either kind, going by its first bytes; false also where it cannot be
 * read. */
bool kg_profile_is(const char *path);
