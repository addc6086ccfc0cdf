/* topdown.h: what the slots of a processor's pipeline went to: level 1 of the top-down method
 * (Yasin 2014), and what part waited for memory. Pure. */
#pragma once
#include "run/timing/core_events.h"

/* Shares of all slots; NaN: not known. They may add up to less than 1 where two threads share a
 * core. */
struct kg_topdown {
    double retiring;        /* did what was wanted */
    double bad_speculation; /* did what a wrong guess led to, or recovered from that */
    double frontend_bound;  /* nothing was fetched and decoded in time */
    double backend_bound;   /* nothing behind could take it */
    double memory_bound;    /* of that: it waited for loads and stores; the rest for the core */
};

/* counts   NaN for what was not counted
 * returns  all NaN where too little was counted, or what no pipeline can give */
struct kg_topdown kg_topdown_of(const double counts[KG_CORE_EVENTS]);
