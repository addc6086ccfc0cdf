/* relatives.h: which processes belong to this one. Thread-safe. */
#pragma once

enum kg_kinship {
    KG_KINSHIP_OWN,    /* this process, one it descends from, or one that descends from it */
    KG_KINSHIP_OTHER,  /* another that is there */
    KG_KINSHIP_UNSEEN, /* no such process can be seen from here */
};
enum kg_kinship kg_kinship(long pid);
