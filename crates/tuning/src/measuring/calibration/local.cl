// Reading local memory that the group has filled.
//
// volvelle: size = 2^12
// volvelle: parameter WG = 4, 32, 256
// volvelle: parameter TRIPS = powers(2^3, 2^8)
// volvelle: global = size, local = WG
// volvelle: argument out = zero int[size]
// volvelle: argument tile = local int[WG]

__kernel void local_memory(__global int *out, __local int *tile)
{
    const int lane = get_local_id(0);
    int sum = 0;

    tile[lane] = lane;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < TRIPS; i++)
        sum += tile[(lane + i) & (WG - 1)];
    out[get_global_id(0)] = sum;
}
