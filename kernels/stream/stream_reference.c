#include "stream/stream.h"

double kg_triad_reference(double a, double b)
{
    return a + (double)kg_stream_scale * b;
}
