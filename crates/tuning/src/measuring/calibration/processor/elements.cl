// Sums in the elements of a private array, tile by tile, as in products of matrices: a group has about as many rows of items as
// columns, and each iteration reads one number for all elements of an item, and one for each.
//
// volvelle: size = 2^18
// volvelle: parameter X = 1, 2, 4, 8, 16, 32
// volvelle: parameter Y = 1, 2, 4, 8, 16, 32
// volvelle: parameter COUNT = 1, 2, 4, 8, 16, 32
// volvelle: parameter TRIPS = 8, 32
// volvelle: constraint X == Y or X == 2 * Y and X <= 8
// volvelle: constraint X * Y * COUNT <= size / 8
// volvelle: global = size / (COUNT * Y), Y
// volvelle: local = X, Y
// volvelle: argument data = random float[4 * X * Y * TRIPS + 64 * 64]
// volvelle: argument out = zero float[size / COUNT]

__kernel void elements(__global const float *data, __global float *out)
{
    __local float left[Y * COUNT * TRIPS];
    __local float right[TRIPS * X];
    const int x = get_local_id(0);
    const int y = get_local_id(1);
    float sums[COUNT];

    for (int e = 0; e < COUNT; e++)
        sums[e] = 0.0f;
    for (int t = 0; t < 4; t++) {
        for (int e = 0; e < COUNT; e++)
            left[(y + e * Y) * TRIPS + x % TRIPS] = data[(t * Y + y) * X + x + e];
        right[(y % TRIPS) * X + x] = data[t * X + x];
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int k = 0; k < TRIPS; k++) {
            const float factor = right[k * X + x];
            for (int e = 0; e < COUNT; e++)
                sums[e] += left[(y + e * Y) * TRIPS + k] * factor;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float sum = 0.0f;
    for (int e = 0; e < COUNT; e++)
        sum += sums[e];
    out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = sum;
}
