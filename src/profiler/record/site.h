/* site.h: the places that make scopes, numbered: process-wide, from 1, never forgotten. All
 * functions take the table's own lock; they are off the hot path. */
#pragma once
#include <stdint.h>

#include "kgate/profiler.h"

enum { KG_SITES_MOST = 1 << 16 };

/* The site's number, given at its first use; 0 if there is no room. */
uint32_t kg_site_number(struct kgate_site *site);

/* The site of a name made at run time; equal name, device and backend give the same site. Strings are
 * copied.
 * returns NULL if memory or room is out */
struct kgate_site *kg_site_intern(const char *name, enum kgate_device device, const char *backend);

/* The number of sites, and the site of a number from 1 to this: a copy, which stays valid even if the
 * site's library is unloaded. */
uint32_t kg_site_count(void);
const struct kgate_site *kg_site_get(uint32_t number);

/* Shortens __PRETTY_FUNCTION__ in place: "virtual double ns::Layer::forward(int) const" becomes
 * "ns::Layer::forward". A name without parameters, such as C's __func__, stays. Pure; it needs no
 * memory, which base/code/symbol_name.h does: the library of other people's programs goes on without. */
void kg_function_name(char *signature);

/* Around fork, so that no other thread holds the table then. */
void kg_sites_lock(void);
void kg_sites_unlock(void);
