/* judged.c: the list of the judged workloads. */
#include "kgate/plugin.h"

#define PAIRS(pair, single)                                                                        \
    pair(report_join) pair(visitor_ids) pair(csv_fields) pair(job_queue) pair(sensor_export)       \
        pair(packet_crc) pair(gamma_image) pair(resize_nearest) pair(pixel_access)                 \
            pair(cross_fade) pair(mixer_voices) pair(series_spread) pair(dark_histogram)           \
                pair(order_filter) pair(price_list) pair(blocked_ids) pair(survey_columns)         \
                    pair(session_timeouts) pair(tone_passes) pair(request_arena)                   \
                        pair(record_writer) pair(index_cache) pair(filter_children)                \
                            pair(reply_drain) pair(word_counts) pair(vote_tally)                   \
                                pair(quality_classes) pair(heated_rods) pair(friend_triangles)     \
                                    pair(fractal_rows) pair(tide_solver) pair(tile_paths)          \
                                        single(stock_map) single(brightness_curve)                 \
                                            single(archive_crc) single(trace_writer)               \
                                                single(median_pixels) single(formula_nodes)        \
                                                    single(meter_totals) single(leap_days)         \
                                                        single(turned_tiles) single(line_count)

#define PAIR_DECLARED(name)                                                                        \
    extern const struct kgate_workload name##_bad_workload, name##_good_workload;
#define PAIR_LISTED(name) &name##_bad_workload, &name##_good_workload,
#define SINGLE_DECLARED(name) extern const struct kgate_workload name##_workload;
#define SINGLE_LISTED(name) &name##_workload,

PAIRS(PAIR_DECLARED, SINGLE_DECLARED)

static const struct kgate_workload *const workloads[] = {PAIRS(PAIR_LISTED, SINGLE_LISTED)};

const struct kgate_plugin *kgate_plugin_workloads(void);

const struct kgate_plugin *kgate_plugin_workloads(void)
{
    static const struct kgate_plugin plugin = {.abi = KGATE_PLUGIN_ABI,
                                               .workloads = workloads,
                                               .workload_count =
                                                   sizeof workloads / sizeof *workloads};
    return &plugin;
}
