/* relatives.h: which processes belong to this one. Thread-safe. */
#pragma once

enum kg_kinship {
    KG_KINSHIP_OWN, /* this process, one it descends from, its parent's other children and theirs:
                           for a worker those are the other side's worker of `ab` */
    KG_KINSHIP_SERVICE, /* NVIDIA's MPS server: it works for others alone */
    KG_KINSHIP_OTHER,   /* another that is there */
    KG_KINSHIP_UNSEEN,  /* no such process can be seen from here */
};
/* Asked by a worker. A parent that is the system's first process makes no family. */
enum kg_kinship kg_kinship(long pid);
