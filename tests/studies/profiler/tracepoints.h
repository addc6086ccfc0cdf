/* tracepoints.h: LTTng-UST's events at the beginning and the end of a scope. Read several times by
 * LTTng's own header. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER kgate_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "tracepoints.h"

#if !defined(KGATE_BENCH_TRACEPOINTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define KGATE_BENCH_TRACEPOINTS_H
#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(kgate_bench, begin, LTTNG_UST_TP_ARGS(int, site),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, site, site)))
LTTNG_UST_TRACEPOINT_EVENT(kgate_bench, end, LTTNG_UST_TP_ARGS(int, site),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, site, site)))
#endif

#include <lttng/tracepoint-event.h>
