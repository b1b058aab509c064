// Every work-item reads the whole input, tile by tile: TS elements are copied to local memory, the group waits, computes on the
// tile, and waits again. This is the abstract kernel of Garanina, Staroletov and Gorlatch.
//
// volvelle: size = 1024
// volvelle: parameter WG = powers(4, size / 2)
// volvelle: parameter TS = powers(2, size / 2)
// volvelle: global = size, local = WG
// volvelle: argument data = random int[size]
// volvelle: argument result = zero int[size] -> each
// volvelle: argument tile = local int[WG * TS]
// volvelle: argument n = int size
// volvelle: reference WG = 4; reference TS = 2

__kernel void total(__global const int *data, __global int *result, __local int *tile, const int n)
{
    const int lane = get_local_id(0);
    const int width = get_local_size(0);
    int sum = 0;

    for (int t = 0; t < n / TS; t++) {
        // Each item copies a tile of its own, side by side with those of its neighbours.
        for (int i = 0; i < TS; i++)
            tile[i * width + lane] = data[t * TS + i];
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int i = 0; i < TS; i++)
            sum += tile[i * width + lane];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    result[get_global_id(0)] = sum;
}
