/* saxpy of docs/examples/cuda_source, slower by a read of every sixth element of x once more: 5.6 % more
 * bytes. ci/gpu.sh puts it in the place of saxpy: the gate must find that. */
extern "C" __global__ void saxpy(int n, float a, const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = a * x[i] + y[i];
    if (i < n / 6)
        sum += 0.0F * x[n - 1 - i]; /* the compiler may not drop it: x could be infinite */
    y[i] = sum;
}
