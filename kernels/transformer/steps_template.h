/* steps_template.h: the steps of passes_template.h, row by row: normalisation, gelu, attention. */

static REAL dot(size_t n, const REAL *x, const REAL *y)
{
    REAL sum = 0;
    REDUCTION
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* y += scale x */
static void add_scaled(size_t n, REAL scale, const REAL *x, REAL *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] += scale * x[i];
}

/* y = x weight + bias; x rows by inputs, weight inputs by outputs. */
static void affine(size_t rows, size_t inputs, size_t outputs, const REAL *x, const REAL *weight,
                   const REAL *bias, REAL *y)
{
    for (size_t i = 0; i < rows; i++)
        memcpy(y + i * outputs, bias, outputs * sizeof *y);
    multiply(rows, outputs, inputs, x, weight, y);
}

/* dx = dy weight^T, and the gradients by weight and bias are added to theirs. */
static void affine_backward(size_t rows, size_t inputs, size_t outputs, const REAL *x,
                            const REAL *weight, const REAL *dy, REAL *dx, REAL *dweight,
                            REAL *dbias)
{
    memset(dx, 0, rows * inputs * sizeof *dx);
    multiply_transposed(rows, inputs, outputs, dy, weight, dx);
    transposed_multiply(inputs, outputs, rows, x, dy, dweight);
    for (size_t i = 0; i < rows; i++)
        add_scaled(outputs, 1, dy + i * outputs, dbias);
}

static void normalize(size_t rows, size_t d, const REAL *x, const REAL *gain, const REAL *bias,
                      REAL *y, REAL *means, REAL *scales)
{
    for (size_t i = 0; i < rows; i++) {
        REAL mean = 0, variance = 0;
        for (size_t j = 0; j < d; j++)
            mean += x[i * d + j];
        mean /= (REAL)d;
        for (size_t j = 0; j < d; j++)
            variance += (x[i * d + j] - mean) * (x[i * d + j] - mean);
        means[i] = mean;
        scales[i] = 1 / SQRT(variance / (REAL)d + (REAL)KG_MODEL_EPSILON);
        for (size_t j = 0; j < d; j++)
            y[i * d + j] = gain[j] * ((x[i * d + j] - mean) * scales[i]) + bias[j];
    }
}

/* The gradient by x is added to dx, those by gain and bias to theirs. With n = (x - mean) scale and
 * g = gain dy, dx = scale (g - mean(g) - n mean(g n)): mean and scale depend on x too. */
static void normalize_backward(size_t rows, size_t d, const REAL *x, const REAL *means,
                               const REAL *scales, const REAL *gain, const REAL *dy, REAL *dx,
                               REAL *dgain, REAL *dbias)
{
    for (size_t i = 0; i < rows; i++) {
        const REAL *row = x + i * d, *drow = dy + i * d;
        REAL sum = 0, sum_normal = 0;
        for (size_t j = 0; j < d; j++) {
            const REAL normal = (row[j] - means[i]) * scales[i];
            sum += gain[j] * drow[j];
            sum_normal += gain[j] * drow[j] * normal;
            dgain[j] += drow[j] * normal;
            dbias[j] += drow[j];
        }
        for (size_t j = 0; j < d; j++) {
            const REAL normal = (row[j] - means[i]) * scales[i];
            dx[i * d + j] +=
                scales[i] * (gain[j] * drow[j] - sum / (REAL)d - normal * sum_normal / (REAL)d);
        }
    }
}

/* sqrt(2 / pi), and the cube's share */
#define GELU_SCALE ((REAL)0.79788456080286535588)
#define GELU_CUBE ((REAL)0.044715)

static REAL gelu(REAL x)
{
    return x / 2 * (1 + TANH(GELU_SCALE * (x + GELU_CUBE * x * x * x)));
}

static REAL gelu_slope(REAL x)
{
    const REAL t = TANH(GELU_SCALE * (x + GELU_CUBE * x * x * x));
    return (1 + t) / 2 + x / 2 * (1 - t * t) * GELU_SCALE * (1 + 3 * GELU_CUBE * x * x);
}

/* One row of one head: probabilities p[0..i] over the positions that position i sees, zeros beyond,
 * and their sum of values. q, k and v belong to one sequence; `stride` is the distance between
 * positions. */
static void attend(size_t i, size_t length, size_t width, size_t stride, const REAL *q,
                   const REAL *k, const REAL *v, REAL *p, REAL *attended)
{
    const REAL scale = 1 / SQRT((REAL)width);
    REAL largest = 0, sum = 0;
    for (size_t j = 0; j <= i; j++) {
        p[j] = scale * dot(width, q + i * stride, k + j * stride);
        largest = j == 0 || p[j] > largest ? p[j] : largest;
    }
    for (size_t j = 0; j <= i; j++)
        sum += p[j] = EXP(p[j] - largest);
    for (size_t j = 0; j < length; j++)
        p[j] = j <= i ? p[j] / sum : 0;
    for (size_t c = 0; c < width; c++)
        attended[c] = 0;
    for (size_t j = 0; j <= i; j++)
        add_scaled(width, p[j], v + j * stride, attended);
}

/* Adds the contributions of row i of one head to the gradients by q, k and v; dp has room for i +
 * 1. */
static void attend_backward(size_t i, size_t width, size_t stride, const REAL *qkv[3],
                            const REAL *p, const REAL *dattended, REAL *dp, REAL *dqkv[3])
{
    const REAL scale = 1 / SQRT((REAL)width);
    REAL mean = 0;
    for (size_t j = 0; j <= i; j++) {
        dp[j] = dot(width, dattended, qkv[2] + j * stride);
        add_scaled(width, p[j], dattended, dqkv[2] + j * stride);
        mean += p[j] * dp[j];
    }
    for (size_t j = 0; j <= i; j++) {
        const REAL dscore = scale * p[j] * (dp[j] - mean);
        add_scaled(width, dscore, qkv[1] + j * stride, dqkv[0] + i * stride);
        add_scaled(width, dscore, qkv[0] + i * stride, dqkv[1] + j * stride);
    }
}
