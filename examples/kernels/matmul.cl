// The product of two matrices of `size` x `size` numbers, tile by tile: a work-group of TILE x TILE / WORK items computes a tile of
// the result, each item WORK elements of one column.
//
// volvelle: size = 256
// volvelle: parameter TILE = powers(1, 32)
// volvelle: parameter WORK = powers(1, 32)
// volvelle: constraint TILE <= size; constraint size % TILE == 0; constraint TILE % WORK == 0
// volvelle: global = size, size / WORK
// volvelle: local = TILE, TILE / WORK
// volvelle: argument a = random float[size * size]
// volvelle: argument b = random float[size * size]
// volvelle: argument c = zero float[size * size] -> each
// volvelle: argument n = int size
// volvelle: reference TILE = 1; reference WORK = 1

#define ROWS (TILE / WORK)

__kernel void matmul(__global const float *a, __global const float *b, __global float *c, const int n)
{
    __local float tile_a[TILE * TILE];
    __local float tile_b[TILE * TILE];

    const int x = get_local_id(0);
    const int y = get_local_id(1);
    const int column = get_group_id(0) * TILE + x;
    const int row = get_group_id(1) * TILE + y;

    float sums[WORK];
    for (int w = 0; w < WORK; w++)
        sums[w] = 0.0f;

    for (int t = 0; t < n / TILE; t++) {
        for (int w = 0; w < WORK; w++) {
            tile_a[(y + w * ROWS) * TILE + x] = a[(row + w * ROWS) * n + t * TILE + x];
            tile_b[(y + w * ROWS) * TILE + x] = b[(t * TILE + y + w * ROWS) * n + column];
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int k = 0; k < TILE; k++) {
            const float right = tile_b[k * TILE + x];
            for (int w = 0; w < WORK; w++)
                sums[w] += tile_a[(y + w * ROWS) * TILE + k] * right;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (int w = 0; w < WORK; w++)
        c[(row + w * ROWS) * n + column] = sums[w];
}
