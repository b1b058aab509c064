// Barriers, and what items pay for the work between two of them.
//
// volvelle: size = 2^12
// volvelle: parameter WG = 1, 4, 16, 64, 256
// volvelle: parameter TRIPS = powers(1, 2^6)
// volvelle: global = size, local = WG
// volvelle: argument out = zero int[size]
// volvelle: argument tile = local int[WG]

__kernel void barriers(__global int *out, __local int *tile)
{
    const int lane = get_local_id(0);

    tile[lane] = lane;
    for (int i = 0; i < TRIPS; i++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const int next = tile[(lane + 1) & (WG - 1)];
        barrier(CLK_LOCAL_MEM_FENCE);
        tile[lane] = next;
    }
    out[get_global_id(0)] = tile[lane];
}
