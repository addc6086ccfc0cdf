#include "pipelines/sync_heavy.h"

double kg_sync_heavy_reference(double b, double d, unsigned steps, double *norms)
{
    double x = 0;
    for (unsigned s = 0; s < steps; s++) {
        const double r = b - d * x;
        norms[s] += r * r;
        x += r / 16;
    }
    return x;
}
