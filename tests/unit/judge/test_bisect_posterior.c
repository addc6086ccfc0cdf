/* The search for a commit, on simulated builds of known levels. KGATE_BISECT_RUNS=1000 prints the figures of
 * tests/studies/bisect/README.md. */
#include "base/random.h"
#include "base/statistics/stats.h"
#include "judge/bisect_posterior.h"
#include "test_support.h"

enum { COMMITS = 60, PAIRS_LEAST = 5, PAIRS_MOST = 30, ENDS_PAIRS = 15, STEP_COMMITS = 5 };

/* Twelve uniform values: near enough to a normal one. */
static double normal(struct kg_random *random)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += kg_random_unit(random);
    return sum;
}

/* What a source of hints says about the older cause. */
enum hint { ABSENT, RIGHT, WRONG };

/* A repository and a machine. All sizes are logs. */
struct world {
    const char *name;
    double steps[2];     /* of the causes; a second of 0: one cause */
    double pair;         /* standard deviation of a pair */
    double offset;       /* standard deviation of a build's offset */
    double assumed;      /* the offset that the search assumes */
    double deviating;    /* share of builds with a large offset; the ends may be among them */
    double deviation;    /* standard deviation of such an offset */
    size_t broken;       /* number of commits that do not build, in runs of up to 6 */
    bool culprit_broken; /* whether the cause is one of them */
    enum hint hints[KG_BISECT_HINTS];
};

/* Means over the runs, except `most`. */
struct outcome {
    double right; /* the most probable commits are causes */
    double wrong; /* the search is sure of commits that are no causes */
    double held, builds, failed, pairs, set;
    double most; /* builds of a run */
};

/* A search under way. */
struct run {
    const struct world *world;
    struct kg_random random;
    size_t causes[2];
    bool broken[COMMITS + 1];
    enum kg_bisect_status status[COMMITS + 1];
    double weights[COMMITS + 1];
    struct kg_bisect_range range;
    struct kg_bisect_point points[COMMITS];
    size_t point_count, builds, failed, pairs;
    double good_offset;
};

static void broken_make(struct run *run)
{
    size_t left = run->world->broken;
    while (left) {
        size_t length = 1 + (size_t)kg_random_below(&run->random, 6);
        size_t c = 1 + (size_t)kg_random_below(&run->random, COMMITS - 1);
        for (; length && left && c < COMMITS; c++, length--)
            if (!run->broken[c]) {
                run->broken[c] = true;
                left--;
            }
    }
}

static void causes_make(struct run *run)
{
    do {
        for (size_t i = 0; i < 2; i++)
            run->causes[i] = 1 + (size_t)kg_random_below(&run->random, COMMITS);
        if (run->causes[0] > run->causes[1]) {
            const size_t swap = run->causes[0];
            run->causes[0] = run->causes[1];
            run->causes[1] = swap;
        }
    } while (run->causes[0] == run->causes[1] ||
             (run->world->broken && run->broken[run->causes[0]] != run->world->culprit_broken));
}

/* A tenth of the commits touches a function of the profile, and three tenths touch its file. */
static double profile_strength(struct run *run)
{
    const uint64_t drawn = kg_random_below(&run->random, 10);
    return drawn == 0 ? 1 : drawn <= 3 ? 0.5 : 0;
}

/* First commit of a recorded step, which holds the cause if it is right, and is some commits away if it is wrong. */
static size_t step_first(struct run *run, bool right)
{
    for (;;) {
        const size_t first = 1 + (size_t)kg_random_below(&run->random, COMMITS - STEP_COMMITS + 1);
        const size_t cause = run->causes[0], last = first + STEP_COMMITS - 1;
        if (right ? first <= cause && cause <= last
                  : cause + STEP_COMMITS < first || cause > last + STEP_COMMITS)
            return first;
    }
}

