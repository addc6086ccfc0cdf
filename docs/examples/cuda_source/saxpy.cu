/* y = a x + y, one element a thread. The macro KGATE_n is the parameter n of the suite. */
extern "C" __global__ void saxpy(int n, float a, const float *x, float *y)
{
    static_assert(KGATE_n > 0, "the suite has a parameter n");
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

/* The same, with as many elements a thread as the suite says, and any type. */
template <typename T, int EACH>
__global__ void axpy(int n, T a, const T *x, T *y)
{
    const int first = blockIdx.x * blockDim.x * EACH + threadIdx.x;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const int i = first + k * blockDim.x;
        if (i < n)
            y[i] = a * x[i] + y[i];
    }
}
