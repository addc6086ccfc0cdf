#include "profiler/record/site.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { BUCKETS = 1 << 12 };

/* A copy of a site: the library that holds the site itself may be unloaded. */
struct known {
    struct kgate_site site;
    struct known *next; /* in its bucket, for a name made at run time */
    uint64_t hash;
    char text[]; /* name, backend and file, each terminated */
};

static struct {
    pthread_mutex_t lock;
    const struct known *by_number[KG_SITES_MOST];
    uint32_t count;
    struct known *buckets[BUCKETS];
} sites = {.lock = PTHREAD_MUTEX_INITIALIZER};

void kg_sites_lock(void)
{
    pthread_mutex_lock(&sites.lock);
}

void kg_sites_unlock(void)
{
    pthread_mutex_unlock(&sites.lock);
}

/* Copies a string to *to, which is moved behind it; NULL stays NULL. */
static const char *text_copy(const char *string, char **to)
{
    const size_t bytes = string ? strlen(string) + 1 : 0;
    char *copy = *to;
    if (!string)
        return NULL;
    memcpy(copy, string, bytes);
    *to += bytes;
    return copy;
}

static size_t text_bytes(const char *string)
{
    return string ? strlen(string) + 1 : 0;
}

/* Adds a copy under a number of its own. The caller holds the lock. NULL if memory or numbers are out:
 * a program that makes new names for ever must not fill the memory. */
static struct known *known_add(const struct kgate_site *site)
{
    struct known *known = sites.count + 1 < KG_SITES_MOST
                              ? calloc(1, sizeof *known + text_bytes(site->name) +
                                              text_bytes(site->backend) + text_bytes(site->file))
                              : NULL;
    if (!known)
        return NULL;
    char *to = known->text;
    known->site = *site;
    known->site.name = text_copy(site->name, &to);
    if (site->kind == KGATE_SCOPE_FUNCTION) {
        kg_function_name(known->text);
        known->site.kind = KGATE_SCOPE_COMPUTE;
    }
    known->site.backend = text_copy(site->backend, &to);
    known->site.file = text_copy(site->file, &to);
    known->site.id = ++sites.count;
    sites.by_number[known->site.id] = known;
    return known;
}

uint32_t kg_site_number(struct kgate_site *site)
{
    uint32_t number = __atomic_load_n(&site->id, __ATOMIC_RELAXED);
    if (number)
        return number;
    kg_sites_lock();
    number = __atomic_load_n(&site->id, __ATOMIC_RELAXED);
    if (!number) {
        const struct known *known = known_add(site);
        number = known ? known->site.id : 0;
        __atomic_store_n(&site->id, number, __ATOMIC_RELAXED);
    }
    kg_sites_unlock();
    return number;
}

/* The thread's own cache of sites, without a lock: programs mostly pass the same pointer for a name. */
static struct kgate_site **cached(const char *name)
{
    enum { CACHED = 32 };
    static __thread struct kgate_site *cache[CACHED];
    const uintptr_t address = (uintptr_t)name;
    return &cache[(address >> 3 ^ address >> 9) % CACHED];
}

static bool same(const struct kgate_site *site, const struct kgate_site *wanted)
{
    return site->device == wanted->device && !strcmp(site->name, wanted->name) &&
           !strcmp(site->backend ? site->backend : "", wanted->backend ? wanted->backend : "");
}

static struct kgate_site *intern(const struct kgate_site *wanted)
{
    const uint64_t hash =
        kg_hash_string(kg_hash_string(KG_HASH_START + (unsigned)wanted->device, wanted->name),
                       wanted->backend ? wanted->backend : "");
    struct known **bucket = &sites.buckets[hash % BUCKETS];
    kg_sites_lock();
    struct known *found = *bucket;
    while (found && !(found->hash == hash && same(&found->site, wanted)))
        found = found->next;
    if (!found) {
        found = known_add(wanted);
        if (found) {
            found->hash = hash;
            found->next = *bucket;
            *bucket = found;
        }
    }
    kg_sites_unlock();
    return found ? &found->site : NULL;
}

struct kgate_site *kg_site_intern(const char *name, enum kgate_device device, const char *backend)
{
    const struct kgate_site wanted = {.name = name, .device = device, .backend = backend};
    struct kgate_site **place = cached(name);
    if (*place && same(*place, &wanted))
        return *place;
    struct kgate_site *site = intern(&wanted);
    if (site)
        *place = site;
    return site;
}

uint32_t kg_site_count(void)
{
    kg_sites_lock();
    const uint32_t count = sites.count;
    kg_sites_unlock();
    return count;
}

const struct kgate_site *kg_site_get(uint32_t number)
{
    kg_sites_lock();
    const struct kgate_site *site = &sites.by_number[number]->site;
    kg_sites_unlock();
    return site;
}