static void weights_make(struct run *run)
{
    const enum hint *hints = run->world->hints;
    const enum hint profile = hints[KG_BISECT_HINT_PROFILE],
                    history = hints[KG_BISECT_HINT_HISTORY];
    const size_t first = history ? step_first(run, history == RIGHT) : 0;
    for (size_t c = 0; c <= COMMITS; c++) {
        double strengths[KG_BISECT_HINTS] = {NAN, NAN};
        if (profile)
            strengths[KG_BISECT_HINT_PROFILE] =
                c == run->causes[0] ? profile == RIGHT : profile_strength(run);
        if (history)
            strengths[KG_BISECT_HINT_HISTORY] =
                kg_bisect_nearness(c, first, first + STEP_COMMITS - 1);
        run->weights[c] = kg_bisect_weight(strengths);
    }
}

static double offset_draw(struct run *run)
{
    const struct world *world = run->world;
    const bool deviates = world->deviating > 0 && kg_random_unit(&run->random) < world->deviating;
    return (deviates ? world->deviation : world->offset) * normal(&run->random);
}

/* Measures a build: its level, its offset, and as many pairs as the search wants. */
static void measure(struct run *run, size_t commit, double good, double bad, size_t least)
{
    const struct world *world = run->world;
    double level = offset_draw(run) - run->good_offset, sum = 0, mean = 0;
    size_t count = 0;
    for (size_t i = 0; i < 2; i++)
        level += commit >= run->causes[i] ? world->steps[i] : 0;
    while (count < least ||
           (count < PAIRS_MOST &&
            !kg_bisect_pairs_enough(
                good, bad,
                (struct kg_bisect_level){mean, world->pair * world->pair / (double)count, true}))) {
        sum += level + world->pair * normal(&run->random);
        mean = sum / (double)++count;
    }
    run->pairs += count;
    run->status[commit] = KG_BISECT_MEASURED;
    run->points[run->point_count++] =
        (struct kg_bisect_point){commit, mean, world->pair * world->pair / (double)count};
}

/* Without a difference of the ends there is no search: then other ends are drawn. */
static void run_start(struct run *run, const struct world *world, uint64_t seed)
{
    static const double LEAST = 0.005;
    *run = (struct run){.world = world, .random = {seed}, .builds = 2};
    broken_make(run);
    causes_make(run);
    weights_make(run);
    run->status[0] = KG_BISECT_MEASURED;
    do {
        run->point_count = run->pairs = 0;
        run->good_offset = offset_draw(run);
        measure(run, COMMITS, 0, 1, ENDS_PAIRS);
    } while (run->points[0].mean < LEAST);
    run->range = (struct kg_bisect_range){.count = COMMITS,
                                          .weights = run->weights,
                                          .status = run->status,
                                          .offset = world->assumed,
                                          .effect = run->points[0].mean};
}

/* Whether a group holds a cause. */
static bool holds(const struct run *run, struct kg_bisect_group group)
{
    for (size_t i = 0; i < 2; i++)
        if (run->world->steps[i] > 0 && group.first <= run->causes[i] &&
            run->causes[i] <= group.last)
            return true;
    return false;
}

static void run_end(const struct run *run, const struct kg_bisect_posterior *posterior,
                    struct outcome *outcome)
{
    bool in[COMMITS + 1];
    const struct kg_bisect_choice choice = kg_bisect_choose(&run->range, posterior);
    kg_bisect_set(&run->range, choice.target.mass, in);
    const bool two = kg_bisect_is_two(posterior);
    bool right = holds(run, kg_bisect_best(&run->range, two ? posterior->first : posterior->cause));
    if (two)
        right = right && holds(run, kg_bisect_best(&run->range, posterior->second));
    outcome->right += right;
    outcome->wrong += !right && choice.is_found;
    for (size_t c = 1; c <= COMMITS; c++)
        outcome->set += in[c];
    outcome->held += in[run->causes[0]] || (run->world->steps[1] > 0 && in[run->causes[1]]);
    outcome->builds += (double)run->builds;
    outcome->failed += (double)run->failed;
    outcome->pairs += (double)run->pairs;
    outcome->most = fmax(outcome->most, (double)run->builds);
}

