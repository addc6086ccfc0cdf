/* own_pages.h: gives the shared objects of a plugin physical pages of their own.
 *
 * The pages of a file lie where the system once read it, and every process maps the same ones as long as
 * the file is cached. Which lines of a cache they share decides up to a tenth of a short function's time,
 * so that two copies of the same bytes differ by a constant which no number of rounds averages out. With
 * pages made anew for each process that is noise between rounds, which the interval tells.
 *
 * The pages are copied in place, by writing to a private mapping (copy on write). So the objects keep
 * their names, addresses and folders: debuggers, samplers, dladdr and $ORIGIN see no difference, and
 * no file is written. */
#pragma once
#include <stddef.h>

enum { KG_OWN_PAGES_WORDS = 200 };

/* The number of objects that are loaded now. */
size_t kg_objects_loaded(void);

/* Copies the pages of the objects loaded since, in an order of its own. Objects in folders of the system
 * keep theirs: both sides of a comparison have the same.
 * before  kg_objects_loaded() before they were loaded
 * note    set to one sentence where pages could not be copied, or are more than 64 MiB: the object then
 *         works with those of its file. "" where all are copied */
void kg_own_pages(size_t before, char note[KG_OWN_PAGES_WORDS]);
