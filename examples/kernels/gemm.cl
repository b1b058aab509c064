// The product of two matrices of `size` x `size` numbers, where everything about the tiles is a parameter: a work-group of X x Y
// items computes a tile of X columns and Y * WORK rows, DEPTH steps of the sum at a time; each item computes WORK elements of a column.
//
// volvelle: size = 256
// volvelle: parameter X = powers(1, 32)
// volvelle: parameter Y = powers(1, 32)
// volvelle: parameter WORK = powers(1, 16)
// volvelle: parameter DEPTH = 8, 16, 32
// volvelle: constraint size % X == 0; constraint size % (Y * WORK) == 0; constraint size % DEPTH == 0
// volvelle: constraint X * Y <= 512
// volvelle: global = size, size / WORK
// volvelle: local = X, Y
// volvelle: argument a = random float[size * size]
// volvelle: argument b = random float[size * size]
// volvelle: argument c = zero float[size * size] -> each
// volvelle: argument n = int size
// volvelle: reference X = 1; reference Y = 1; reference WORK = 1; reference DEPTH = 8

__kernel void gemm(__global const float *a, __global const float *b, __global float *c, const int n)
{
    __local float tile_a[Y * WORK * DEPTH];
    __local float tile_b[DEPTH * X];

    const int x = get_local_id(0);
    const int y = get_local_id(1);
    const int lane = y * X + x;
    const int left = get_group_id(0) * X;
    const int top = get_group_id(1) * Y * WORK;

    float sums[WORK];
    for (int w = 0; w < WORK; w++)
        sums[w] = 0.0f;

    for (int t = 0; t < n / DEPTH; t++) {
        for (int i = lane; i < Y * WORK * DEPTH; i += X * Y)
            tile_a[i] = a[(top + i / DEPTH) * n + t * DEPTH + i % DEPTH];
        for (int i = lane; i < DEPTH * X; i += X * Y)
            tile_b[i] = b[(t * DEPTH + i / X) * n + left + i % X];
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int k = 0; k < DEPTH; k++) {
            const float right = tile_b[k * X + x];
            for (int w = 0; w < WORK; w++)
                sums[w] += tile_a[(y + w * Y) * DEPTH + k] * right;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (int w = 0; w < WORK; w++)
        c[(top + y + w * Y) * n + left + x] = sums[w];
}