/* One search, as gate/bisect.c orders it. */
static void search(const struct world *world, uint64_t seed, struct outcome *outcome)
{
    struct run run;
    run_start(&run, world, seed);
    for (;;) {
        struct kg_arena arena = {0};
        const struct kg_bisect_posterior posterior =
            kg_bisect_posterior(&run.range, run.points, run.point_count, &arena);
        const struct kg_bisect_choice choice = kg_bisect_choose(&run.range, &posterior);
        const size_t next = choice.next;
        if (!next)
            run_end(&run, &posterior, outcome);
        else if (run.broken[next])
            run.status[next] = KG_BISECT_UNBUILDABLE;
        else
            measure(&run, next, choice.target.good, choice.target.bad, PAIRS_LEAST);
        kg_arena_free(&arena);
        if (!next)
            return;
        run.builds++;
        run.failed += run.broken[next];
    }
}

static size_t runs_wanted(void)
{
    const char *text = getenv("KGATE_BISECT_RUNS");
    return text ? (size_t)strtoul(text, NULL, 10) : 200;
}

static struct outcome simulate(const struct world *world)
{
    struct outcome sum = {0};
    const size_t runs = runs_wanted();
    for (size_t i = 0; i < runs; i++)
        search(world, 1 + i, &sum);
    double *const means[] = {&sum.right,  &sum.wrong, &sum.held, &sum.builds,
                             &sum.failed, &sum.pairs, &sum.set};
    for (size_t i = 0; i < sizeof means / sizeof *means; i++)
        *means[i] /= (double)runs;
    if (getenv("KGATE_BISECT_RUNS"))
        print_message("| %s | %.1f | %.1f | %.1f | %.1f | %.1f | %.0f | %.0f | %.1f |\n",
                      world->name, 100 * sum.right, 100 * sum.wrong, 100 * sum.held, sum.builds,
                      sum.failed, sum.most, sum.pairs, sum.set);
    return sum;
}

static void expect(const struct world *world, double right, double held, double builds)
{
    const struct outcome outcome = simulate(world);
    if (outcome.right < right || outcome.held < held || outcome.builds > builds)
        fail_msg("%s: right %.3f, set %.3f, builds %.1f; expected %.2f, %.2f, %.1f", world->name,
                 outcome.right, outcome.held, outcome.builds, right, held, builds);
}

static void without_offsets_the_commit_is_found(void **unused)
{
    static const struct world quiet = {
        .name = "5 %, pairs 2 %, no offset", .steps = {0.05, 0}, .pair = 0.02, .assumed = 0.005};
    static const struct world noisy = {
        .name = "5 %, pairs 5 %, no offset", .steps = {0.05, 0}, .pair = 0.05, .assumed = 0.005};
    (void)unused;
    expect(&quiet, 0.99, 0.99, 8.5);
    expect(&noisy, 0.97, 0.98, 9.5);
}

static void offsets_cost_builds_and_the_set_stays_honest(void **unused)
{
    static const struct world usual = {.name = "5 %, pairs 2 %, offset 0.5 %",
                                       .steps = {0.05, 0},
                                       .pair = 0.02,
                                       .offset = 0.005,
                                       .assumed = 0.005};
    static const struct world large = {.name = "5 %, pairs 2 %, offset 1 %",
                                       .steps = {0.05, 0},
                                       .pair = 0.02,
                                       .offset = 0.01,
                                       .assumed = 0.01};
    static const struct world small = {.name = "2 %, pairs 2 %, offset 0.5 %",
                                       .steps = {0.02, 0},
                                       .pair = 0.02,
                                       .offset = 0.005,
                                       .assumed = 0.005};
    (void)unused;
    expect(&usual, 0.98, 0.98, 9);
    expect(&large, 0.9, 0.97, 12);
    expect(&small, 0.78, 0.95, 18);
}

