/* bisect_choice.c: the next build of a bisection, and its end. Builds take minutes and pairs take seconds, so the
 * choice saves builds. */
#include <math.h>

#include "judge/bisect_posterior.h"

/* Wald's bounds for two errors of 0.1 % are near the log of 999. */
static const double SEQUENTIAL_BOUND = 6.906754778648554;
/* Probability that a neighbour of an unbuildable commit does not build, and the distance over which it falls. */
static const double RISK = 0.8, RISK_DISTANCE = 4;
/* From this risk on a commit counts as unbuildable, untried: up to three commits between two that do not build. */
static const double RISK_PRESUMED = 0.85;
/* Least information that is worth a build, in nats: it parts off a share of 0.4 %. */
static const double GAIN_LEAST = 0.025;
/* From this information on the larger of two steps comes first. */
static const double GAIN_CLEAR = 0.2;

bool kg_bisect_pairs_enough(double good, double bad, struct kg_bisect_level level)
{
    const double mean = level.mean, variance = level.variance;
    if (!level.is_clear)
        return false;
    const double effect = fabs(bad - good), middle = (good + bad) / 2;
    const double ratio = (bad - good) * (mean - middle) / variance;
    const double distance = fabs(fabs(mean - middle) - effect / 2);
    return (fabs(ratio) >= SEQUENTIAL_BOUND && distance <= effect / 4) ||
           2 * sqrt(variance) <= effect / 4;
}

/* Probability that an untried commit does not build, from the nearest tried commit on each side. */
static double risk_of(const struct kg_bisect_range *range, size_t commit)
{
    double builds = 1;
    for (int side = -1; side <= 1; side += 2) {
        size_t c = commit;
        do
            c += (size_t)side;
        while (c > 0 && c < range->count &&
               (range->status[c] == KG_BISECT_UNTRIED || range->status[c] == KG_BISECT_LEFT_OUT));
        const double distance = side < 0 ? (double)(commit - c) : (double)(c - commit);
        if (range->status[c] == KG_BISECT_UNBUILDABLE)
            builds *= 1 - RISK * exp((1 - distance) / RISK_DISTANCE);
    }
    return 1 - builds;
}

/* Whether a build of the commit is known or presumed to be impossible. */
static bool is_broken(const struct kg_bisect_range *range, size_t commit)
{
    return range->status[commit] == KG_BISECT_UNBUILDABLE ||
           (range->status[commit] == KG_BISECT_UNTRIED && risk_of(range, commit) > RISK_PRESUMED);
}

/* Whether the commit ends a group: a build of it can show whether the cause is older. */
static bool ends_group(const struct kg_bisect_range *range, size_t commit)
{
    return range->status[commit] != KG_BISECT_LEFT_OUT && !is_broken(range, commit);
}

/* The group that begins at a commit. Its first commit can be a cause, if the group has any. */
static struct kg_bisect_group group_from(const struct kg_bisect_range *range, const double *mass,
                                         size_t first)
{
    struct kg_bisect_group group = {first, first, mass[first]};
    while (group.last < range->count && !ends_group(range, group.last))
        group.mass += mass[++group.last];
    while (group.first < group.last && !(range->weights[group.first] > 0))
        group.first++;
    return group;
}

struct kg_bisect_group kg_bisect_best(const struct kg_bisect_range *range, const double *mass)
{
    struct kg_bisect_group best = {0, 0, -1};
    for (size_t c = 1; c <= range->count;) {
        const struct kg_bisect_group group = group_from(range, mass, c);
        if (group.mass > best.mass)
            best = group;
        c = group.last + 1;
    }
    return best;
}

/* Information of a build that parts the mass into `share` and the rest, in nats. */
static double entropy(double share)
{
    return share > 0 && share < 1 ? -share * log(share) - (1 - share) * log1p(-share) : 0;
}

size_t kg_bisect_next(const struct kg_bisect_range *range, const double *mass, double *most)
{
    double older = 0;
    size_t best = 0;
    *most = GAIN_LEAST;
    for (size_t c = 1; c < range->count; c++) {
        older += mass[c];
        if (range->status[c] != KG_BISECT_UNTRIED || is_broken(range, c))
            continue;
        const double gain = (1 - risk_of(range, c)) * entropy(older);
        if (gain > *most * (1 + 1e-9)) {
            *most = gain;
            best = c;
        }
    }
    return best;
}

