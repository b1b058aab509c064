// Barriers, with a little work between them that half of the items do.
//
// volvelle: size = 2^14
// volvelle: parameter WG = 1, 2, 4, 8, 16, 32, 64, 256, 1024
// volvelle: parameter TRIPS = 4, 16, 64
// volvelle: global = size, local = WG
// volvelle: argument out = zero int[size]
// volvelle: argument tile = local int[WG]

__kernel void barriers(__global int *out, __local int *tile)
{
    const int lane = get_local_id(0);

    tile[lane] = lane;
    for (int i = 0; i < TRIPS; i++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < WG / 2)
            tile[lane] = 3 * tile[lane] + tile[lane + WG / 2];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[lane];
}