static void a_build_that_deviates_misleads_no_search(void **unused)
{
    static const struct world one = {.name = "5 %, every 20th build deviates by 4 %",
                                     .steps = {0.05, 0},
                                     .pair = 0.01,
                                     .offset = 0.003,
                                     .assumed = 0.005,
                                     .deviating = 0.05,
                                     .deviation = 0.04};
    static const struct world two = {.name = "3 % and 3 %, every 20th build deviates by 4 %",
                                     .steps = {0.03, 0.03},
                                     .pair = 0.01,
                                     .offset = 0.003,
                                     .assumed = 0.005,
                                     .deviating = 0.05,
                                     .deviation = 0.04};
    static const struct world broken = {
        .name = "5 %, 20 do not build, every 20th build deviates by 4 %",
        .steps = {0.05, 0},
        .pair = 0.01,
        .offset = 0.003,
        .assumed = 0.005,
        .broken = 20,
        .deviating = 0.05,
        .deviation = 0.04};
    (void)unused;
    expect(&one, 0.94, 0.94, 9.5);
    expect(&two, 0.87, 0.94, 14.5);
    expect(&broken, 0.9, 0.9, 11);
}

static void twenty_commits_that_do_not_build(void **unused)
{
    static const struct world beside = {.name = "5 %, 20 do not build",
                                        .steps = {0.05, 0},
                                        .pair = 0.01,
                                        .offset = 0.003,
                                        .assumed = 0.005,
                                        .broken = 20};
    static const struct world inside = {.name = "5 %, 20 do not build, nor does the cause",
                                        .steps = {0.05, 0},
                                        .pair = 0.01,
                                        .offset = 0.003,
                                        .assumed = 0.005,
                                        .broken = 20,
                                        .culprit_broken = true};
    (void)unused;
    expect(&beside, 0.99, 0.99, 10.5);
    expect(&inside, 0.99, 0.99, 12.5);
}

static void two_causes_are_both_found(void **unused)
{
    static const struct world all = {.name = "3 % and 3 %",
                                     .steps = {0.03, 0.03},
                                     .pair = 0.01,
                                     .offset = 0.003,
                                     .assumed = 0.005};
    static const struct world some = {.name = "3 % and 3 %, 20 do not build",
                                      .steps = {0.03, 0.03},
                                      .pair = 0.01,
                                      .offset = 0.003,
                                      .assumed = 0.005,
                                      .broken = 20};
    (void)unused;
    expect(&all, 0.96, 0.98, 14);
    expect(&some, 0.96, 0.98, 16.5);
}

static void hints_save_builds_and_wrong_ones_cost_few(void **unused)
{
    static const struct world usual = {
        .steps = {0.05, 0}, .pair = 0.02, .offset = 0.005, .assumed = 0.005};
    static const struct world broken = {
        .steps = {0.05, 0}, .pair = 0.01, .offset = 0.003, .assumed = 0.005, .broken = 20};
    static const struct world small = {
        .steps = {0.02, 0}, .pair = 0.02, .offset = 0.005, .assumed = 0.005};
    static const struct world two = {
        .steps = {0.03, 0.03}, .pair = 0.01, .offset = 0.003, .assumed = 0.005};
    static const struct {
        const struct world *base;
        const char *name;
        enum hint profile, history;
        double right, held, builds;
    } rows[] = {
        {&usual, "5 %, profile right", RIGHT, ABSENT, 0.98, 0.98, 7.5},
        {&usual, "5 %, profile wrong", WRONG, ABSENT, 0.97, 0.98, 9.5},
        {&usual, "5 %, history right", ABSENT, RIGHT, 0.97, 0.98, 6.8},
        {&usual, "5 %, history wrong", ABSENT, WRONG, 0.97, 0.98, 9.8},
        {&usual, "5 %, both right", RIGHT, RIGHT, 0.98, 0.98, 6.9},
        {&usual, "5 %, one right", RIGHT, WRONG, 0.98, 0.98, 8.4},
        {&usual, "5 %, both wrong", WRONG, WRONG, 0.98, 0.98, 9.5},
        {&broken, "5 %, 20 do not build, both right", RIGHT, RIGHT, 0.99, 0.99, 8},
        {&broken, "5 %, 20 do not build, both wrong", WRONG, WRONG, 0.99, 0.99, 11},
        {&small, "2 %, both right", RIGHT, RIGHT, 0.88, 0.97, 13.5},
        {&small, "2 %, both wrong", WRONG, WRONG, 0.78, 0.95, 19},
        {&two, "3 % and 3 %, right about one", RIGHT, RIGHT, 0.97, 0.98, 12},
        {&two, "3 % and 3 %, both wrong", WRONG, WRONG, 0.97, 0.98, 14},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct world world = *rows[i].base;
        world.name = rows[i].name;
        world.hints[KG_BISECT_HINT_PROFILE] = rows[i].profile;
        world.hints[KG_BISECT_HINT_HISTORY] = rows[i].history;
        expect(&world, rows[i].right, rows[i].held, rows[i].builds);
    }
}