/* The probabilities of each cause, the larger step first.
 * returns  their number */
static size_t targets_find(const struct kg_bisect_posterior *posterior,
                           struct kg_bisect_target targets[2])
{
    const struct kg_bisect_target first = {posterior->first, posterior->good, posterior->middle};
    const struct kg_bisect_target second = {posterior->second, posterior->middle, posterior->bad};
    const bool first_larger = first.bad - first.good >= second.bad - second.good;
    if (!kg_bisect_is_two(posterior)) {
        targets[0] = (struct kg_bisect_target){posterior->one, posterior->good, posterior->bad};
        return 1;
    }
    targets[0] = first_larger ? first : second;
    targets[1] = first_larger ? second : first;
    return 2;
}

/* The build that parts the mass of a target best. */
static size_t target_choose(const struct kg_bisect_range *range,
                            const struct kg_bisect_posterior *posterior,
                            struct kg_bisect_target *target)
{
    struct kg_bisect_target targets[2];
    const size_t count = targets_find(posterior, targets);
    double gain, other_gain;
    *target = targets[0];
    size_t next = kg_bisect_next(range, targets[0].mass, &gain);
    if (count < 2 || (next && gain >= GAIN_CLEAR))
        return next;
    const size_t other = kg_bisect_next(range, targets[1].mass, &other_gain);
    if (other && (!next || other_gain > gain)) {
        *target = targets[1];
        next = other;
    }
    return next;
}

static bool is_found(const struct kg_bisect_range *range,
                     const struct kg_bisect_posterior *posterior, double sure)
{
    if (!kg_bisect_is_two(posterior))
        return kg_bisect_best(range, posterior->cause).mass >= sure;
    return kg_bisect_best(range, posterior->first).mass >= sure &&
           kg_bisect_best(range, posterior->second).mass >= sure;
}

/* A further build between two known causes, if only one has the level between them. The least risky one. */
static size_t support_choose(const struct kg_bisect_range *range,
                             const struct kg_bisect_posterior *posterior)
{
    size_t best = 0;
    if (!kg_bisect_is_two(posterior) || posterior->middle_builds > 1)
        return 0;
    const size_t after = kg_bisect_best(range, posterior->first).last;
    const size_t until = kg_bisect_best(range, posterior->second).first;
    for (size_t c = after + 1; c < until; c++)
        if (range->status[c] == KG_BISECT_UNTRIED && !is_broken(range, c) &&
            (!best || risk_of(range, c) < risk_of(range, best)))
            best = c;
    return best;
}

struct kg_bisect_choice kg_bisect_choose(const struct kg_bisect_range *range,
                                         const struct kg_bisect_posterior *posterior)
{
    struct kg_bisect_choice choice = {0};
    choice.next = target_choose(range, posterior, &choice.target);
    choice.sure = choice.next ? KG_BISECT_SURE : KG_BISECT_SET;
    choice.is_found = is_found(range, posterior, choice.sure);
    if (choice.is_found)
        choice.next = support_choose(range, posterior);
    return choice;
}

/* The group with the largest mass among those not marked. */
static struct kg_bisect_group best_left(const struct kg_bisect_range *range, const double *mass,
                                        const bool *in)
{
    struct kg_bisect_group best = {0, 0, -1};
    for (size_t c = 1; c <= range->count;) {
        const struct kg_bisect_group group = group_from(range, mass, c);
        if (!in[group.last] && group.mass > best.mass)
            best = group;
        c = group.last + 1;
    }
    return best;
}

double kg_bisect_set(const struct kg_bisect_range *range, const double *mass, bool *in)
{
    double total = 0;
    for (size_t c = 0; c <= range->count; c++)
        in[c] = false;
    while (total < KG_BISECT_SET) {
        const struct kg_bisect_group group = best_left(range, mass, in);
        if (!(group.mass > 0))
            break;
        for (size_t c = group.first; c <= group.last; c++)
            in[c] = range->weights[c] > 0 || c == group.last;
        total += group.mass;
    }
    return total;
}
