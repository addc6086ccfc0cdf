/* bfs's CUDA versions on the emulator: the workload's own graphs, and others whose levels are many,
 * few, large at once, or none. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "cuda/cmocka_cpp.h"
#include "cuda/emulated.h"
#include "cuda/emulated_device.h"

#include "bfs/bfs.h"
#include "common/device.h"
#include "base/random.h"

using edges_list = std::vector<std::pair<uint32_t, uint32_t>>;

static const struct {
    const char *name;
    void (*run)(void *bfs);
} versions[] = {
    {"plain", kg_bfs_cuda_plain},
    {"queue", kg_bfs_cuda_queue},
    {"fast", kg_bfs_cuda_fast},
};

/* --- A graph of one's own, there and on the device -------------------------------------------- */
/* Memory of the emulated device, which does not outlive the graph; all bytes 0xff. */
template <class T> static void device_take(T **place, size_t count)
{
    *place = static_cast<T *>(malloc(count ? count * sizeof(T) : 1));
    assert_non_null(*place);
    memset(*place, 0xff, count * sizeof(T));
}

struct graph {
    std::vector<uint64_t> start;
    std::vector<uint32_t> neighbour, queue, next;
    std::vector<int32_t> distance;
    struct kgate_context context = {};
    struct kg_bfs bfs = {};

    graph(size_t vertices, const edges_list &edges)
        : start(vertices + 1), neighbour(2 * edges.size()), queue(vertices), next(vertices),
          distance(vertices)
    {
        for (const auto &edge : edges)
            start[edge.first]++, start[edge.second]++;
        uint64_t sum = 0;
        for (uint64_t &place : start)
            place = sum += place;
        for (const auto &edge : edges) {
            neighbour[--start[edge.first]] = edge.second;
            neighbour[--start[edge.second]] = edge.first;
        }
        context.device = KGATE_DEVICE_CUDA;
        context.stream = emulated_stream();
        bfs.start = start.data();
        bfs.neighbour = neighbour.data();
        bfs.distance = distance.data();
        bfs.queue = queue.data();
        bfs.next = next.data();
        bfs.vertices = vertices;
        bfs.edges = edges.size();
        bfs.call.threads = 1;
        device_take(&bfs.device.start, start.size());
        device_take(&bfs.device.neighbour, neighbour.size());
        device_take(&bfs.device.distance, vertices);
        device_take(&bfs.device.levels, 3);
        for (size_t i = 0; i < 2; i++) {
            device_take(&bfs.device.queue[i], vertices);
            device_take(&bfs.device.seen[i], (vertices + 31) / 32);
        }
        if (!kg_bfs_device_prepare(&context, &bfs))
            fail_msg("%s", context.message);
    }
    ~graph()
    {
        void *const taken[] = {bfs.device.start,    bfs.device.neighbour, bfs.device.distance,
                               bfs.device.levels,   bfs.device.queue[0],  bfs.device.queue[1],
                               bfs.device.seen[0],  bfs.device.seen[1]};
        for (void *memory : taken)
            free(memory);
    }
    graph(const graph &) = delete;
};

static void assert_distances(const char *kind, const char *version, struct graph *graph)
{
    struct kg_bfs *bfs = &graph->bfs;
    std::vector<int32_t> expected(bfs->vertices), found(bfs->vertices);
    kg_bfs_reference(bfs, expected.data());
    assert_true(kg_device_good(&graph->context));
    assert_true(kg_device_download(&graph->context, found.data(), bfs->device.distance,
                                   bfs->vertices * sizeof(int32_t)));
    for (size_t v = 0; v < bfs->vertices; v++)
        if (found[v] != (expected[v] == INT32_MAX ? -1 : expected[v]))
            fail_msg("%s of %zu vertices, %s: vertex %zu is at %d, not %d", kind, bfs->vertices,
                     version, v, found[v], expected[v]);
}

/* Every version, twice: a search must not spoil the next. */
static void searches_pass(const char *kind, size_t vertices, const edges_list &edges)
{
    struct graph graph(vertices, edges);
    for (const auto &version : versions)
        for (uint64_t turn = 0; turn < 2; turn++) {
            emulated_order(emulated_seed(0) + turn);
            assert_true(kg_device_poison(&graph.context, graph.bfs.device.distance,
                                         vertices * sizeof(int32_t)));
            version.run(&graph.bfs);
            assert_distances(kind, version.name, &graph);
        }
    graph.bfs.device.launches += 4; /* with nothing left to do they change nothing */
    kg_bfs_cuda_fast(&graph.bfs);
    assert_distances(kind, "fast with launches to spare", &graph);
}

/* --- Kinds of graphs
 * ------------------------------------------------------------------------------- */
static edges_list path_of(uint32_t vertices, uint32_t first = 0)
{
    edges_list edges;
    for (uint32_t v = first; v + 1 < first + vertices; v++)
        edges.push_back({v, v + 1});
    return edges;
}

static edges_list clique_of(uint32_t vertices, uint32_t first = 0)
{
    edges_list edges;
    for (uint32_t v = first; v < first + vertices; v++)
        for (uint32_t w = first; w < v; w++)
            edges.push_back({v, w});
    return edges;
}

static edges_list random_of(struct kg_random *random, uint32_t vertices, size_t count)
{
    edges_list edges;
    for (size_t e = 0; e < count; e++)
        edges.push_back({(uint32_t)kg_random_below(random, vertices),
                         (uint32_t)kg_random_below(random, vertices)});
    return edges;
}