/* --- Small examples --------------------------------------------------------------------------- */

enum { FEW = 6 };
static double weights_of_one[FEW + 1] = {0, 1, 1, 1, 1, 1, 1};

static struct kg_bisect_range few(enum kg_bisect_status *status)
{
    status[0] = status[FEW] = KG_BISECT_MEASURED;
    return (struct kg_bisect_range){FEW, weights_of_one, status, 0.005, 0.05};
}

static void the_first_build_is_in_the_middle(void **unused)
{
    enum kg_bisect_status status[FEW + 1] = {0};
    const struct kg_bisect_range range = few(status);
    const struct kg_bisect_point bad = {FEW, 0.05, 1e-6};
    struct kg_arena arena = {0};
    (void)unused;
    const struct kg_bisect_posterior posterior = kg_bisect_posterior(&range, &bad, 1, &arena);
    double gain;
    assert_int_equal(kg_bisect_next(&range, posterior.one, &gain), 3);
    assert_true(fabs(gain - log(2)) < 1e-9);
    for (size_t c = 1; c <= FEW; c++)
        assert_true(fabs(posterior.one[c] - 1.0 / FEW) < 1e-9);
    status[3] = KG_BISECT_UNBUILDABLE; /* its neighbours are suspect */
    assert_int_equal(kg_bisect_next(&range, posterior.one, &gain), 1);
    kg_arena_free(&arena);
}

static void unbuildable_commits_and_the_next_one_are_one_group(void **unused)
{
    enum kg_bisect_status status[FEW + 1] = {
        [2] = KG_BISECT_MEASURED, KG_BISECT_UNBUILDABLE, KG_BISECT_UNBUILDABLE, KG_BISECT_MEASURED};
    const struct kg_bisect_range range = few(status);
    const struct kg_bisect_point points[] = {{FEW, 0.05, 1e-6}, {2, 0.001, 1e-6}, {5, 0.049, 1e-6}};
    struct kg_arena arena = {0};
    bool in[FEW + 1];
    (void)unused;
    const struct kg_bisect_posterior posterior = kg_bisect_posterior(&range, points, 3, &arena);
    const struct kg_bisect_group group = kg_bisect_best(&range, posterior.cause);
    assert_int_equal(group.first, 3);
    assert_int_equal(group.last, 5);
    assert_true(group.mass > 0.99);
    assert_true(kg_bisect_choose(&range, &posterior).is_found);
    kg_bisect_set(&range, posterior.one, in);
    assert_true(in[3] && in[4] && in[5] && !in[2] && !in[6]);
    kg_arena_free(&arena);
}

static void a_level_between_the_ends_shows_two_causes(void **unused)
{
    enum kg_bisect_status status[FEW + 1] = {[3] = KG_BISECT_MEASURED};
    const struct kg_bisect_range range = few(status);
    const struct kg_bisect_point points[] = {{FEW, 0.06, 1e-6}, {3, 0.035, 1e-6}};
    struct kg_arena arena = {0};
    (void)unused;
    const struct kg_bisect_posterior posterior = kg_bisect_posterior(&range, points, 2, &arena);
    assert_true(kg_bisect_is_two(&posterior));
    assert_true(fabs(posterior.middle - 0.035) < 0.003);
    /* the older step is the larger one: it is searched first */
    const struct kg_bisect_choice choice = kg_bisect_choose(&range, &posterior);
    assert_true(choice.next < 3);
    assert_ptr_equal(choice.target.mass, posterior.first);
    kg_arena_free(&arena);
}

