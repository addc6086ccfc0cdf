/* Hosts that differ from their own past and from the others, in fleets of known faults. */
#include "base/random.h"
#include "judge/suspect_node.h"
#include "test_support.h"

enum { HOSTS = 4, CASES = 6, NIGHTS = 2 * KG_NODE_PAST + 1 };

struct world {
    double x[HOSTS][CASES][NIGHTS];
    size_t nights;
    struct kg_node_night nodes[HOSTS];
};

/* Hosts and cases of different levels, with a noise of up to 0.3 %. */
static void start(struct world *world, size_t nights)
{
    struct kg_random random = {21};
    world->nights = nights;
    for (size_t h = 0; h < HOSTS; h++)
        for (size_t c = 0; c < CASES; c++)
            for (size_t n = 0; n < nights; n++)
                world->x[h][c][n] =
                    (double)c + 0.1 * (double)h + kg_random_between(&random, -0.003, 0.003);
}

/* Moves the newest night of some cases of a host. */
static void move(struct world *world, size_t host, size_t cases, double by)
{
    for (size_t c = 0; c < cases; c++)
        world->x[host][c][world->nights - 1] += by;
}

static double distance_of(const struct world *world, size_t host, size_t night)
{
    double distances[CASES], past[KG_NODE_PAST];
    for (size_t c = 0; c < CASES; c++) {
        size_t count = 0;
        for (size_t n = night; n-- > 0 && count < KG_NODE_PAST;)
            past[count++] = world->x[host][c][n];
        distances[c] = kg_node_case_distance(world->x[host][c][night], past, count);
    }
    return kg_node_distance(distances, CASES);
}

static size_t suspects(struct world *world)
{
    double distances[HOSTS * NIGHTS];
    size_t count = 0;
    for (size_t h = 0; h < HOSTS; h++)
        for (size_t n = 0; n < world->nights; n++)
            distances[h * world->nights + n] = distance_of(world, h, n);
    kg_suspect_nodes_find(distances, HOSTS, world->nights, world->nodes);
    for (size_t h = 0; h < HOSTS; h++)
        count += world->nodes[h].suspect;
    return count;
}

static void a_quiet_night_has_no_suspect(void **unused)
{
    struct world world;
    (void)unused;
    start(&world, NIGHTS);
    assert_int_equal(suspects(&world), 0);
    assert_true(world.nodes[0].deviation > 0 && world.nodes[0].deviation < 0.003);
}

static void a_host_that_is_slow_in_most_cases_is_suspect(void **unused)
{
    struct world world;
    (void)unused;
    start(&world, NIGHTS);
    move(&world, 2, 5, 0.04);
    assert_int_equal(suspects(&world), 1);
    assert_true(world.nodes[2].suspect);
    assert_true(fabs(world.nodes[2].excess - 0.04) < 0.006);
}

static void a_host_that_is_fast_is_suspect_too(void **unused)
{
    struct world world;
    (void)unused;
    start(&world, NIGHTS);
    move(&world, 1, CASES, -0.04);
    assert_int_equal(suspects(&world), 1);
    assert_true(world.nodes[1].suspect);
}

static void a_change_of_the_code_suspects_nobody(void **unused)
{
    struct world world;
    (void)unused;
    start(&world, NIGHTS);
    for (size_t h = 0; h < HOSTS; h++)
        move(&world, h, CASES, 0.2);
    assert_int_equal(suspects(&world), 0);
}

static void one_slow_case_suspects_nobody(void **unused)
{
    struct world world;
    (void)unused;
    start(&world, NIGHTS);
    move(&world, 0, 1, 0.5);
    assert_int_equal(suspects(&world), 0);
}

static void less_than_one_and_a_half_percent_suspects_nobody(void **unused)
{
    struct world world;
    (void)unused;
    start(&world, NIGHTS);
    move(&world, 3, CASES, 0.011);
    assert_int_equal(suspects(&world), 0);
    assert_true(world.nodes[3].excess > 4 * world.nodes[3].deviation);
}

static void a_short_past_suspects_nobody(void **unused)
{
    struct world world;
    (void)unused;
    for (size_t nights = 1; nights <= KG_NODE_PAST / 2 + 2; nights++) {
        start(&world, nights);
        move(&world, 3, CASES, 0.5);
        assert_int_equal(suspects(&world), 0);
    }
}

/* The median of two others holds half of the sick host. */
static void three_hosts_suspect_the_right_one(void **unused)
{
    struct world world;
    (void)unused;
    start(&world, NIGHTS);
    move(&world, 2, CASES, 0.06);
    for (size_t c = 0; c < CASES; c++)
        world.x[0][c][NIGHTS - 1] = NAN;
    assert_int_equal(suspects(&world), 1);
    assert_true(world.nodes[2].suspect);
}

static void missing_values_are_left_out(void **unused)
{
    struct world world;
    (void)unused;
    start(&world, NIGHTS);
    move(&world, 2, CASES, 0.04);
    for (size_t n = 0; n < NIGHTS; n++)
        for (size_t c = 0; c < CASES; c++)
            if ((n + c) % 4 == 0 && n + 1 < NIGHTS)
                world.x[1 + c % (HOSTS - 1)][c][n] = NAN;
    for (size_t c = 0; c < CASES; c++) /* a host that measured nothing tonight */
        world.x[0][c][NIGHTS - 1] = NAN;
    assert_int_equal(suspects(&world), 1);
    assert_true(world.nodes[2].suspect);
    assert_true(isnan(world.nodes[0].distance));
}

/* Most of the class is not measured yet: the one other host may be the sick one. */
static void a_night_of_few_hosts_suspects_nobody(void **unused)
{
    struct world world;
    (void)unused;
    start(&world, NIGHTS);
    move(&world, 2, CASES, 0.06);
    for (size_t h = 0; h < 2; h++)
        for (size_t c = 0; c < CASES; c++)
            world.x[h][c][NIGHTS - 1] = NAN;
    assert_int_equal(suspects(&world), 1);
    for (size_t c = 0; c < CASES; c++)
        world.x[3][c][NIGHTS - 1] = NAN;
    assert_int_equal(suspects(&world), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quiet_night_has_no_suspect),
        cmocka_unit_test(a_host_that_is_slow_in_most_cases_is_suspect),
        cmocka_unit_test(a_host_that_is_fast_is_suspect_too),
        cmocka_unit_test(a_change_of_the_code_suspects_nobody),
        cmocka_unit_test(one_slow_case_suspects_nobody),
        cmocka_unit_test(less_than_one_and_a_half_percent_suspects_nobody),
        cmocka_unit_test(a_short_past_suspects_nobody),
        cmocka_unit_test(three_hosts_suspect_the_right_one),
        cmocka_unit_test(missing_values_are_left_out),
        cmocka_unit_test(a_night_of_few_hosts_suspects_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
