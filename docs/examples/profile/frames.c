/* frames: draws frames, blurs them as a lens does, the more the lower in the picture, and measures
 * their contrast; on all cores by OpenMP.
 *
 *     ./frames SIZE FRAMES [--dynamic] [--tree]
 *
 * --dynamic  gives rows to threads as these come for more; without, each has its fixed share
 * --tree     prints where the time went; KGATE_PROFILE=run.kgprof records it without a word */
#include <kgate/profiler.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 256, RADIUS_MOST = 32 };

struct frames {
    int size; /* pixels of an edge */
    unsigned char *image;
    unsigned char *blurred;
    long histogram[LEVELS];
};

/* A region's scope is around the work of all threads, whose scopes end before they wait for each
 * other. In a trace the gap that follows is the waiting; the bar beside the gap causes it. */

static void draw(struct frames *frames, int frame)
{
    KGATE_SCOPE_PARALLEL_REGION("draw");
#pragma omp parallel
    {
        KGATE_SCOPE("draw_rows");
#pragma omp for schedule(runtime) nowait
        for (int y = 0; y < frames->size; y++)
            for (int x = 0; x < frames->size; x++)
                frames->image[(size_t)y * (size_t)frames->size + (size_t)x] =
                    (unsigned char)((unsigned)(x + frame) * (unsigned)(y - frame) >> 4);
    }
}

/* The mean of the pixels at most `radius` away, `step` apart in memory. */
static unsigned char window_mean(const unsigned char *pixel, int at, int size, int radius, int step)
{
    const int from = at < radius ? -at : -radius;
    const int to = at + radius >= size ? size - 1 - at : radius;
    int sum = 0;
    for (int i = from; i <= to; i++)
        sum += pixel[i * step];
    return (unsigned char)(sum / (to - from + 1));
}

static void blur_row(const struct frames *frames, const unsigned char *from, unsigned char *to,
                     int y, bool along)
{
    const int size = frames->size, radius = RADIUS_MOST * y / size;
    for (int x = 0; x < size; x++) {
        const size_t i = (size_t)y * (size_t)size + (size_t)x;
        to[i] = window_mean(from + i, along ? x : y, size, radius, along ? 1 : size);
    }
}

static void blur(struct frames *frames)
{
    KGATE_SCOPE_PARALLEL_REGION("blur");
#pragma omp parallel
    {
        KGATE_SCOPE("blur_along");
#pragma omp for schedule(runtime) nowait
        for (int y = 0; y < frames->size; y++)
            blur_row(frames, frames->image, frames->blurred, y, true);
    }
#pragma omp parallel
    {
        KGATE_SCOPE("blur_across");
#pragma omp for schedule(runtime) nowait
        for (int y = 0; y < frames->size; y++)
            blur_row(frames, frames->blurred, frames->image, y, false);
    }
}

static void count_levels(struct frames *frames)
{
    const long pixels = (long)frames->size * frames->size;
    memset(frames->histogram, 0, sizeof frames->histogram);
    KGATE_SCOPE_PARALLEL_REGION("count_levels");
#pragma omp parallel
    {
        KGATE_SCOPE("count_rows");
        long mine[LEVELS] = {0};
#pragma omp for schedule(static) nowait
        for (long i = 0; i < pixels; i++)
            mine[frames->image[i]]++;
#pragma omp critical
        for (int level = 0; level < LEVELS; level++)
            frames->histogram[level] += mine[level];
    }
}

/* The variance of the levels. */
static double contrast(const struct frames *frames)
{
    KGATE_FUNCTION();
    double count = 0, sum = 0, squares = 0;
    for (int level = 0; level < LEVELS; level++) {
        count += (double)frames->histogram[level];
        sum += (double)frames->histogram[level] * level;
        squares += (double)frames->histogram[level] * level * level;
    }
    return squares / count - sum / count * (sum / count);
}

static double frame_contrast(struct frames *frames, int frame)
{
    KGATE_SCOPE("frame");
    draw(frames, frame);
    blur(frames);
    count_levels(frames);
    return contrast(frames);
}

/* The mean contrast of `count` frames; false where memory is out. */
static bool frames_measure(int size, int count, double *mean)
{
    const size_t pixels = (size_t)size * (size_t)size;
    struct frames frames = {.size = size, .image = malloc(pixels), .blurred = malloc(pixels)};
    const bool made = frames.image && frames.blurred;
    *mean = 0;
    for (int frame = 0; made && frame < count; frame++)
        *mean += frame_contrast(&frames, frame) / count;
    free(frames.image);
    free(frames.blurred);
    return made;
}

static bool tree_print(void)
{
    char message[256];
    kgate_profiler_stop();
    if (kgate_profiler_print(NULL, KGATE_PROFILE_TREE, stdout, 0, message))
        return true;
    fprintf(stderr, "frames: %s\n", message);
    return false;
}

int main(int argc, char **argv)
{
    const int size = argc > 2 ? atoi(argv[1]) : 0, count = argc > 2 ? atoi(argv[2]) : 0;
    bool tree = false, dynamic = false;
    for (int i = 3; i < argc; i++) {
        tree |= !strcmp(argv[i], "--tree");
        dynamic |= !strcmp(argv[i], "--dynamic");
    }
    if (size < 1 || size > 16384 || count < 1) {
        fprintf(stderr, "usage: frames SIZE FRAMES [--dynamic] [--tree]\n");
        return 2;
    }
    if (tree)
        kgate_profiler_start(NULL, NULL); /* KGATE_PROFILE may have started it already */
    omp_set_schedule(dynamic ? omp_sched_dynamic : omp_sched_static, dynamic ? 8 : 0);
    double mean;
    if (!frames_measure(size, count, &mean)) {
        fprintf(stderr, "frames: no memory for a frame of %d x %d\n", size, size);
        return 1;
    }
    printf("%d frames of %d x %d: mean contrast %.3f\n", count, size, size, mean);
    return tree && !tree_print();
}