/* The study had such a build: +8.6 % beside +4.4 % of the others. Its neighbour decides. */
static void a_build_that_deviates_is_no_second_cause(void **unused)
{
    enum kg_bisect_status status[FEW + 1] = {
        [2] = KG_BISECT_MEASURED, KG_BISECT_MEASURED, KG_BISECT_MEASURED};
    const struct kg_bisect_range range = few(status);
    const struct kg_bisect_point points[] = {
        {FEW, 0.044, 1e-6}, {2, 0.001, 1e-6}, {3, 0.086, 1e-6}, {4, 0.043, 1e-6}};
    struct kg_arena arena = {0};
    (void)unused;
    const struct kg_bisect_posterior posterior = kg_bisect_posterior(&range, points, 4, &arena);
    assert_false(kg_bisect_is_two(&posterior));
    assert_int_equal(kg_bisect_best(&range, posterior.one).first, 3);
    assert_true(posterior.one[4] > 0.05);
    assert_true(fabs(posterior.bad - 0.044) < 0.003);
    assert_int_equal(posterior.good_builds, 2);
    assert_int_equal(posterior.bad_builds, 2);
    kg_arena_free(&arena);
}

static void a_level_between_two_causes_needs_a_second_build(void **unused)
{
    enum kg_bisect_status status[FEW + 1] = {
        [1] = KG_BISECT_MEASURED, KG_BISECT_MEASURED, [4] = KG_BISECT_MEASURED, KG_BISECT_MEASURED};
    const struct kg_bisect_range range = few(status);
    const struct kg_bisect_point points[] = {
        {FEW, 0.2, 1e-6}, {1, 0.001, 1e-6}, {2, 0.1, 1e-6}, {4, 0.101, 1e-6}, {5, 0.199, 1e-6}};
    struct kg_bisect_range wide = range;
    struct kg_arena arena = {0};
    (void)unused;
    wide.effect = 0.2;
    struct kg_bisect_posterior posterior = kg_bisect_posterior(&wide, points, 5, &arena);
    struct kg_bisect_choice choice = kg_bisect_choose(&wide, &posterior);
    assert_true(choice.is_found);
    assert_int_equal(posterior.middle_builds, 2);
    assert_int_equal(choice.next, 0);
    posterior.middle_builds = 1; /* as if the other one had a large offset */
    choice = kg_bisect_choose(&wide, &posterior);
    assert_true(choice.is_found);
    assert_int_equal(choice.next, 3);
    status[3] = KG_BISECT_UNBUILDABLE;
    assert_int_equal(kg_bisect_choose(&wide, &posterior).next, 0);
    kg_arena_free(&arena);
}

/* The bad level is that of 0.1 or that of 0.14. Its mean is in between, where no build is. */
static void two_builds_far_apart_have_one_at_their_level(void **unused)
{
    enum kg_bisect_status status[FEW + 1] = {
        [2] = KG_BISECT_MEASURED, KG_BISECT_MEASURED, KG_BISECT_MEASURED, KG_BISECT_MEASURED};
    struct kg_bisect_range range = few(status);
    const struct kg_bisect_point points[] = {
        {FEW, 0.1, 1e-6}, {5, 0.14, 1e-6}, {4, 0, 1e-6}, {2, 0, 1e-6}, {3, 0, 1e-6}};
    struct kg_arena arena = {0};
    (void)unused;
    range.effect = 0.1;
    const struct kg_bisect_posterior posterior = kg_bisect_posterior(&range, points, 5, &arena);
    assert_false(kg_bisect_is_two(&posterior));
    assert_true(posterior.bad > 0.11 && posterior.bad < 0.13);
    assert_int_equal(posterior.good_builds, 4);
    assert_int_equal(posterior.bad_builds, 1);
    kg_arena_free(&arena);
}