static void append(edges_list *edges, const edges_list &more)
{
    edges->insert(edges->end(), more.begin(), more.end());
}

static void a_source_without_neighbours_reaches_itself(void **)
{
    searches_pass("nothing", 1, {});
    searches_pass("a loop", 1, {{0, 0}});
    searches_pass("isolated source", 70, path_of(60, 5));
}

static void a_path_has_as_many_levels_as_edges(void **)
{
    for (uint32_t vertices : {2U, 31U, 32U, 33U, 700U})
        searches_pass("path", vertices, path_of(vertices));
    struct graph path(700, path_of(700));
    assert_int_equal(path.bfs.device.depth, 699);
    assert_int_equal(path.bfs.device.launches, 1); /* one block goes all the way */
}

static void stars_and_cliques(void **)
{
    for (uint32_t vertices : {2U, 33U, 1000U, 3001U}) {
        edges_list centre, leaf;
        for (uint32_t v = 1; v < vertices; v++) {
            centre.push_back({0, v});
            leaf.push_back({1, v == 1 ? 0 : v});
        }
        searches_pass("star from its centre", vertices, centre);
        searches_pass("star from a leaf", vertices, leaf);
    }
    for (uint32_t vertices : {3U, 32U, 65U, 150U})
        searches_pass("clique", vertices, clique_of(vertices));
}

static void trees_and_grids(void **)
{
    edges_list tree, grid;
    for (uint32_t v = 1; v < 4000; v++)
        tree.push_back({v, (v - 1) / 2});
    for (uint32_t v = 0; v < 50 * 50; v++) {
        if (v % 50)
            grid.push_back({v, v - 1});
        if (v >= 50)
            grid.push_back({v, v - 50});
    }
    searches_pass("binary tree", 4000, tree);
    searches_pass("grid", 50 * 50, grid);
}

/* Small, large and small again: the one block, both directions and the way back. */
static void frontiers_that_grow_and_shrink(void **)
{
    struct kg_random random = {emulated_seed(0)};
    edges_list chain;
    uint32_t first = 0;
    for (uint32_t part = 0; part < 3; part++) {
        append(&chain, path_of(40, first));
        edges_list wide;
        for (uint32_t v = 0; v < 1500; v++) {
            wide.push_back({first + 39, first + 40 + v});
            wide.push_back({first + 40 + v, first + 40 + 1500});
        }
        append(&chain, wide);
        append(&chain, path_of(2, first + 40 + 1500));
        first += 40 + 1500 + 1;
    }
    searches_pass("beads on a string", first + 1, chain);
    for (size_t degree : {1, 2, 3, 8, 16, 64})
        for (uint32_t vertices : {5U, 97U, 1000U, 6000U})
            searches_pass("random", vertices, random_of(&random, vertices, vertices * degree / 2));
    searches_pass("random", 20000, random_of(&random, 20000, 20000 * 4));
}

static void the_workloads_own_graphs(void **)
{
    static const char *const shapes[][2] = {
        {"3", "2"},    {"31", "2"},   {"32", "4"},    {"33", "2"},    {"100", "2"},  {"1000", "2"},
        {"1000", "8"}, {"4001", "4"}, {"3000", "16"}, {"9001", "16"}, {"500", "100"}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct emulated_param params[] = {{"vertices", shapes[i][0]},
                                                {"degree", shapes[i][1]}};
        assert_int_equal(emulated_run_versions(&kg_kernel_bfs, params, 2, emulated_seed(i)), 3);
    }
}

/* --- The plan
 * -------------------------------------------------------------------------------------- */
/* The launches for levels of these sizes, the last of which is not expanded. */
static uint32_t launches_of(const std::vector<size_t> &sizes, uint32_t small)
{
    std::vector<uint32_t> queue;
    std::vector<int32_t> distance;
    for (size_t level = 0; level < sizes.size(); level++)
        for (size_t i = 0; i < sizes[level]; i++) {
            queue.push_back((uint32_t)queue.size());
            distance.push_back((int32_t)level);
        }
    struct kg_bfs bfs = {};
    bfs.queue = queue.data();
    bfs.distance = distance.data();
    bfs.device.small_frontier = small;
    kg_bfs_count_launches(&bfs, queue.size());
    assert_int_equal(bfs.device.depth, sizes.size() - 1);
    return bfs.device.launches;
}

static void small_levels_in_a_row_are_one_launch(void **)
{
    assert_int_equal(launches_of({1}, 4), 0);
    assert_int_equal(launches_of({1, 9}, 4), 1);
    assert_int_equal(launches_of({1, 4, 4, 1}, 4), 1);
    assert_int_equal(launches_of({1, 5, 6, 2, 1, 1}, 4), 4);
    assert_int_equal(launches_of({1, 2, 5, 2, 7, 1, 1}, 4), 5);
    assert_int_equal(launches_of({1, 2, 2, 2}, 1), 3);
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_source_without_neighbours_reaches_itself),
        cmocka_unit_test(a_path_has_as_many_levels_as_edges),
        cmocka_unit_test(stars_and_cliques),
        cmocka_unit_test(trees_and_grids),
        cmocka_unit_test(frontiers_that_grow_and_shrink),
        cmocka_unit_test(the_workloads_own_graphs),
        cmocka_unit_test(small_levels_in_a_row_are_one_launch),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
