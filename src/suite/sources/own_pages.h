/* own_pages.h: gives the shared objects of a plugin their own physical pages.
 *
 * While a file is cached, every process maps the same physical pages. Their addresses decide which cache lines collide,
 * up to a tenth of a short function's time. So two copies of the same bytes differ by a constant, and more rounds do
 * not average it out. With new pages in each process, the effect becomes noise between rounds, which the interval
 * covers.
 *
 * kgate copies the pages in place, by writing to a private mapping (copy on write). The objects keep their names,
 * addresses and folders: debuggers, samplers, dladdr and $ORIGIN see no difference. kgate writes no file. */
#pragma once
#include <stddef.h>

enum { KG_OWN_PAGES_WORDS = 200 };

/* The number of loaded objects. */
size_t kg_objects_loaded(void);

/* Copies the pages of newly loaded objects, in random order. Objects in system folders keep their pages, because both
 * sides of a comparison use the same objects.
 * before  kg_objects_loaded() before the load
 * note    Set to a sentence if copying failed or the objects exceed 64 MiB; then some pages stay shared with the file.
 *         "" on success. */
void kg_own_pages(size_t before, char note[KG_OWN_PAGES_WORDS]);