/* With two causes the bad level has a higher bound: so its density, and 0.05 becomes 0.055 already at the ends. */
static void a_build_without_information_changes_nothing(void **unused)
{
    enum kg_bisect_status status[FEW + 1] = {0};
    const struct kg_bisect_range range = few(status);
    const struct kg_bisect_point points[] = {
        {FEW, 0.05, 1e-6}, {1, 0.02, 1e6}, {4, 0.02, 1e6}, {2, 0.02, 1e6}};
    struct kg_arena arena = {0};
    (void)unused;
    for (size_t count = 1; count <= 4; count++) {
        const struct kg_bisect_posterior posterior =
            kg_bisect_posterior(&range, points, count, &arena);
        assert_true(fabs(posterior.two - 0.055) < 0.002);
        for (size_t c = 1; c <= FEW; c++)
            assert_true(fabs(posterior.one[c] - 1.0 / FEW) < 0.001);
    }
    kg_arena_free(&arena);
}

static void a_commit_without_weight_is_never_a_cause(void **unused)
{
    enum kg_bisect_status status[FEW + 1] = {[4] = KG_BISECT_LEFT_OUT};
    double weights[FEW + 1] = {0, 1, 1, 1, 0, 1, 1};
    struct kg_bisect_range range = few(status);
    const struct kg_bisect_point bad = {FEW, 0.05, 1e-6};
    struct kg_arena arena = {0};
    bool in[FEW + 1];
    (void)unused;
    range.weights = weights;
    const struct kg_bisect_posterior posterior = kg_bisect_posterior(&range, &bad, 1, &arena);
    assert_true(posterior.cause[4] == 0);
    kg_bisect_set(&range, posterior.one, in);
    assert_false(in[4]);
    kg_arena_free(&arena);
}

static void weights_differ_by_at_most_ten(void **unused)
{
    (void)unused;
    assert_true(kg_bisect_weight((double[]){NAN, NAN}) == 1);
    assert_true(kg_bisect_weight((double[]){0, NAN}) == 1);
    assert_true(fabs(kg_bisect_weight((double[]){NAN, 1}) - 10) < 1e-9);
    assert_true(fabs(kg_bisect_weight((double[]){1, 1}) - 10) < 1e-9);
    assert_true(fabs(kg_bisect_weight((double[]){1, 0}) - sqrt(10)) < 1e-9);
    assert_true(kg_bisect_nearness(4, 3, 5) == 1);
    assert_true(fabs(kg_bisect_nearness(8, 3, 5) - exp(-1)) < 1e-9);
    assert_true(fabs(kg_bisect_nearness(1, 2, 2) - exp(-1)) < 1e-9);
}

static void pairs_end_at_walds_bound_or_a_quarter_of_the_effect(void **unused)
{
    (void)unused;
    assert_true(kg_bisect_pairs_enough(0, 0.05, (struct kg_bisect_level){0, 1e-4, true}));
    /* in the middle, with an error of 2.5 % */
    assert_false(kg_bisect_pairs_enough(0, 0.05, (struct kg_bisect_level){0.025, 6.25e-4, true}));
    assert_true(kg_bisect_pairs_enough(0, 0.05, (struct kg_bisect_level){0.06, 2.5e-4, true}));
    assert_false(kg_bisect_pairs_enough(0, 0.05, (struct kg_bisect_level){0.06, 2.5e-4, false}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_build_is_in_the_middle),
        cmocka_unit_test(unbuildable_commits_and_the_next_one_are_one_group),
        cmocka_unit_test(a_level_between_the_ends_shows_two_causes),
        cmocka_unit_test(a_build_that_deviates_is_no_second_cause),
        cmocka_unit_test(a_level_between_two_causes_needs_a_second_build),
        cmocka_unit_test(two_builds_far_apart_have_one_at_their_level),
        cmocka_unit_test(a_build_without_information_changes_nothing),
        cmocka_unit_test(a_commit_without_weight_is_never_a_cause),
        cmocka_unit_test(weights_differ_by_at_most_ten),
        cmocka_unit_test(pairs_end_at_walds_bound_or_a_quarter_of_the_effect),
        cmocka_unit_test(without_offsets_the_commit_is_found),
        cmocka_unit_test(offsets_cost_builds_and_the_set_stays_honest),
        cmocka_unit_test(a_build_that_deviates_misleads_no_search),
        cmocka_unit_test(twenty_commits_that_do_not_build),
        cmocka_unit_test(two_causes_are_both_found),
        cmocka_unit_test(hints_save_builds_and_wrong_ones_cost_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
