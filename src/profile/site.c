#include "profile/site.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "util/hash.h"

enum { BUCKETS = 1 << 12 };

/* A name made at run time. */
struct interned {
    struct kgate_site site;
    struct interned *next;
    uint64_t hash;
    char text[]; /* name and backend, each terminated */
};

static struct {
    pthread_mutex_t lock;
    const struct kgate_site *by_number[KG_SITES_MOST];
    uint32_t count;
    struct interned *buckets[BUCKETS];
} sites = {.lock = PTHREAD_MUTEX_INITIALIZER};

void kg_sites_lock(void)
{
    pthread_mutex_lock(&sites.lock);
}

void kg_sites_unlock(void)
{
    pthread_mutex_unlock(&sites.lock);
}

uint32_t kg_site_number(struct kgate_site *site)
{
    kg_sites_lock();
    if (!site->id && sites.count + 1 < KG_SITES_MOST) {
        site->id = ++sites.count;
        sites.by_number[site->id] = site;
    }
    const uint32_t number = site->id;
    kg_sites_unlock();
    return number;
}

static struct interned *interned_make(const char *name, const char *backend, uint64_t hash)
{
    const size_t name_bytes = strlen(name) + 1, backend_bytes = backend ? strlen(backend) + 1 : 0;
    struct interned *interned = calloc(1, sizeof *interned + name_bytes + backend_bytes);
    if (!interned)
        return NULL;
    memcpy(interned->text, name, name_bytes);
    interned->site.name = interned->text;
    if (backend) {
        memcpy(interned->text + name_bytes, backend, backend_bytes);
        interned->site.backend = interned->text + name_bytes;
    }
    interned->hash = hash;
    return interned;
}

static bool is(const struct interned *interned, uint64_t hash, const char *name,
               enum kgate_device device, const char *backend)
{
    const struct kgate_site *site = &interned->site;
    return interned->hash == hash && site->device == device && !strcmp(site->name, name) &&
           !strcmp(site->backend ? site->backend : "", backend ? backend : "");
}

struct kgate_site *kg_site_intern(const char *name, enum kgate_device device, const char *backend)
{
    const uint64_t hash = kg_hash_string(kg_hash_string(KG_HASH_START + (unsigned)device, name),
                                         backend ? backend : "");
    struct interned **bucket = &sites.buckets[hash % BUCKETS];
    kg_sites_lock();
    struct interned *found = *bucket;
    while (found && !is(found, hash, name, device, backend))
        found = found->next;
    /* Names that are counted up for ever must not fill the memory: beyond the numbers there are
     * no sites. */
    if (!found && sites.count + 1 < KG_SITES_MOST) {
        found = interned_make(name, backend, hash);
        if (found) {
            found->site.device = device;
            found->site.id = ++sites.count;
            sites.by_number[found->site.id] = &found->site;
            found->next = *bucket;
            *bucket = found;
        }
    }
    kg_sites_unlock();
    return found ? &found->site : NULL;
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
    const struct kgate_site *site = sites.by_number[number];
    kg_sites_unlock();
    return site;
}
